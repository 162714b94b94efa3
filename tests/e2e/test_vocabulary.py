"""Vocabulary: tokens are searched, vocabularies are checked, compared and converted."""

import base64
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from playground.catalog.trained import load_python_docs
from tests.e2e.conftest import choose_tokenizer, download, expect_page, expect_tokenizer


@pytest.fixture
def vocabulary(page: Page) -> Page:
    page.goto("/vocabulary")
    expect(page.get_by_text("50,256 of 50,256 tokens")).to_be_visible()
    return page


def test_a_token_is_found_while_one_types_and_the_search_is_in_the_address(vocabulary: Page) -> None:
    box = vocabulary.get_by_role("searchbox", name="Text, id or /regex/")
    box.press_sequentially("/SolidGold/")
    expect(vocabulary.get_by_role("heading", name="·SolidGoldMagikarp id 43,453")).to_be_visible()
    expect(vocabulary).to_have_url(re.compile("vocabulary.query="))
    expect(vocabulary.locator("[data-testid=stApp][data-test-script-state=notRunning]")).to_be_visible()
    vocabulary.get_by_role("radio", name="Compare").click()
    expect(vocabulary.get_by_text("They share 42,873 tokens")).to_be_visible()
    vocabulary.get_by_role("radio", name="Search").click()
    expect(box).to_have_value("/SolidGold/")
    vocabulary.reload()
    expect(vocabulary.get_by_role("heading", name="·SolidGoldMagikarp id 43,453")).to_be_visible()
    box.fill("/(/")
    expect(vocabulary.get_by_role("alert")).to_contain_text("does not compile")


def test_health_opens_at_what_was_found_also_by_its_address_of_version_1(page: Page) -> None:
    page.goto("/merge_tree?view.merge_tree=Health")
    expect_page(page, "Vocabulary")
    expect(page.get_by_role("radio", name="Glitch tokens · 23")).to_be_checked(timeout=60_000)
    expect(page.get_by_role("heading", name="·SolidGoldMagikarp id 43,453")).to_be_visible()


def test_a_tokenizer_is_converted_with_a_proof(vocabulary: Page) -> None:
    choose_tokenizer(vocabulary, "python_docs_4k")
    vocabulary.get_by_role("radio", name="Convert").click()
    expect(vocabulary.get_by_text("Equal in tiktoken")).to_be_visible()
    file = download(vocabulary, vocabulary.get_by_role("button", name="python_docs_4k.tiktoken"))
    lines = Path(file.path()).read_text().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(str.split, lines)}
    assert ranks == {raw: token_id for token_id, raw in load_python_docs().model.token_bytes().items()}
    vocabulary.get_by_role("radio", name=re.compile("^minbpe")).click()
    expect(vocabulary.get_by_role("button", name="python_docs_4k.vocab")).to_be_visible()
    expect_tokenizer(vocabulary, "python_docs_4k")
