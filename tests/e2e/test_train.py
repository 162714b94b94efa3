"""Train as a teacher does: watch, pause, step, play, compare, export, keep; what is kept outlives reloads.

Start trains what the fields say at the moment of the press, though the browser has not sent it before.
"""

import asyncio
import base64
import json
import re
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from playground.catalog.openai import load_openai
from playground.server.memory_session import pack_thing
from playground.server.share_link import link_query
from tests.e2e.apps import App
from tests.e2e.conftest import PATIENCE, at_size, go_to, wait_until_rest, wait_until_run
from tests.e2e.kept import wait_until_kept
from tests.e2e.training import (
    SECONDS,
    Starts,
    choose,
    press_with_keyboard,
    press_with_mouse,
    press_without_leaving_the_field,
    replace,
    wait_for_status,
)

DATA = "JSON, YAML, TOML, XML or CSV"

#: Keeps each place at which the button "+1" is painted.
WATCH_PLACES = """() => {
  window.places = [];
  const look = () => {
    if (!window.places) return;
    const { x, y } = document.querySelector(".st-key-train-step-1 button").getBoundingClientRect();
    if (x && !places.includes(`${x} ${y}`)) places.push(`${x} ${y}`);
    requestAnimationFrame(look);
  };
  look();
}"""


#: Keeps that the page was pale, until what the browser has kept came back.
WATCH_PALE = """new MutationObserver(() => {
  window.wasPale ||= document.documentElement.hasAttribute("data-comes-back");
}).observe(document, { subtree: true, attributeFilter: ["data-comes-back"] })"""
#: The page as a link opens it, whose run is paused, or does not end.
PAUSED = "train?" + link_query({"chosen": {"train.pause_at": 100, "train.speed": "full speed"}})
ENDLESS = "train?" + link_query({"chosen": {"train.vocab_size": 100_000}})
TEXTS = ("the cat sat on the mat", "she sells sea shells", "betty bought a bit of better butter")


@pytest.fixture
def train_page(used_page: Callable[[str], Page]) -> Page:
    """The Train page of a link, whose runs pause after 100 merges."""
    page = used_page(PAUSED)
    page.wait_for_selector("text=merges ·", timeout=SECONDS)
    return page


def wait_for_merges(page: Page, n: int) -> None:
    expect(page.get_by_test_id("stProgress").first).to_contain_text(f"· {n:,} of", timeout=SECONDS)


def press_slowly(page: Page, button: Locator) -> None:
    """As a hand does: what a page draws meanwhile may move the button away."""
    button.scroll_into_view_if_needed()
    place = button.bounding_box()
    assert place
    page.mouse.move(place["x"] + place["width"] / 2, place["y"] + 5)
    page.mouse.down()
    page.wait_for_timeout(700)
    page.mouse.up()


def shown_text(page: Page) -> list[str]:
    texts: list[str] = page.locator(".film .tokens span").all_text_contents()
    return texts


