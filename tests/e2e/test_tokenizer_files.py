"""Tokenizer files: opened, used on every page, kept in this browser, renamed, removed, and refused."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.catalog.sentencepiece_models import model_bytes
from tests.e2e.conftest import (
    add_tokenizer,
    expect_tokenizer,
    fill,
    go_to,
    key,
    open_picker,
    open_tokenizer_file,
    press,
    text_field,
    type_text,
)


def test_a_tokenizer_file_is_opened_kept_renamed_used_in_a_second_tab_and_removed_and_a_bad_one_refused(
    page: Page, tmp_path: Path
) -> None:
    good, bad = tmp_path / "mine.model", tmp_path / "bad.model"
    good.write_bytes(model_bytes("bpe, bytes"))
    bad.write_bytes(b"no model at all")
    page.goto("/")
    expect(text_field(page)).not_to_have_value("")
    type_text(page, "the cat sat on the mat")
    open_tokenizer_file(page, good)
    expect_tokenizer(page, "mine")
    go_to(page, "Merge tree")
    expect_tokenizer(page, "mine")
    page.reload()
    expect_tokenizer(page, "mine")
    open_tokenizer_file(page, bad)
    expect(page.get_by_text("bad.model").first).to_be_visible()
    expect_tokenizer(page, "mine")
    key(page, "Escape")
    open_picker(page, "Your tokenizers")
    press(page.get_by_role("button", name="Rename"))
    fill(page.get_by_label("New name"), "ours")
    key(page, "Enter", "Escape")
    expect_tokenizer(page, "ours")
    other = page.context.new_page()
    other.goto("/compare")
    add_tokenizer(other, "ours")
    expect(other.get_by_role("row").filter(has_text="ours")).to_be_visible()
    open_picker(page, "Your tokenizers")
    press(page.get_by_role("button", name="Remove"))
    expect_tokenizer(page, "gpt2")
