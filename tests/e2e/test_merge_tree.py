"""A teacher asks where " tokenization" differs, which merge came first, and looks a token up."""

import base64
import re
import struct
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import APIResponse, Page, Route, expect

from playground.analysis.traces import trace_text
from playground.catalog.registry import get_tokenizer
from playground.catalog.trained import load_python_docs
from playground.server.share_link import unpack
from tests.e2e.conftest import (
    HeldRuns,
    at_size,
    go_to,
    shared_link,
    touched,
    wait_until_held,
    wait_until_rest,
    wait_until_run,
)
from tests.e2e.editor import OVER_A_MEGABYTE

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def forest_page(a_page: Callable[[str], Page]) -> Page:
    """The page with the forest of any text in gpt2; trees as high as their merges are deep."""
    page = a_page("merge_tree")
    page.get_by_role("radio", name="Trees").click()
    expect(page.locator(".forest").first).to_be_visible()
    return page


def joints(page: Page) -> list[str]:
    return page.locator(".forest").first.locator(".rank").all_text_contents()


def choose_tokenizer(page: Page, name: str) -> None:
    """Type a name into the picker, as one does who knows it."""
    picker = page.get_by_role("combobox", name="Tokenizer", exact=True)
    picker.fill(name)
    picker.press("Enter")


def put(page: Page, expression: str) -> None:
    """Set the text to a JavaScript expression; what a paste of it does, at once."""
    page.locator("textarea.text").first.evaluate(
        f"(area) => {{ area.value = {expression};"
        " area.dispatchEvent(new InputEvent('input', {bubbles: true})); }"
    )


def draw(page: Page, text: str, counts: str) -> None:
    """Draw a text from its first step on."""
    page.locator("textarea.text").first.fill("")
    expect(page.locator(".counts").first).to_have_text("0 tokens, 0 merges")  # not those of an earlier text
    page.locator("textarea.text").first.fill(text)
    expect(page.locator(".counts").first).to_have_text(counts)


@pytest.mark.new_visitor(stays=True)
def test_the_page_opens_with_a_forest_and_draws_what_is_typed(forest_page: Page) -> None:
    expect(forest_page.locator(".counts").first).to_have_text("2 tokens, 11 merges")
    assert {"11241", "1634", "256"} <= set(joints(forest_page))
    forest_page.locator("textarea.text").first.fill("<b>안녕</b> & more")
    expect(forest_page.locator(".forest").first.locator(".pretoken")).to_have_count(9)
    assert forest_page.locator(".forest b").count() == 0
    page = forest_page
    page.locator("textarea.text").first.fill("one two three four")
    expect(page.locator(".counts").first).to_have_text("4 tokens, 14 merges")
    last = page.locator(".forest").first.locator(".pretoken").last
    last.evaluate("(drawn) => { drawn.wasHere = true; }")
    with page.expect_response("**/draw") as answered:
        page.locator("textarea.text").first.fill("one twos three four")
    assert [kind["text"] for kind in answered.value.json()["new"].values()] == ["·twos"]
    expect(page.locator(".counts").first).to_contain_text("5 tokens")
    assert last.evaluate("(drawn) => drawn.wasHere")


def test_arrow_keys_walk_the_tree_and_hover_marks_a_subtree(forest_page: Page) -> None:
    draw(forest_page, " tokenization", "2 tokens, 11 merges")
    forest = forest_page.locator(".forest").first
    about = forest_page.locator(".about").first
    forest.focus()
    for key, expected in [
        ("ArrowRight", "“·token”  rank 11,241"),
        ("ArrowDown", "“·to”  rank 284"),
        ("ArrowRight", "“ken”  rank 3,464"),
        ("ArrowUp", "“·token”  rank 11,241"),
        ("ArrowRight", "“ization”  rank 1,634"),
        ("ArrowLeft", "“·token”  rank 11,241"),
        ("End", "“ization”  rank 1,634"),
        ("Home", "“·token”  rank 11,241"),
    ]:
        forest_page.keyboard.press(key)
        expect(about).to_contain_text(expected)
    forest.locator(".rank", has_text=re.compile("^284$")).hover()
    expect(forest.locator(".lit")).to_have_count(5)  # " to" is two joints and three bytes