def test_watch_pause_at_a_merge_step_and_drag_along_the_chart(train_page: Page) -> None:
    page = train_page
    wait_for_status(page, "Paused")
    page.evaluate(WATCH_PLACES)
    Starts(page).type_size(press_without_leaving_the_field, 1255)  # first of all that is typed here
    wait_for_status(page, "Paused")
    wait_for_merges(page, 100)
    page.get_by_role("button", name="+1", exact=True).click()
    wait_for_merges(page, 101)
    assert len(page.evaluate("places")) == 1, "no button moves away under a hand that presses it"
    page.evaluate("window.places = null")
    page.get_by_role("button", name="+10", exact=True).click()
    wait_for_merges(page, 111)
    film = page.locator(".film")
    expect(film).to_have_attribute("data-k", "111")

    n_at_the_end = len(shown_text(page))
    film.locator(".word").fill(" the")
    expect(film.locator(".forest svg")).to_have_count(1)
    film.get_by_role("slider", name="Merges done").focus()
    page.keyboard.press("Home")
    expect(film).to_have_attribute("data-k", "0")
    expect(film.locator(".pairs-title")).to_have_text("pairs after merge 111 (get_stats)")
    whole = "".join(shown_text(page))
    assert all(len(text.rstrip("\n")) == 1 for text in shown_text(page)), "before any merge: a letter a token"
    assert len(shown_text(page)) > n_at_the_end
    expect(film.locator(".forest svg")).to_have_count(4)

    page.locator(".st-key-train-live-chart").scroll_into_view_if_needed()
    plot = page.locator(".st-key-train-live-chart svg.marks path.background").first.bounding_box()
    assert plot
    middle = plot["y"] + plot["height"] / 2
    page.mouse.move(plot["x"] + plot["width"] * 0.02, middle)
    page.mouse.down()
    page.mouse.move(plot["x"] + plot["width"] * 0.05, middle)  # of 999 merges wanted
    expect(film).to_have_attribute("data-k", re.compile("^(49|50|51)$"))
    page.mouse.up()
    page.mouse.move(plot["x"] + plot["width"] * 0.5, middle)
    expect(film).to_have_attribute("data-k", re.compile("^(49|50|51)$"))
    assert "".join(shown_text(page)) == whole, "merging changes no text"
    expect(film.locator(".told")).to_contain_text("tokens left; next")
    page.mouse.up()

    wait_until_rest(page)  # a row that moves away is not the one that is pressed
    merges = film.get_by_role("listbox", name="Merges")
    merges.get_by_role("option", name=re.compile("^merge 52:")).hover()
    page.mouse.down()
    merges.dispatch_event("scroll")  # under the hand rows are made anew
    page.mouse.up()
    expect(film).to_have_attribute("data-k", "52")
    merges.press("ArrowUp")
    expect(film).to_have_attribute("data-k", "51")
    expect(merges.locator("[aria-selected=true]")).to_have_attribute("data-k", "51")
    line = page.locator(".film-chart-line").bounding_box()
    assert line
    assert abs(line["x"] + 1 - plot["x"] - plot["width"] * 0.051) < 2, "the chart's line follows"
    made = merges.locator("[aria-selected=true] b").inner_text()
    expect(film.locator(".told code").nth(2)).to_have_text(made)
    film.locator(".pairs").get_by_role("option").first.click()
    expect(film).to_have_attribute("data-k", "111")
    expect(film.locator(".pairs-title")).to_have_text("next pairs (get_stats)")
    film.get_by_role("slider", name="Merges done").fill("50")
    film.get_by_role("button", name="Play").click()
    expect(film.get_by_role("button", name="Pause")).to_be_visible()
    expect(film).not_to_have_attribute("data-k", re.compile("^(49|50|51)$"))


def test_a_list_stays_open_where_what_stands_above_it_grows(train_page: Page) -> None:
    """As where a sentence that takes now one line and now two stands above it."""
    page, option = train_page, train_page.get_by_role("option", name="none")
    wait_for_status(page, "Paused")
    at_size(page, 390, 500)
    picker = page.get_by_role("combobox", name="Split pattern")
    picker.evaluate("(picker) => picker.scrollIntoView({ block: 'center' })")
    picker.click()
    expect(option).to_be_visible()
    above = page.get_by_test_id("stSelectbox").first
    above.evaluate(
        """async (above) => {
          above.style.paddingTop = "60px";
          await new Promise((resolve) => setTimeout(resolve, 300));
        }"""
    )
    expect(option).to_be_visible()
    option.click()
    expect(picker).to_have_value("none")
    above.evaluate("(above) => above.style.paddingTop = ''")
    at_size(page, 1280, 800)


def test_what_was_typed_last_counts_also_after_a_run(train_page: Page) -> None:
    starts = Starts(train_page)
    starts.type_size(press_with_keyboard, 300)
    starts.type_size(press_without_leaving_the_field, 290)
    wait_until_run(train_page)
    expect(train_page.get_by_role("spinbutton", name="Vocabulary size")).to_have_value("290")
    choose(train_page, "Corpus", "Paste a text")
    presses = (press_with_keyboard, press_without_leaving_the_field, press_with_mouse)
    for press, text in zip(presses, TEXTS, strict=True):
        starts.paste(press, text)
    wait_for_status(train_page, "Finished")
    starts.paste(press_with_mouse, "\u05d0\u05d1" * 8)  # from right to left, and what is said of it is not
    wait_for_status(train_page, "Finished")
    told = train_page.locator(".film .told")
    expect(told).to_contain_text("2 tokens left")
    wait_until_rest(train_page)
    lefts = "(parts) => parts.slice(0, 3).map((part) => part.getBoundingClientRect().left)"
    for parts in (told.locator("code"), train_page.locator(".film .merges .row").last.locator("bdi")):
        found = parts.evaluate_all(lefts)
        assert found == sorted(found)
        assert len(found) == 3
    film = train_page.locator(".film")
    film.locator(".word").fill("\u05d0\u05d1" * 4)
    half = "\u05d0\u05d1" * 2
    film.locator(".forest .node").filter(has_text=half * 2).first.hover()
    expect(film.locator(".about bdi")).to_have_text([half * 2, half, half])
    found = film.locator(".about bdi").evaluate_all(lefts)
    assert found == sorted(found)


