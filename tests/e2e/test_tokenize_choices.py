"""What one chooses on the Tokenize page: tokenizers by any name, examples, chat templates, a budget."""

import json
from pathlib import Path

from playwright.sync_api import expect

from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.catalog.openai import load_openai
from tests.e2e.conftest import a_run

MODELS = {"gpt-4o-2024-05-13": "o200k_base", "r50k": "r50k_base", "gpt-4": "cl100k_base"}


def test_a_models_full_name_or_a_part_of_one_is_taken(editor):
    picker = editor.page.get_by_role("combobox", name="Tokenizer")
    for typed, encoding in MODELS.items():
        picker.click()
        editor.page.keyboard.type(typed)
        expect(editor.page.get_by_role("option").first).to_be_visible()
        editor.page.keyboard.press("Enter")
        expect(picker).to_have_value(f"{typed} → {encoding}")
        expect(editor.root).to_have_attribute("data-tokenizer", encoding)
        text = f"नमस्ते, tokenizer! {typed}"
        with a_run(editor.page):  # the page follows a moment after typing, and would draw the picker anew
            editor.set_text(text)
        assert editor.ids() == load_openai(encoding).encode(text)


def test_an_unknown_tokenizer_is_told_as_plain_text(editor):
    editor.page.get_by_role("combobox", name="Tokenizer").click()
    editor.page.keyboard.type("<b>nope</b> ![x](y) *z* http://x.invalid www.x.invalid")
    editor.page.keyboard.press("Enter")
    alert = editor.page.get_by_role("alert")
    expect(alert).to_contain_text("unknown tokenizer '<b>nope</b> ![x](y) *z* http:")
    expect(alert.locator("img, a, b, em")).to_have_count(0)
    expect(editor.root).to_have_attribute("data-tokenizer", "cl100k_base")


def test_an_example_replaces_the_text_which_can_be_brought_back(editor):
    editor.set_text("my own text")
    for example in TOKENIZE_EXAMPLES:
        editor.page.get_by_label("Start from an example").select_option(example.title)
        expect(editor.area).to_have_value(example.text.replace("\r\n", "\n"))
        assert editor.ids() == load_openai("cl100k_base").encode(example.text)
    editor.set_text("my own text")
    editor.page.get_by_label("Start from an example").select_option(TOKENIZE_EXAMPLES[0].title)
    editor.page.get_by_role("button", name="Bring it back").click()
    expect(editor.area).to_have_value("my own text")
    assert editor.ids() == load_openai("cl100k_base").encode("my own text")


def test_a_chat_template_is_chosen(editor):
    """The ids of <|im_start|> and <|im_end|>: 100264 and 100265, as the page states."""
    editor.choose_mode("chat")
    editor.page.get_by_label("Chat template").select_option("gpt-3.5-turbo")
    editor.page.get_by_role("button", name="Remove message 1").click()
    editor.page.locator(".message textarea").fill("hi")
    encode = load_openai("cl100k_base").encoding.encode
    user = [100264, *encode("user\nhi"), 100265, *encode("\n")]
    assert editor.ids() == [*user, 100264, *encode("assistant\n")]


def test_a_text_is_cut_at_a_budget(editor):
    text = "The quick brown fox. " * 30 + "👨‍👩‍👧‍👦" * 5
    editor.set_text(text)
    page = editor.page
    page.get_by_text("Cut the text to a token budget").click()
    page.get_by_label("Tokens a chunk").fill("50")
    page.get_by_label("Overlap, in tokens").fill("5")
    page.keyboard.press("Enter")
    expect(page.get_by_text("every cut is between whole characters")).to_be_visible()
    n_tokens = len(load_openai("cl100k_base").encode(text))
    expect(page.get_by_text(f"{n_tokens:,} tokens make")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Chunks as JSON").click()
    chunks = json.loads(Path(download.value.path()).read_text())
    assert all(chunk["n_tokens"] <= 50 for chunk in chunks)
    assert [chunk["text"] for chunk in chunks] == [
        text[chunk["char_start"] : chunk["char_end"]] for chunk in chunks
    ]
    assert (chunks[0]["char_start"], chunks[-1]["char_end"]) == (0, len(text))
