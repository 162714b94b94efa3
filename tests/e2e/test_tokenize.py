"""Tokenize: a text is typed, pasted, opened, read and taken away."""

import json
import re
import struct
from pathlib import Path
from pydoc_data.topics import topics
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from playground.catalog.openai import load_openai
from tests.e2e.conftest import (
    choose,
    choose_file,
    choose_tokenizer,
    copied,
    download,
    expect_page,
    expect_tokenizer,
    fill,
    go_to,
    key,
    paste,
    press,
    text_field,
    type_keys,
    type_text,
)

CL100K = load_openai("cl100k_base").encoding
MARKUP = '"><img src=x onerror=alert(1)><script>alert(1)</script>'


@pytest.fixture
def tokenize(page: Page) -> Page:
    page.goto("/?tokenizer=cl100k_base")
    expect_count(page, 42)
    return page


def expect_count(page: Page, n_tokens: int) -> None:
    count = page.get_by_role("status").filter(has_text=re.compile(rf"^\s*{n_tokens:,}\s*tokens?"))
    expect(count).to_be_visible()


def show(page: Page, label: str) -> None:
    """Choose in *View* what the tokens show."""
    press(page.get_by_role("button", name="View", exact=True))
    choose(page.get_by_label("Show"), label)
    key(page, "Escape")


def expect_ids(page: Page, ids: list[int]) -> None:
    """Expect these ids on the tokens, which show ids, and the count above them."""
    expect(page.get_by_role("group", name="Tokens:")).to_have_text(
        re.compile(r"^\W*" + r"\W+".join(map(str, ids)) + r"\W*$")
    )
    expect_count(page, len(ids))


def taken_away(page: Page, kind: str) -> str:
    """Return what "Copy ids" or "Copy Python" puts on the clipboard."""
    press(page.get_by_role("button", name="More", exact=True))
    text = copied(page, page.get_by_role("button", name=f"Copy {kind}", exact=True))
    key(page, "Escape")
    return text


def token(page: Page, text: str):
    return page.get_by_role("group", name="Tokens:").get_by_text(text, exact=True).first


def test_a_text_is_pasted_cleared_exchanged_for_an_example_and_brought_back(page: Page) -> None:
    page.goto("/")
    expect_count(page, 34)
    choose_tokenizer(page, "o200k_base")
    press(text_field(page))
    paste(page, "Hello world")  # replaces the untouched sample
    expect_count(page, 2)
    press(page.get_by_role("button", name="Clear"))
    expect_count(page, 0)
    page.evaluate("navigator.clipboard.writeText('one two three')")
    press(page.get_by_role("button", name="Paste", exact=True))
    expect_count(page, 3)
    press(page.get_by_role("button", name="Clear"))
    press(page.get_by_role("button", name="Bring it back"))
    expect(text_field(page)).to_have_value("one two three")
    choose(page.get_by_label("Start from an example"), "Egg, egg, EGG")
    expect(text_field(page)).not_to_have_value("one two three")
    press(page.get_by_role("button", name="Bring it back"))
    expect(text_field(page)).to_have_value("one two three")
    expect_count(page, 3)
    press(text_field(page))
    key(page, "Control+Z")
    expect(text_field(page)).not_to_have_value("one two three")


def test_tokens_follow_every_key_special_tokens_and_what_is_selected(tokenize: Page) -> None:
    show(tokenize, "ids")
    type_text(tokenize, "")
    expect_count(tokenize, 0)
    for text in ("t", "to", "tok", "toke", "token", "tokeni", "tokeniz"):
        tokenize.keyboard.type(text[-1])
        expect_ids(tokenize, CL100K.encode(text))
    text = "end<|endoftext|><|mine|>"
    type_text(tokenize, text)
    expect_ids(tokenize, CL100K.encode(text, disallowed_special=()))
    press(tokenize.get_by_role("button", name="More", exact=True))
    press(tokenize.get_by_label("Read special tokens in the text"))
    own = CL100K.encode("<|mine|>", disallowed_special=())
    expect_ids(tokenize, [*CL100K.encode("end<|endoftext|>", allowed_special="all"), *own])
    fill(tokenize.get_by_label("Your own special tokens"), "<|mine|>")
    key(tokenize, "Tab")
    expect_ids(tokenize, [*CL100K.encode("end<|endoftext|>", allowed_special="all"), 100_277])
    key(tokenize, "Escape")
    press(tokenize.get_by_role("button", name="View", exact=True))
    expect(tokenize.get_by_text("one character made of 2 tokens")).to_be_visible()
    key(tokenize, "Escape")
    type_text(tokenize, "alpha beta gamma delta")
    expect_count(tokenize, 4)
    press(text_field(tokenize))
    key(tokenize, "Control+Home", *["Shift+ArrowRight"] * len("alpha beta"))
    expect(tokenize.get_by_role("status").filter(has_text=re.compile(r"2\s*of 4 tokens"))).to_be_visible()


