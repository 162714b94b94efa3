"""Snippets run as they are, against a real tiktoken.Encoding, and give the same ids."""

import contextlib
import io
import json
import sys
import types
from pathlib import Path

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.analysis.chat import CHAT_TEMPLATES, Message, encode_chat
from playground.analysis.live_document import LiveDocument
from playground.analysis.pasted_ids import decode_ids
from playground.analysis.shown_tokens import show_chat, show_document, show_ids
from playground.catalog.extended import with_own_special_tokens
from playground.catalog.open_models import OPEN_MODELS
from playground.catalog.openai import load_openai
from playground.catalog.registry import TOKENIZERS, get_tokenizer
from tests.analysis.texts import texts
from tests.catalog import sentencepiece_models, tokenizer_documents
from tests.catalog.kinds import TILING
from tests.catalog.sentencepiece_models import OPTIONS, model_bytes
from tests.catalog.tokenizer_documents import DOCUMENTS, document

ROOT = Path(__file__).resolve().parents[2]
_quotes = st.text(st.sampled_from("\"'\\\n\r\t\0\x1a\x7f\ufeff\u2028\x85{}%#😀$"), max_size=8)
TEXTS = texts() | _quotes


def run(source, folder=ROOT):
    """Run a program as from a file, with a `tiktoken` that reads our vocabularies; give what it prints."""
    fake = types.ModuleType("tiktoken")
    fake.__dict__["get_encoding"] = lambda name: load_openai(name).encoding
    fake.__dict__["Encoding"] = tiktoken.Encoding
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(io.StringIO()) as printed:
        patch.setitem(sys.modules, "tiktoken", fake)
        patch.chdir(folder)
        exec(compile(source.encode(), "snippet.py", "exec"), {})
    return printed.getvalue().removesuffix("\n")


#: The programs of open models read their ranks, which takes half a second: tests/catalog/test_open_models.py
#: runs one.
QUICK = [name for name in TOKENIZERS if name not in OPEN_MODELS]


@pytest.mark.parametrize("name", QUICK)
@given(text=TEXTS, honours_special=st.booleans(), own=st.sampled_from([(), ("<user>", "a")]))
@settings(max_examples=8)
def test_a_texts_program_prints_its_ids(name, text, honours_special, own):
    tokenizer = with_own_special_tokens(get_tokenizer(name), own)
    shown = show_document(LiveDocument(tokenizer, text + "<user>", honours_special=honours_special))
    program = shown.snippet("python")
    assert json.loads(run(program)) == shown.ids.tolist()
    assert not {"\x7f", "\ufeff"} & {*program}, "what shows nothing is spelled out"


@pytest.mark.parametrize("honours_special", [False, True])
@pytest.mark.parametrize("title", [*DOCUMENTS, *OPTIONS])
def test_the_program_of_an_opened_file_prints_its_ids(title, honours_special, tmp_path):
    """A file may take the space before a special token too: its library must look for it in the whole."""
    module = tokenizer_documents if title in DOCUMENTS else sentencepiece_models
    raw = document(title) if title in DOCUMENTS else model_bytes(title)
    (tmp_path / ("opened.json" if title in DOCUMENTS else "opened.model")).write_bytes(raw)
    for text in ("the cat", "the <s> cat <mask> mat</s>", "a [CLS] x<c> y"):
        shown = show_document(LiveDocument(module.opened(title), text, honours_special=honours_special))
        assert json.loads(run(shown.snippet("python"), tmp_path)) == shown.ids.tolist()


def test_a_program_of_ids_has_no_special_tokens_that_it_does_not_need():
    gpt2 = get_tokenizer("gpt2")
    own = with_own_special_tokens(gpt2, ("<user>",))
    programs = [show_ids(one, decode_ids(one, [15496])).snippet("python") for one in (gpt2, own)]
    assert programs[0] == programs[1]


@pytest.mark.parametrize("name", ["utf8_bytes", "characters"])
def test_own_special_tokens_of_bytes_and_characters(name):
    tokenizer = with_own_special_tokens(get_tokenizer(name), ["<user>"])
    shown = show_document(LiveDocument(tokenizer, "é<user>b", honours_special=True))
    assert json.loads(run(shown.snippet("python"))) == shown.ids.tolist()
    ids = shown.ids.tolist()
    assert run(show_ids(tokenizer, decode_ids(tokenizer, ids)).snippet("python")) == "é<user>b"


@given(contents=st.lists(TEXTS, max_size=3), template=st.sampled_from(list(CHAT_TEMPLATES.values())))
@settings(max_examples=20)
def test_a_chats_program_prints_its_ids(contents, template):
    shown = show_chat(encode_chat([Message("user", content) for content in contents], template))
    assert json.loads(run(shown.snippet("python"))) == shown.ids.tolist()


@pytest.mark.parametrize("name", [name for name in QUICK if name in TILING])
@given(data=st.data(), own=st.sampled_from([(), ("<user>", '"')]))
@settings(max_examples=20)
def test_a_program_of_ids_prints_their_text(name, data, own):
    tokenizer = with_own_special_tokens(get_tokenizer(name), own)
    known = st.integers(0, 255) | st.integers(
        tokenizer.vocabulary.n_vocab - len(own), tokenizer.vocabulary.n_vocab - 1
    )
    known = known if own else st.integers(0, 255)
    ids = data.draw(st.lists(known, max_size=12))
    shown = show_ids(tokenizer, decode_ids(tokenizer, ids))
    assert run(shown.snippet("python")) == shown.text


@pytest.mark.parametrize("name", TOKENIZERS)
@given(text=TEXTS)
@settings(max_examples=20)
def test_json_holds_text_and_ids(name, text):
    shown = show_document(LiveDocument(get_tokenizer(name), text))
    record = json.loads(shown.snippet("json"))
    assert record == {"encoding": name, "text": text, "ids": shown.ids.tolist(), "count": len(shown.ids)}