def test_an_example_is_drawn_says_why_and_gives_the_text_before_it_back(forest_page: Page) -> None:
    draw(forest_page, "mine", "1 token, 3 merges")
    forest_page.get_by_label("Start from an example").first.select_option("A user's name")
    expect(forest_page.locator(".counts").first).to_contain_text("1 token,")
    expect(forest_page.locator("textarea.text").first).to_have_value(" SolidGoldMagikarp")
    notes = forest_page.locator(".notes").first
    expect(notes).to_contain_text("A whole name is one token in GPT-2")
    notes.get_by_role("button", name="Bring it back").click()
    expect(forest_page.locator(".counts").first).to_have_text("1 token, 3 merges")
    expect(notes).to_be_empty()


def test_wordpieces_tries_are_walked_by_keys(forest_page: Page) -> None:
    choose_tokenizer(forest_page, "bert_uncased")
    forest_page.locator("textarea.text").first.fill("unaffable")
    expect(forest_page.locator(".counts").first).to_have_text("3 tokens, 12 tries")
    expect(forest_page.locator(".choice").first).to_be_hidden()  # no joints have a height
    expect(forest_page.locator(".player").first).to_be_hidden()
    forest_page.locator(".forest").first.focus()
    for key, expected in [
        ("ArrowDown", "try 1 of 12:  “unaffable”  is no piece: refused"),
        ("ArrowDown", "try 2 of 12:  “unaffabl”"),
        ("ArrowUp", "try 1 of 12:"),
        ("End", "try 12 of 12:  “##ble”  is a piece: taken"),
    ]:
        forest_page.keyboard.press(key)
        expect(forest_page.locator(".about").first).to_contain_text(expected)
    choose_tokenizer(forest_page, "gpt2")
    expect(forest_page.locator(".choice").first).to_be_visible()
    expect(forest_page.locator(".player").first).to_be_visible()


def test_the_player_ends_in_the_tokens(forest_page: Page) -> None:
    draw(forest_page, " tokenization", "2 tokens, 11 merges")
    player = forest_page.locator(".player").first
    expect(player.locator(".why")).to_contain_text("256 is the lowest rank")
    player.locator("[data-go=on]").click()
    expect(player.locator(".part").first).to_have_text("·t")
    forest_page.keyboard.press("End")
    expect(player.locator(".where")).to_have_text("11 of 11 merges done")
    expect(player.locator(".part")).to_have_text(["·tokenid 11241", "izationid 1634"])
    forest_page.keyboard.press("ArrowLeft")
    expect(player.locator(".where")).to_have_text("10 of 11 merges done")
    forest_page.keyboard.press("Home")
    expect(player.locator(".part")).to_have_count(13)
    player.locator(".play").click()
    expect(player.locator(".part")).to_have_count(12)
    player.locator(".play").click()
    expect(player.locator(".play")).to_have_text("Play")


def test_of_tall_trees_what_is_played_is_in_sight_above_the_player(forest_page: Page) -> None:
    page = forest_page
    draw(page, "Donaudampfschifffahrt and unbelievably 1234567", "14 tokens, 32 merges")
    page.get_by_text("by merge order").click()
    forest, player = page.locator(".forest").first, page.locator(".player").first
    player.get_by_role("button", name="First step").click()
    slider = player.locator("input")
    n_frames = int(slider.get_attribute("max") or 0)
    assert n_frames > 32
    for n in range(1, n_frames + 1):
        player.get_by_role("button", name="One step on").click()
        expect(slider).to_have_value(str(n))
        # A pretoken that begins has no merge yet.
        assert forest.evaluate("""(forest) => {
          const room = forest.getBoundingClientRect();
          const made = forest.querySelector(".node.made")?.getBoundingClientRect();
          return !made || (room.top <= made.top && made.bottom <= room.bottom);
        }"""), n  # fmt: skip
    room, controls = forest.bounding_box(), player.bounding_box()
    is_cut = forest.evaluate("forest => forest.scrollHeight > forest.clientHeight")
    has_shadow = "linear-gradient" in forest.evaluate("forest => getComputedStyle(forest).backgroundImage")
    page.get_by_text("height by depth").click()
    assert is_cut
    assert has_shadow, "it says that the trees go on below"
    assert room
    assert controls
    assert room["y"] + room["height"] <= controls["y"]
    assert controls["y"] + controls["height"] <= 800


