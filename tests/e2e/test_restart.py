"""The server dies while people type, and is started again: nothing typed is lost, and nobody reloads."""

import time
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from playground.catalog.registry import get_tokenizer
from tests.e2e.apps import App
from tests.e2e.conftest import wait_until_run

#: What was typed, what has the focus, and whether this is the page that was opened: it is marked.
HELD = """() => {
  let focused = document.activeElement;
  while (focused?.shadowRoot) focused = focused.shadowRoot.activeElement;
  return { text: focused?.value, caret: focused?.selectionStart, isSame: window.isSame === true };
}"""
#: Where a page tells of the text "before ", and what.
TOLD = {
    "Tokenize": (".editor .numbers", "7"),
    "Compare": (".size", "7 characters"),
    "Merge tree": (".counts", "2 tokens"),
}


def begin_typing(page: Page, address: str, title: str, shown: str) -> None:
    page.goto(address)
    wait_until_run(page)
    expect(page.locator(shown).first).to_be_visible()
    page.evaluate("window.isSame = true")
    page.locator("textarea.text").first.focus()  # of Merge tree the text, not the race
    page.keyboard.press("Control+A")
    page.keyboard.type("before ")
    place, told = TOLD[title]
    expect(page.locator(place).first).to_contain_text(told)


@pytest.fixture
def mortal(app: App, used_pages: dict[str, Page]) -> Iterator[App]:
    """The server of all tests, which runs again afterwards; no page of theirs sees it die."""
    for page in used_pages.values():
        page.close()
    used_pages.clear()
    yield app
    if app.process.poll() is not None:
        app.start_again()


def test_text_and_focus_outlive_the_server(
    mortal: App, new_page: Callable[[], Page], used_pages: dict[str, Page]
) -> None:
    tokenize, compare, merge_tree = pages = [new_page() for _ in range(3)]
    begin_typing(tokenize, mortal.url, "Tokenize", ".tokens .t")
    begin_typing(compare, f"{mortal.url}/compare", "Compare", ".rows *")
    begin_typing(merge_tree, f"{mortal.url}/merge_tree", "Merge tree", ".forest svg")
    text = "before away back "
    mortal.kill()
    back_at = time.monotonic() + 10  # longer than Streamlit waits between its own attempts
    for page in pages:
        page.keyboard.type("away ")
        expect(page.get_by_text("Your text is kept here").first).to_be_visible()
    time.sleep(max(0.0, back_at - time.monotonic()))
    mortal.start_again()
    for page in pages:
        page.keyboard.type("back ")
    expect(tokenize.locator(".tokens")).to_have_text(text.strip())
    expect(compare.locator(".size")).to_have_text(f"{len(text)} characters, {len(text)} bytes")
    n_tokens = len(get_tokenizer("gpt2").encode(text))
    expect(merge_tree.locator(".counts").first).to_contain_text(f"{n_tokens} tokens")
    for page in pages:
        expect(page.locator(".notes .error")).to_have_count(0)
        expect(page.locator(".stale")).to_have_count(0)
        assert page.evaluate(HELD) == {"text": text, "caret": len(text), "isSame": True}
    used_pages[""] = tokenize  # as good as any, by now
