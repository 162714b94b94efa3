"""One text through several tokenizers, live; examples, languages and vocabularies."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from playground.analysis.examples import COMPARE_EXAMPLES
from playground.analysis.language_counts import article_text
from playground.catalog.registry import get_tokenizer
from playground.server.share_link import unpack
from tests.e2e.conftest import HeldRuns, at_size, go_to, shared_link, wait_until_rest, wait_until_run
from tests.e2e.editor import OVER_A_MEGABYTE

NAMES = ("gpt2", "cl100k_base", "python_docs_4k")

#: Whether the chart is as narrow as a telephone, and no name of its legend passes its right edge.
LEGEND_IS_INSIDE = """(nNames) => {
  const chart = [...document.querySelectorAll('.stMain svg.marks')].at(-1);
  if (!chart || chart.getBoundingClientRect().right > 390) return false;
  const names = [...chart.querySelectorAll('.role-legend-label text')];
  const end = chart.getBoundingClientRect().right;
  return names.length === nNames && names.every((name) => name.getBoundingClientRect().right <= end);
}"""


@pytest.fixture
def compare_page(a_page: Callable[[str], Page]) -> Page:
    """The page with its first three tokenizers and any text, aligned."""
    page = a_page("compare")
    expect(page.locator(".aligned")).to_be_visible()
    return page


def counts(page: Page) -> list[str]:
    return page.locator(".figures td.count").all_text_contents()


def put(page: Page, expression: str) -> None:
    """Set the text to a JavaScript expression; what a paste of it does, at once."""
    page.locator("textarea.text").evaluate(
        f"(area) => {{ area.value = {expression};"
        " area.dispatchEvent(new InputEvent('input', {bubbles: true})); }"
    )


#: Each row of each line has one name, which stands where it stands.
ARE_NAMED = """(rows) => {
  const tops = (what) => [...rows.querySelectorAll(what)].map((one) => one.getBoundingClientRect().top);
  const isSame = (top, other) => Math.abs(top - other) < 1;
  const isFirst = (top, i, all) => all.findIndex((one) => isSame(one, top)) === i;
  const names = tops('.name'), rowTops = tops('.cell').filter(isFirst);
  const isNamed = (top) => names.some((one) => isSame(one, top));
  return names.length > 3 && names.length === rowTops.length && rowTops.every(isNamed);
}"""
IS_LARGE = "parseFloat(getComputedStyle(document.documentElement).fontSize) > 16"


def expect_shown(page: Page, text: str, names: Sequence[str] = NAMES) -> None:
    """Wait until the rows show a text, then compare its counts with those of the tokenizers."""
    n_units = len(text.encode("utf-16-le")) // 2
    expect(page.locator(".compare")).to_have_attribute("data-shown", str(n_units))
    assert counts(page) == [f"{len(get_tokenizer(name).encode(text)):,}" for name in names]


@pytest.mark.new_visitor(stays=True)
def test_the_page_opens_with_two_of_openais_and_a_custom_one_and_others_are_added_and_taken_away(
    compare_page: Page,
) -> None:
    page = compare_page
    expect(page.locator(".figures td:first-child")).to_have_text(NAMES)
    expect_shown(page, COMPARE_EXAMPLES[0].text)
    expect(page.locator(".size")).to_have_text("182 characters, 182 bytes")
    page.get_by_role("combobox", name="Tokenizers").click()  # first of all that one does
    page.keyboard.type("apache")
    listed = "qwen3\nQwen 2 to 3 · byte-level BPE, NFC · 151,669 tokens · Apache-2.0"
    expect(page.get_by_role("option").first).to_have_text(listed, use_inner_text=True)
    page.locator(":focus").press("Control+A")
    page.keyboard.type("o200k_base")
    page.keyboard.press("Enter")
    expect(page.locator(".figures td:first-child")).to_have_text([*NAMES, "o200k_base"])
    tag = page.locator("[data-tag]:has-text('o200k_base') > span")
    expect(tag).to_have_attribute("data-name", "o200k_base")
    assert tag.evaluate("(tag) => tag.scrollWidth <= tag.clientWidth + 1 && tag.clientWidth < 90")
    expect(page.locator(".note.error")).to_have_count(0)
    expect_shown(page, COMPARE_EXAMPLES[0].text, [*NAMES, "o200k_base"])
    expect(page.locator('.aligned .cell[data-g^="3."]').first).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_test_id("stMultiSelect").get_by_text("o200k_base").locator(
        "xpath=following-sibling::*"
    ).first.click()
    expect(page.locator(".figures td:first-child")).to_have_text(NAMES)
    expect_shown(page, COMPARE_EXAMPLES[0].text)
    page.locator("textarea.text").fill(".DefaultCellStyle")
    expect(page.locator(".figures td.count")).to_have_text(["4", "1", "8"])
    expect(page.locator(".legend")).to_contain_text("0 in all")
    columns = page.locator(".aligned .col:not(.names)")
    columns.last.hover()
    # the last column is "Style" in gpt2, and the one token of cl100k covers every column
    assert page.locator(".lit").count() >= 3
    expect(page.locator(".about")).to_contain_text("cl100k_base: “.DefaultCellStyle”")
    page.locator("textarea.text").fill("<b>x</b>")
    expect(page.locator(".aligned .cell").filter(has_text="<").first).to_be_visible()
    assert page.locator(".rows b").count() == 0


def test_rows_spell_the_text_in_both_views(compare_page: Page) -> None:
    page = compare_page
    text = "Egg egg 안녕하세요 tokenization"
    page.locator("textarea.text").fill(text)
    expect_shown(page, text)
    for row in range(3):
        cells = page.locator(f'.aligned .cell[data-g^="{row}."]').all_text_contents()
        assert "".join(cells) == text.replace(" ", "·")
    page.get_by_role("radio", name="Side by side").click()
    bodies = page.locator(".card .body").all_text_contents()
    assert bodies == [text.replace(" ", "·")] * 3
    page.locator(".card .t").first.hover()
    expect(page.locator(".card .t.lit")).to_have_count(3)
    page.get_by_role("radio", name="Aligned").click()


def test_lines_stand_below_each_other_with_the_names_before_them(compare_page: Page) -> None:
    page = compare_page
    page.get_by_label("Start from an example").select_option("Python")
    text = COMPARE_EXAMPLES[1].text
    expect(page.locator("textarea.text")).to_have_value(text)
    expect(page.locator(".aligned .text-line")).to_have_count(text.count("\n"))
    boxes = [line.bounding_box() for line in page.locator(".aligned .names").all()]
    assert len({box["x"] for box in boxes if box}) == 1
    assert len({box["y"] for box in boxes if box}) == len(boxes)


def test_every_row_has_its_name_on_each_line_and_letters_keep_their_distance(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").fill("internationalization of the tokenizers " * 9)
    expect(page.locator(".aligned .names").nth(2)).to_be_visible()
    aligned = page.locator(".aligned").element_handle()
    page.wait_for_function(ARE_NAMED, arg=aligned)
    page.get_by_role("button", name="Large type").click()
    page.wait_for_function(f"(rows) => {{ if ({IS_LARGE}) return ({ARE_NAMED})(rows); }}", arg=aligned)
    wait_until_rest(page)
    page.get_by_role("button", name="Normal type").click()
    expect(page.get_by_role("button", name="Large type")).to_be_visible()
    steps = page.locator(".aligned").evaluate(
        """(rows) => [...rows.querySelectorAll('.col')].flatMap((column, n, columns) => {
          const next = columns[n + 1], length = column.firstChild.textContent.length;
          if (next?.getBoundingClientRect().top !== column.getBoundingClientRect().top) return [];
          return [(next.getBoundingClientRect().left - column.getBoundingClientRect().left) / length];
        })"""
    )
    assert max(steps) - min(steps) < 0.2, "a boundary takes no room that other letters do not have"


def test_a_line_ends_where_all_tokenizers_end_a_token(compare_page: Page) -> None:
    page = compare_page
    text = "internationalization of the tokenizers " * 9
    page.locator("textarea.text").fill(text)
    expect_shown(page, text)
    begins = """(rows) => [...rows.querySelectorAll('.col')].filter((column, n, columns) => {
      const last = columns[n - 1]?.getBoundingClientRect(), { left } = column.getBoundingClientRect();
      return last && left < last.left;
    }).map((column) => column.querySelectorAll('.start.all').length)"""
    found = []
    for width in (1010, 1090, 1170, 1280):
        at_size(page, width, 800)
        found += page.locator(".aligned").evaluate(begins)
    assert len(found) > 8
    assert set(found) == {len(NAMES)}


def test_on_a_telephone_in_large_type_tokenizers_take_one_line_and_languages_have_room(
    compare_page: Page,
) -> None:
    page = compare_page
    page.get_by_role("button", name="Large type").click()
    expect(page.get_by_role("button", name="Normal type")).to_be_visible()
    page.get_by_role("radio", name="Languages").click()
    at_size(page, 390, 844)
    chips = page.locator(".st-key-bar-picker [data-tag]")
    box = page.locator(".st-key-bar-picker .react-aria-ComboBox > div")
    height = "box => box.getBoundingClientRect().height"
    folded = box.evaluate(height)
    page.locator(".st-key-bar-picker input").first.focus()
    expect(chips.last).to_be_in_viewport()
    opened = box.evaluate(height)
    page.locator("textarea.text").focus()
    plot = page.locator(".st-key-compare-chart svg.marks path.background").first.bounding_box()
    page.get_by_role("radio", name="Tokens", exact=True).click()
    page.get_by_role("button", name="Normal type").click()
    expect(page.get_by_role("button", name="Large type")).to_be_visible()
    at_size(page, 1280, 800)
    assert folded < 0.6 * opened
    assert plot is not None
    assert plot["width"] > 150


def test_on_a_telephone_the_names_stay_and_an_edge_shows_that_figures_go_on(compare_page: Page) -> None:
    page, figures = compare_page, compare_page.locator(".figures")
    at_size(page, 390, 844)
    figures.evaluate("(figures) => figures.scrollIntoView({ block: 'center' })")

    def edge(left: int) -> bytes:
        """A picture of the right edge of the first line, where nothing is written."""
        figures.evaluate("(figures, left) => { figures.scrollLeft = left; }", left)
        box = figures.bounding_box()
        assert box
        x = box["x"] + box["width"] - 3
        return page.screenshot(clip={"x": x, "y": box["y"] + 1, "width": 3, "height": 3})

    def place_of(cell: str) -> float:
        box = figures.locator(cell).first.bounding_box()
        assert box
        return box["x"]

    goes_on, name_at, count_at = edge(0), place_of("td"), place_of("td.count")
    end, name_then, count_then = edge(999), place_of("td"), place_of("td.count")
    at_size(page, 1280, 800)
    assert goes_on != end
    assert name_then == name_at
    assert count_then < count_at - 100


def test_text_from_right_to_left_stands_as_it_is_read(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").fill("של 12 abc")
    expect_shown(page, "של 12 abc")
    # At once, and not by `innerText`: that is empty until a block was painted (`content-visibility`).
    placed = page.locator(".aligned .col").evaluate_all(
        "(columns) => columns.map((one) => [one.getBoundingClientRect().x, one.firstChild.textContent])"
    )
    seen = [text for _, text in sorted(placed)]
    assert "".join(seen).replace("·", "") == "abc12לש"
    page.get_by_role("radio", name="Side by side").click()
    tokens = page.locator(".card").first.locator(".t")
    hebrew, latin = tokens.first.bounding_box(), tokens.last.bounding_box()
    assert hebrew
    assert latin
    assert latin["x"] < hebrew["x"], "the line begins at the right"
    page.get_by_role("radio", name="Aligned").click()
    page.locator("textarea.text").fill("left")
    expect_shown(page, "left")


def test_an_example_says_why_and_the_text_before_it_can_be_brought_back(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").fill("my own text")
    expect_shown(page, "my own text")
    page.get_by_label("Start from an example").select_option("Arithmetic")
    expect_shown(page, COMPARE_EXAMPLES[3].text)
    expect(page.get_by_text("in threes")).to_be_visible()
    page.get_by_role("button", name="Bring it back").click()
    expect_shown(page, "my own text")
    expect(page.get_by_text("in threes")).to_have_count(0)


def test_pasted_line_ends_and_half_characters_are_counted_as_the_tokenizers_count_them(
    compare_page: Page,
) -> None:
    page = compare_page
    page.locator("textarea.text").focus()
    page.keyboard.press("Control+A")
    page.evaluate("navigator.clipboard.writeText('a\\r\\nb\\r\\n')")
    page.keyboard.press("Control+V")
    expect_shown(page, "a\r\nb\r\n")
    put(page, "'x\\ud83d'")
    expect_shown(page, "x\ufffd")


def test_languages_come_to_the_editor(compare_page: Page) -> None:
    page = compare_page
    page.get_by_role("radio", name="Languages").click()
    expect(page.get_by_text("Click a dot or a row")).to_be_visible()
    table = page.get_by_test_id("stDataFrame").locator(".dvn-scroller")
    wait_until_rest(page)
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth"), "no column is cut"
    table.click(position={"x": 16, "y": 52})  # the first row: most expensive in gpt2
    expect(page.locator("textarea.text")).to_have_value(article_text("mya", 1))
    expect(page.locator(".figures td.count").first).to_have_text("726")
    go_to(page, "Tokenize")
    go_to(page, "Compare")
    expect(page.locator("textarea.text")).to_have_value(article_text("mya", 1))
    page.set_viewport_size({"width": 390, "height": 800})
    page.wait_for_function(LEGEND_IS_INSIDE, arg=len(NAMES))  # a telephone showed "cl100" of a name
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("radio", name="Tokens").click()


def test_each_chart_is_saved_as_it_is_drawn(compare_page: Page) -> None:
    page = compare_page
    for view, charts in {
        "Vocabularies": {"token-lengths": "bytes", "token-scripts": "Latin"},
        "Languages": {"tokens-by-language": "Thai"},
        "Tokens": {"tokens-by-tokenizer": "gpt2"},
    }.items():
        page.get_by_role("radio", name=view).click()
        for name, shown in charts.items():
            buttons = page.locator(f"[class*='st-key-save-'][class*='-{name}']")
            expect(buttons).to_be_visible()
            expect(page.locator("svg.marks text").filter(has_text=shown).first).to_be_visible()
            wait_until_run(page)
            with page.expect_download() as download:
                buttons.get_by_role("button", name="SVG", exact=True).click()
            assert download.value.suggested_filename == f"{name}.svg"
            assert shown in Path(download.value.path()).read_text(encoding="utf-8")


def test_the_buttons_that_save_a_chart_stand_at_the_right_and_its_tools_do_not_cover_them(
    compare_page: Page,
) -> None:
    page = compare_page
    buttons = page.locator("[class*='st-key-save-']")
    at_size(page, 390, 800)
    beside = "(at) => at.parentElement.getBoundingClientRect().right - at.getBoundingClientRect().right"
    assert abs(buttons.evaluate(beside)) < 1
    at_size(page, 1280, 800)
    page.locator("svg.marks").last.hover()
    expect(page.locator(".stElementContainer:has(.stVegaLiteChart) button").first).to_be_visible()
    wait_until_rest(page)
    box = buttons.get_by_role("button", name="PNG").bounding_box()
    assert box
    at = [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]
    assert page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('[class*=st-key-save-]') !== null", at
    )


def test_the_csv_has_the_figures(compare_page: Page) -> None:
    page = compare_page
    text = "Hello 안녕하세요"
    with page.expect_download() as download:
        page.locator("textarea.text").fill(text)
        page.get_by_role("button", name="Download CSV").click()  # not yet shown: it has what is typed
    with open(download.value.path(), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["tokenizer_name"] for row in rows] == list(NAMES)
    for row in rows:
        n_tokens = len(get_tokenizer(row["tokenizer_name"]).encode(text))
        assert int(row["n_tokens"]) == n_tokens
        assert int(row["n_characters"]) == len(text)
        assert float(row["bytes_per_token"]) == pytest.approx(len(text.encode()) / n_tokens)


def test_a_copied_link_restores_text_and_tokenizers(
    compare_page: Page, new_page: Callable[[], Page], app_url: str
) -> None:
    page = compare_page
    text = "héllo & <b>\nनमस्ते + 100%"
    page.locator("textarea.text").fill(text)
    expect_shown(page, text)
    link = shared_link(page)
    assert link.startswith(f"{app_url}/compare?share=")
    said = unpack(link.partition("share=")[2])
    assert isinstance(said, dict)
    assert (said["text"], said["tokenizers"]) == (text, list(NAMES))
    names = ["p50k_base", "utf8_bytes", "python_docs_4k", "cl100k_base", "deepseek_v3"]
    guest = new_page()
    guest.goto(f"{app_url}/compare?tokenizers={','.join(names)},unknown&text=h%C3%A9llo")
    expect(guest.locator("textarea.text")).to_have_value("héllo")
    expect(guest.locator(".figures td:first-child")).to_have_text(names)
    expect_shown(guest, "héllo", names)
    expect_all_chosen_are_reached(guest)


def expect_all_chosen_are_reached(page: Page) -> None:
    """The bar's one line holds some whole and their number; all open with the pointer or the focus."""
    chips, bar = page.locator(".st-key-bar-picker [data-tag]"), page.locator(".st-key-bar")
    box = page.locator(".st-key-bar-picker .react-aria-ComboBox > div")
    is_inside = """chips => chips.map((chip) => chip.getBoundingClientRect().bottom
        < chip.closest('.react-aria-ComboBox > div').getBoundingClientRect().bottom)"""
    height = bar.bounding_box()
    assert chips.evaluate_all(is_inside)[::4] == [True, False]
    assert box.evaluate("box => getComputedStyle(box, '::after').content") == 'counter(chosen) " chosen"'
    box.hover()
    assert chips.evaluate_all(is_inside) == [True] * 5
    page.mouse.move(0, 790)
    assert chips.evaluate_all(is_inside)[-1] is False
    chips.first.focus()
    page.keyboard.press("End")
    expect(chips.last).to_be_focused()
    assert chips.evaluate_all(is_inside) == [True] * 5
    assert bar.bounding_box() == height, "what opens moves nothing"