def test_the_tree_grows_in_step_with_the_parts_and_fills_the_width(forest_page: Page) -> None:
    draw(forest_page, " tokenization", "2 tokens, 11 merges")
    forest, player = forest_page.locator(".forest").first, forest_page.locator(".player").first
    pieces = forest.locator(".piece").filter(visible=True)
    expect(pieces).to_have_count(11)  # whole, until one plays
    for name in ("First step", "One step back", "One step on", "Last step"):
        expect(player.get_by_role("button", name=name).locator("svg")).to_be_visible()
    player.get_by_role("button", name="Last step").click()
    for n_done in range(11, -1, -1):
        expect(player.locator(".where")).to_have_text(f"{n_done} of 11 merges done")
        expect(pieces).to_have_count(n_done)
        parts = player.locator(".part").evaluate_all("(parts) => parts.map((part) => part.firstChild.data)")
        roots = forest.locator(".node:not(.later)").evaluate_all(
            "(all) => all.filter((node) => node.matches('.loose, .root')).map((node) => node.dataset.text)"
        )
        assert sorted(roots) == sorted(parts), "what stands free is what the parts are"
        player.get_by_role("button", name="One step back").click()
    room = forest.bounding_box()
    first, last = (forest.locator("svg.tree").nth(n).bounding_box() for n in (0, -1))
    assert room
    assert first
    assert last
    assert last["x"] + last["width"] - first["x"] > 0.93 * room["width"]
    forest_page.set_viewport_size({"width": 700, "height": 800})
    expect(forest.locator("svg.tree").last).not_to_have_attribute("data-spread", "")
    forest_page.wait_for_function(
        "(forest) => forest.scrollWidth <= forest.clientWidth", arg=forest.element_handle()
    )
    forest_page.set_viewport_size({"width": 1280, "height": 800})


def test_text_height_and_step_stay_when_one_leaves_and_comes_back(forest_page: Page) -> None:
    page = forest_page
    draw(page, "Hello world!", "3 tokens, 9 merges")
    page.get_by_role("radio", name="by merge order").click()
    expect(page.locator("[data-height=order]").first).to_have_attribute("aria-checked", "true")
    page.locator("[data-go=on]").first.click(click_count=2)
    expect(page.locator(".where").first).to_have_text("2 of 9 merges done")
    go_to(page, "Tokenize")  # Train has a forest too
    expect(page.locator(".forest")).to_have_count(0)
    go_to(page, "Merge tree")
    expect(page.locator("textarea.text").first).to_have_value("Hello world!")
    expect(page.get_by_role("combobox", name="Tokenizer", exact=True)).to_have_value(re.compile("^gpt2 · "))
    page.get_by_role("radio", name="Health").click()
    expect(page.locator(".forest")).to_have_count(0)
    said = unpack(shared_link(page).partition("share=")[2])
    assert isinstance(said, dict)
    assert (said["text"], said["step"], said["height_by"]) == ("Hello world!", 2, "order")
    page.get_by_role("radio", name="Trees").click()
    expect(page.locator("textarea.text").first).to_have_value("Hello world!")
    expect(page.locator(".where").first).to_have_text("2 of 9 merges done")
    expect(page.locator("[data-height=order]").first).to_have_attribute("aria-checked", "true")
    page.get_by_role("radio", name="height by depth").click()


