"""Links: what is copied opens the same elsewhere, old links still open, and a damaged one says so."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import (
    add_tokenizer,
    choose_tokenizer,
    expect_page,
    expect_tokenizer,
    remove_tokenizer,
    shared_link,
    text_field,
    type_text,
)

TEXT = "héllo & <b>\nनमस्ते 100%"
#: Links as they were shared by earlier versions: all chosen parts were compressed into `share`.
OLD_LINKS = {
    "text": "/?share=2.eNqrVirJz07Ny6xKLVKyUlBKLygxUtJRUCpJrSgB8YMzEotSUxQeLFnxYMm6B0t2P"
    "Fja-2DJkgdL2xVskuxiimLyUvNSlGoBqfEdSA",
    "ids": "/?share=2.eNqrVirJz07Ny6xKLVKyUlBKzjE0MMiOT0osTlXSUVDKzU9JBQlnphSDuEAqviS1o"
    "gQkZGlpYKajYGhpaK5UCwDz0hQW",
    "compare": "/compare?share=2.eNqrVipJrShRslJQyji8MicnX0FNwSbJTklHQakkPzs1L7MqtagYKButlF"
    "5QYgQSzjcyMMiOT0osTlWKrQUAdzwTpA",
    "merge_tree": "/merge_tree?share=2.eNqrVirJz07Ny6xKLVKyUlBKzjE0MMiOT0osTlXSUVAqSa0oAQkXlxQ"
    "llielFhVVgkSLS1ILgKJGtQBuOROb",
    "formats": "/formats?share=2.eNqrVipJrShRslJQqo5RKs5ILEpNiQHyog11FIxia5V0FJSSM_KLU_OAYt"
    "VKaflFuYklxXol-dmpeZlVqUXFIKVKyTmGBgbZ8UmJxalKsbW1AE3nGwU",
    "train": "/train?share=2.eNqrVkrOyC9OzVOyUqhWKilKzMzTK8tPTkyKL86sSgUKGhsY6ChAJZLziwpK"
    "i4GCSgGJxSWpCokKJakVJUpw-QKQaApIPjExMSkFRCQmK9XWAgCQgSFX",
}


def test_a_link_of_tokenize_opens_the_same_elsewhere(page: Page, new_visitor: Callable[[], Page]) -> None:
    page.goto("/")
    expect(text_field(page)).not_to_have_value("")
    choose_tokenizer(page, "o200k_base")
    type_text(page, TEXT)
    guest = new_visitor()
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value(TEXT)
    expect_tokenizer(guest, "o200k_base")


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


def test_links_of_the_other_pages_open_the_same_elsewhere(
    page: Page, new_visitor: Callable[[], Page]
) -> None:
    page.goto("/merge_tree")
    expect(text_field(page)).not_to_have_value("")
    choose_tokenizer(page, "cl100k_base")
    type_text(page, TEXT)
    page.get_by_role("radio", name="by merge order").click()
    guest = new_visitor()
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value(TEXT)
    expect_tokenizer(guest, "cl100k_base")
    page.goto("/formats")
    expect(text_field(page)).not_to_have_value("")
    type_text(page, '{"héllo": [1, 2]}')
    guest = new_visitor()
    guest.goto(shared_link(page))
    expect(text_field(guest)).to_have_value('{"héllo": [1, 2]}')


@pytest.mark.parametrize("kind", OLD_LINKS)
def test_an_old_share_link_opens(page: Page, kind: str) -> None:
    page.goto(OLD_LINKS[kind])
    match kind:
        case "text":
            expect(text_field(page)).to_have_value("Shared नमस्ते <b>\nend")
            expect_tokenizer(page, "gpt2")
        case "ids":
            expect(page.get_by_label("The text of the ids")).to_have_value("Hello world")
        case "compare":
            expect(text_field(page)).to_have_value("héllo & <b>")
            expect(page.get_by_role("row")).to_have_count(3)
            expect(page.get_by_role("row").last).to_contain_text("o200k_base")
        case "merge_tree":
            expect(text_field(page)).to_have_value("strawberry")
            expect_tokenizer(page, "cl100k_base")
            expect(page.get_by_text(re.compile("^2 of"))).to_be_visible()
        case "formats":
            expect(text_field(page)).to_have_value('{"shared": [1, 2]}')
            expect(page.get_by_text("In cl100k_base").first).to_be_visible()
        case "train":
            expect(page.get_by_role("textbox", name="Text to learn from")).to_have_value("aaabdaaabac")


@pytest.mark.parametrize("address", ["/?share=2.not-a-link", "/#t=not-a-link"])
def test_a_damaged_link_says_so_and_the_page_works(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_text("damaged")).to_be_visible()
    type_text(page, "still alive")
    expect_page(page, "Tokenize")
