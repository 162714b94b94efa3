"""Reading tokens on the Tokenize page: hover, keyboard, card, and how tokens are shown."""

import re
import unicodedata

import pytest
from playwright.sync_api import Route, expect

from playground.catalog.openai import load_openai
from tests.e2e.axe import broken_rules
from tests.e2e.conftest import wait_until_run
from tests.e2e.editor import Editor, join_texts

CL100K = load_openai("cl100k_base").encoding


def test_hover_links_a_token_and_its_id(editor):
    page = editor.page
    editor.set_text("Hello world, नमस्ते")
    editor.ids()
    tokens, ids = page.locator(".tokens .t"), page.locator(".ids .i")
    tokens.nth(1).hover()
    expect(ids.nth(1)).to_contain_class("lit")
    expect(page.locator(".lit")).to_have_count(2)
    expect(page.locator(".tip")).to_contain_text("1917")
    ids.nth(0).hover()
    expect(tokens.nth(0)).to_contain_class("lit")
    expect(tokens.nth(1)).not_to_contain_class("lit")
    editor.area.hover()
    expect(page.locator(".lit")).to_have_count(0)
    expect(page.locator(".tip")).to_be_hidden()


def test_the_keyboard_walks_opens_and_comes_back(editor):
    page = editor.page
    editor.set_text("one two three\nfour five six")
    editor.ids()
    editor.page.locator(".view-menu summary").focus()
    page.keyboard.press("Tab")
    pane = page.locator(".tokens")
    expect(pane).to_be_focused()
    active = page.locator(".tokens .active")
    expect(active).to_have_text("one")
    page.keyboard.press("ArrowRight")
    expect(active).to_have_text(" two")
    expect(page.locator(".ids .active")).to_have_text(str(CL100K.encode(" two")[0]))
    page.keyboard.press("ArrowDown")
    expect(active).to_have_text(" five")
    page.keyboard.press("ArrowUp")
    expect(active).to_have_text(" two")
    page.keyboard.press("End")
    expect(active).to_have_text(" six")
    page.keyboard.press("ArrowRight")  # past the end nothing changes
    expect(active).to_have_text(" six")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    card = page.locator(".card")
    expect(card).to_be_visible()
    expect(card.locator("h2")).to_contain_text('"one"')
    assert card.evaluate("(card) => card.contains(card.getRootNode().activeElement)")
    page.keyboard.press("ArrowLeft")  # before the first there is none
    for keys, text in [(["ArrowRight"] * 3, "\n"), (["ArrowLeft"] * 3, "one")]:
        for key in keys:
            page.keyboard.press(key)
        expect(active).to_have_text(text)
        expect(card).to_be_visible()
    expect(card.locator("h2")).to_contain_text('"one"')
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(pane).to_be_focused()
    expect(active).to_have_text("one")


def test_a_card_that_is_closed_before_it_has_come_stays_away_and_of_two_the_later_is_shown(editor):
    page, card = editor.page, editor.page.locator(".card")
    editor.set_text("one two three")
    editor.ids()
    tokens = page.locator(".tokens .t")
    with editor.held_answers():
        tokens.nth(1).click()
        page.keyboard.press("Escape")
    editor.ids()  # the server has answered after it
    expect(card).to_be_hidden()
    with editor.held_answers():
        tokens.nth(1).click()
        tokens.nth(2).click()
    expect(card.locator("h2")).to_contain_text('"·three"')
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator(".tokens")).to_be_focused()


