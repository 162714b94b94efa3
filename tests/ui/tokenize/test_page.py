"""The Tokenize page: own special tokens and the token budget."""

import re
from html import unescape

import pytest

from playground.analysis.pasted_ids import decode_ids, parse_ids
from playground.catalog.registry import get_tokenizer
from playground.server.editor.session import EditorSession
from playground.ui.tokenize.budget import BOTH
from tests.ui.visits import choose, markdown_of, visit

TEXT = "one<u>two " * 30


def session_of(text):
    session = EditorSession(get_tokenizer("python_docs_4k"))
    session.document.replace(text)
    return session


def cut_page(text, fields):
    chosen = {"tokenizer.tokenize": "python_docs_4k", "keep.editor": session_of(text), "budget": True}
    return visit("tokenize", chosen | fields)


def pieces_of(page):
    """The drawn pieces of the text, each as `(text that is repeated, the rest)`."""
    (drawn,) = [block for block in page.get("html") if "cut-pieces" in block.proto.body]
    found = re.findall(r"<pre[^>]*>(?:<span[^>]*>(.*?)</span>)?(.*?)</pre>", drawn.proto.body, re.S)
    return [tuple(map(unescape, parts)) for parts in found]


def test_chunks_cover_the_text_and_take_special_tokens_as_such(monkeypatch):
    page = cut_page(TEXT, {"own_special": "<u>\n<v>", "budget.size": 7, "budget.overlap": 0})
    session = page.session_state["keep.editor"]
    session.change(honours_special=True)
    page.run()
    chunks = [text for _, text in pieces_of(page)]
    assert "".join(chunks) == TEXT
    counts = [len(session.tokenizer.encode(text, allowed_special=frozenset(["<u>"]))) for text in chunks]
    assert max(counts) == 7
    monkeypatch.setattr("playground.ui.tokenize.budget.cut_into_chunks", None)
    assert [text for _, text in pieces_of(page.run())] == chunks, "nothing is cut again if nothing changed"


def test_another_tokenizer_cuts_the_same_text_anew():
    page = cut_page(TEXT, {"budget.size": 7, "budget.overlap": 0})
    session = page.session_state["keep.editor"]
    page.session_state["keep.tokenizer"] = ["utf8_bytes"]
    page.run()
    assert session.tokenizer.name == "utf8_bytes"
    assert max(len(text.encode()) for _, text in pieces_of(page)) == 7


def test_a_text_is_shortened_to_both_its_ends():
    text = "one two three four " * 20
    page = cut_page(text, {"budget.size": 8, "budget.keep": BOTH, "budget.mark": "*"})
    (_, head), (_, tail) = pieces_of(page)
    assert text.startswith(head)
    assert text.endswith(tail)
    assert head
    n_cut = len(text) - len(head) - len(tail)
    assert f"tokens** stay; {n_cut:,} characters are cut." in markdown_of(page)


def test_the_ids_that_the_page_opens_with_are_words():
    session = visit("tokenize").session_state["keep.editor"]
    assert decode_ids(session.tokenizer, parse_ids(session.ids_text)).raw == b"Hello world"


@pytest.mark.parametrize(("size", "overlap"), [(1, 0), (5, 2), (20, 10), (21, 20)])
def test_an_overlap_that_does_not_fit_a_small_budget_gives_way_and_the_page_says_so(size, overlap):
    page = cut_page("one two three " * 20, {"budget.size": size})
    assert not page.error
    assert any(again for again, _ in pieces_of(page)) == (overlap > 0)
    said = [caption.value for caption in page.caption if "overlap" in caption.value]
    assert (
        said == []
        if overlap == 20
        else said
        == [f"An overlap of 20 tokens does not fit a chunk of {size}, so the chunks overlap by {overlap}."]
    )


def test_a_refused_special_token_is_reported_and_the_others_are_used():
    typed = "<u>\n<|endoftext|>\n<v>"
    page = visit("tokenize", {"keep.tokenizer": ["gpt2"], "keep.own_special": typed})
    session = page.session_state["keep.editor"]
    assert session.own_special == ("<u>", "<v>")
    assert session.tokenizer.special_tokens["<v>"] == 50258
    said = [error.value for error in page.error]
    assert any(
        said.startswith("1 own special token is refused") and "endoftext" in said and "exists already" in said
        for said in said
    ), said
    page.session_state["keep.own_special"] = "<u>\n<v>"
    page.run()
    assert not page.error


def test_special_tokens_are_encoded_as_such_from_the_first_own_one_until_switched_off():
    page = visit(
        "tokenize",
        {"keep.tokenizer": ["gpt2"], "keep.editor": session_of(TEXT)},
    )
    session = page.session_state["keep.editor"]

    def type_names(names: str) -> bool:
        page.session_state["keep.own_special"], page.session_state["keep.own_special.typed"] = names, True
        page.run()
        return bool(session.document.honours_special)

    assert not type_names("<|endoftext|>"), "it is refused"
    revision = session.revision
    assert type_names("<u>")
    assert session.document.totals().n_tokens == session.document.totals().n_tokens_special
    assert session.revision > revision
    session.change(honours_special=False)
    assert not type_names("<u>\n<v>")
    page.run()
    assert not session.document.honours_special
    assert not type_names("")
    assert type_names("<v>")


def test_lines_of_white_space_alone_are_no_special_tokens():
    page = visit("tokenize", {"keep.tokenizer": ["gpt2"], "keep.own_special": "<u>\n\n   \n\t\n <v> "})
    assert page.session_state["keep.editor"].own_special == ("<u>", " <v> ")


def test_own_special_tokens_that_another_tokenizer_has_are_refused_there_alone():
    page = visit("tokenize", {"keep.tokenizer": ["gpt2"], "keep.own_special": "<|endofprompt|>\n<u>"})
    session = page.session_state["keep.editor"]
    assert session.own_special == ("<|endofprompt|>", "<u>")
    choose(page, "cl100k_base")
    assert not page.exception
    assert session.own_special == ("<u>",)
    assert "<|endofprompt|>" in session.tokenizer.special_tokens
    assert page.error