def test_a_step_that_is_taken_while_an_answer_is_on_its_way_is_kept(forest_page: Page) -> None:
    page = forest_page
    draw(page, "Hello world!", "3 tokens, 9 merges")
    held: list[Route] = []
    page.route("**/draw", lambda route: route.fallback() if held else held.append(route))
    for height in ("by merge order", "height by depth", "by merge order"):  # one is asked for, one waits
        page.get_by_role("radio", name=height).click()
    page.locator("[data-go=on]").first.click(click_count=2)
    wait_until_held(page, held)
    held[0].continue_()
    expect(page.locator("[data-height=order]").first).to_have_attribute("aria-checked", "true")
    expect(page.locator(".where").first).to_have_text("2 of 9 merges done")
    page.unroute("**/draw")
    go_to(page, "Tokenize")
    go_to(page, "Merge tree")
    expect(page.locator(".where").first).to_have_text("2 of 9 merges done")
    page.get_by_role("radio", name="height by depth").click()


def test_a_copied_link_restores_tokenizer_text_and_step(
    forest_page: Page, new_page: Callable[[], Page], app_url: str
) -> None:
    page = forest_page
    text = "Größe & <b>\nनमस्ते 100%"
    page.locator("textarea.text").first.fill(text)
    expect(page.locator(".where").first).to_have_text("0 of 14 merges done")
    page.get_by_role("radio", name="by merge order").click()
    expect(page.locator("[data-height=order]").first).to_have_attribute("aria-checked", "true")
    page.locator("[data-go=on]").first.click(click_count=3)
    where = "3 of 14 merges done"
    expect(page.locator(".where").first).to_have_text(where)
    link = shared_link(page)
    assert link.startswith(f"{app_url}/merge_tree?share=")
    page.get_by_role("radio", name="height by depth").click()
    guest = new_page()
    guest.goto(link)
    expect(guest.locator("textarea.text").first).to_have_value(text)
    expect(guest.locator(".where").first).to_have_text(where)
    expect(guest.locator("[data-height=order]").first).to_have_attribute("aria-checked", "true")


def saved(page: Page, kind: str) -> Path:
    with page.expect_download() as download:
        page.locator(f"[data-picture={kind}]").first.click()
    assert download.value.suggested_filename == f"merge-tree-gpt2.{kind}"
    return Path(download.value.path())


