"""All pages: a first visit, accessibility, large type, a keyboard, a phone, and the server behind them."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.e2e.conftest import (
    Server,
    expect_page,
    go_to,
    key,
    press,
    still,
    text_field,
    type_keys,
    type_text,
)

#: Each page by its path, with what is visible once it is drawn.
PAGES = {
    "": ("Tokenize", "34 tokens"),
    "train": ("Train", "Finished"),
    "compare": ("Compare", "bytes per token"),
    "merge_tree": ("Merge tree", "2 tokens, 11 merges"),
    "vocabulary": ("Vocabulary", "of 50,256 tokens"),
    "xray": ("X-ray", "The prefix breaks at message 1"),
    "formats": ("Formats", "fewer than this JSON"),
    "expect": ("Expect", "Open a GGUF file"),
    "learn": ("Learn", "Text is bytes"),
    "build": ("Build", "Count the pairs"),
}


def open_page(page: Page, path: str) -> None:
    page.goto(f"/{path}".replace("//", "/"))
    title, shown = PAGES[path]
    expect_page(page, title)
    expect(page.get_by_role("main").get_by_text(re.compile(shown.replace(" ", r"\s*"))).first).to_be_visible(
        timeout=120_000
    )


def broken_rules(page: Page) -> list[str]:
    """Return the accessibility rules that a page breaks, each with the first place."""
    still(page.locator("body"))
    if page.evaluate("!window.axe"):
        page.evaluate(Axe().axe_script)
    broken: list[str] = page.evaluate("""async () => {
      const { violations } = await axe.run({ resultTypes: ["violations"] });
      return violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`);
    }""")
    return broken


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_by_its_address_is_accessible_in_light_and_dark_and_fits_a_phone(
    page: Page, path: str
) -> None:
    open_page(page, path)
    expect(page).to_have_title(f"{PAGES[path][0]} · Tessera")
    assert broken_rules(page) == []
    page.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    assert broken_rules(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    still(page.locator("body"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_large_type_stays_on_other_pages_and_in_another_tab_and_a_page_shows_its_code(page: Page) -> None:
    open_page(page, "")
    large = re.compile(r"^20\.5")
    expect(page.locator("html")).not_to_have_css("font-size", large)
    press(page.get_by_role("button", name="Large type"))
    expect(page.locator("html")).to_have_css("font-size", large)
    go_to(page, "Merge tree")
    page.go_back()
    expect_page(page, "Tokenize")
    expect(page.locator("html")).to_have_css("font-size", large)
    page = page.context.new_page()
    open_page(page, "merge_tree")
    expect(page.locator("html")).to_have_css("font-size", large)
    expect(page.get_by_role("button", name="Large type", pressed=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    press(page.get_by_role("button", name="Code behind this page"))
    expect(page.get_by_role("code").first).to_contain_text("def merge_parts")


def test_a_text_follows_its_visitor_from_page_to_page_and_each_tab_keeps_its_own(page: Page) -> None:
    open_page(page, "")
    other = page.context.new_page()
    open_page(other, "")
    type_text(page, "an unhurried tokenizers")
    type_text(other, "the second tab, which is longer")
    go_to(page, "Merge tree")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    go_to(page, "Compare")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    still(page.locator("body"))
    page.go_back()
    expect_page(page, "Merge tree")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    go_to(page, "Compare")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    type_text(page, "its own")
    go_to(page, "Tokenize")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    press(page.get_by_role("button", name="Use it here"))
    for tab, text in ((page, "its own"), (other, "the second tab, which is longer")):
        expect(text_field(tab)).to_have_value(text)
        tab.reload()
        expect(text_field(tab)).to_have_value(text)


def test_all_is_done_by_keyboard_alone(page: Page) -> None:
    open_page(page, "")

    def tab_to(role: Any, name: str) -> None:
        target = page.get_by_role(role, name=name).first
        for _ in range(60):
            key(page, "Tab")
            if target.evaluate("(one) => one === one.getRootNode().activeElement"):
                return
        pytest.fail(f"Tab does not reach {name}")

    tab_to("textbox", "Text to tokenize")
    key(page, "Control+A")
    type_keys(page, "hello tokenization")
    tab_to("group", "Tokens:")
    key(page, "ArrowRight", "Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    key(page, "Escape")
    tab_to("button", "More")
    key(page, "Enter")
    tab_to("button", "Copy ids")
    key(page, "Enter")
    expect(page.get_by_text(re.compile("^Copied 3 tokens"))).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "24912, 6602, 2860"


#: Streamlit closes its menu after a choice on what says that it is a phone.
PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"


def test_on_a_phone_the_menu_leads_to_a_page_and_a_token_is_opened(new_visitor: Callable[..., Page]) -> None:
    page = new_visitor(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, user_agent=PHONE
    )
    open_page(page, "formats")
    still(page.get_by_role("button", name="Expand sidebar")).tap()
    still(page.get_by_role("navigation").get_by_role("link", name="Tokenize", exact=True)).tap()
    expect_page(page, "Tokenize")
    type_text(page, "hello tokenization")
    still(page.get_by_role("group", name="Tokens:").get_by_text("ization", exact=True)).tap()
    expect(page.get_by_role("dialog")).to_contain_text("2860")


def test_the_app_works_below_the_path_of_a_proxy_and_in_another_site(
    own_server: Callable[..., Server], new_visitor: Callable[..., Page]
) -> None:
    page = new_visitor(base_url=own_server(base_path="/tessera").url + "/")
    page.goto("compare")
    expect(page.get_by_text("bytes per token")).to_be_visible()
    type_text(page, "hello tokenization")
    expect(page.get_by_role("row").nth(1)).to_contain_text("o200k_base")
    go_to(page, "Learn")
    expect(page).to_have_url(re.compile("/tessera/learn"))
    press(page.get_by_role("button", name="Start on your own"))
    expect(page).to_have_url(re.compile("/tessera/learn[?]lesson="))
    page.goto("?embed=true")
    type_text(page, "hello tokenization")
    expect(page.get_by_text(re.compile(r"^\s*3\s*tokens"))).to_be_visible()
    expect(page.get_by_role("button", name="Main menu")).to_have_count(0)


def test_typed_texts_outlive_a_restart_of_the_server(
    own_server: Callable[..., Server], new_visitor: Callable[..., Page], faults: list[str]
) -> None:
    server = own_server()
    first = new_visitor(base_url=server.url)
    pages = {path: first if path == "" else first.context.new_page() for path in ("", "compare")}
    for path, page in pages.items():
        open_page(page, path)
        type_text(page, "before ")
        press(text_field(page))
        key(page, "End")
    server.stop()
    for page in pages.values():
        page.keyboard.type("away ")  # a page without its server is never still
        expect(page.get_by_text("Your text is kept here")).to_be_visible()
    server.start()
    for page in pages.values():
        page.bring_to_front()
        type_keys(page, "back")
        expect(page.get_by_text("Your text is kept here")).to_have_count(0)
        expect(text_field(page)).to_have_value("before away back")
    expect(pages[""].get_by_role("status").filter(has_text=re.compile(r"^\s*3\s*tokens"))).to_be_visible()
    expect(pages["compare"].get_by_text("16 characters, 16 bytes")).to_be_visible()
    faults.clear()  # connections that were refused in between


def ask(url: str, body: object = None, **headers: str) -> tuple[int, dict[str, object]]:
    """Return status and JSON of an answer; a body makes the request a POST."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, {"error": error.read().decode()}


def test_a_program_asks_the_same_server_over_http(server: Server) -> None:
    api = f"{server.url}/api/v1"
    status, answer = ask(f"{api}/encode", {"text": "Hello world", "encoding": "gpt2"})
    assert (status, answer) == (200, {"encoding": "gpt2", "ids": [15496, 995], "count": 2})
    status, answer = ask(f"{api}/decode", {"ids": [15496, 995], "model": "gpt-2"})
    assert (status, answer["text"]) == (200, "Hello world")
    status, answer = ask(f"{api}/encode", {"text": "x", "encoding": "none"})
    assert status == 422 or status == 400
    assert "none" in str(answer["error"])
    assert ask(f"{api}/encodings", Host="evil.example")[0] == 421
    assert ask(f"{api}/encode", {"text": "x"}, Origin="http://evil.example")[0] == 403
