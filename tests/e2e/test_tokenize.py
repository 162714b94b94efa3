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
    choose_tokenizer,
    download,
    expect_page,
    expect_tokenizer,
    go_to,
    paste,
    text_field,
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
    page.get_by_role("button", name="View", exact=True).click()
    page.get_by_label("Show").select_option(label)
    page.keyboard.press("Escape")


def expect_ids(page: Page, ids: list[int]) -> None:
    """Expect these ids on the tokens, which show ids, and the count above them."""
    expect(page.get_by_role("group", name="Tokens:")).to_have_text(
        re.compile(r"^\W*" + r"\W+".join(map(str, ids)) + r"\W*$")
    )
    expect_count(page, len(ids))


def copied(page: Page, kind: str) -> str:
    """What "Copy ids", "Copy JSON" or "Copy Python" puts on the clipboard."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name=f"Copy {kind}", exact=True).click()
    expect(page.get_by_text(re.compile("^Copied "))).to_be_visible()
    page.keyboard.press("Escape")
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def token(page: Page, text: str):
    return page.get_by_role("group", name="Tokens:").get_by_text(text, exact=True).first


def test_the_first_paste_replaces_the_untouched_sample_and_clear_can_be_taken_back(page: Page) -> None:
    page.goto("/")
    expect_count(page, 34)
    choose_tokenizer(page, "o200k_base")
    text_field(page).click()
    paste(page, "Hello world")
    expect_count(page, 2)
    page.get_by_role("button", name="Clear").click()
    expect_count(page, 0)
    page.evaluate("navigator.clipboard.writeText('one two three')")
    page.get_by_role("button", name="Paste", exact=True).click()
    expect_count(page, 3)
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Bring it back").click()
    expect(text_field(page)).to_have_value("one two three")


def test_tokens_follow_every_key(tokenize: Page) -> None:
    show(tokenize, "ids")
    type_text(tokenize, "")
    expect_count(tokenize, 0)
    for text in ("t", "to", "tok", "toke", "token", "tokeni", "tokeniz"):
        tokenize.keyboard.type(text[-1])
        expect_ids(tokenize, CL100K.encode(text))


def test_typing_and_pasting_in_a_long_text_gives_tiktokens_ids(tokenize: Page) -> None:
    text = "\n".join(topics.values())[:60_000]
    type_text(tokenize, text)
    text_field(tokenize).evaluate("(area) => area.setSelectionRange(30_000, 30_000)")
    typed, pasted = "Quick foxes jump; don't", "Ж12345 नमस्ते\n\n  👨‍👩‍👧x"
    tokenize.keyboard.type(typed)
    paste(tokenize, pasted)
    text = text[:30_000] + typed + pasted + text[30_000:]
    expect(text_field(tokenize)).to_have_value(text)
    ids = CL100K.encode(text, disallowed_special=())
    expect_count(tokenize, len(ids))
    assert json.loads(f"[{copied(tokenize, 'ids')}]") == ids


def test_a_model_name_finds_its_tokenizer_and_the_choice_outlives_a_reload(tokenize: Page) -> None:
    show(tokenize, "ids")
    type_text(tokenize, "안녕하세요 tokenization")
    choose_tokenizer(tokenize, "o200k_base")
    ids = load_openai("o200k_base").encoding.encode("안녕하세요 tokenization")
    expect_ids(tokenize, ids)
    tokenize.reload()
    expect_tokenizer(tokenize, "o200k_base")
    expect(text_field(tokenize)).to_have_value("안녕하세요 tokenization")
    expect_ids(tokenize, ids)


def test_an_example_says_why_and_the_previous_text_can_be_brought_back(tokenize: Page) -> None:
    show(tokenize, "ids")
    type_text(tokenize, "my own text")
    tokenize.get_by_label("Start from an example").select_option("Egg, egg, EGG")
    expect(text_field(tokenize)).not_to_have_value("my own text")
    tokenize.get_by_role("button", name="Bring it back").click()
    expect(text_field(tokenize)).to_have_value("my own text")
    expect_ids(tokenize, CL100K.encode("my own text"))
    text_field(tokenize).press("Control+Z")
    expect(text_field(tokenize)).not_to_have_value("my own text")


def test_a_token_is_opened_by_mouse_and_keyboard_and_followed_to_merge_tree(tokenize: Page) -> None:
    type_text(tokenize, "hello tokenization")
    expect_count(tokenize, 3)
    token(tokenize, "ization").click()
    card = tokenize.get_by_role("dialog")
    expect(card).to_contain_text("2065")
    expect(card).to_contain_text("69 7A 61 74 69 6F 6E")
    tokenize.keyboard.press("Escape")
    expect(card).to_be_hidden()
    token(tokenize, "hello").click()
    expect(card).to_contain_text("15339")
    tokenize.keyboard.press("Escape")
    tokenize.keyboard.press("ArrowRight")
    tokenize.keyboard.press("Enter")
    expect(card).to_contain_text("4037")
    card.get_by_role("button", name="Open in Merge tree").click()
    expect_page(tokenize, "Merge tree")
    expect(text_field(tokenize)).to_have_value(" token")
    expect_tokenizer(tokenize, "cl100k_base")
    tokenize.get_by_role("button", name="Back to your text").click()
    expect(text_field(tokenize)).to_have_value("hello tokenization")


def test_a_pasted_request_is_counted_for_its_model_and_edited(tokenize: Page) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]
    type_text(tokenize, json.dumps({"model": "gpt-4o", "messages": messages}))
    tokenize.get_by_role("button", name="Open as a chat").click()
    contents = tokenize.get_by_role("textbox", name="Content of message")
    expect(contents.last).to_have_value("Weather?")
    o200k = load_openai("o200k_base").encoding
    counts = [4 + len(o200k.encode(text)) for text in ("Be brief.", "Weather?")]
    expect_count(tokenize, sum(counts) + 3)
    expect(tokenize.get_by_text("for GPT-4o", exact=True)).to_be_visible()
    expect(tokenize.get_by_text(f"{counts[1]} tokens: content {counts[1] - 4} + frame 4")).to_be_visible()
    contents.last.press_sequentially("!")
    more = len(o200k.encode("Weather?!")) - len(o200k.encode("Weather?"))
    expect_count(tokenize, sum(counts) + more + 3)
    expect(contents.first).to_have_value("Be brief.")

    tokenize.get_by_text("Paste a chat or an API request").click()
    other = {"model": "claude-sonnet-4-5", "system": "Be brief.", "messages": messages[1:]}
    tokenize.get_by_label("A chat to read").fill(json.dumps(other))
    expect(tokenize.get_by_text("for Claude Sonnet 4.5", exact=True)).to_be_visible()
    expect(tokenize.get_by_text("= ≈ ")).to_be_visible()
    tokenize.reload()
    expect(tokenize.get_by_text("for Claude Sonnet 4.5", exact=True)).to_be_visible()
    expect(contents.last).to_have_value("Weather?")


def test_ids_become_text_and_an_unknown_id_is_named(tokenize: Page) -> None:
    tokenize.get_by_role("button", name="Ids → text").click()
    field = tokenize.get_by_role("textbox", name="Token ids", exact=True)
    field.fill("[9906, 1917]")
    expect(tokenize.get_by_label("The text of the ids")).to_have_value("Hello world")
    field.fill("9906, 100999")
    expect(tokenize.get_by_text("its ids are 0 to 100,276")).to_be_visible()


def test_special_tokens_count_as_text_until_they_are_switched_on(tokenize: Page) -> None:
    text = "end<|endoftext|>start"
    show(tokenize, "ids")
    type_text(tokenize, text)
    expect_ids(tokenize, CL100K.encode(text, disallowed_special=()))
    tokenize.get_by_role("button", name="More", exact=True).click()
    tokenize.get_by_label("Read special tokens in the text").check()
    expect_ids(tokenize, CL100K.encode(text, allowed_special="all"))


def test_a_price_and_a_context_window_are_applied_to_the_count(tokenize: Page) -> None:
    type_text(tokenize, "one two three four")
    tokenize.get_by_role("button", name="More", exact=True).click()
    tokenize.get_by_label("Price of a million input tokens").fill("250000")
    tokenize.get_by_label("Price of a million output tokens").fill("500000")
    expect(tokenize.get_by_text("$1.00 as input · $2.00 as output")).to_be_visible()
    tokenize.get_by_role("combobox", name="Context window").select_option("4,096")
    expect(tokenize.get_by_text("4,092 left")).to_be_visible()


def test_a_prompt_is_shortened_beside_its_earlier_version(tokenize: Page) -> None:
    before = "You are a very helpful assistant. Please answer politely."
    type_text(tokenize, before)
    tokenize.get_by_role("button", name="Versions").click()
    expect(tokenize.get_by_label("Earlier version")).to_have_value(before)
    type_text(tokenize, "You are a helpful assistant. Answer politely.")
    difference = tokenize.get_by_role("group", name="Tokens that were removed, added and kept")
    expect(difference).to_contain_text("−2 tokens")
    expect(difference).to_contain_text("3 tokens removed")
    expect(difference).to_contain_text("1 token added")


def test_a_text_is_cut_at_a_token_budget_and_the_chunks_are_saved(tokenize: Page) -> None:
    text = "The quick brown fox. " * 30 + "👨‍👩‍👧‍👦" * 5
    type_text(tokenize, text)
    tokenize.get_by_text("Cut to a token budget").click()
    tokenize.get_by_label("Tokens at most").fill("50")
    tokenize.keyboard.press("Enter")
    expect(tokenize.get_by_text("9 chunks; no character is split")).to_be_visible()  # 2 with the first budget
    expect(tokenize.locator(".cut-pieces h4")).to_have_count(9)
    file = download(tokenize, tokenize.get_by_role("button", name="Save JSON Lines"))
    chunks = [json.loads(line) for line in Path(file.path()).read_text().splitlines()]
    assert all(len(CL100K.encode(chunk["text"])) <= 50 for chunk in chunks)
    assert [chunk["text"] for chunk in chunks] == [text[c["char_start"] : c["char_end"]] for c in chunks]
    assert (chunks[0]["char_start"], chunks[-1]["char_end"]) == (0, len(text))


def test_tokens_are_taken_away_as_pictures_and_python(tokenize: Page) -> None:
    text = "Take & <away> नमस्ते"
    type_text(tokenize, text)
    expect_count(tokenize, len(CL100K.encode(text)))
    tokenize.get_by_role("button", name="More", exact=True).click()
    pictures = tokenize.get_by_role("group", name="Save tokens as")
    svg = ElementTree.parse(download(tokenize, pictures.get_by_role("button", name="SVG")).path()).getroot()
    assert "Take" in "".join(svg.itertext())
    png = Path(download(tokenize, pictures.get_by_role("button", name="PNG")).path()).read_bytes()
    assert struct.unpack(">II", png[16:24]) == (2 * int(svg.attrib["width"]), 2 * int(svg.attrib["height"]))
    tokenize.keyboard.press("Escape")
    code = copied(tokenize, "Python")
    compile(code, "copied.py", "exec")
    assert text in code


def test_a_text_file_is_opened_and_a_bad_one_is_refused_with_the_place(
    tokenize: Page, tmp_path: Path
) -> None:
    good, latin, large = tmp_path / "good.txt", tmp_path / "latin.txt", tmp_path / "large.txt"
    good.write_bytes("नेपाल\r\nfile".encode())
    latin.write_bytes("one\ncaf\xe9 au lait".encode("latin-1"))
    large.write_bytes(b"a" * 1_000_001)

    def open_file(path: Path) -> None:
        with tokenize.expect_file_chooser() as chooser:
            tokenize.get_by_role("button", name="Open file").click()
        chooser.value.set_files(path)

    open_file(good)
    expect(text_field(tokenize)).to_have_value("नेपाल\nfile")
    expect_count(tokenize, len(CL100K.encode("नेपाल\r\nfile")))
    open_file(latin)
    expect(tokenize.get_by_text("latin.txt")).to_contain_text("position 7 (line 2)")
    open_file(large)
    expect(tokenize.get_by_text("large.txt")).to_contain_text("1,000,001 bytes")
    expect(text_field(tokenize)).to_have_value("नेपाल\nfile")


def test_markup_stays_text_everywhere(tokenize: Page) -> None:
    tokenize.on("dialog", lambda dialog: pytest.fail(f"a script ran: {dialog.message}"))
    type_text(tokenize, MARKUP)
    expect(tokenize.get_by_role("group", name="Tokens:")).to_contain_text("onerror")
    token(tokenize, "script").click()
    expect(tokenize.get_by_role("dialog")).to_contain_text("script")
    tokenize.keyboard.press("Escape")
    tokenize.get_by_role("button", name="Chat", exact=True).click()
    tokenize.get_by_role("textbox", name="Content of message").last.fill(MARKUP)
    expect(tokenize.get_by_role("group", name="Tokens:")).to_contain_text("onerror")
    for title in ("Compare", "Merge tree"):
        tokenize.get_by_role("button", name="Text", exact=True).click() if title == "Compare" else None
        go_to(tokenize, title)
        expect(text_field(tokenize)).to_have_value(MARKUP)
    expect(tokenize.get_by_text("onerror").last).to_be_attached()
    assert tokenize.locator("img[src=x]").count() == 0


def test_a_selected_part_of_the_text_is_counted(tokenize: Page) -> None:
    type_text(tokenize, "alpha beta gamma delta")
    expect_count(tokenize, 4)
    text_field(tokenize).focus()
    tokenize.keyboard.press("Control+Home")
    for _ in "alpha beta":
        tokenize.keyboard.press("Shift+ArrowRight")
    expect(tokenize.get_by_role("status").filter(has_text=re.compile(r"2\s*of 4 tokens"))).to_be_visible()
