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

from tests.e2e.conftest import Server, expect_page, go_to, text_field, type_text

#: Each page by its path, with what is visible once it is drawn.
PAGES = {
    "": ("Tokenize", "34 tokens"),
    "train": ("Train", "Finished"),
    "compare": ("Compare", "bytes per token"),
    "merge_tree": ("Merge tree", "2 tokens, 11 merges"),
    "vocabulary": ("Vocabulary", "of 50,256 tokens"),
    "formats": ("Formats", "→ YAML:"),
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
    """Return the accessibility rules that a page breaks once it is drawn, each with the first place.

    Streamlit fades what it draws anew, so a rule counts only if it stays broken for ten seconds.
    """
    for _ in range(20):
        violations = Axe().run(page).response["violations"]
        if not violations:
            break
        page.wait_for_timeout(500)
    return [f"{broken['id']}: {broken['nodes'][0]['html'][:200]}" for broken in violations]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_opens_by_its_address_and_breaks_no_rule_of_accessibility_in_light_or_dark(
    page: Page, path: str
) -> None:
    open_page(page, path)
    expect(page).to_have_title(f"{PAGES[path][0]} · Tessera")
    assert broken_rules(page) == []
    page.emulate_media(color_scheme="dark")
    page.reload()
    open_page(page, path)
    assert broken_rules(page) == []


def test_the_previous_page_is_one_step_back_and_shows_its_code(page: Page) -> None:
    open_page(page, "learn")
    go_to(page, "Merge tree")
    page.go_back()
    expect_page(page, "Learn")
    page.get_by_role("button", name="Code behind this page").click()
    expect(page.get_by_role("code").last).to_contain_text("class LearnSession")


def test_large_type_stays_on_the_next_page_and_after_a_reload(page: Page) -> None:
    open_page(page, "")
    large_type = page.get_by_role("switch", name="Large type")
    page.get_by_text("Large type", exact=True).click()
    expect(large_type).to_be_checked()
    go_to(page, "Compare")
    expect(page).to_have_url(re.compile("large_type=true"))
    page.reload()
    expect(large_type).to_be_checked()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280


def test_a_text_follows_its_visitor_from_page_to_page(page: Page) -> None:
    open_page(page, "")
    type_text(page, "an unhurried tokenizers")
    go_to(page, "Merge tree")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    go_to(page, "Compare")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    type_text(page, "its own")
    go_to(page, "Tokenize")
    expect(text_field(page)).to_have_value("an unhurried tokenizers")
    page.get_by_role("button", name="Use it here").click()
    expect(text_field(page)).to_have_value("its own")


def test_two_tabs_of_one_visitor_keep_their_own_texts(page: Page) -> None:
    open_page(page, "")
    other = page.context.new_page()
    open_page(other, "")
    type_text(page, "the first tab")
    type_text(other, "the second tab, which is longer")
    for tab, text in ((page, "the first tab"), (other, "the second tab, which is longer")):
        tab.reload()
        expect(text_field(tab)).to_have_value(text)


def test_all_is_done_by_keyboard_alone(page: Page) -> None:
    open_page(page, "")

    def tab_to(role: Any, name: str) -> None:
        target = page.get_by_role(role, name=name).first
        for _ in range(60):
            page.keyboard.press("Tab")
            if target.evaluate("(one) => one === one.getRootNode().activeElement"):
                return
        pytest.fail(f"Tab does not reach {name}")

    tab_to("textbox", "Text to tokenize")
    page.keyboard.press("Control+A")
    page.keyboard.type("hello tokenization")
    tab_to("group", "Tokens:")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    tab_to("button", "More")
    page.keyboard.press("Enter")
    tab_to("button", "Copy ids")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^Copied 3 tokens"))).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == "24912, 6602, 2860"


#: Streamlit closes its menu after a choice on what says that it is a phone.
PHONE = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"


def test_every_page_fits_a_phone_and_its_menu_leads_to_the_others(new_visitor: Callable[..., Page]) -> None:
    page = new_visitor(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, user_agent=PHONE
    )
    page.goto("/")
    for path, (title, shown) in PAGES.items():
        page.get_by_role("button", name="Expand sidebar").tap()
        page.get_by_role("navigation").get_by_role("link", name=title, exact=True).tap()
        expect_page(page, title)
        expect(page.get_by_role("main").get_by_text(shown).first).to_be_visible(timeout=120_000)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_a_phone_types_a_text_and_opens_a_token(new_visitor: Callable[..., Page]) -> None:
    page = new_visitor(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    open_page(page, "")
    type_text(page, "hello tokenization")
    page.get_by_role("group", name="Tokens:").get_by_text("ization", exact=True).tap()
    expect(page.get_by_role("dialog")).to_contain_text("2860")


def test_an_embedded_page_works(page: Page) -> None:
    page.goto("/?embed=true")
    type_text(page, "hello tokenization")
    expect(page.get_by_text(re.compile(r"^\s*3\s*tokens"))).to_be_visible()
    expect(page.get_by_role("button", name="Main menu")).to_have_count(0)


def test_the_app_works_below_the_path_of_a_proxy(
    own_server: Callable[..., Server], new_visitor: Callable[..., Page]
) -> None:
    page = new_visitor(base_url=own_server(base_path="/tessera").url + "/")
    page.goto("compare")
    expect(page.get_by_text("bytes per token")).to_be_visible()
    type_text(page, "hello tokenization")
    expect(page.get_by_role("row").nth(1)).to_contain_text("o200k_base")
    go_to(page, "Learn")
    expect(page).to_have_url(re.compile("/tessera/learn"))
    page.get_by_role("button", name="Start on your own").click()
    expect(page).to_have_url(re.compile("/tessera/learn[?]lesson="))


def test_typed_texts_outlive_a_restart_of_the_server(
    own_server: Callable[..., Server], new_visitor: Callable[..., Page], faults: list[str]
) -> None:
    server = own_server()
    first = new_visitor(base_url=server.url)
    pages = {
        path: first if path == "" else first.context.new_page() for path in ("", "compare", "merge_tree")
    }
    for path, page in pages.items():
        open_page(page, path)
        type_text(page, "before ")
        text_field(page).press("End")
    server.stop()
    for page in pages.values():
        page.keyboard.type("away ")
        expect(page.get_by_text("Your text is kept here")).to_be_visible()
    server.start()
    for page in pages.values():
        page.bring_to_front()
        page.keyboard.type("back")
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
