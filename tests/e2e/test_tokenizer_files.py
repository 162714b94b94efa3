"""Tokenizer files: opened, used on every page, kept in this browser, renamed, removed, and refused."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.catalog.sentencepiece_models import model_bytes
from tests.e2e.conftest import (
    add_tokenizer,
    expect_tokenizer,
    go_to,
    open_picker,
    open_tokenizer_file,
    text_field,
    type_text,
)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "mine.model"
    path.write_bytes(model_bytes("bpe, bytes"))
    return path


def test_a_file_is_opened_chosen_and_kept_over_a_reload_and_a_page(page: Page, model: Path) -> None:
    page.goto("/")
    expect(text_field(page)).not_to_have_value("")
    type_text(page, "the cat sat on the mat")
    open_tokenizer_file(page, model)
    expect_tokenizer(page, "mine")
    go_to(page, "Merge tree")
    expect_tokenizer(page, "mine")
    page.reload()
    expect_tokenizer(page, "mine")


def test_a_kept_tokenizer_is_renamed_used_in_a_second_tab_and_removed(page: Page, model: Path) -> None:
    page.goto("/merge_tree")
    open_tokenizer_file(page, model)
    expect_tokenizer(page, "mine")
    open_picker(page, "Your tokenizers")
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("New name").fill("ours")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect_tokenizer(page, "ours")
    other = page.context.new_page()
    other.goto("/compare")
    add_tokenizer(other, "ours")
    expect(other.get_by_role("row").filter(has_text="ours")).to_be_visible()
    open_picker(page, "Your tokenizers")
    page.get_by_role("button", name="Remove").click()
    expect_tokenizer(page, "gpt2")


def test_own_special_tokens_follow_the_vocabulary(page: Page) -> None:
    page.goto("/?tokenizer=cl100k_base")
    expect(text_field(page)).not_to_have_value("")
    type_text(page, "<|mine|>")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_label("Your own special tokens").fill("<|mine|>")
    page.keyboard.press("Tab")
    expect(page.get_by_role("definition").filter(has_text="100277")).to_be_visible()
    expect(page.get_by_role("status").filter(has_text=re.compile(r"^\s*1\s*token$"))).to_be_visible()


def test_a_file_that_is_no_tokenizer_is_refused_and_the_choice_stays(page: Page, tmp_path: Path) -> None:
    bad = tmp_path / "bad.model"
    bad.write_bytes(b"no model at all")
    page.goto("/merge_tree")
    expect_tokenizer(page, "gpt2")
    open_tokenizer_file(page, bad)
    expect(page.get_by_text("bad.model").first).to_be_visible()
    expect_tokenizer(page, "gpt2")
