"""A large tokenizer.json that is read in parts, so that other threads can run, gives the same tokenizer."""

import json
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog import tokenizer_json_file
from playground.catalog.tokenizer_json_file import open_tokenizer_json
from playground.core.errors import VocabularyFileError
from playground.files import checks
from playground.files.library_file import LibraryFile
from playground.files.tokenizers_library import load_in_parts, load_wordpiece, read_pairs
from tests.catalog.tokenizer_documents import DOCUMENTS, document, library_ids

BPE = [title for title in DOCUMENTS if json.loads(document(title))["model"]["type"] == "BPE"]
PIECES = [title for title in DOCUMENTS if json.loads(document(title))["model"]["type"] == "WordPiece"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def in_parts(text: str) -> Any:
    parsed = json.loads(text)
    if parsed["model"]["type"] == "WordPiece":
        return load_wordpiece(parsed)
    return load_in_parts(parsed, *read_pairs(parsed["model"]))


@pytest.mark.parametrize("title", BPE + PIECES)
def test_loading_in_parts_gives_the_same_tokenizer(title):
    text = document(title).decode()
    assert in_parts(text).to_str() == tokenizers.Tokenizer.from_str(text).to_str()


@pytest.mark.parametrize("title", BPE + PIECES)
def test_ids_and_added_tokens_of_a_file_in_parts_are_the_librarys(monkeypatch, title):
    monkeypatch.setattr(tokenizer_json_file, "MANY_MERGES", 0)
    monkeypatch.setattr(tokenizer_json_file, "MANY_PIECES", 0)
    tokenizer = open_tokenizer_json(LibraryFile.of("tokenizer.json", document(title)), "opened")
    text = "the mat <mask> caf\u00e9 \U0001f642<s> don't \uc548"
    assert list(tokenizer.encode(text)) == library_ids(title)(text)
    every = frozenset(tokenizer.special_tokens)
    assert list(tokenizer.encode(text, allowed_special=every)) == library_ids(title, honours_special=True)(
        text
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file["added_tokens"][0].pop("lstrip"),
        lambda file: file["model"]["merges"].append(["a", "not a token"]),
        lambda file: file["model"]["merges"].append([5, "a"]),
        lambda file: file["model"]["vocab"].update({"too large": 2**40}),
    ],
)
def test_loading_in_parts_refuses_what_the_library_refuses(monkeypatch, change):
    parsed = json.loads(document("like Llama 2"))
    change(parsed)
    text = json.dumps(parsed)
    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever it raises
        tokenizers.Tokenizer.from_str(text)
    monkeypatch.setattr(tokenizer_json_file, "MANY_MERGES", 0)
    with pytest.raises(VocabularyFileError):
        open_tokenizer_json(LibraryFile.of("tokenizer.json", text.encode()), "opened")


@given(value=st.dictionaries(st.text(max_size=5), VALUES, max_size=5), indent=st.sampled_from([None, 1]))
@settings(max_examples=30, deadline=None)
def test_long_json_is_read_like_short_json(value, indent):
    text = json.dumps(value, indent=indent)
    decoder = checks.patient_decoder()
    assert decoder.decode(text) == json.loads(text) == value
    assert decoder.decode(json.dumps(value, ensure_ascii=False)) == value
