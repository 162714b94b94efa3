"""Links: what is copied opens the same elsewhere, old links still open, and a damaged one says so."""

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e.conftest import (
    add_tokenizer,
    choose_tokenizer,
    expect_tokenizer,
    go_to,
    press,
    remove_tokenizer,
    shared_link,
    text_field,
    type_text,
)

TEXT = "héllo & <b>\nनमस्ते 100%"
#: A link as version 1 shared it; `address.test.js` has one of each page.
OLD_LINK = (
    "/?share=2.eNqrVirJz07Ny6xKLVKyUlBKLygxUtJRUCpJrSgB8YMzEotSUxQeLFnxYMm6B0t2P"
    "Fja-2DJkgdL2xVskuxiimLyUvNSlGoBqfEdSA"
)


def test_links_of_tokenize_merge_tree_and_formats_open_the_same_elsewhere(
    page: Page, new_visitor: Callable[[], Page]
) -> None:
    page.goto("/")
    expect(text_field(page)).not_to_have_value("")
    choose_tokenizer(page, "cl100k_base")
    type_text(page, TEXT)
    guest = new_visitor()
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value(TEXT)
    expect_tokenizer(guest, "cl100k_base")
    go_to(page, "Merge tree")
    expect(text_field(page)).to_have_value(TEXT)
    press(page.get_by_role("radio", name="by merge order"))
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value(TEXT)
    expect_tokenizer(guest, "cl100k_base")
    expect(guest.get_by_role("radio", name="by merge order")).to_be_checked()
    go_to(page, "Formats")
    expect(text_field(page)).not_to_have_value("")
    type_text(page, '{"héllo": [1, 2]}')
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value('{"héllo": [1, 2]}')


def test_a_link_of_compare_opens_the_same_elsewhere(page: Page, new_visitor: Callable[[], Page]) -> None:
    page.goto("/compare?tokenizers=gpt2,cl100k_base,python_docs_4k")
    expect(text_field(page)).not_to_have_value("")
    add_tokenizer(page, "qwen3")
    remove_tokenizer(page, "cl100k_base")
    expect(page.get_by_role("row").nth(3)).to_contain_text("qwen3")
    expect(page).to_have_url(re.compile("tokenizers=gpt2%2Cpython_docs_4k%2Cqwen3"))
    type_text(page, TEXT)
    guest = new_visitor()
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value(TEXT)
    for at, name in enumerate(("gpt2", "python_docs_4k", "qwen3"), start=1):
        expect(guest.get_by_role("row").nth(at)).to_contain_text(name)


def test_an_old_link_opens_and_a_damaged_one_says_so(page: Page) -> None:
    page.goto(OLD_LINK)
    expect(text_field(page)).to_have_value("Shared नमस्ते <b>\nend")
    expect_tokenizer(page, "gpt2")
    for address in ("/?share=2.not-a-link", "/#t=not-a-link"):
        page.goto("about:blank")
        page.goto(address)
        expect(page.get_by_text("damaged")).to_be_visible()
        type_text(page, "still alive")
        expect(page.get_by_text(re.compile(r"^\s*2\s*tokens"))).to_be_visible()
