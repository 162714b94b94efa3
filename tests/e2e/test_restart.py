"""The server dies while people type, and is started again: nothing typed is lost, and nobody reloads."""

import time
from contextlib import ExitStack
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from playground.catalog.registry import get_tokenizer
from tests.e2e.apps import free_port, running_app
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


def test_text_and_focus_outlive_the_server(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    errors: list[str] = []
    with browser.new_context(reduced_motion="reduce") as context, ExitStack() as servers:
        pages = tokenize, compare, merge_tree = [context.new_page() for _ in range(3)]
        for page in pages:
            page.on("pageerror", lambda error: errors.append(str(error)))
        app = servers.enter_context(running_app(tmp_path, port=port))
        begin_typing(tokenize, app.url, "Tokenize", ".tokens .t")
        begin_typing(compare, f"{app.url}/compare", "Compare", ".rows *")
        begin_typing(merge_tree, f"{app.url}/merge_tree", "Merge tree", ".forest svg")
        text = "before "
        for seconds in (1, 10):
            app.process.kill()
            app.process.wait()
            for page in pages:
                page.keyboard.type("while it is away ")
                expect(page.locator(".notes").first).to_contain_text("Your text is kept here")
            time.sleep(seconds)
            app = servers.enter_context(running_app(tmp_path, port=port))
            for page in pages:
                page.keyboard.type("and back ")
            text += "while it is away and back "
            expect(tokenize.locator(".tokens")).to_have_text(text.strip())
            expect(compare.locator(".size")).to_have_text(f"{len(text)} characters, {len(text)} bytes")
            n_tokens = len(get_tokenizer("gpt2").encode(text))
            expect(merge_tree.locator(".counts").first).to_contain_text(f"{n_tokens} tokens")
            for page in pages:
                expect(page.locator(".notes .error")).to_have_count(0)
                expect(page.locator(".stale")).to_have_count(0)
                assert page.evaluate(HELD) == {"text": text, "caret": len(text), "isSame": True}
    assert errors == []
