"""Typing on the Tokenize page: tokens follow every key, and nothing typed is lost."""

from itertools import pairwise
from pydoc_data.topics import topics

import pytest
from playwright.sync_api import expect

from playground.analysis.examples import TOKENIZE_EXAMPLES
from playground.catalog.openai import load_openai
from tests.e2e.editor import join_texts

CL100K = load_openai("cl100k_base").encoding
PROSE = "\n".join(topics.values())


@pytest.mark.new_visitor
def test_opens_on_an_example_and_updates_at_each_key(editor):
    expect(editor.area).to_have_value(TOKENIZE_EXAMPLES[0].text)
    assert editor.ids() == CL100K.encode(TOKENIZE_EXAMPLES[0].text)
    editor.set_text("")
    expect(editor.page.locator(".n-tokens")).to_have_text("0")
    for n_keys, text in enumerate(("t", "to", "tok", "toke", "token", "tokeni"), start=1):
        editor.page.keyboard.type(text[-1])
        expect(editor.page.locator(".n-tokens")).to_have_text(str(len(CL100K.encode(text))))
        expect(editor.page.locator(".numbers dd").first).to_have_text(str(n_keys))
        assert join_texts(editor.shown()) == text


def test_fast_typing_and_pasting_in_a_long_text_loses_nothing(editor):
    text = PROSE[:60_000]
    middle = 30_000
    typed = "Quick foxes jump over 12 lazy dogs; don't"
    editor.set_text(text)
    assert editor.ids() == CL100K.encode(text, disallowed_special=())
    editor.set_caret(middle)
    editor.page.keyboard.type(typed)
    text = text[:middle] + typed + text[middle:]
    state = editor.area.evaluate(
        """(area) => [area.value, area.selectionStart, area.selectionEnd,
          area.getRootNode().activeElement === area]"""
    )
    assert state == [text, middle + len(typed), middle + len(typed), True]
    assert editor.ids() == CL100K.encode(text, disallowed_special=())
    for at, pasted in ((45_001, "Ж12345 नमस्ते"), (40_002, "\n\n  x"), (20_003, "🇳🇵")):
        editor.set_caret(at)
        editor.paste(pasted)
        text = text[:at] + pasted + text[at:]
        assert editor.ids() == CL100K.encode(text, disallowed_special=()), pasted
    assert editor.area.input_value() == text


def test_colours_of_unchanged_tokens_stay_while_typing(editor):
    text = "The quick brown fox jumps over the lazy dog.\nIt costs 1234 rupees, हो? 👨‍👩‍👧 yes.\n" * 6
    editor.set_text(text)
    editor.ids()
    caret = text.index("dog.") + 3
    editor.set_caret(caret)
    expect(editor.tokens.last).not_to_contain_class("at")  # where the caret was
    before = editor.shown()
    assert all(a["color"] != b["color"] for a, b in pairwise(before))
    n_before = len(CL100K.encode(text[: caret - 3]))  # the tokens that no key below touches
    n_after = 40
    for key in "gedy w7":
        editor.page.keyboard.type(key)
        editor.ids()
        editor.area.focus()
        now = editor.shown()
        assert now[: n_before - 1] == before[: n_before - 1]
        assert now[-n_after:] == before[-n_after:]
        assert all(a["color"] != b["color"] for a, b in pairwise(now))


def test_keys_whose_answer_was_lost_are_shown_with_the_next(editor):
    def answer_is_lost(route):
        route.fetch()
        route.abort()

    editor.set_text("kept")
    assert editor.ids() == CL100K.encode("kept")
    editor.page.route("**/edit", answer_is_lost, times=1)
    editor.area.press_sequentially("x")
    expect(editor.notes).to_contain_text("does not answer")
    editor.area.press_sequentially("y")
    expect(editor.page.locator(".numbers dd").first).to_have_text("6")
    assert join_texts(editor.shown()) == "keptxy"
    assert editor.ids() == CL100K.encode("keptxy")
