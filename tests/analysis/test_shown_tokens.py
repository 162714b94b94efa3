"""Tokens as the editor shows them: spans, marks of changed text, and programs that print the same ids."""

import contextlib
import io
import json
import sys
import types
from pathlib import Path
from unittest.mock import patch

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis import shown_tokens
from playground.analysis.categories import Category
from playground.analysis.chat import CHAT_TEMPLATES, Message, encode_chat
from playground.analysis.live_document import LiveDocument
from playground.analysis.pasted_ids import decode_ids
from playground.analysis.shown_tokens import show_chat, show_document, show_ids
from playground.analysis.token_details import find_unstable
from playground.analysis.token_marks import Mark, marks_of
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.openai import load_openai
from playground.catalog.registry import get_tokenizer
from playground.catalog.word_table import WordTableTokenizer, learn_table
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer, segment
from tests.analysis.texts import texts
from tests.catalog import sentencepiece_models, tokenizer_documents
from tests.catalog.sentencepiece_models import OPTIONS, model_bytes
from tests.catalog.tokenizer_documents import DOCUMENTS, document

SHORT_TEXTS = st.text(alphabet="aZ é한🇩🇪👨‍👩‍👧न\u094d\u0301\n7.", max_size=30)


@pytest.mark.parametrize("name", ["gpt2", "o200k_base", "utf8_bytes", "characters"])
@given(text=SHORT_TEXTS)
@settings(max_examples=20)
def test_spans_of_tokens_equal_those_of_the_segmentation(name, text):
    tokenizer = get_tokenizer(name)
    shown = show_document(LiveDocument(tokenizer, text))
    tokens = segment(tokenizer, text).tokens
    with patch.object(shown_tokens, "MAX_UNSTABLE_TOKENS", 1):  # completions are slow
        described = [shown.describe(index) for index in range(len(tokens))]
    for details, token in zip(described, tokens, strict=True):
        assert (details.id, details.hex) == (token.id, token.raw.hex(" ").upper())
        assert (details.byte_start, details.byte_end) == (token.byte_start, token.byte_end)
        assert (details.char_start, details.char_end) == (token.char_start, token.char_end)
        assert details.character == text[token.char_start : token.char_end]
        assert len(details.code_points) == len(details.character)
        n_bytes = sum(
            len(character.encode()) for character in details.character
        )  # the token's own bytes are some or all of them
        assert len(token.raw) <= n_bytes


@pytest.mark.parametrize(
    ("is_honoured", "own"), [(True, f"7*8?{' ' * 13}56!"), (False, "7*8?<|endoftext|>56!")]
)
def test_special_tokens_encoded_as_such_are_not_the_visitors_own_text(is_honoured, own):
    document = LiveDocument(get_tokenizer("gpt2"), "7*8?<|endoftext|>56!", honours_special=is_honoured)
    assert show_document(document).own_text == own


def test_all_occurrences_of_a_token_are_counted():
    shown = show_document(LiveDocument(get_tokenizer("gpt2"), " the the a"))
    assert [shown.describe(index).n_occurrences for index in range(3)] == [2, 2, 1]


def test_ids_that_are_not_text_are_described_too():
    tokenizer = get_tokenizer("gpt2")
    shown = show_ids(tokenizer, decode_ids(tokenizer, [168, 15496, 230]))
    details = shown.describe(0)
    assert (details.text, details.hex, details.code_points) == (None, "EC", ())
    assert shown.describe(1).text == "Hello"
    assert sum(shown.categories()) == 3
    with_special = show_ids(tokenizer, decode_ids(tokenizer, [50256, 168, 15496]))
    counts = dict(zip(Category, with_special.categories(), strict=True))
    assert counts == dict.fromkeys(Category, 0) | dict.fromkeys(
        [Category.SPECIAL, Category.OTHER, Category.LETTERS], 1
    )
    with pytest.raises(InvalidInputError, match="no token 3"):
        shown.describe(3)