def test_a_size_may_have_an_exponent(train_page: Page) -> None:
    page = train_page
    size = page.get_by_role("spinbutton", name="Vocabulary size")
    before = size.input_value()
    for typed, leave, merges in (
        ("1e3", lambda: size.press("Enter"), "744 merges"),
        ("2e3", lambda: size.press("Tab"), "1,744 merges"),
        ("3e3", lambda: page.locator("h1.claim").click(), "2,744 merges"),
    ):
        size.focus()
        page.keyboard.press("Control+A")
        page.keyboard.type(typed)
        leave()
        expect(page.get_by_text(f"256 bytes and {merges}.")).to_be_visible()
    size.fill(before)
    size.press("Enter")
    wait_until_run(page)


def test_why_start_is_refused_covers_neither_the_bar_nor_start(train_page: Page) -> None:
    page, size = train_page, train_page.get_by_role("spinbutton", name="Vocabulary size")
    before = size.input_value()
    size.click()
    replace(page, "256")
    press_with_mouse(page)
    toast = page.get_by_test_id("stToast")
    expect(toast).to_contain_text("choose 257 to 1,048,576")
    above, shown = page.locator(".st-key-bar").bounding_box(), toast.bounding_box()
    start = page.get_by_role("button", name="Start").bounding_box()
    assert above
    assert shown
    assert start
    assert shown["y"] > max(above["y"] + above["height"], start["y"] + start["height"])
    assert shown["y"] + shown["height"] <= 800
    toast.get_by_role("button").click()
    expect(toast).to_have_count(0)
    size.click()
    replace(page, before)
    size.press("Enter")
    wait_until_run(page)


def test_a_field_of_an_uploaded_file_of_rows_is_learned(train_page: Page) -> None:
    page = train_page
    rows = "".join(
        json.dumps({"id": f"{n}", "messages": [{"content": f"the cat {n} sat on the mat"}]}) + "\n"
        for n in range(200)
    )
    corpus = page.get_by_role("combobox", name="Corpus", exact=True).text_content() or ""
    choose(page, "Corpus", "Upload files")
    file = {"name": "chats.jsonl", "mimeType": "", "buffer": rows.encode()}
    page.get_by_test_id("stFileUploaderDropzoneInput").first.set_input_files(file)  # type: ignore[arg-type]
    expect(page.get_by_text("Choose the field that holds the text.")).to_be_visible()
    expect(page.get_by_text("no field is chosen yet")).to_be_visible()
    choose(page, "Field that holds the text", "messages[].content")
    expect(page.get_by_text(" bytes in 200 texts.")).to_be_visible()
    Starts(page).press(press_with_mouse)
    wait_for_status(page, "bytes of messages[].content of chats.jsonl in ")
    wait_until_run(page)
    choose(page, "Corpus", corpus)


def test_no_run_is_seen_until_what_the_browser_has_kept_is_there_again(train_page: Page) -> None:
    """How long that is, depends on what was kept: an example's run was taken for one's own."""
    page = train_page
    seen = [page.get_by_test_id("stProgress").first, page.locator(".stMain .film").first]
    for is_coming, visibility in ((True, "hidden"), (False, "visible")):
        page.evaluate("(is) => document.documentElement.toggleAttribute('data-comes-back', is)", is_coming)
        for part in seen:
            expect(part).to_have_css("visibility", visibility)
        expect(page.get_by_role("combobox", name="Corpus")).to_be_visible()