def test_the_card_tells_all_about_a_token(editor):
    page = editor.page
    editor.set_text("The egg, the egg and an Egg.")
    ids = editor.ids()
    egg = CL100K.encode(" egg")[0]
    page.locator(".tokens .t", has_text=" egg").first.click()
    card = page.locator(".card")
    expect(card.locator("h2")).to_contain_text(str(egg))
    facts = dict(
        zip(
            card.locator("dl dt").all_inner_texts(),
            card.locator("dl dd").all_inner_texts(),
            strict=True,
        )
    )
    assert facts["rank"].replace(",", "") == str(egg)
    assert facts["in this text"] == f"{ids.count(egg)} ×" == "2 ×"
    assert facts["bytes"] == facts["characters"] == "3 to 7"
    assert facts["hex"] == b" egg".hex(" ").upper()
    for character in " eg":
        expect(card).to_contain_text(f"U+{ord(character):04X}")
        expect(card).to_contain_text(unicodedata.name(character))
    for variant in ("egg", " egg", "EGG", " EGG", "Egg", " Egg"):
        shown = variant.replace(" ", "·")
        row = card.locator("tr", has=page.locator(f'td:text-is("\\"{shown}\\"")'))
        expect(row).to_contain_text(" ".join(map(str, CL100K.encode(variant))))
    card.get_by_role("button", name="The next token").click()
    expect(card.locator("h2")).to_contain_text('","')
    page.keyboard.press("Escape")

    editor.set_text("🚀ক্ষ")  # tokens that are parts of a character
    ids = editor.ids()
    page.locator(".tokens .t").last.click()
    expect(card).to_be_visible()
    first = next(token["n_ids"] for token in editor.shown())
    index = sum(token["n_ids"] for token in editor.shown()[:-1])
    raw = CL100K.decode_single_token_bytes(ids[index])
    expect(card.locator("dd.wide").first).to_have_text(raw.hex(" ").upper())
    page.keyboard.press("Escape")
    page.locator(".tokens .t").first.click()
    raw = CL100K.decode_single_token_bytes(ids[0])
    assert first > 1
    expect(card.locator("h2")).to_contain_text('part of "🚀"')
    expect(card).to_contain_text(f"U+1F680ROCKET ({len(raw)} of its 4 bytes)")
    assert "\ufffd" not in card.inner_text()


@pytest.mark.new_visitor
def test_views_type_and_versions_survive_a_reload_and_text_survives_every_switch(editor):
    page = editor.page
    expect(page.get_by_role("group", name="Three things to try")).to_be_visible()
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    large = f"() => {size} > {1.2 * page.evaluate(size)}"
    page.get_by_role("button", name="Large type").click()
    page.wait_for_function(large)
    text = "Tab\there, two  spaces\r\nend नमस्ते here, here"
    editor.set_text(text)
    ids = editor.ids()
    page.locator(".view-menu").evaluate("(menu) => { menu.open = true; menu.firstElementChild.focus(); }")
    page.get_by_role("button", name="White space").click()
    assert join_texts(editor.shown()) == "Tab→\there,·two··spaces␍⏎\nend·नमस्ते·here,·here"
    page.locator("select.label").select_option("ids")
    shown = " ".join(token["text"] for token in editor.shown())
    assert [int(number) for number in shown.split()] == ids
    page.locator("select.label").select_option("bytes")
    raw = "".join(token["text"] for token in editor.shown())
    assert raw.replace(" ", "").replace("|", "") == text.encode().hex().upper()
    page.locator("select.color-by").select_option("id")
    colors: dict[str, set[str]] = {}
    for token in editor.shown():
        colors.setdefault(token["text"], set()).add(token["color"])
    assert all(len(each) == 1 for each in colors.values()), "the same token has one colour"

    editor.choose_tokenizer("o200k_base")
    expect(editor.area).to_have_value(text.replace("\r\n", "\n"))
    assert editor.ids() == load_openai("o200k_base").encoding.encode(text)
    assert page.evaluate(large.removeprefix("() => "))
    editor.choose_mode("chat")
    page.locator(".message textarea").last.fill("kept content")
    editor.choose_mode("ids")
    page.get_by_label("Token ids", exact=True).fill("40, 41")
    editor.choose_mode("text")
    assert editor.ids() == load_openai("o200k_base").encoding.encode(text)
    page.get_by_role("button", name="Versions", exact=True).click()
    page.get_by_label("Earlier version").fill(f"Hi. {text}")

    page.wait_for_function("() => JSON.parse(sessionStorage['tessera.editor'] ?? '{}').ids === '40, 41'")
    page.wait_for_function("() => JSON.parse(sessionStorage['tessera.editor']).earlier?.startsWith('Hi.')")
    page.reload()
    wait_until_run(page)
    editor = Editor(page).wait_until_open()
    expect(page.get_by_role("button", name="Normal type")).to_be_visible()
    assert page.evaluate(large.removeprefix("() => "))
    expect(page.get_by_label("Earlier version")).to_have_value(f"Hi. {text}".replace("\r\n", "\n"))
    expect(page.locator(".difference .t.removed").first).to_have_text("Hi")
    page.get_by_role("button", name="Versions", exact=True).click()
    editor.wait_until_shown()
    expect(editor.area).to_have_value(text.replace("\r\n", "\n"))
    expect(page.get_by_role("group", name="Three things to try")).to_be_hidden()  # one has typed
    expect(page.locator(".marks")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("select.label")).to_have_value("bytes")
    expect(page.locator("select.color-by")).to_have_value("id")
    expect(editor.root).to_have_attribute("data-tokenizer", "o200k_base")
    assert editor.ids() == load_openai("o200k_base").encoding.encode(text)
    editor.choose_mode("chat")
    expect(page.locator(".message textarea").last).to_have_value("kept content")
    editor.choose_mode("ids")
    expect(page.get_by_label("Token ids", exact=True)).to_have_value("40, 41")