def test_only_the_last_tokens_of_a_text_have_possible_continuations():
    gpt2 = get_tokenizer("gpt2")
    shown = show_document(LiveDocument(gpt2, "Hello there. Hello worl"))
    said = [shown.describe(index).unstable for index in range(len(shown.ids))]
    assert said[:-2] == [None] * (len(said) - 2)
    assert said[-1] == said[-2] == find_unstable(gpt2, "Hello worl")
    assert said[-1] is not None
    assert said[-1].first[0] == " world"
    settled = show_document(LiveDocument(gpt2, "don't"))
    assert settled.describe(1).unstable is None, "it can't change any more"
    ended = show_document(LiveDocument(gpt2, "Hello worl<|endoftext|>", honours_special=True))
    assert ended.describe(len(ended.ids) - 1).unstable is None
    ids = show_ids(gpt2, decode_ids(gpt2, [995]))
    assert ids.describe(0).unstable is None


WORDS = WordTableTokenizer("words", learn_table(["the cat sat"], "words"))


def marked_tokens(tokenizer: Tokenizer, text: str) -> list[tuple[str, Mark, int]]:
    """Return each token's spelling, how it differs, and the bytes dropped after it."""
    marks = show_document(LiveDocument(tokenizer, text)).marks.tolist()
    ids = tokenizer.encode(text)
    spelled = [tokenizer.vocabulary.entry(token_id).spelled for token_id in ids]
    return [(s, Mark(n % 4), n // 4) for s, n in zip(spelled, marks[1:] or [0] * len(ids), strict=True)]


def test_bert_changes_capitals_and_drops_white_space_and_accents():
    bert = get_tokenizer("bert_uncased")
    assert marked_tokens(bert, "the cat") == [("the", Mark.AS_TYPED, 1), ("cat", Mark.AS_TYPED, 0)]
    assert marked_tokens(bert, "The caf\u00e9") == [("the", Mark.CHANGED, 1), ("cafe", Mark.CHANGED, 0)]
    assert marked_tokens(bert, "e\u0301!") == [("e", Mark.AS_TYPED, 2), ("!", Mark.AS_TYPED, 0)]
    assert marked_tokens(bert, "unaffable \u13a0")[-1] == ("[UNK]", Mark.CHANGED, 0)


def test_a_leading_space_added_by_a_tokenizer_is_marked_as_inserted():
    mistral = get_tokenizer("mistral_v1")
    assert marked_tokens(mistral, "Hello world") == [
        ("▁Hello", Mark.INSERTED, 0),
        ("▁world", Mark.AS_TYPED, 0),
    ]
    assert marked_tokens(mistral, "안 a")[0] == ("▁", Mark.INSERTED, 0)
    assert [mark for _, mark, _ in marked_tokens(mistral, "a " * 3_000)[1:]] == [Mark.AS_TYPED] * 3_000


@pytest.mark.parametrize("name", ["gpt2", "qwen3", "mistral_v3"])
def test_byte_tokens_of_a_character_are_not_marked_as_changed(name):
    assert {mark for _, mark, _ in marked_tokens(get_tokenizer(name), " \u13a0🙂")[1:]} == {Mark.AS_TYPED}


def test_normalized_characters_are_marked_as_changed():
    qwen = get_tokenizer("qwen3")
    assert (
        marked_tokens(qwen, "xe\u0301") == [("xÃ©", Mark.CHANGED, 0)]
        or marked_tokens(qwen, "xe\u0301")[-1][1] is Mark.CHANGED
    )
    unigram = sentencepiece_models.opened("unigram, nmt_nfkc, symbols")
    assert any(mark is Mark.CHANGED for _, mark, _ in marked_tokens(unigram, "ﬁ"))


def test_words_without_a_row_are_marked_as_dropped():
    encoding = WORDS.encode("Kathmandu the dog cat!")
    assert [WORDS.vocabulary.entry(n).spelled for n in encoding] == ["the", "cat"]
    assert marks_of(encoding, WORDS.vocabulary).tolist() == [10, 4 * len(" dog "), 4]
    assert marks_of(WORDS.encode("dog é"), WORDS.vocabulary).tolist() == [6]
    assert marks_of(WORDS.encode(""), WORDS.vocabulary).tolist() == []


def test_a_tokens_span_excludes_dropped_text():
    """Dropped text before and after a token is not part of its span."""
    shown = show_document(LiveDocument(get_tokenizer("bert_uncased"), " The  cat "))
    details = [shown.describe(index) for index in range(2)]
    assert [(each.byte_start, each.byte_end, each.character, each.text) for each in details] == [
        (1, 4, "The", "the"), (6, 9, "cat", "cat"),
    ]  # fmt: skip


ROOT = Path(__file__).resolve().parents[2]
_quotes = st.text(st.sampled_from("\"'\\\n\r\t\0\x1a\x7f\ufeff\u2028\x85{}%#😀$"), max_size=8)
TEXTS = texts() | _quotes


def run(source, folder=ROOT):
    """Run a program with a `tiktoken` that reads our vocabularies; return its output."""
    fake = types.ModuleType("tiktoken")
    fake.__dict__["get_encoding"] = lambda name: load_openai(name).encoding
    fake.__dict__["Encoding"] = tiktoken.Encoding
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as printed:
        patch.setitem(sys.modules, "tiktoken", fake)
        patch.chdir(folder)
        exec(compile(source.encode(), "snippet.py", "exec"), {})
    return printed.getvalue().removesuffix("\n")


#: Tokenizers with different programs; tests/catalog/test_open_models.py runs the program of an open model.
TILING = ["gpt2", "p50k_edit", "cl100k_base", "python_docs_4k", "utf8_bytes", "characters"]
QUICK = [*TILING, "mistral_v1", "mistral_v3", "bert_uncased"]


@pytest.mark.parametrize("name", QUICK)
@given(text=TEXTS, honours_special=st.booleans(), own=st.sampled_from([(), ("<user>", "a")]))
@settings(max_examples=4)
def test_a_texts_program_prints_its_ids(name, text, honours_special, own):
    tokenizer = with_own_special_tokens(get_tokenizer(name), own)
    shown = show_document(LiveDocument(tokenizer, text + "<user>", honours_special=honours_special))
    program = shown.snippet("python")
    assert json.loads(run(program)) == shown.ids.tolist()
    assert not {"\x7f", "\ufeff"} & {*program}, "invisible characters are escaped"


@pytest.mark.parametrize("honours_special", [False, True])
@pytest.mark.parametrize("title", [*DOCUMENTS, *OPTIONS])
def test_the_program_of_an_opened_file_prints_its_ids(title, honours_special, tmp_path):
    """A file may strip the space before a special token, so its library must find it in the whole text."""
    module = tokenizer_documents if title in DOCUMENTS else sentencepiece_models
    raw = document(title) if title in DOCUMENTS else model_bytes(title)
    (tmp_path / ("opened.json" if title in DOCUMENTS else "opened.model")).write_bytes(raw)
    for text in ("the cat", "the <s> cat <mask> mat</s>", "a [CLS] x<c> y"):
        shown = show_document(LiveDocument(module.opened(title), text, honours_special=honours_special))
        assert json.loads(run(shown.snippet("python"), tmp_path)) == shown.ids.tolist()


@given(contents=st.lists(TEXTS, max_size=3), template=st.sampled_from(list(CHAT_TEMPLATES.values())))
@settings(max_examples=20)
def test_a_chats_program_prints_its_ids(contents, template):
    shown = show_chat(encode_chat([Message("user", content) for content in contents], template))
    assert json.loads(run(shown.snippet("python"))) == shown.ids.tolist()


@pytest.mark.parametrize("name", TILING)
@given(data=st.data(), own=st.sampled_from([(), ("<user>", '"')]))
@settings(max_examples=8)
def test_a_program_of_ids_prints_their_text(name, data, own):
    tokenizer = with_own_special_tokens(get_tokenizer(name), own)
    known = st.integers(0, 255) | st.integers(
        tokenizer.vocabulary.n_vocab - len(own), tokenizer.vocabulary.n_vocab - 1
    )
    known = known if own else st.integers(0, 255)
    ids = data.draw(st.lists(known, max_size=12))
    shown = show_ids(tokenizer, decode_ids(tokenizer, ids))
    assert run(shown.snippet("python")) == shown.text


@pytest.mark.parametrize("name", ["gpt2", "bert_uncased"])
@given(text=TEXTS)
def test_json_holds_text_and_ids(name, text):
    shown = show_document(LiveDocument(get_tokenizer(name), text))
    record = json.loads(shown.snippet("json"))
    assert record == {"encoding": name, "text": text, "ids": shown.ids.tolist(), "count": len(shown.ids)}
