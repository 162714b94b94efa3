"""Start trains what the fields say at the moment of the press, though the browser has not sent it before."""

import re
from collections.abc import Callable

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


PRESSES = (press_with_keyboard, press_without_leaving_the_field, press_with_mouse)


def replace(page: Page, text: str) -> None:
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


class Starts:
    """Runs that are started on a page that a link has opened: the link's run is the second of its visit."""

    def __init__(self, page: Page) -> None:
        self.page, self.n_run = page, 2
        self.told = page.get_by_test_id("stProgress").first

    def press(self, press: Callable[[Page], None]) -> None:
        press(self.page)
        self.n_run += 1
        self.page.wait_for_url(f"**/train?run={self.n_run}", timeout=SECONDS)

    def type_size(self, press: Callable[[Page], None], vocab_size: int) -> None:
        """Type a vocabulary size and press Start: it counts."""
        wait_until_run(self.page)  # of the run before: a button that is drawn anew under a press has none
        field = self.page.get_by_role("spinbutton", name="Vocabulary size")
        field.click()
        replace(self.page, str(vocab_size))
        self.press(press)
        expect(self.told).to_contain_text(f" of {vocab_size - 256} merges", timeout=SECONDS)

    def type_two_sizes(self, press: Callable[[Page], None], press_again: Callable[[Page], None]) -> None:
        """The same of two sizes, of which the field then shows the later."""
        self.type_size(press, 300)
        self.type_size(press_again, 290)
        wait_until_run(self.page)
        expect(self.page.get_by_role("spinbutton", name="Vocabulary size")).to_have_value("290")

    def paste(self, press: Callable[[Page], None], text: str) -> None:
        """Paste a text to learn from and press Start: it is learned."""
        wait_until_run(self.page)
        self.page.get_by_role("textbox", name="Text to learn from").click()
        replace(self.page, text)
        self.press(press)
        expect(self.told).to_contain_text(f"{len(text)} bytes", timeout=SECONDS)


def test_what_was_typed_last_counts_first_of_all_and_after_a_run(open_page: Callable[..., Page]) -> None:
    starts = Starts(page := open_train(open_page, QUICK))
    starts.type_two_sizes(press_without_leaving_the_field, press_with_mouse)
    choose(page, "Corpus", "Paste a text")
    for press, text in zip(PRESSES, TEXTS, strict=True):
        starts.paste(press, text)
    wait_for_status(page, "Finished")


def test_a_number_and_a_special_token_in_a_popover_count(open_page: Callable[..., Page]) -> None:
    starts = Starts(page := open_train(open_page, QUICK))
    starts.type_two_sizes(press_with_keyboard, press_without_leaving_the_field)
    page.get_by_role("button", name=re.compile("Ties, counts")).click()
    page.get_by_role("textbox", name="Special tokens").click()
    replace(page, "<|mine|>")
    starts.press(lambda page: page.get_by_role("button", name="Start").click(force=True))
    wait_for_status(page, "Finished")
    page.get_by_role("radio", name="Keep and export").click()
    expect(page.get_by_test_id("stCode").filter(has_text="mine")).to_be_visible(timeout=SECONDS)
