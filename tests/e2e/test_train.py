"""Train as a teacher does: watch, pause, step, play, compare with no pattern, export, load with tiktoken."""

import base64
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from playground.catalog.openai import load_openai
from playground.server.share_link import link_query
from tests.e2e.apps import App
from tests.e2e.conftest import go_to, wait_until_rest, wait_until_run
from tests.e2e.editor import Editor

SECONDS = 180_000  # milliseconds; a first start compiles the trainer

#: Keeps each place at which the button "+1" is painted.
WATCH_PLACES = """() => {
  window.places = [];
  const look = () => {
    const { x, y } = document.querySelector(".st-key-train-step-1 button").getBoundingClientRect();
    if (x && !places.includes(`${x} ${y}`)) places.push(`${x} ${y}`);
    requestAnimationFrame(look);
  };
  look();
}"""


#: The page as a link opens it, whose run has ended at once, or does not end.
QUICK = "train?" + link_query({"chosen": {"train.vocab_size": 276, "train.speed": "full speed"}})
ENDLESS = "train?" + link_query({"chosen": {"train.vocab_size": 100_000}})


def open_train(open_page: Callable[..., Page], address: str = "train") -> Page:
    page = open_page(address)
    page.wait_for_selector("text=merges ·", timeout=SECONDS)
    return page


def n_merges(page: Page) -> int:
    text = page.get_by_test_id("stProgress").first.inner_text()
    match = re.search(r"· ([\d,]+) of", text)
    return int(match.group(1).replace(",", "")) if match else -1


def wait_for_status(page: Page, status: str) -> None:
    expect(page.get_by_test_id("stProgress").first).to_contain_text(status, timeout=SECONDS)


def wait_for_merges(page: Page, n: int) -> None:
    expect(page.get_by_test_id("stProgress").first).to_contain_text(f"· {n:,} of", timeout=SECONDS)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.keyboard.type(option)
    page.keyboard.press("Enter")
    wait_until_run(page)


def set_number(page: Page, label: str, number: int) -> None:
    field = page.get_by_role("spinbutton", name=label)
    field.fill(str(number))
    field.press("Enter")
    wait_until_run(page)


def at_full_speed(page: Page) -> None:
    for _ in range(3):  # to the slider itself, for a page that is drawn anew may take the focus away
        page.get_by_role("slider", name="Merges a second").press("ArrowRight")
    wait_until_run(page)


def start(page: Page) -> None:
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/train?run=2", timeout=SECONDS)


def shown_text(page: Page) -> list[str]:
    texts: list[str] = page.locator(".film .tokens span").all_text_contents()
    return texts


def test_watch_pause_at_a_merge_step_and_drag_along_the_chart(open_page):
    page = open_train(open_page)
    expect(page.get_by_role("combobox", name="Corpus")).to_have_value("English novel: Pride and Prejudice")
    expect(page.get_by_role("spinbutton", name="Vocabulary size")).to_have_value("1256")
    expect(page.get_by_text("256 bytes and 1,000 merges.")).to_be_visible()
    set_number(page, "Pause at merge", 100)
    at_full_speed(page)
    page.evaluate(WATCH_PLACES)
    start(page)
    wait_for_status(page, "Paused")
    wait_for_merges(page, 100)
    page.get_by_role("button", name="+1", exact=True).click()
    wait_for_merges(page, 101)
    assert len(page.evaluate("places")) == 1, "no button moves away under a hand that presses it"
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
    page.mouse.move(plot["x"] + plot["width"] * 0.05, middle)  # of 1,000 merges wanted
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