def test_a_long_text_is_typed_pasted_and_cut_into_chunks_of_the_budget_typed_last(tokenize: Page) -> None:
    text = "\n".join(topics.values())[:60_000]
    type_text(tokenize, text)
    text_field(tokenize).evaluate("(area) => area.setSelectionRange(30_000, 30_000)")
    typed, pasted = "Quick foxes jump; don't", "Ж12345 नमस्ते\n\n  👨‍👩‍👧x"
    type_keys(tokenize, typed)
    paste(tokenize, pasted)
    text = text[:30_000] + typed + pasted + text[30_000:]
    expect(text_field(tokenize)).to_have_value(text)
    ids = CL100K.encode(text, disallowed_special=())
    expect_count(tokenize, len(ids))
    assert json.loads(f"[{taken_away(tokenize, 'ids')}]") == ids
    press(tokenize.get_by_text("Cut to a token budget"))
    expect(tokenize.get_by_text("no character is split")).to_be_visible()
    fill(tokenize.get_by_label("Tokens at most"), "500")  # and no Enter
    file = download(tokenize, tokenize.get_by_role("button", name="Save JSON Lines"))
    chunks = [json.loads(line) for line in file.read_text().splitlines()]
    assert 400 < max(len(CL100K.encode(chunk["text"], disallowed_special=())) for chunk in chunks) <= 500
    assert [chunk["text"] for chunk in chunks] == [text[c["char_start"] : c["char_end"]] for c in chunks]
    assert (chunks[0]["char_start"], chunks[-1]["char_end"]) == (0, len(text))


def test_a_token_is_opened_by_mouse_and_keyboard_and_followed_to_merge_tree(tokenize: Page) -> None:
    type_text(tokenize, "hello tokenization")
    expect_count(tokenize, 3)
    press(token(tokenize, "ization"))
    card = tokenize.get_by_role("dialog")
    expect(card).to_contain_text("2065")
    expect(card).to_contain_text("69 7A 61 74 69 6F 6E")
    key(tokenize, "Escape")
    expect(card).to_be_hidden()
    press(token(tokenize, "hello"))
    expect(card).to_contain_text("15339")
    key(tokenize, "Escape", "ArrowRight", "Enter")
    expect(card).to_contain_text("4037")
    press(card.get_by_role("button", name="Open in Merge tree"))
    expect_page(tokenize, "Merge tree")
    expect(text_field(tokenize)).to_have_value(" token")
    expect_tokenizer(tokenize, "cl100k_base")
    press(tokenize.get_by_role("button", name="Back to your text"))
    expect(text_field(tokenize)).to_have_value("hello tokenization")
    choose_tokenizer(tokenize, "o200k_base")
    tokenize.reload()
    expect_tokenizer(tokenize, "o200k_base")
    expect(text_field(tokenize)).to_have_value("hello tokenization")


def test_a_pasted_request_is_counted_for_its_model_and_edited_and_ids_become_text(tokenize: Page) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]
    type_text(tokenize, json.dumps({"messages": messages})[:-2])
    press(tokenize.get_by_role("button", name="Open as a chat"))
    expect(tokenize.get_by_text("cannot be read as a chat")).to_be_visible()
    expect(tokenize.locator(".editor")).not_to_have_class(re.compile("stale"))
    type_text(tokenize, json.dumps({"model": "gpt-4o", "messages": messages}))
    expect(tokenize.get_by_text("cannot be read as a chat")).to_be_hidden()
    press(tokenize.get_by_role("button", name="Open as a chat"))
    contents = tokenize.get_by_role("textbox", name="Content of message")
    expect(contents.last).to_have_value("Weather?")
    o200k = load_openai("o200k_base").encoding
    counts = [4 + len(o200k.encode(text)) for text in ("Be brief.", "Weather?")]
    expect_count(tokenize, sum(counts) + 3)
    expect(tokenize.get_by_text("for GPT-4o", exact=True)).to_be_visible()
    expect(tokenize.get_by_text(f"{counts[1]} tokens: content {counts[1] - 4} + frame 4")).to_be_visible()
    press(contents.last)
    key(tokenize, "End")
    type_keys(tokenize, "!")
    more = len(o200k.encode("Weather?!")) - len(o200k.encode("Weather?"))
    expect_count(tokenize, sum(counts) + more + 3)
    expect(contents.first).to_have_value("Be brief.")
    press(tokenize.get_by_text("Paste a chat or an API request"))
    other = {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages[1:]}
    fill(tokenize.get_by_label("A chat to read"), json.dumps(other))
    expect(tokenize.get_by_text("for Claude Sonnet 4.5", exact=True)).to_be_visible()
    expect(tokenize.get_by_text("= ≈ ")).to_be_visible()
    tokenize.reload()
    expect(tokenize.get_by_text("for Claude Sonnet 4.5", exact=True)).to_be_visible()
    expect(contents.last).to_have_value("Weather?")
    choose_tokenizer(tokenize, "cl100k_base")
    press(tokenize.get_by_role("button", name="Ids → text"))
    field = tokenize.get_by_role("textbox", name="Token ids", exact=True)
    fill(field, "[9906, 1917]")
    expect(tokenize.get_by_label("The text of the ids")).to_have_value("Hello world")
    fill(field, "9906, 100999")
    expect(tokenize.get_by_text("its ids are 0 to 100,276")).to_be_visible()