def test_pictures_hold_every_tree_at_its_place(forest_page: Page) -> None:
    page = forest_page
    text = "a tokenization of “नमस्ते” & <b> " * 12
    put(page, repr(text))
    n_tokens = len(get_tokenizer("gpt2").encode(text))
    expect(page.locator(".counts").first).to_contain_text(f"{n_tokens} tokens")
    svg = ElementTree.parse(saved(page, "svg")).getroot()
    trees = list(svg.iter(f"{SVG}svg"))[1:]
    assert len(trees) == n_tokens
    assert len({(tree.get("x"), tree.get("y")) for tree in trees}) == n_tokens
    for tree in trees:
        assert float(tree.get("x", "-1")) + float(tree.get("width", "inf")) <= float(svg.get("width", "0"))
        assert float(tree.get("y", "-1")) + float(tree.get("height", "inf")) <= float(svg.get("height", "0"))
    assert trees[0].get("aria-label") == 'token "a", rank 64, one byte'
    png = saved(page, "png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert (width, height) == (2 * int(svg.get("width", "0")), 2 * int(svg.get("height", "0")))


def test_bad_input_is_told_and_the_page_stays_alive(forest_page: Page) -> None:
    page = forest_page
    put(page, "'a'.repeat(8000)")
    expect(page.locator(".counts").first).to_have_text("2,000 tokens, 6,000 merges")
    expect(page.locator(".limit").first).to_contain_text("Trees stop after about 4,000 of 8,000 characters")
    put(page, "''")
    expect(page.locator(".counts").first).to_have_text("0 tokens, 0 merges")
    expect(page.locator(".about").first).to_contain_text("An empty text has no tokens")
    put(page, OVER_A_MEGABYTE)
    expect(page.locator(".note.error")).to_contain_text("1,001,000 bytes; this page takes up to 1,000,000")
    put(page, "'word '.repeat(1000)")
    expect(page.locator(".note")).to_have_count(0)
    expect(page.locator(".limit").first).to_contain_text("Your text is kept whole")
    assert page.locator("textarea.text").first.evaluate("(area) => area.value.length") == 5_000
    put(page, "'alive'")
    expect(page.locator(".counts").first).to_have_text("2 tokens, 3 merges")


@pytest.mark.parametrize(("width", "type_size"), [(1280, "normal"), (1280, "large"), (390, "normal")])
def test_views_and_the_first_sight_of_a_tree_stand_above_the_fold(
    forest_page: Page, width: int, type_size: str
) -> None:
    page = forest_page
    page.set_viewport_size({"width": width, "height": 800})
    if type_size == "large":
        page.get_by_role("button", name="Large type").click()
    draw(page, " tokenization", "2 tokens, 11 merges")
    for seen in (
        page.get_by_role("radio", name="Convert"),
        page.locator(".forest .root").first,
        page.locator(".forest .node").first,
    ):
        expect(seen).to_be_in_viewport()
    if type_size == "large":
        page.get_by_role("button", name="Normal type").click()
    page.set_viewport_size({"width": 1280, "height": 800})


def test_trees_and_the_race_grow_with_the_type_at_once(forest_page: Page) -> None:
    page = forest_page
    draw(page, " tokenization of words that fill a line, and more", "11 tokens, 38 merges")
    for view, letter in (("Trees", ".forest svg.tree text"), ("Merge race", "svg.race .name")):
        page.get_by_role("radio", name=view).click()
        expect(page.locator(letter).first).to_be_visible()
        before = height_of(page, letter)
        page.get_by_role("button", name="Large type").click()
        expect(page.get_by_role("button", name="Normal type")).to_be_visible()
        wait_until_rest(page)
        assert height_of(page, letter) > 1.3 * before
        room = page.locator(".forest").evaluate("forest => forest.scrollWidth <= forest.clientWidth")
        assert room, "no row of the race is wider than the page"
        page.get_by_role("button", name="Normal type").click()
        expect(page.get_by_role("button", name="Large type")).to_be_visible()
        wait_until_rest(page)
        assert height_of(page, letter) == before
    page.get_by_role("radio", name="Trees").click()


def height_of(page: Page, selector: str) -> float:
    return float(page.locator(selector).first.evaluate("letter => letter.getBoundingClientRect().height"))


def test_the_race_says_who_made_it_first_and_from_what(forest_page: Page) -> None:
    forest_page.get_by_role("radio", name="Merge race").click()
    race = forest_page.locator("svg.race")
    expect(race.locator(".name")).to_have_text(["gpt2", "cl100k_base", "python_docs_4k"])
    expect(race.get_by_text("first merge: · + t, rank 256")).to_be_visible()
    expect(forest_page.get_by_text("cl100k_base has the fewest parts, 2, made by rank 4,037")).to_be_visible()
    forest_page.get_by_role("textbox", name="Word").fill(" the")
    forest_page.keyboard.press("Enter")
    expect(forest_page.get_by_text("has it whole first, at rank 262")).to_be_visible()
    forest_page.get_by_role("textbox", name="Word").fill("")
    forest_page.keyboard.press("Enter")
    expect(forest_page.get_by_text("Type a word to see")).to_be_visible()
    forest_page.get_by_role("textbox", name="Word").fill(" tokenization")
    forest_page.keyboard.press("Enter")
    expect(race.locator(".name")).to_have_count(3)


@pytest.fixture
def vocabulary(forest_page: Page) -> Page:
    forest_page.get_by_role("radio", name="Vocabulary").click()
    forest_page.get_by_label("Regular expression").wait_for()
    return forest_page


def look_for(page: Page, label: str, text: str) -> None:
    field = page.get_by_test_id("stTextInput").get_by_label(label)
    field.fill(text)
    field.press("Enter")


def test_a_search_is_in_the_link_before_its_field_is_left(vocabulary: Page) -> None:
    """Streamlit made one run of the two, of the search's part of the page alone, and no link."""
    vocabulary.get_by_test_id("stTextInput").get_by_label("Text").fill("token")
    said = unpack(shared_link(vocabulary).partition("share=")[2])
    assert isinstance(said, dict)
    assert said["chosen"]["vocabulary.text"] == "token"
    look_for(vocabulary, "Text", "")


def test_the_vocabulary_finds_a_token_and_a_row_that_is_chosen_opens_another(vocabulary: Page) -> None:
    look_for(vocabulary, "Text", "SolidGold")
    expect(vocabulary.get_by_text("1 of 50,256 tokens")).to_be_visible()
    expect(vocabulary.get_by_role("heading", name="Token 43,453 ·SolidGoldMagikarp")).to_be_visible()
    look_for(vocabulary, "Text", "token")
    expect(vocabulary.get_by_role("heading", name="Token 43,453")).to_have_count(0)
    wait_until_rest(vocabulary)  # another table is drawn
    vocabulary.get_by_test_id("stDataFrame").locator(".dvn-scroller").first.click(
        position={"x": 16, "y": 122}
    )
    expect(vocabulary.get_by_role("heading", name="Token 30,001 token")).to_be_visible()
    expect(vocabulary.get_by_text("tokens are merged from it")).to_be_visible()
    look_for(vocabulary, "Text", "")


def test_on_a_telephone_tokens_are_seen_below_their_conditions_and_nothing_stands_on_a_table(
    vocabulary: Page,
) -> None:
    with touched(vocabulary):
        at_size(vocabulary, 390, 800)
        assert vocabulary.evaluate("matchMedia('(hover: none)').matches")
        tables = vocabulary.locator(".stMain .stDataFrame")
        expect(tables).to_have_count(3)
        first = tables.first.bounding_box()
        assert first
        assert first["y"] < 700, "the tokens were below the first screen"
        for table in tables.all():
            assert table.evaluate(
                "(table) => table.getBoundingClientRect().bottom"
                " <= table.closest('.stElementContainer').getBoundingClientRect().bottom + 1"
            )
    at_size(vocabulary, 1280, 800)


def test_characters_merge_in_mistral_and_the_player_goes_through_their_merges(forest_page: Page) -> None:
    mistral = get_tokenizer("mistral_v1")
    text = "Tokens é\U0001fae8"
    trace = trace_text(mistral, text)
    choose_tokenizer(forest_page, "mistral_v1")
    forest_page.locator("textarea.text").first.fill(text)
    counts = f"{len(trace.ids)} tokens, {trace.n_merges} merges"
    expect(forest_page.locator(".counts").first).to_have_text(counts)
    expect(forest_page.locator(".forest").first.locator(".hex").last).to_have_text("A8")
    player, joints_to_come = forest_page.locator(".player").first, forest_page.locator(".forest .later")
    player.get_by_role("button", name="First step").click()
    expect(joints_to_come).to_have_count(trace.n_merges)
    player.get_by_role("button", name="One step on").click()
    expect(joints_to_come).to_have_count(trace.n_merges - 1)
    player.get_by_role("button", name="Last step").click()
    expect(joints_to_come).to_have_count(0)
    expect(player.locator(".part")).to_have_count(len(trace.buildings[-1].ids))  # four are bytes
    choose_tokenizer(forest_page, "gpt2")
    expect(forest_page.locator(".counts").first).not_to_have_text(counts)


def test_an_answer_of_the_tokenizer_before_that_comes_late_does_not_stay(forest_page: Page) -> None:
    text = "an answer that comes late"
    held: list[tuple[Route, APIResponse]] = []
    forest_page.route("**/draw", lambda route: held.append((route, route.fetch())), times=1)
    with forest_page.expect_request("**/draw"):
        forest_page.locator("textarea.text").first.fill(text)
    choose_tokenizer(forest_page, "mistral_v1")
    wait_until_run(forest_page)
    wait_until_held(forest_page, held)
    route, of_gpt2 = held[0]
    assert of_gpt2.json()["n_merges"] == trace_text(get_tokenizer("gpt2"), text).n_merges
    route.fulfill(response=of_gpt2)
    trace = trace_text(get_tokenizer("mistral_v1"), text)
    expect(forest_page.locator(".counts").first).to_have_text(
        f"{len(trace.ids)} tokens, {trace.n_merges} merges"
    )
    choose_tokenizer(forest_page, "gpt2")
    wait_until_run(forest_page)


def test_a_player_that_is_moved_before_the_page_tells_of_its_tokenizer_stays(
    held_runs: HeldRuns, open_page: Callable[[str], Page]
) -> None:
    page = open_page("merge_tree")
    player, later = page.locator(".player").first, page.locator(".forest .later")
    where, field = player.locator(".where"), page.locator("textarea.text").first
    first, second = "Tokens é", "Tokens é è"
    gpt2, mistral = get_tokenizer("gpt2"), get_tokenizer("mistral_v1")
    shown, typed = trace_text(mistral, first), trace_text(gpt2, second)
    assert shown.n_merges != trace_text(gpt2, first).n_merges
    assert typed.n_merges != trace_text(mistral, second).n_merges
    field.fill(first)
    expect(where).to_have_text(f"0 of {trace_text(gpt2, first).n_merges} merges done")
    with held_runs() as wait_for_run:
        choose_tokenizer(page, "mistral_v1")
        wait_for_run()
        player.get_by_role("button", name="One step on").click()
    expect(where).to_have_text(f"1 of {shown.n_merges} merges done")
    with held_runs() as wait_for_run:
        choose_tokenizer(page, "gpt2")
        wait_for_run()  # the session has the tokenizer, of which the page does not know yet
        field.fill(second)
        counts = f"{len(typed.ids)} tokens, {typed.n_merges} merges"
        expect(page.locator(".counts").first).to_have_text(counts)
        player.get_by_role("button", name="First step").click()
        expect(later).to_have_count(typed.n_merges)
    wait_until_run(page)
    wait_until_rest(page)
    expect(later).to_have_count(typed.n_merges)


def test_the_bar_of_a_work_that_does_not_tell_how_far_it_is_moves(forest_page: Page) -> None:
    page = forest_page
    page.emulate_media(reduced_motion="no-preference")
    tokenizer = page.get_by_role("combobox", name="Tokenizer")
    tokenizer.fill("cl100k_base")
    tokenizer.press("Enter")
    page.get_by_role("radio", name="Health").click()
    expect(page.locator('[data-testid="stProgressBarTrack"] > div')).to_have_css("animation-name", "goes-on")
    page.emulate_media(reduced_motion="reduce")
    page.get_by_role("radio", name="Trees").click()
    tokenizer.fill("gpt2")
    tokenizer.press("Enter")
    wait_until_run(page)


def test_a_converted_file_is_saved_with_its_proof(forest_page: Page) -> None:
    page, name = forest_page, "python_docs_4k"
    choose_tokenizer(page, name)
    page.get_by_role("radio", name="Convert").click()
    expect(page.get_by_text("Equal in tiktoken")).to_be_visible()
    at_size(page, 390, 800)
    names = page.get_by_role("radiogroup", name="Files for").get_by_role("radio")
    boxes = [box for one in names.all() if (box := one.bounding_box())]
    assert len({(box["x"], box["width"]) for box in boxes}) == 1, "below each other, and as wide"
    assert len({box["y"] for box in boxes}) == len(boxes) == 4
    at_size(page, 1280, 800)
    with page.expect_download() as saving:
        page.get_by_role("button", name=f"{name}.tiktoken").click()
    lines = saving.value.path().read_text().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}
    assert ranks == {raw: token_id for token_id, raw in load_python_docs().model.token_bytes().items()}
    page.get_by_role("radio", name="minbpe").click()
    expect(page.get_by_role("button", name=f"{name}.vocab")).to_be_visible()
    expect(page.get_by_role("button", name=f"{name}.tiktoken")).to_have_count(0)
    page.get_by_role("radio", name="tiktoken").click()
    choose_tokenizer(page, "gpt2")
