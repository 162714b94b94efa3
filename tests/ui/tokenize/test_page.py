"""The Tokenize page: own special tokens and the token budget."""

import pytest

from playground.analysis.pasted_ids import decode_ids, parse_ids
from playground.catalog.registry import get_tokenizer
from playground.core.tokenizer import segment
from playground.server.editor.session import EditorSession
from tests.ui.visits import choose, markdown_of, visit

TEXT = "one<u>two " * 30


def session_of(text):
    session = EditorSession(get_tokenizer("python_docs_4k"))
    session.document.replace(text)
    return session


def cut_page(text, fields):
    chosen = {"tokenizer.tokenize": "python_docs_4k", "keep.editor": session_of(text), "budget": True}
    return visit("tokenize", chosen | fields)


def test_chunks_have_all_tokens_of_the_text_special_ones_too():
    page = cut_page(TEXT, {"own_special": "<u>\n<v>", "budget.size": 7, "budget.overlap": 0})
    session = page.session_state["keep.editor"]
    session.change(honours_special=True)
    page.run()
    chunks = page.dataframe[-1].value
    whole = segment(session.tokenizer, TEXT, allowed_special=frozenset(["<u>", "<v>"]))
    assert chunks["tokens in the text"].sum() == len(whole.tokens)
    assert chunks["chunk"].tolist() == list(range(1, len(chunks) + 1))
    assert "".join(chunks["text"]) == TEXT


def test_the_ids_that_the_page_opens_with_are_words():
    session = visit("tokenize").session_state["keep.editor"]
    assert decode_ids(session.tokenizer, parse_ids(session.ids_text)).raw == b"Hello world"


@pytest.mark.parametrize(
    ("text", "size", "said"),
    [
        ("a", 9, "1 token makes **1 chunk**; the text fits as it is."),
        ("a a", 9, "2 tokens make **1 chunk**; the text fits as it is."),
        ("a a", 1, "**2 chunks**; no character is split."),
    ],
)
def test_chunks_are_counted_in_good_grammar(text, size, said):
    page = cut_page(text, {"budget.size": size, "budget.overlap": 0})
    assert said in markdown_of(page)


@pytest.mark.parametrize(("size", "shared"), [(1, 0), (5, 2), (20, 10), (21, 20)])
def test_an_overlap_that_does_not_fit_a_small_budget_gives_way_and_the_page_says_so(size, shared):
    text = "one two three " * 20
    page = cut_page(text, {"budget.size": size})
    assert not page.error
    chunks = page.dataframe[-1].value
    starts, ends = zip(*(map(int, span.split(" – ")) for span in chunks["characters"]), strict=True)
    words_shared = [text[start:end].split() for start, end in zip(starts[1:], ends, strict=False)]
    assert max(map(len, words_shared), default=0) <= shared
    assert any(words_shared) == (shared > 0)
    told = [caption.value for caption in page.caption if "overlap" in caption.value]
    assert len(told) == (shared < 20)
    assert all(f"of 20 tokens does not fit a chunk of {size}" in said for said in told)
    assert all(f"so the chunks overlap by {shared}." in said for said in told)


def test_a_refused_special_token_is_reported_and_the_others_are_used():
    typed = "<u>\n<|endoftext|>\n<v>"
    page = visit("tokenize", {"keep.tokenizer": ["gpt2"], "keep.own_special": typed})
    session = page.session_state["keep.editor"]
    assert session.own_special == ("<u>", "<v>")
    assert session.tokenizer.special_tokens["<v>"] == 50258
    told = [error.value for error in page.error]
    assert any(
        said.startswith("1 own special token is refused") and "endoftext" in said and "exists already" in said
        for said in told
    ), told
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