def test_runs_on_one_chart_an_export_that_tiktoken_loads_and_a_tokenizer_for_every_page(open_page, tmp_path):
    page = open_train(open_page)
    at_full_speed(page)
    wait_for_status(page, "Finished")
    choose(page, "Split pattern", "none")
    start(page)
    wait_for_status(page, "Finished")
    wait_until_run(page)
    page.get_by_role("radio", name="A against B").click()
    chart = page.locator(".st-key-train-compared-chart")
    expect(chart.get_by_text("1 · English novel").first).to_be_visible()
    expect(chart.get_by_text("2 · English novel").first).to_be_visible()

    page.get_by_role("radio", name="Keep and export").click()
    expect(page.get_by_role("button", name="my-tokenizer.tiktoken")).to_be_visible()
    wait_until_run(page)
    expect(page.locator(".save-chart")).to_have_count(2)  # at the chart, and among the exports
    for kind, start_of_file in (("svg", b"<svg"), ("png", b"\x89PNG")):
        picture = save(page, page.locator(".save-chart").last.locator(f"[data-picture={kind}]"), tmp_path)
        assert picture.name == f"my-tokenizer-curve.{kind}"
        assert picture.read_bytes().startswith(start_of_file)
    assert "o200k_base" in (tmp_path / "my-tokenizer-curve.svg").read_text()
    exported = save(page, page.get_by_role("button", name="my-tokenizer.tiktoken"), tmp_path)
    snippet = page.get_by_test_id("stCode").filter(has_text="mergeable_ranks").locator("code").inner_text()
    text = "It is a truth: the dog. The dog! 안녕 🙂"
    program = f"{snippet}\nprint(encoding.encode({text!r}))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=exported.parent, capture_output=True, text=True, check=True
    )
    their_ids = [int(number) for number in done.stdout.splitlines()[-1].strip("[]").split(", ")]

    large = tmp_path / "large.tiktoken"
    ranks = load_openai("cl100k_base").mergeable_ranks
    large.write_text("".join(f"{base64.b64encode(raw).decode()} {rank}\n" for raw, rank in ranks.items()))
    page.get_by_text("Open a tokenizer file").click()
    page.get_by_test_id("stFileUploaderDropzoneInput").last.set_input_files(large)
    expect(page.get_by_text("Reading large.tiktoken")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_text("large: byte-level BPE · 100,256 tokens.")).to_be_visible(timeout=SECONDS)
    expect(page.get_by_text("Reading large.tiktoken")).to_have_count(0)
    page.get_by_role("button", name="Remove one").click()
    page.get_by_role("menuitem", name="large").click()
    expect(page.get_by_text("Kept tokenizers")).to_have_count(0)

    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("in every picker")).to_be_visible()
    expect(page.get_by_text("1 tokenizer, about")).to_be_visible()
    go_to(page, "Tokenize")
    editor = Editor(page).wait_until_shown()
    editor.choose_tokenizer("my-tokenizer")
    editor.set_text(text)
    assert editor.ids() == their_ids
    assert len(their_ids) < len(text.encode())

    go_to(page, "Compare")
    names = ["gpt2", "cl100k_base", "my-tokenizer"]
    expect(page.locator(".figures td:first-child")).to_have_text(names)
    page.locator("textarea.text").fill(" tokenization")
    expect(page.locator(".compare")).to_have_attribute("data-shown", "13")
    counts = page.locator(".figures td.count").all_text_contents()
    assert counts[:2] == ["2", "2"]
    assert int(counts[2]) > 2
    expect(page.locator(".legend")).to_contain_text("in one only")

    go_to(page, "Merge tree")
    page.get_by_role("radio", name="Merge race").click()
    race = page.locator("svg.race")
    expect(race.locator(".name")).to_have_text(names)
    expect(race.locator(".summary").filter(has_text="first merge")).to_have_count(3)
    expect(page.get_by_text("cl100k_base makes its 2 parts first, by rank 4,037")).to_be_visible()
    page.get_by_role("combobox", name="Tokenizer").first.click()
    page.keyboard.type("my-tok")
    expect(page.get_by_role("option", name="my-tokenizer")).to_be_visible()
    page.keyboard.press("Escape")
    go_to(page, "Formats")
    expect(
        page.get_by_test_id("stMultiSelect").get_by_text("my-tokenizer")
    ).to_be_visible()  # the latest, first


def test_a_training_ends_with_its_tab_and_a_reload_says_so(new_page: Callable[[], Page], app: App):
    page = new_page()
    for leave in (page.reload, page.close):
        page.goto(f"{app.url}/{ENDLESS}")
        progress = page.get_by_test_id("stProgress").first  # until it is drawn anew, that of the run before
        expect(progress).to_contain_text(re.compile("Running.* of 99,744 merges"), timeout=SECONDS)
        n_before = app.stacks().count("in _learn")
        assert n_before >= 1
        leave()
        if not page.is_closed():
            expect(page.get_by_text("The run of before ended")).to_be_visible(timeout=SECONDS)
            main = page.get_by_test_id("stMain")  # the header has a Stop of its own while the page runs
            main.get_by_role("button", name="Stop", exact=True).click()  # the new example
        deadline = time.monotonic() + 20
        while app.stacks().count("in _learn") >= n_before:
            assert time.monotonic() < deadline, "the training goes on after its tab is closed"
            time.sleep(0.2)
    # what is said of the reload stays until a run is started


def save(page: Page, button: Locator, folder: Path) -> Path:
    with page.expect_download() as download:
        button.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
