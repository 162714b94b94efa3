"""Train as a teacher does: watch, pause, step, play, compare with no pattern, export, load with tiktoken."""

import re
import time
from pathlib import Path

import tiktoken
from playwright.sync_api import Page, expect

from tests.e2e.conftest import wait_until_run

SECONDS = 180_000


def open_train(page: Page) -> Page:
    page.get_by_role("link", name="Train").click()
    page.wait_for_selector("text=merges ·", timeout=SECONDS)  # compiled on a first start
    return page


def n_merges(page: Page) -> int:
    text = page.get_by_test_id("stProgress").first.inner_text()
    match = re.search(r"· ([\d,]+) of", text)
    return int(match.group(1).replace(",", "")) if match else -1


def wait_for_status(page: Page, status: str) -> None:
    expect(page.get_by_test_id("stProgress").first).to_contain_text(status, timeout=SECONDS)


def test_watch_pause_step_stop_compare_and_export(open_page, tmp_path):
    page = open_train(open_page())
    expect(
        page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg").first
    ).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    wait_for_status(page, "Paused")
    before = n_merges(page)
    page.get_by_role("button", name="+10", exact=True).click()
    deadline = time.monotonic() + 20
    while n_merges(page) != before + 10:
        assert time.monotonic() < deadline
        page.wait_for_timeout(100)
    page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    wait_for_status(page, "Stopped")

    pattern = page.get_by_role("combobox", name="Split pattern", exact=True)
    pattern.click()
    page.keyboard.type("none")
    page.keyboard.press("Enter")
    wait_until_run(page)
    page.get_by_role("button", name="Start").click()
    wait_for_status(page, "Finished")
    wait_until_run(page)
    page.get_by_role("radio", name="A against B").click()
    expect(page.get_by_text("1 · English novel, gpt2").first).to_be_visible()
    expect(page.get_by_text("2 · English novel, none").first).to_be_visible()

    page.get_by_role("radio", name="Text at merge k").click()
    expect(page.locator(".tokens span").first).to_be_visible()

    page.get_by_role("radio", name="Keep and export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="my-tokenizer.tiktoken").click()
    exported = Path(tmp_path / "my-tokenizer.tiktoken")
    download.value.save_as(exported)
    snippet = page.get_by_test_id("stCode").filter(has_text="mergeable_ranks").locator("code").inner_text()
    names: dict[str, tiktoken.Encoding] = {}
    exec(snippet.replace("my-tokenizer.tiktoken", str(exported)), names)
    assert names["encoding"].n_vocab == 1257
    assert len(names["encoding"].encode("The standard library")) < 20

    page.get_by_role("button", name="Keep", exact=True).click()
    expect(page.get_by_text("in every picker")).to_be_visible()
    page.get_by_role("link", name="Tokenize").click()
    wait_until_run(page)
    picker = page.get_by_role("combobox", name="Tokenizer").first
    picker.click()
    expect(page.get_by_role("option", name="my-tokenizer")).to_be_visible()


def test_a_reload_says_that_the_run_ended(open_page):
    page = open_train(open_page())
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/train?run=2", timeout=SECONDS)
    page.reload()
    expect(page.get_by_text("The run of before ended")).to_be_visible(timeout=SECONDS)
