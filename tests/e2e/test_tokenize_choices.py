"""What one chooses on the Tokenize page: tokenizers by any name, examples, chat templates, a budget."""

import json
from pathlib import Path

from playwright.sync_api import expect

from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.catalog.openai import load_openai
from tests.e2e.conftest import wait_until_rest

MODELS = {"r50k": "r50k_base", "gpt-4": "cl100k_base", "Qwen2.5-7B": "qwen3"}


def test_a_model_is_taken_by_any_part_of_its_name_and_an_unknown_one_is_explained(editor):
    picker = editor.page.get_by_role("combobox", name="Tokenizer")
    for typed, encoding in MODELS.items():
        picker.fill(typed)
        expect(editor.page.get_by_role("option", name=encoding)).to_be_visible()
        editor.page.keyboard.press("Enter")
        expect(picker).to_have_value(encoding)
        expect(editor.root).to_have_attribute("data-tokenizer", encoding)
    picker.fill("<b>nope</b> ![x](y) *z* http://x.invalid www.x.invalid")
    told = editor.page.get_by_role("status").filter(has_text="is called '<b>nope</b> ![x](y) *z* http:")
    expect(told).to_be_visible()
    expect(told.locator("img, a, b, em")).to_have_count(0)
    editor.page.keyboard.press("Escape")
    expect(picker).to_have_value("qwen3")
    editor.choose_tokenizer("cl100k_base")


def test_an_example_replaces_the_text_which_can_be_brought_back(editor):
    editor.set_text("my own text")
    for example in TOKENIZE_EXAMPLES:
        editor.page.get_by_label("Start from an example").select_option(example.title)
        expect(editor.area).to_have_value(example.text.replace("\r\n", "\n"))
        expect(editor.notes).to_contain_text(example.notice.replace("`", ""))
        assert editor.ids() == load_openai("cl100k_base").encode(example.text)
    editor.set_text("my own text")
    editor.page.get_by_label("Start from an example").select_option(TOKENIZE_EXAMPLES[0].title)
    editor.set_text("typed since")
    for text in ("my own text", "typed since"):
        editor.page.get_by_role("button", name="Bring it back").click()
        expect(editor.area).to_have_value(text)
        assert editor.ids() == load_openai("cl100k_base").encode(text)


def test_ctrl_z_takes_back_just_what_was_done(editor):
    """The browser's own does not know what the page writes, and mixes texts of several lines."""
    encode = load_openai("cl100k_base").encode
    editor.set_text("two\r\nlines")
    editor.page.keyboard.type(", typed")
    choice = editor.page.get_by_label("Start from an example")
    choice.focus()
    for example in TOKENIZE_EXAMPLES[1:3]:
        choice.select_option(example.title)
        expect(editor.area).to_have_value(example.text.replace("\r\n", "\n"))
    for keys, text in [  # pressed where the last choice was made
        ("Control+Z", TOKENIZE_EXAMPLES[1].text),
        ("Control+Z", "two\r\nlines, typed"),
        ("Control+Z", "two\r\nlines"),
        ("Control+Shift+Z", "two\r\nlines, typed"),
        ("Control+Y", TOKENIZE_EXAMPLES[1].text),
        ("Control+Z", "two\r\nlines, typed"),
    ]:
        editor.page.keyboard.press(keys)
        expect(editor.area).to_have_value(text.replace("\r\n", "\n"))
        assert editor.ids() == encode(text)
    expect(editor.page.get_by_role("button", name="Bring it back")).not_to_be_visible()
    editor.page.keyboard.press("Control+Y")
    editor.area.press("Control+Z")
    editor.page.keyboard.type("!")
    expect(editor.area).to_have_value("two\nlines, typed!")
    editor.choose_mode("chat")
    editor.page.keyboard.press("Control+Z")  # of what is not shown nothing is taken back
    editor.choose_mode("text")
    expect(editor.area).to_have_value("two\nlines, typed!")
    editor.set_text("line\n" * 500)
    editor.set_caret(0)
    editor.page.keyboard.type("x")
    editor.area.evaluate("(area) => area.scrollTop = area.scrollHeight")
    editor.page.keyboard.press("Control+Z")
    expect(editor.area).to_have_value("line\n" * 500)
    assert editor.area.evaluate("(area) => [area.scrollTop, area.selectionStart]") == [0, 0]


def test_what_is_said_of_a_text_is_not_said_of_another(editor):
    page, example = editor.page, TOKENIZE_EXAMPLES[1]
    choice, said = page.get_by_label("Start from an example"), page.locator(".take-away .said")
    choice.select_option(example.title)
    expect(editor.notes).to_contain_text(example.notice)
    editor.choose_mode("chat")
    expect(editor.notes).not_to_contain_text(example.notice)
    editor.choose_mode("text")
    expect(editor.notes).to_contain_text(example.notice)
    editor.set_text("another")
    expect(editor.notes).not_to_contain_text(example.notice)
    editor.ids()
    expect(said).to_contain_text("Copied 1 token as ids.")
    editor.choose_tokenizer("gpt2")
    expect(said).to_have_text("")
    editor.choose_tokenizer("cl100k_base")


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
    wait_until_rest(page)  # the table grows above the button that is pressed
    with page.expect_download() as download:
        page.get_by_role("button", name="Chunks as JSON").click()
    chunks = json.loads(Path(download.value.path()).read_text())
    assert all(chunk["n_tokens"] <= 50 for chunk in chunks)
    assert [chunk["text"] for chunk in chunks] == [
        text[chunk["char_start"] : chunk["char_end"]] for chunk in chunks
    ]
    assert (chunks[0]["char_start"], chunks[-1]["char_end"]) == (0, len(text))
    size = page.get_by_label("Tokens a chunk")
    size.fill("100")  # and the field is not left
    for change, n_first in (
        (lambda: None, 100),
        (page.get_by_test_id("stNumberInputStepUp").first.click, 150),
    ):
        change()
        with page.expect_download() as download:
            page.get_by_role("button", name="Chunks as JSON").click()
        chunks = json.loads(Path(download.value.path()).read_text())
        assert chunks[0]["n_tokens"] == n_first
    page.get_by_text("Cut the text to a token budget").click()
    expect(page.get_by_label("Tokens a chunk")).to_have_count(0)


def test_a_price_may_be_typed_or_pasted_with_a_comma(editor):
    """The browser of the tests writes a point, and would drop the comma."""
    price, cost = editor.page.locator(".price-input"), editor.page.locator(".cost-shown")

    def select() -> None:
        price.click()
        editor.page.keyboard.press("Control+A")

    editor.page.locator(".price-output").fill("")  # what another test has left
    for typed, read in (("0,15", "0.15"), ("1,000", "1000"), ("1,000,000", "1000000"), ("2,50", "2.50")):
        select()
        editor.page.keyboard.type(typed)
        editor.page.keyboard.press("Enter")
        expect(price).to_have_value(read)
    select()
    editor.paste("4,50")
    expect(price).to_have_value("4.50")
    select()
    editor.paste("1,000")
    editor.area.click()
    expect(price).to_have_value("1000")
    select()
    editor.page.keyboard.type("2e")
    expect(cost).to_have_text("a price is 0 or more, such as 2.50")
    price.fill("")
    expect(cost).to_have_text("")