def test_the_card_of_a_long_token_on_a_telephone_has_its_id_on_one_line(editor):
    page = editor.page
    page.set_viewport_size({"width": 390, "height": 800})
    editor.set_text("Tokenization splits unbelievable words.")
    page.locator(".tokens .t", has_text="unbelievable").click()
    name = page.locator(".card h2 span").first
    expect(name).to_have_text(str(CL100K.encode(" unbelievable")[0]))
    n_lines = name.evaluate(
        """(name) => {
          const words = document.createRange();
          words.selectNodeContents(name);
          return words.getClientRects().length;
        }"""
    )
    assert n_lines == 1
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_the_card_covers_no_token_and_leaves_none_boxed(editor):
    page, card = editor.page, editor.page.locator(".card")
    editor.set_text("\n".join(f"line {n} of the text" for n in range(60)))
    editor.ids()
    pane = page.locator(".tokens")
    token = page.locator(".tokens .t", has_text=" text").nth(11)
    token.scroll_into_view_if_needed()
    token.click()
    expect(card.locator("h2")).to_contain_text('"·text"')
    expect(token).to_contain_class("active")
    box, of_pane, of_card = token.bounding_box(), pane.bounding_box(), card.bounding_box()
    assert of_pane["y"] <= box["y"] < box["y"] + box["height"] <= of_pane["y"] + of_pane["height"]
    assert of_pane["y"] + of_pane["height"] <= of_card["y"]
    for width, scale in ((800, 1), (800, 1.37), (1280, 1.37)):  # as "Large type" has it
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("scale => (document.documentElement.style.fontSize = `${100 * scale}%`)", scale)
        heights = [field.bounding_box()["height"] for field in (pane, editor.area)]
        assert min(heights) >= 3 * 28 * scale, "three lines, while the card is open"
        assert card.evaluate("(card) => card.scrollWidth <= card.clientWidth"), "no column is out of sight"
    page.set_viewport_size({"width": 1280, "height": 800})
    page.evaluate("document.documentElement.style.fontSize = ''")
    card.get_by_role("button", name="Close").click()
    expect(card).to_be_hidden()
    expect(page.locator(".active")).to_have_count(0)


def test_the_ring_of_an_id_is_whole(editor):
    editor.set_text("one two")
    editor.ids()
    first = editor.page.locator(".ids .i").first
    ring = 1.5  # CSS pixels; what stands beyond its block is not drawn
    assert first.evaluate(
        """(id, ring) => {
          const box = id.getBoundingClientRect(), block = id.parentElement.getBoundingClientRect();
          return box.left - ring >= block.left && box.top - ring >= block.top;
        }""",
        ring,
    )


LINES_OF_TOKENS = """(pane) => [...pane.querySelectorAll(".t")].map((token) => {
  const boxes = [...token.getClientRects()].filter((box) => box.width > 0.5);
  return [token.textContent, new Set(boxes.map((box) => Math.round(box.top))).size, boxes[0]?.left];
})"""


