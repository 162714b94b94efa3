"""Start trains what the fields say at the moment of the press, though the browser has not sent it before."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import wait_until_run
from tests.e2e.test_train import QUICK, SECONDS, choose, open_train, wait_for_status

TEXTS = ("the cat sat on the mat", "she sells sea shells", "betty bought a bit of better butter")


def press_with_mouse(page: Page) -> None:
    page.get_by_role("button", name="Start").click()


def press_with_keyboard(page: Page) -> None:
    start = page.get_by_role("button", name="Start")
    for _ in range(40):
        page.keyboard.press("Tab")
        if start.evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press("Space")


def press_without_leaving_the_field(page: Page) -> None:
    """As a touch screen or a reading aid may do it, in a browser that is late with its timers."""
    page.get_by_role("button", name="Start").evaluate(
        "button => { const end = performance.now() + 400; while (performance.now() < end); button.click(); }"
    )


#: A link's run is the second of its visit: the first press on Start begins the third.
FIRST_PRESSED = 3
PRESSES = (press_with_keyboard, press_without_leaving_the_field, press_with_mouse)


def replace(page: Page, text: str) -> None:
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


def test_what_was_pasted_last_is_trained(open_page):
    page = open_train(open_page, QUICK)
    choose(page, "Corpus", "Paste a text")
    for n, (press, text) in enumerate(zip(PRESSES, TEXTS, strict=True), start=FIRST_PRESSED):
        wait_until_run(page)  # of the run before: a button that is drawn anew under a press has none
        page.get_by_role("textbox", name="Text to learn from").click()
        replace(page, text)
        press(page)
        page.wait_for_url(f"**/train?run={n}", timeout=SECONDS)
        expect(page.get_by_test_id("stProgress").first).to_contain_text(f"{len(text)} bytes", timeout=SECONDS)
    wait_for_status(page, "Finished")


@pytest.mark.parametrize("first", [0, 1])
def test_the_number_typed_last_counts_first_of_all_and_after_a_run(open_page, first):
    page = open_train(open_page, QUICK)
    for n, vocab_size in enumerate((300, 290), start=FIRST_PRESSED):
        wait_until_run(page)
        page.get_by_role("spinbutton", name="Vocabulary size").click()
        replace(page, str(vocab_size))
        PRESSES[(first + n) % len(PRESSES)](page)
        page.wait_for_url(f"**/train?run={n}", timeout=SECONDS)
        progress = page.get_by_test_id("stProgress").first
        expect(progress).to_contain_text(f" of {vocab_size - 256} merges", timeout=SECONDS)
    wait_until_run(page)
    expect(page.get_by_role("spinbutton", name="Vocabulary size")).to_have_value("290")


def test_a_special_token_typed_in_a_popover_counts(open_page):
    page = open_train(open_page, QUICK)
    page.get_by_role("button", name=re.compile("Ties, counts")).click()
    page.get_by_role("textbox", name="Special tokens").click()
    replace(page, "<|mine|>")
    page.get_by_role("button", name="Start").click(force=True)
    page.wait_for_url(f"**/train?run={FIRST_PRESSED}", timeout=SECONDS)
    wait_for_status(page, "Finished")
    page.get_by_role("radio", name="Keep and export").click()
    expect(page.get_by_test_id("stCode").filter(has_text="mine")).to_be_visible(timeout=SECONDS)