def check_the_data_of_the_chart(page: Page) -> None:
    """They are the curve's, and what Streamlit has to do with them does not cover what saves the chart."""
    place, save_svg = (
        page.locator(".st-key-train-live-chart"),
        page.locator(".save-chart [data-picture=svg]").first,
    )
    place.hover()
    place.get_by_role("button", name="Show data").click()
    expect(place.get_by_test_id("stDataFrame")).to_contain_text("bytes per token")
    tools, buttons = (part.bounding_box() for part in (place.get_by_test_id("stElementToolbar"), save_svg))
    assert tools
    assert buttons
    assert tools["y"] >= buttons["y"] + buttons["height"]
    save_svg.click()
    expect(page.locator(".save-chart .problem").first).to_have_text(
        "Its data are shown: press Show chart first."
    )
    place.hover()
    place.get_by_role("button", name="Show chart").click()
    expect(place.locator("svg.marks")).to_be_visible()


def test_two_runs_are_compared_and_saved_and_what_is_kept_outlives_reloads(
    train_page: Page,
    used_pages: dict[str, Page],
    app_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = train_page
    choose(page, "Corpus", "English novel")
    starts = Starts(page)
    starts.type_size(press_with_mouse, 276)
    wait_for_status(page, "Finished")
    choose(page, "Split pattern", "none")
    wait_until_rest(page)  # that a field was changed is told above what is pressed, which moves
    page.get_by_role("button", name=re.compile("Ties, counts")).click()
    page.get_by_role("textbox", name="Special tokens").click()
    replace(page, "<|mine|>")
    starts.press(lambda page: page.get_by_role("button", name="Start").click(force=True))
    wait_for_status(page, "Finished")
    wait_until_run(page)
    page.get_by_role("radio", name="A against B").click()
    chart = page.locator(".st-key-train-compared-chart")
    for n_run in (starts.n_run - 1, starts.n_run):
        expect(chart.get_by_text(f"{n_run} · English novel").first).to_be_visible()

    page.get_by_role("radio", name="Keep and export").click()
    expect(page.get_by_role("button", name="my-tokenizer.tiktoken")).to_be_visible()
    wait_until_run(page)
    expect(page.locator(".save-chart")).to_have_count(2)  # at the chart, and among the exports
    for kind, start_of_file in (("svg", b"<svg"), ("png", b"\x89PNG")):
        picture = save(page, page.locator(".save-chart").last.locator(f"[data-picture={kind}]"), tmp_path)
        assert picture.name == f"my-tokenizer-curve.{kind}"
        assert picture.read_bytes().startswith(start_of_file)
    assert "o200k_base" in (tmp_path / "my-tokenizer-curve.svg").read_text()
    check_the_data_of_the_chart(page)
    named = page.get_by_label("Name of the tokenizer")
    named.fill("dogs")
    named.press("Enter")
    button = page.get_by_role("button", name="dogs.tiktoken")
    expect(button).to_be_visible()
    named.fill("my-tokenizer")
    saved = save(page, button, tmp_path)  # before the name was sent
    assert saved.name == "my-tokenizer.tiktoken"
    monkeypatch.chdir(saved.parent)
    names: dict[str, Any] = {}
    exec(page.get_by_test_id("stCode").filter(has_text="mergeable_ranks").locator("code").inner_text(), names)
    assert names["encoding"].decode(ids := names["encoding"].encode("the dog. 안녕 🙂")) == "the dog. 안녕 🙂"
    assert max(ids) > 255
    assert names["encoding"].encode("<|mine|>", allowed_special="all") == [276], "typed in the popover"

    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("is now in every picker")).to_be_visible()
    for before, after in (("my-tokenizer", "cats"), ("not a name", "dogs")):  # a message above the files goes
        named.fill(before)
        named.press("Enter")
        if before == "not a name":
            expect(page.get_by_role("alert").filter(has_text="this one has ' ' at place 4")).to_be_visible()
        wait_until_run(page)
        named.fill(after)
        with page.expect_download() as coming:
            press_slowly(page, page.get_by_role("button", name=".tiktoken"))
        assert coming.value.suggested_filename == f"{after}.tiktoken"
    named.fill("my-tokenizer")
    named.press("Enter")

    large = tmp_path / "large.tiktoken"  # a process reads it, and the page looks for it by itself
    ranks = [*load_openai("cl100k_base").mergeable_ranks][:12_000]
    large.write_text("".join(f"{base64.b64encode(raw).decode()} {n}\n" for n, raw in enumerate(ranks)))
    page.get_by_text("Open a tokenizer file").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(large)
    expect(page.get_by_text("large: byte-level BPE · 12,000 tokens.")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_text("Reading large.tiktoken")).to_have_count(0)
    page.get_by_role("button", name="Remove one").click()
    page.get_by_role("menuitem", name="large").click()
    expect(page.get_by_text("1 tokenizer, about")).to_be_visible()

    go_to(page, "Formats")
    page.get_by_label(DATA).fill('{"typed": 1}')
    page.keyboard.press("Control+Enter")
    expect(page.locator(".st-key-formats-answer")).to_contain_text("typed: 1")  # it was read
    wait_until_run(page)
    wait_until_kept(page, "formats.text", pack_thing(b'{"typed": 1}', "it"))
    wait_until_kept(page, "tokenizer/my-tokenizer")
    page.get_by_label(DATA).fill('{"broken": 1,, 2}')
    price = page.get_by_label("Price of a million input tokens")
    price.fill("7.25")
    page.add_init_script(WATCH_PALE)
    page.reload()  # before anyone has sent it
    page.wait_for_function("() => window.wasPale")
    expect(page.get_by_label(DATA)).to_have_value('{"broken": 1,, 2}')
    expect(page.locator("html[data-comes-back]")).not_to_be_attached()
    expect(price).to_have_value("7.25")
    page.get_by_role("button", name="Bring the data before back").click()
    expect(page.get_by_label(DATA)).to_have_value('{"typed": 1}')

    go_to(page, "Compare")
    names_there = page.locator(".figures td:first-child")
    expect(names_there).to_have_text(["gpt2", "cl100k_base", "my-tokenizer"])
    page.locator("textarea.text").fill(" tokenization")
    expect(page.locator(".legend")).to_contain_text("in one only")
    wait_until_rest(page)
    page.get_by_role("button", name="Open a tokenizer").click()
    page.get_by_role("button", name="Rename one").click()
    page.get_by_role("menuitem", name="my-tokenizer").click()
    page.get_by_label("New name").fill("novel")
    page.get_by_role("button", name="Rename", exact=True).click()
    expect(page.get_by_label("New name")).to_have_count(0)  # it was heard
    expect(names_there).to_have_text(["gpt2", "cl100k_base", "novel"])
    wait_until_kept(page, "tokenizer/novel")
    other = page.context.new_page()
    other.goto(f"{app_url}/formats")
    wait_until_run(other)
    expect(other.get_by_label(DATA)).not_to_have_value('{"typed": 1}')
    other.get_by_test_id("stMultiSelect").get_by_role("combobox").click()
    other.keyboard.type("nov")
    expect(other.get_by_role("option", name="novel")).to_be_visible()
    other.close()
    used_pages.pop(PAUSED).close()  # it has another tokenizer, and shows another page


def test_a_training_ends_with_its_tab_and_a_reload_says_so(app: App) -> None:
    """To the server a tab is its socket, and a reload another one that comes with the tab's address."""

    def wait_until_trainings(is_any: bool) -> None:
        deadline = time.monotonic() + PATIENCE / 1_000
        while ("in _learn" in app.stacks()) != is_any:
            assert time.monotonic() < deadline, "a training goes on" if not is_any else "none has begun"
            time.sleep(0.1)

    async def play() -> None:
        page, _, link = ENDLESS.partition("?")
        wait_until_trainings(False)  # an example of a test before
        tab, messages = await app.read_page(page, link)
        sent = b"".join(messages)
        assert b"run=2" in sent, "the tab's address names its run"
        assert b"share=" not in sent
        assert b"The run of before ended" not in sent
        wait_until_trainings(True)
        await tab.close()
        wait_until_trainings(False)
        reloaded, messages = await app.read_page(page, "run=2")
        assert b"The run of before ended" in b"".join(messages)
        await reloaded.close()

    with ThreadPoolExecutor(1) as thread:  # Playwright has a loop in this one
        thread.submit(asyncio.run, play()).result()


def save(page: Page, button: Locator, folder: Path) -> Path:
    with page.expect_download() as download:
        button.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