def test_a_line_ends_between_tokens_and_a_wide_one_stays_in_the_pane(editor):
    page, wide = editor.page, "=" * 64  # one token
    text = (
        "Tokenization splits unbelievable words, and antidisestablishmentarianism. " * 12 + f"a\n\nb{wide} c"
    )
    for width in (1280, 400):
        page.set_viewport_size({"width": width, "height": 800})
        editor.set_text(text)
        editor.ids()
        pane = page.locator(".tokens")
        tokens = pane.evaluate(LINES_OF_TOKENS)
        assert max(n_lines for token, n_lines, _ in tokens if len(token) < 30 and "\n" not in token) == 1
        assert pane.evaluate("(pane) => pane.scrollWidth <= pane.clientWidth")
    page.set_viewport_size({"width": 1280, "height": 800})


def test_a_text_from_right_to_left_reads_so(editor):
    editor.set_text("مرحبا بالعالم abc\nleft to right")
    editor.ids()
    tokens = editor.page.locator(".tokens").evaluate(LINES_OF_TOKENS)
    arabic = [left for text, _, left in tokens if "\u0600" <= text.strip()[:1] <= "\u06ff"]
    latin = [left for text, _, left in tokens if text.strip() in ("left", "to", "right")]
    assert len(arabic) > 2
    assert arabic == sorted(arabic, reverse=True)
    assert len(latin) == 3
    assert latin == sorted(latin)
    assert editor.area.evaluate("(area) => getComputedStyle(area).direction") == "rtl"
    editor.set_text("left to right")
    assert editor.area.evaluate("(area) => getComputedStyle(area).direction") == "ltr"


def test_colours_tell_rank_bytes_and_category_with_a_key(editor):
    page = editor.page
    editor.set_text("the 42 antidisestablishmentarianism!")
    editor.ids()
    key, color_by = page.locator(".shades-key:not([hidden]) .t"), page.locator("select.color-by")
    expect(key).to_have_count(0)
    page.locator(".view-menu").evaluate("(menu) => { menu.open = true; menu.firstElementChild.focus(); }")
    controls, pane = page.locator(".view-controls"), page.locator(".tokens")
    expect(controls).to_be_visible()
    below, top = controls.bounding_box(), pane.bounding_box()
    assert below is not None
    assert top is not None
    assert below["y"] + below["height"] <= top["y"], "one sees what a control does"
    color_by.select_option("category")
    expect(key).to_have_text(["letters", "white space", "digits", "punctuation", "special", "other"])
    expect(page.locator(".tokens .kind2")).to_have_text(["42"])
    expect(page.locator(".tokens .kind3")).to_have_text(["!"])
    color_by.select_option("bytes")
    expect(page.locator(".tokens .t", has_text="establish")).to_contain_class("step4")
    expect(page.locator(".tokens .t").last).to_contain_class("step0")
    color_by.select_option("rank")
    expect(page.locator(".tokens .t").last).to_contain_class("step0")  # "!" is the first of all
    expect(page.locator(".tokens .t").first).to_contain_class(
        "step1" if CL100K.encode("the")[0] < 1000 else "step2"
    )
    color_by.select_option("position")
    expect(key).to_have_count(0)
    expect(page.locator(".tokens .shaded")).to_have_count(0)


