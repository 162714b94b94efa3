"""Hard texts on the Tokenize page: the ids are tiktoken's, and nothing runs as markup."""

import json
import random
from pathlib import Path
from pydoc_data.topics import topics

import pytest
from playwright.sync_api import expect

from playground.catalog.openai import load_openai
from tests.e2e.editor import IMAGE, SCRIPT, count_injected, join_texts, watch_markup

CL100K = load_openai("cl100k_base").encoding
TEXTS = Path(__file__).resolve().parents[2] / "assets" / "texts" / "udhr.json"


def encode(text: str) -> list[int]:
    return CL100K.encode(text, disallowed_special=())


def nepali_paragraph() -> str:
    found: list[str] = []

    def walk(value: object) -> None:
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)

    walk(json.loads(TEXTS.read_text(encoding="utf-8")))
    return max((text for text in found if "प्रत्येक" in text), key=len)


def test_ids_of_hard_texts_are_tiktokens(editor):
    texts = {
        "Nepali": nepali_paragraph(),
        "emoji": "👨‍👩‍👧‍👦 🏳️‍🌈 🇳🇵🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 👋🏽 ❤️ 1️⃣",
        "CRLF": "one\r\ntwo\r\n\r\n  three\r\n",
        "mixed line ends": "one\r\ntwo\nthree\rfour\n\rfive",
        "BOM": "\ufeffHello\ufeff world",
        "zalgo, jamo, right to left": "Z̷͖̓a̸͚͝l̶g̵o 한국 مرحبا שלום ไทย தமிழ்",
        "markup": f"{SCRIPT}\n{IMAGE}\n&amp;<b>bold</b>",
        "special": "a<|endoftext|>b<|endofprompt|><|im_start|>",
    }
    dialogs = watch_markup(editor.page)
    for name, text in texts.items():
        editor.set_text(text)
        assert editor.ids() == encode(text), name
        shown = join_texts(editor.shown())
        visible = text.replace("\r\n", "\n").replace("\r", "␍").replace("\ufeff", "⟨FEFF⟩")
        assert shown == visible, name
    assert "\ufffd" not in editor.page.locator(".tokens").inner_text()
    assert (dialogs, count_injected(editor.page)) == ([], 0)


def test_carriage_returns_stay_when_the_text_is_edited(editor):
    text = "alpha\r\nbeta\r\ngamma\ndelta\r"
    editor.set_text(text)
    assert editor.ids() == encode(text)
    editor.set_caret(len("alpha\nbe"))
    editor.page.keyboard.type("XY")
    assert editor.ids() == encode("alpha\r\nbeXYta\r\ngamma\ndelta\r")
    editor.area.focus()
    editor.page.keyboard.press("Home")
    editor.page.keyboard.press("Backspace")  # joins the first two lines: CRLF goes as a whole
    assert editor.ids() == encode("alphabeXYta\r\ngamma\ndelta\r")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (r"'a\0b\u0007 c'", "a\0b\x07 c"),
        (r"'one \ud83d two \ude00 three'", "one \ufffd two \ufffd three"),
    ],
    ids=["NUL", "lone surrogates"],
)
def test_what_no_keyboard_types(editor, expression, text):
    editor.put_by_script(expression)
    assert editor.ids() == encode(text)
    kind = "control character" if "\0" in text else "lone surrogate"
    expect(editor.notes).to_contain_text(kind)
    editor.set_caret(3)
    editor.page.keyboard.type("z")
    assert editor.ids() == encode(text[:3] + "z" + text[3:])
    assert CL100K.decode(editor.ids()) == text[:3] + "z" + text[3:]


def test_a_large_file_pasted_and_edited_in_the_middle(editor):
    prose = "\n".join(topics.values())
    text = prose[:300_000]
    editor.set_text(text)
    assert editor.ids() == encode(text)
    chance = random.Random(7)
    for typed in ("Ж", " नमस्ते ", "12345", "\n\n  x", "🇳🇵"):
        at = chance.randrange(100_000, 200_000)
        editor.set_caret(at)
        editor.paste(typed)
        text = text[:at] + typed + text[at:]
        assert all(ord(character) < 0x10000 for character in text[:at])  # so that `at` counts UTF-16 too
        assert editor.ids() == encode(text), typed
        if typed == "🇳🇵":
            break
    assert editor.area.input_value() == text


def test_a_million_spaces_and_one_letter_300_000_times(editor):
    for text in (" " * 999_990 + "end", "a" * 300_000):
        editor.set_text(text)
        assert editor.ids() == encode(text)
    editor.set_caret(150_000)
    editor.page.keyboard.type("b")
    assert editor.ids() == encode("a" * 150_000 + "b" + "a" * 150_000)


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
    names.press("Control+Enter")
    expect(page.get_by_role("button", name="Own special tokens (2)")).to_be_visible()
    page.keyboard.press("Escape")
    editor.set_text(f"a{SCRIPT}b{IMAGE}")
    page.locator(".special-switch").click()
    expect(editor.page.locator(".t.special")).to_have_count(2)
    n_vocab = CL100K.n_vocab
    assert editor.ids() == [*encode("a"), n_vocab, *encode("b"), n_vocab + 1]
    expect(editor.notes).to_contain_text(f"“{SCRIPT}”")
    page.locator(".t.special").first.click()
    expect(page.locator(".card")).to_contain_text(SCRIPT)
    assert (dialogs, count_injected(page)) == ([], 0)
