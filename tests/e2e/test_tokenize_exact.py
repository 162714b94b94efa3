"""Hard texts on the Tokenize page: the ids are tiktoken's, and nothing runs as markup.

How each of them is shown, and how an edit finds its place in it, are units of `playground/web`.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from playground.catalog.openai import load_openai
from tests.e2e.editor import IMAGE, SCRIPT, count_injected, join_texts, watch_markup

CL100K = load_openai("cl100k_base").encoding
TEXTS = Path(__file__).resolve().parents[2] / "assets" / "texts" / "udhr.json"

#: Letters with marks, emoji of several code points, every line end, text from right to left, markup.
HARD = "\n".join(
    [
        "a नेपाल 👩‍🚀🇳🇵 b ক্ষ é\u0301 👨‍👩‍👧‍👦 🏳️‍🌈 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👋🏽 ❤️ 1️⃣",
        "one\r\ntwo\r\n\r\n  three\r\nfour\n\rfive\rsix",
        "\ufeffHello\ufeff world",
        "Z̷͖̓a̸͚͝l̶g̵o 한국 مرحبا שלום ไทย தமிழ்",
        f"{SCRIPT}\n{IMAGE}\n&amp;<b>bold</b>",
        "a<|endoftext|>b<|endofprompt|><|im_start|>",
    ]
)


def encode(text: str) -> list[int]:
    return CL100K.encode(text, disallowed_special=())


def nepali_article() -> str:
    languages = json.loads(TEXTS.read_text(encoding="utf-8"))
    return max((text for text in _iter_texts(languages) if "प्रत्येक" in text), key=len)


def _iter_texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _iter_texts(item)


def test_a_hard_text_has_tiktokens_ids_and_every_character_is_shown_once(editor):
    text = f"{HARD}\n{nepali_article()}"
    dialogs = watch_markup(editor.page)
    editor.set_text(text)
    ids = editor.ids()
    assert ids == encode(text)
    shown = editor.shown()
    visible = text.replace("\r\n", "\n").replace("\r", "␍").replace("\ufeff", "⟨FEFF⟩")
    assert join_texts(shown) == visible
    assert sum(token["n_ids"] for token in shown) == len(ids)
    split = next(token for token in shown if "👩" in token["text"])
    assert split["n_ids"] > 1
    assert "many" in split["classes"]
    assert "\ufffd" not in editor.root.inner_text()
    assert (dialogs, count_injected(editor.page)) == ([], 0)

    before = text[: text.index("hree")].replace("\r\n", "\n")
    editor.set_caret(len(before.encode("utf-16-le")) // 2)
    editor.page.keyboard.type("XY")
    assert editor.ids() == encode(text.replace("three", "tXYhree")), "line ends stay when the text is edited"


def test_a_paste_over_a_text_with_other_line_ends_brings_its_own(editor):
    for text in ("one\r\ntwo\r\nthree", "one\ntwo\nthree", "one\rtwo\rthree"):
        editor.set_text(text)
        assert editor.ids() == encode(text)


def test_what_no_keyboard_types(editor):
    text = "a\0b\x07 c \ufffd two \ufffd three"
    editor.put_by_script(r"'a\0b\u0007 c \ud83d two \ude00 three'")
    assert editor.ids() == encode(text)
    for kind in ("control character", "lone surrogate"):
        expect(editor.notes).to_contain_text(kind)
    editor.set_caret(3)
    editor.page.keyboard.type("z")
    assert editor.ids() == encode(text[:3] + "z" + text[3:])
    assert CL100K.decode(editor.ids()) == text[:3] + "z" + text[3:]


def test_spaces_and_one_letter_many_thousand_times(editor):
    n = 55_000  # the field selects more than 50,000 characters by itself
    for text in (" " * n + "end", "a" * n):
        editor.set_text(text)
        assert editor.ids() == encode(text)
    editor.set_caret(30_000)
    editor.page.keyboard.type("b")
    assert editor.ids() == encode("a" * 30_000 + "b" + "a" * (n - 30_000))


@pytest.mark.new_visitor
def test_markup_in_chat_ids_and_own_special_tokens_stays_text(editor):
    page = editor.page
    dialogs = watch_markup(page)
    editor.choose_mode("chat")
    message = page.locator(".message").last
    message.locator(".role").fill(IMAGE)
    message.locator("textarea").fill(SCRIPT)
    expect(editor.tokens.filter(has_text="script").first).to_be_visible()
    shown = join_texts(editor.shown())
    assert IMAGE in shown
    assert SCRIPT in shown

    editor.choose_mode("ids")
    page.get_by_label("Token ids", exact=True).fill(f"15496, {SCRIPT}")
    expect(editor.notes).to_contain_text("“<script>alert” at position 8 is not an id")
    ids = encode(f"{SCRIPT} {IMAGE}")
    page.get_by_label("Token ids", exact=True).fill(str(ids))
    expect(page.get_by_label("The text of the ids")).to_have_value(f"{SCRIPT} {IMAGE}")

    editor.choose_mode("text")
    page.get_by_role("button", name="Own special tokens").click()
    names = page.get_by_role("textbox", name="One special token a line")
    names.fill(f"{SCRIPT}\n{IMAGE}")
    names.press("Escape")  # it closes the popover, and keeps what was typed there
    expect(page.get_by_role("button", name="Own special tokens (2)")).to_be_focused()
    expect(names).to_be_hidden()
    expect(page.locator(".special-switch")).to_have_attribute(
        "aria-pressed", "true"
    )  # the first of one's own
    editor.set_text(f"a{SCRIPT}b{IMAGE}")
    expect(editor.page.locator(".tokens .t.special")).to_have_count(2)
    n_vocab = CL100K.n_vocab
    assert editor.ids() == [*encode("a"), n_vocab, *encode("b"), n_vocab + 1]
    expect(editor.notes).to_contain_text(f"“{SCRIPT}”")
    page.locator(".tokens .t.special").first.click()
    expect(page.locator(".card")).to_contain_text(SCRIPT)
    assert (dialogs, count_injected(page)) == ([], 0)