def test_dear_words_are_listed_and_found_in_the_text(editor):
    page = editor.page
    editor.set_text("the UNBELIEVABLE cat\nan UNBELIEVABLE dog")
    editor.ids()
    page.locator(".dear summary").click()
    each = len(CL100K.encode(" UNBELIEVABLE"))
    row = page.locator(".dear-list tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("UNBELIEVABLE2 times" + f"{each}{2 * each}capitals")
    expect(row).to_contain_text("in lower case it is 1")
    for start in (4, 24, 4):
        row.get_by_role("button").click()
        assert editor.area.evaluate("(area) => [area.selectionStart, area.selectionEnd]") == [
            start,
            start + 12,
        ]
    expect(page.locator(".count")).to_contain_text(f"{each} of ")
    editor.set_text("the cat")
    expect(page.locator(".dear-list")).to_have_text("Each word is one token: none is costly.")
    page.locator(".dear summary").click()


def test_the_card_of_the_end_tells_what_it_may_become_and_how_bytes_are_written(editor):
    editor.set_text("Say 👋 worl")
    editor.ids()  # its tokens are shown
    editor.tokens.last.click()
    card = editor.page.locator(".card")
    unstable = card.locator(".unstable")
    expect(unstable).to_contain_text("may still become any of")
    expect(unstable.locator("code").first).to_have_text("·world")
    expect(card.locator("dl")).to_contain_text("byte letters")
    editor.tokens.nth(1).click()
    expect(card).to_contain_text("WAVING HAND SIGN")
    row = card.locator(".tables tr", has_text="U+1F44B")
    expect(row).to_contain_text("F0 9F 91 8B")
    expect(row).to_contain_text("D8 3D DC 4B")
    expect(row).to_contain_text("00 01 F4 4B")
    expect(unstable).to_have_count(0)


def test_tokens_are_coloured_by_the_alternative_that_cut_them_off(editor):
    page, color_by = editor.page, editor.page.locator("select.color-by")
    editor.set_text("Hello've 12\nstrawberries")
    page.locator(".view-menu").evaluate("(menu) => { menu.open = true; menu.firstElementChild.focus(); }")
    color_by.select_option("pattern")
    key = page.locator(".pattern-key .t")
    expect(key).to_have_count(8)
    expect(key.nth(1)).to_contain_text("2 letters")
    expect(page.locator(".pattern-key .t code").nth(2)).to_have_text(r"\p{N}{1,3}+")
    kinds = [
        "kind1",
        "kind0",
        "kind1 striped",
        "kind2",
        "kind5",
        "kind1",
        "kind1 goes-on",
        "kind1 goes-on",
    ]
    shaded = editor.page.locator(".tokens .shaded")
    expect(shaded).to_have_class([re.compile(rf"shaded {kind}( line| at)*$") for kind in kinds])
    editor.area.press("End")
    editor.area.press_sequentially("!")
    expect(shaded).to_have_class([re.compile(rf"shaded {kind}( line| at)*$") for kind in [*kinds, "kind3"]])
    assert broken_rules(page, within=editor.root) == []
    key.nth(2).click()
    expect(editor.root).to_have_class(re.compile(r"\brecut\b"))
    expect(key.nth(2)).to_have_attribute("aria-pressed", "false")
    page.get_by_label("Own pattern").fill("(")
    expect(page.locator(".pattern-key .said")).to_contain_text("does not compile")
    page.get_by_label("Own pattern").press_sequentially("Hello)")
    expect(key).to_have_count(1)
    expect(editor.tokens.first).to_have_class(re.compile("shaded kind0"))
    expect(page.get_by_label("Own pattern")).to_be_focused()
    page.get_by_role("button", name="Back to the tokenizer").click()
    expect(shaded).to_have_class([re.compile(rf"shaded {kind}( line| at)*$") for kind in [*kinds, "kind3"]])
    editor.choose_tokenizer("utf8_bytes")
    expect(page.locator(".pattern-key .alternatives")).to_have_text(
        "This tokenizer has no split pattern that we know."
    )
    editor.choose_tokenizer("cl100k_base")
    page.locator(".view-menu").evaluate("(menu) => { menu.open = true; menu.firstElementChild.focus(); }")
    color_by.select_option("position")
    page.keyboard.press("Escape")


@pytest.mark.new_visitor
def test_a_reload_shows_no_counts_of_another_text_beside_ones_own(editor):
    """The server opens with an example, until it has heard of the text that the tab kept."""
    page = editor.page
    editor.set_text("a b c")
    assert len(editor.ids()) == 3
    held: list[Route] = []
    page.route("**/session/*/edit*", lambda route: held.append(route))
    page.reload()
    editor.wait_until_open()
    expect(editor.area).to_have_value("a b c")
    counts = [page.locator(".n-tokens"), page.locator(".numbers"), page.locator(".tokens")]
    for shown in counts:
        expect(shown).to_be_hidden()
    for route in held:
        route.continue_()
    page.unroute("**/session/*/edit*")
    for shown in counts:
        expect(shown).to_be_visible()
    expect(page.locator(".n-tokens")).to_have_text("3")