def test_bad_input_is_told_and_the_page_stays_alive(compare_page: Page) -> None:
    page = compare_page
    put(page, "'a'.repeat(6000)")
    expect_shown(page, "a" * 6_000)
    page.get_by_role("radio", name="Side by side").click()
    expect(page.locator(".card .t").first).to_be_visible()
    put(page, "'b'.repeat(5999)")
    expect_shown(page, "b" * 5_999)
    put(page, "''")
    expect_shown(page, "")
    expect(page.locator(".about")).to_contain_text("An empty text has no tokens")
    put(page, OVER_A_MEGABYTE)
    expect(page.locator(".note.error")).to_contain_text("1,001,000 bytes; this page takes up to 1,000,000")
    assert page.locator("textarea.text").evaluate("(area) => area.value.length") == 1_001_000
    put(page, "'alive'")
    expect_shown(page, "alive")
    expect(page.locator(".note")).to_have_text([])  # says which one is there
    page.get_by_role("radio", name="Aligned").click()


def test_a_reload_keeps_the_text(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").fill("kept over a reload")
    expect_shown(page, "kept over a reload")
    page.wait_for_function("() => sessionStorage['tessera.text.compare']?.includes('kept over')")
    # Another test's visitor may have had the browser forget the tab.
    page.evaluate("sessionStorage['tessera.tab'] ??= JSON.stringify({ name: 'a tab' })")
    held: list[Route] = []
    for action in ("edit", "give_back"):
        page.route(f"**/session/*/{action}*", lambda route: held.append(route))
    page.add_init_script(
        "addEventListener('DOMContentLoaded',"
        " () => (window.opensPale = document.documentElement.hasAttribute('data-comes-back')))"
    )
    page.reload()
    expect(page.locator("textarea.text")).to_have_value("kept over a reload")
    figures, chart = page.locator(".figures"), page.locator(".st-key-compare-chart .stVegaLiteChart")
    expect(chart).to_be_attached()
    expect(figures).to_be_hidden()
    expect(chart).to_be_hidden()
    assert page.evaluate("opensPale")
    for route in held:
        route.continue_()
    page.unroute_all()
    expect_shown(page, "kept over a reload")
    expect(figures).to_be_visible()
    expect(chart).to_be_visible()
    chosen = page.locator(".st-key-bar-picker [role=group] [role=group]")
    for is_pale, opacity in ((True, "0"), (False, "1")):  # how long it is, depends on what was kept
        page.evaluate("(is) => document.documentElement.toggleAttribute('data-comes-back', is)", is_pale)
        expect(chosen).to_have_css("opacity", opacity)


def test_a_corpus_is_found_from_what_is_in_sight(compare_page: Page) -> None:
    page = compare_page
    way = page.get_by_role("button", name="My corpus")
    expect(way).to_be_in_viewport()
    way.click()
    expect(page.get_by_test_id("stFileUploader")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("radio", name="My corpus")).to_be_checked()
    page.get_by_role("radio", name="Tokens", exact=True).click()
    wait_until_rest(page)


def test_keys_whose_answer_was_lost_are_shown_with_the_next(compare_page: Page) -> None:
    page = compare_page
    page.locator("textarea.text").fill("kept")
    expect_shown(page, "kept")
    page.route("**/edit", answer_is_lost, times=1)
    page.locator("textarea.text").press_sequentially("x")
    expect(page.locator(".note.error")).to_contain_text("does not answer")
    page.locator("textarea.text").press_sequentially("y")
    expect_shown(page, "keptxy")
    expect(page.locator(".note")).to_have_count(0)


def answer_is_lost(route: Route) -> None:
    """The server gets the request, and its answer never comes."""
    route.fetch()
    route.abort()


def test_a_name_that_is_typed_while_another_is_refused_stays_whole(
    held_runs: HeldRuns, open_page: Callable[..., Page]
) -> None:
    """Enter took the first option that had the letters typed after the run that refused the other."""
    page = open_page("compare")
    field = page.get_by_role("combobox", name="Tokenizers")
    field.click()
    with held_runs() as wait_for_run:
        page.keyboard.type("claude")
        page.keyboard.press("Enter")
        wait_for_run()
        page.keyboard.type("qw")
    expect(page.get_by_text("publishes no vocabulary")).to_be_visible()
    page.keyboard.type("en")
    expect(field).to_have_value("qwen")
    page.keyboard.press("Enter")
    expect(page.locator(".figures td:first-child")).to_have_text([*NAMES, "qwen3"])
