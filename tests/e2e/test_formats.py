"""The formats page as a builder uses it: paste, read the advice, choose, compare, share."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, Route, expect

from playground.catalog.registry import get_tokenizer
from playground.formats.advice import advise, describe_price
from playground.formats.costs import measure
from playground.formats.example_data import EXAMPLE_DATA
from tests.e2e.conftest import (
    HeldRuns,
    go_to,
    shared_link,
    wait_until_held,
    wait_until_rest,
    wait_until_run,
)
from tests.e2e.test_open_tokenizer import drop

OWN = {"page": 1, "items": [{"zip": f"{10_000 + n}", "city": "Oslo", "n": None} for n in range(6)]}


@pytest.fixture
def formats(a_page) -> Page:
    """The page with any data, counted in o200k_base."""
    page: Page = a_page("formats")
    return page


def paste(page: Page, text: str) -> None:
    area = page.get_by_label("JSON, YAML, TOML, XML or CSV")
    area.fill(text)
    area.press("Control+Enter")


def open_file(page: Page, path: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Open file", exact=True).click()
    chooser.value.set_files(path)


def test_own_data_gives_the_advice_that_is_measured(formats):
    paste(formats, json.dumps(OWN))
    table = measure(OWN, [get_tokenizer("o200k_base")])
    expect(formats.get_by_text(advise(table, "o200k_base").sentence)).to_be_visible()
    for view in ("Where the tokens go", "Side by side", "How it scales"):
        formats.get_by_role("radio", name=view).or_(formats.get_by_role("button", name=view)).first.click()
        wait_until_run(formats)
        expect(formats.get_by_test_id("stException")).to_have_count(0)
        shown = "pre.format-tokens" if view == "Side by side" else '[data-testid="stVegaLiteChart"]'
        expect(formats.locator(shown).first).to_be_visible()
    expect(formats.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_value(json.dumps(OWN))
    formats.get_by_role("radio", name="Cost").click()


def test_the_answer_follows_what_is_typed(formats):
    area = formats.get_by_label("JSON, YAML, TOML, XML or CSV")
    area.click()
    formats.keyboard.press("Control+A")
    formats.keyboard.type('{"typed": "live"}')  # and nothing is pressed, nor the field left
    expect(formats.get_by_test_id("stCode").first).to_contain_text("typed")
    expect(area).to_be_focused()
    formats.keyboard.press("Control+A")
    formats.keyboard.press("Delete")
    expect(formats.get_by_text("The field is empty")).to_be_visible()
    chart = formats.get_by_test_id("stVegaLiteChart")
    expect(formats.get_by_test_id("stCode").first).to_contain_text("typed")  # the rest stands, pale
    expect(chart).to_have_css("filter", "grayscale(1)")
    formats.keyboard.type("Dear all, see you at noon.")
    formats.get_by_role("button", name="Read it as YAML").click()
    expect(formats.get_by_test_id("stCode").first).to_contain_text("Dear all")
    expect(formats.locator(".st-key-formats-before")).to_have_count(0)  # stands until the run's end
    expect(chart).to_have_css("filter", "none")
    formats.get_by_role("combobox", name="Read as").click()
    formats.get_by_role("option", name="Detect").click()
    paste(formats, "a: 1")


@contextmanager
def formats_before(module: str, new_page: Callable[[], Page], app_url: str) -> Iterator[Page]:
    """The page with its fields there, before a module, which comes as the block ends."""
    page, held = new_page(), list[Route]()
    page.route(f"**/{module}", lambda route: held.append(route))
    page.goto(f"{app_url}/formats")
    yield page
    wait_until_held(page, held)
    held[0].continue_()


def test_what_is_pasted_as_the_page_opens_is_read(new_page: Callable[[], Page], app_url: str) -> None:
    with formats_before("live_field.js", new_page, app_url) as page:
        area = page.get_by_label("JSON, YAML, TOML, XML or CSV")
        area.fill('{"pasted": "early"}')
    expect(page.get_by_test_id("stCode").first).to_contain_text("early")
    expect(area).to_be_focused()
    page.reload()
    expect(area).to_have_value('{"pasted": "early"}')


def test_what_is_typed_as_the_page_opens_outlives_a_reload(
    new_page: Callable[[], Page], app_url: str
) -> None:
    with formats_before("leave_field.js", new_page, app_url) as page:
        price = page.get_by_label("Price of a million input tokens")
        price.fill("7.25")
        page.evaluate("() => sessionStorage.setItem('tessera-typed', 'null')")
    page.wait_for_function("() => sessionStorage.getItem('tessera-typed') === null")  # it takes what is held
    page.unroute("**/leave_field.js")
    expect(price).to_be_focused()
    page.reload()
    expect(price).to_have_value("7.25")


def test_one_answer_stands_at_a_time(formats):
    """What is of the data before goes where the new answer comes, not at the end of its run."""
    paste(formats, "a: 1")
    formats.evaluate("""() => {
        window.most = 0;
        const look = () => {
            const n = document.querySelectorAll(".st-key-formats-answer, .st-key-formats-before").length;
            window.most = Math.max(window.most, n);
        };
        window.watch = new MutationObserver(look);
        window.watch.observe(document.body, {childList: true, subtree: true});
    }""")
    area = formats.get_by_label("JSON, YAML, TOML, XML or CSV")
    for data, is_read in (("[1, 2", False), ("[1, 2]", True), ("", False), ("b: 2", True)):
        area.fill(data)
        expect(formats.locator(f".st-key-formats-{'answer' if is_read else 'before'}")).to_be_visible()
        wait_until_run(formats)
    assert formats.evaluate("() => { window.watch.disconnect(); return window.most; }") == 1


def test_the_price_counts_while_it_is_typed(formats):
    paste(formats, json.dumps(OWN))
    table = measure(OWN, [get_tokenizer("o200k_base")])
    price = formats.get_by_label("Price of a million input tokens")
    price.click()
    for typed in ("0.05", "2.5"):
        formats.keyboard.press("Control+A")
        formats.keyboard.type(typed, delay=500)  # so slowly that parts may be sent
        expect(formats.get_by_text(describe_price(table, "o200k_base", float(typed)))).to_be_visible()
        expect(price).to_have_value(typed)
        expect(price).to_be_focused()


def test_a_price_may_be_typed_with_a_comma(formats):
    """The browser of the tests writes a point, and would drop the comma."""
    price = formats.get_by_label("Price of a million input tokens")
    for typed, read in (("0,15", "0.15"), ("1,000", "1000"), ("1,000,000", "1000000"), ("2,5", "2.5")):
        price.click()
        formats.keyboard.press("Control+A")
        formats.keyboard.type(typed)
        formats.keyboard.press("Enter")
        expect(price).to_have_value(read)


def test_bad_data_says_where_and_the_input_stays(formats):
    bad = '{"a": 1,\n "<img src=x onerror=alert(1)>" 2}'
    paste(formats, bad)
    expect(formats.get_by_role("alert").filter(has_text="line 2")).to_be_visible()
    expect(formats.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_value(bad)
    paste(formats, "&a [*a]")
    expect(
        formats.get_by_role("alert").filter(has_text="contains itself: *a stands inside it")
    ).to_be_visible()
    paste(formats, "a: 1")
    answer = formats.locator(".st-key-formats-answer")  # for a moment the data before stands beside it
    expect(answer.get_by_role("status").filter(has_text="loses nothing")).to_be_visible()


def test_data_never_becomes_markup(formats):
    attack = "<img src=x onerror=alert(1)>**b**"
    paste(formats, json.dumps([{attack: 1, "b": "2"}, {attack: attack, "b": "3"}]))
    expect(formats.locator(".st-key-formats-answer")).to_contain_text("onerror")  # what comes moves the views
    formats.get_by_role("radio", name="Side by side").or_(
        formats.get_by_role("button", name="Side by side")
    ).first.click()
    wait_until_run(formats)
    expect(formats.locator("pre.format-tokens").first).to_be_visible()
    assert formats.locator('img[src="x"]').count() == 0
    formats.get_by_role("radio", name="Cost").click()


def test_a_view_that_moves_away_while_the_mouse_is_down_is_chosen(formats):
    views = [formats.get_by_role("radio", name=name) for name in ("How it scales", "Cost")]
    for view in views:  # the last is what the page shows at first
        place = view.bounding_box()
        formats.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        formats.mouse.down()
        formats.locator(".stMain").evaluate("(main) => { main.style.paddingTop = '200px'; }")
        formats.mouse.up()
        expect(view).to_be_checked()
        formats.locator(".stMain").evaluate("(main) => { main.style.paddingTop = ''; }")
        wait_until_run(formats)


def test_share_has_what_is_typed_and_not_yet_committed(formats, new_page):
    area = formats.get_by_label("JSON, YAML, TOML, XML or CSV")
    area.fill("hello: [1, 2]")  # and the field is not left
    link = shared_link(formats)
    other = new_page()
    other.goto(link)
    expect(other.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_value("hello: [1, 2]")


def test_the_data_is_there_when_one_comes_back(formats):
    paste(formats, "kept: [1, 2]")
    go_to(formats, "Tokenize")
    expect(formats.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_count(0)
    go_to(formats, "Formats")
    expect(formats.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_value("kept: [1, 2]")
    formats.get_by_label("JSON, YAML, TOML, XML or CSV").fill("typed: and left at once")
    go_to(formats, "Tokenize")
    go_to(formats, "Formats")
    expect(formats.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_value("typed: and left at once")


def check_that_the_answer_stands_above_the_fold(formats):
    """Which format, what it saves for 1,000 calls and what a cheaper one loses: without scrolling."""
    answer = formats.get_by_role("status").filter(has_text="In o200k_base")
    expect(answer).to_be_visible()  # of the example that it opens on
    expect(formats.get_by_test_id("stVegaLiteChart").first).to_be_visible()
    paste(formats, json.dumps(OWN, indent=2))
    for part in ("is the cheapest format that loses nothing", "cheaper still, but", "1,000 calls cost"):
        expect(answer).to_contain_text(part)
    wait_until_run(formats)
    for shown in (answer, formats.get_by_test_id("stVegaLiteChart").first):
        box = shown.bounding_box()
        assert box is not None
        assert box["y"] > 0
        assert box["y"] + min(box["height"], 300) < 800


@pytest.mark.new_visitor
def test_the_answer_above_the_fold_an_example_an_upload_and_downloads(formats, tmp_path):
    check_that_the_answer_stands_above_the_fold(formats)
    data = formats.get_by_label("JSON, YAML, TOML, XML or CSV")
    data.fill("own: data")  # and the field is not left
    formats.get_by_label("Start from an example").select_option("Table of rows")
    expect(data).to_have_value(EXAMPLE_DATA["Table of rows"]())
    expect(formats.get_by_role("button", name="Bring it back")).to_be_visible()
    wait_until_run(formats)
    formats.get_by_label("Start from an example").select_option("Nested orders")
    expect(data).to_have_value(EXAMPLE_DATA["Nested orders"]())
    wait_until_run(formats)
    formats.get_by_role("button", name="Bring it back").click()
    expect(data).to_have_value("own: data")
    too_large = tmp_path / "large.json"
    too_large.write_bytes(b'"' + b"x" * 5_242_880 + b'"')
    open_file(formats, too_large)
    expect(formats.locator(".note.error")).to_contain_text("takes up to 5,242,880")  # told before it is sent
    own = tmp_path / "own.json"
    own.write_text(json.dumps(OWN))
    open_file(formats, own)
    wait_until_run(formats)
    expect(formats.locator(".note.error")).to_have_count(0)
    table = measure(OWN, [get_tokenizer("o200k_base")])
    expect(formats.get_by_text(advise(table, "o200k_base").sentence)).to_be_visible()
    expect(formats.get_by_text("The file own.json is read")).to_be_visible()
    expect(data).to_be_hidden()
    drop(formats, "dropped.json", b'{"dropped": 1}', ".st-key-formats-file pre")
    expect(formats.get_by_text("The file dropped.json is read")).to_be_visible()
    expect(formats.get_by_test_id("stCode").first).to_contain_text("dropped")
    formats.get_by_role("button", name="Remove the file").click()
    expect(formats.get_by_test_id("stCode").first).to_contain_text("own: data")
    expect(data).to_be_visible()
    open_file(formats, own)
    expect(formats.get_by_text("The file own.json is read")).to_be_visible()
    formats.get_by_label("Start from an example").select_option("Table of rows")
    expect(formats.get_by_text("The file own.json is read")).to_have_count(0)
    formats.get_by_role("button", name="Bring it back").click()
    expect(formats.get_by_text("The file own.json is read")).to_be_visible()
    expect(formats.get_by_text(advise(table, "o200k_base").sentence)).to_be_visible()
    with formats.expect_download() as download:
        formats.get_by_role("button", name="Table as CSV").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert len(lines) == 1 + len(table.conversions)


def test_an_example_is_not_lost_to_what_a_browser_says_before_it_has_drawn_it(
    held_runs: HeldRuns, open_page: Callable[[str], Page]
) -> None:
    page = open_page("formats")
    price = page.get_by_label("Price of a million input tokens")
    with held_runs() as wait_for_run:
        page.get_by_label("Start from an example").select_option("Table of rows")
        wait_for_run()
        price.fill("7.25")
        price.press("Enter")
        page.wait_for_timeout(500)
    wait_until_run(page)
    expect(page.get_by_label("JSON, YAML, TOML, XML or CSV")).to_have_value(EXAMPLE_DATA["Table of rows"]())
    expect(price).to_have_value("7.25")


def test_each_chart_is_saved_as_it_is_drawn(formats):
    paste(formats, EXAMPLE_DATA["API response"]())
    for view, name in (("Cost", "tokens-by-format"), ("Where the tokens go", "where-the-tokens-go")):
        formats.get_by_role("radio", name=view).click()
        buttons = formats.locator(f"[class*='st-key-save-'][class*='-{name}']")
        expect(buttons).to_be_visible()
        wait_until_run(formats)
        expect(formats.locator(".st-key-formats-chart svg.marks")).to_be_visible()
        with formats.expect_download() as download:
            buttons.get_by_role("button", name="SVG", exact=True).click()
        assert download.value.suggested_filename == f"{name}.svg"
        drawing = ElementTree.parse(download.value.path())
        texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
        assert {"JSON, compact", "LOSES SOMETHING", "CSV"} <= set(texts)


#: Labels of a chart's legend, and how far each is beyond what one sees: above there is room for a line.
BEYOND_THE_DRAWING = """(svg) => {
  const paper = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('.role-legend-label text')].map((label) => {
    const { left, top, right, bottom } = label.getBoundingClientRect();
    const room = getComputedStyle(svg).overflow === 'visible' ? 20 : 0;
    const beyond = [paper.left - left, paper.top - room - top, right - paper.right, bottom - paper.bottom];
    return [label.textContent, Math.max(0, ...beyond.map(Math.round))];
  });
}"""


#: Names of a chart's rows whose letters stand on those of the row above.
COVERED_NAMES = """(svg) => {
  const names = [...svg.querySelectorAll('.role-axis-label text')]
    .filter((name) => /[A-Z]/.test(name.textContent));
  const boxes = names.map((name) => name.getBoundingClientRect());
  return names.filter((name, n) => n && boxes[n].top < boxes[n - 1].bottom - 0.3 * boxes[n].height)
    .map((name) => name.textContent);
}"""


def test_the_views_and_the_buttons_that_save_stand_on_one_line_in_large_type(formats):
    paste(formats, EXAMPLE_DATA["API response"]())
    formats.get_by_role("button", name="Large type").click()
    expect(formats.get_by_role("button", name="Normal type")).to_be_visible()
    wait_until_rest(formats)
    middles = {
        round(box["y"] + box["height"] / 2)
        for named in (("radio", "How it scales"), ("button", "PNG"))
        if (box := formats.get_by_role(named[0], name=named[1], exact=True).bounding_box())
    }
    formats.get_by_role("button", name="Normal type").click()
    expect(formats.get_by_role("button", name="Large type")).to_be_visible()
    assert len(middles) == 1, middles


def test_legends_are_whole_on_a_telephone_in_large_type(formats):
    paste(formats, EXAMPLE_DATA["API response"]())
    formats.set_viewport_size({"width": 390, "height": 844})
    formats.get_by_role("button", name="Large type").click()
    expect(formats.get_by_role("button", name="Normal type")).to_be_visible()
    found: dict[str, int] = {}
    for view, known in (("Cost", "gpt2"), ("Where the tokens go", "keys"), ("How it scales", "CSV")):
        formats.get_by_role("radio", name=view).click()
        labels = formats.locator(".st-key-formats-chart svg.marks .role-legend-label text")
        expect(labels.filter(has_text=known)).to_be_visible()
        wait_until_rest(formats)
        chart = formats.locator(".st-key-formats-chart svg.marks")
        found |= dict(chart.evaluate(BEYOND_THE_DRAWING))
        if view == "Where the tokens go":
            assert chart.evaluate(COVERED_NAMES) == []
    formats.get_by_role("radio", name="Cost").click()
    formats.get_by_role("button", name="Normal type").click()
    expect(formats.get_by_role("button", name="Large type")).to_be_visible()
    formats.set_viewport_size({"width": 1280, "height": 800})
    assert len(found) > 8
    assert {label: beyond for label, beyond in found.items() if beyond} == {}


def test_what_cannot_be_kept_is_told_below_the_page_and_covers_nothing(formats):
    page = formats
    ends = "document.querySelector('.stMain').getBoundingClientRect().bottom"
    assert page.evaluate(ends) == 800
    page.evaluate("""() => {
      window.keep = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError'); };
    }""")
    paste(page, '{"kept": false}')
    told = page.locator(".memory .note").first
    expect(told).to_contain_text("This browser has no room to keep")
    page.wait_for_function(  # it grows by a line with each thing that is not kept
        f"""(element) => {{
          const strip = element.getBoundingClientRect();
          return strip.height > 0 && Math.abs(strip.top - {ends}) <= 1 && Math.abs(strip.bottom - 800) <= 1;
        }}""",
        arg=page.locator(".memory").element_handle(),
    )
    page.evaluate("() => { IDBObjectStore.prototype.put = window.keep; }")
    paste(page, '{"kept": true}')
    expect(told).to_be_hidden()
    page.wait_for_function(f"() => {ends} === 800")
