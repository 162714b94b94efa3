"""Vocabulary: tokens are searched, vocabularies are checked, compared and converted."""

import base64
import re

import pytest
from playwright.sync_api import Page, expect

from playground.catalog.trained import load_python_docs
from tests.e2e.conftest import (
    choose_tokenizer,
    download,
    expect_page,
    expect_tokenizer,
    fill,
    press,
    type_keys,
)


@pytest.fixture
def vocabulary(page: Page) -> Page:
    page.goto("/vocabulary")
    expect(page.get_by_text("50,256 of 50,256 tokens")).to_be_visible()
    return page


def test_a_token_is_found_while_one_types_and_the_search_is_in_the_address(vocabulary: Page) -> None:
    box = vocabulary.get_by_role("searchbox", name="Text, id or /regex/")
    press(box)
    type_keys(vocabulary, "/SolidGold/")
    expect(vocabulary.get_by_role("heading", name="·SolidGoldMagikarp id 43,453")).to_be_visible()
    expect(vocabulary).to_have_url(re.compile("vocabulary.query="))
    press(vocabulary.get_by_role("radio", name="Compare"))
    expect(vocabulary.get_by_text("They share 42,873 tokens")).to_be_visible()
    press(vocabulary.get_by_role("radio", name="Search"))
    expect(box).to_have_value("/SolidGold/")
    vocabulary.reload()
    expect(vocabulary.get_by_role("heading", name="·SolidGoldMagikarp id 43,453")).to_be_visible()
    fill(box, "/(/")
    expect(vocabulary.get_by_role("alert")).to_contain_text("does not compile")


def test_health_opens_by_its_address_of_version_1_and_a_tokenizer_is_converted_with_a_proof(
    page: Page,
) -> None:
    page.goto("/merge_tree?view.merge_tree=Health")
    expect_page(page, "Vocabulary")
    expect(page.get_by_role("radio", name="Glitch tokens · 23")).to_be_checked(timeout=60_000)
    expect(page.get_by_role("heading", name="·SolidGoldMagikarp id 43,453")).to_be_visible()
    choose_tokenizer(page, "python_docs_4k")
    press(page.get_by_role("radio", name="Convert"))
    expect(page.get_by_text("Equal in tiktoken")).to_be_visible()
    file = download(page, page.get_by_role("button", name="python_docs_4k.tiktoken"))
    lines = file.read_text().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}
    assert ranks == {raw: token_id for token_id, raw in load_python_docs().model.token_bytes().items()}
    press(page.get_by_role("radio", name=re.compile("^minbpe")))
    expect(page.get_by_role("button", name="python_docs_4k.vocab")).to_be_visible()
    expect_tokenizer(page, "python_docs_4k")