def test_a_prompt_is_priced_compared_with_its_earlier_version_and_taken_away(tokenize: Page) -> None:
    before = "You are a very helpful assistant. Please answer <politely>."
    type_text(tokenize, before)
    expect_count(tokenize, len(CL100K.encode(before)))
    press(tokenize.get_by_role("button", name="More", exact=True))
    fill(tokenize.get_by_label("Price of a million input tokens"), "250000")
    fill(tokenize.get_by_label("Price of a million output tokens"), "500000")
    n_tokens = len(CL100K.encode(before))
    cost = f"${n_tokens / 4:.2f} as input · ${n_tokens / 2:.2f} as output"
    expect(tokenize.get_by_text(cost)).to_be_visible()
    choose(tokenize.get_by_role("combobox", name="Context window"), "4,096")
    expect(tokenize.get_by_text(f"{4_096 - n_tokens:,} left")).to_be_visible()
    pictures = tokenize.get_by_role("group", name="Save tokens as")
    svg = ElementTree.parse(download(tokenize, pictures.get_by_role("button", name="SVG"))).getroot()
    assert "helpful" in "".join(svg.itertext())
    png = download(tokenize, pictures.get_by_role("button", name="PNG")).read_bytes()
    assert struct.unpack(">II", png[16:24]) == (2 * int(svg.attrib["width"]), 2 * int(svg.attrib["height"]))
    key(tokenize, "Escape")
    code = taken_away(tokenize, "Python")
    compile(code, "copied.py", "exec")
    assert before in code
    press(tokenize.get_by_role("button", name="Versions"))
    expect(tokenize.get_by_label("Earlier version")).to_have_value(before)
    type_text(tokenize, "You are a helpful assistant. Answer <politely>.")
    difference = tokenize.get_by_role("group", name="Tokens that were removed, added and kept")
    expect(difference).to_contain_text("−2 tokens")
    expect(difference).to_contain_text("3 tokens removed")
    expect(difference).to_contain_text("1 token added")


def test_a_text_file_is_opened_and_a_bad_one_is_refused_with_the_place(
    tokenize: Page, tmp_path: Path
) -> None:
    good, latin, large = tmp_path / "good.txt", tmp_path / "latin.txt", tmp_path / "large.txt"
    good.write_bytes("नेपाल\r\nfile".encode())
    latin.write_bytes("one\ncaf\xe9 au lait".encode("latin-1"))
    large.write_bytes(b"a" * 1_000_001)
    opener = tokenize.get_by_role("button", name="Open file")
    choose_file(tokenize, opener, good)
    expect(text_field(tokenize)).to_have_value("नेपाल\nfile")
    expect_count(tokenize, len(CL100K.encode("नेपाल\r\nfile")))
    choose_file(tokenize, opener, latin)
    expect(tokenize.get_by_text("latin.txt")).to_contain_text("position 7 (line 2)")
    choose_file(tokenize, opener, large)
    expect(tokenize.get_by_text("large.txt")).to_contain_text("1,000,001 bytes")
    expect(text_field(tokenize)).to_have_value("नेपाल\nfile")


def test_markup_stays_text_everywhere(tokenize: Page) -> None:
    tokenize.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    type_text(tokenize, MARKUP)
    expect(tokenize.get_by_role("group", name="Tokens:")).to_contain_text("onerror")
    press(token(tokenize, "script"))
    expect(tokenize.get_by_role("dialog")).to_contain_text("script")
    key(tokenize, "Escape")
    press(tokenize.get_by_role("button", name="Chat", exact=True))
    fill(tokenize.get_by_role("textbox", name="Content of message").last, MARKUP)
    expect(tokenize.get_by_role("group", name="Tokens:")).to_contain_text("onerror")
    press(tokenize.get_by_role("button", name="Text", exact=True))
    for title in ("Compare", "Merge tree"):
        go_to(tokenize, title)
        expect(text_field(tokenize)).to_have_value(MARKUP)
    expect(tokenize.get_by_text("onerror").last).to_be_attached()
    assert tokenize.locator("img[src=x]").count() == 0
