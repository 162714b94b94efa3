"""The Train page in a browser: what is chosen there, and the presses on Start."""

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.conftest import wait_until_run

SECONDS = 180_000  # milliseconds; a first start compiles the trainer


def wait_for_status(page: Page, status: str) -> None:
    expect(page.get_by_test_id("stProgress").first).to_contain_text(status, timeout=SECONDS)


def choose(page: Page, label: str, option: str) -> None:
    page.get_by_role("combobox", name=label, exact=True).click()
    page.keyboard.type(option)
    page.keyboard.press("Enter")
    wait_until_run(page)


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


def replace(page: Page, text: str) -> None:
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


class Starts:
    """Runs that are started on a Train page: after which number, its address says."""

    def __init__(self, page: Page) -> None:
        self.page, self.n_run = page, int(page.url.partition("?run=")[2])
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

    def paste(self, press: Callable[[Page], None], text: str) -> None:
        """Paste a text to learn from and press Start: it is learned."""
        wait_until_run(self.page)
        self.page.get_by_role("textbox", name="Text to learn from").click()
        replace(self.page, text)
        self.press(press)
        expect(self.told).to_contain_text(f"{len(text.encode())} bytes", timeout=SECONDS)
