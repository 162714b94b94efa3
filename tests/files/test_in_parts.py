"""A large tokenizer.json is read in parts, so that others get their turns, and it is the same tokenizer."""

import json
import sys
import threading
import time
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.catalog import tokenizer_json_file
from playground.catalog.tokenizer_json_file import TokenizerJsonFile, open_tokenizer_json
from playground.core.errors import VocabularyFileError
from playground.files import checks
from playground.files.library_document import read_library_document, read_pairs
from playground.files.library_file import LibraryFile
from playground.files.tokenizers_library import load_in_parts, load_wordpiece
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
def test_what_is_loaded_in_parts_is_written_as_what_is_loaded_at_once(title):
    text = document(title).decode()
    assert in_parts(text).to_str() == tokenizers.Tokenizer.from_str(text).to_str()


def test_pairs_may_be_lines_as_in_older_files():
    parsed = json.loads(document("like RoBERTa"))
    older = json.loads(document("like RoBERTa"))
    older["model"]["merges"] = ["#version: 0.2", *map(" ".join, older["model"]["merges"])]
    assert in_parts(json.dumps(older)).to_str() == in_parts(json.dumps(parsed)).to_str()


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
        lambda file: file["model"].update(fuse_unk="yes"),
        lambda file: file["model"]["merges"].append(["a", "not a token"]),
        lambda file: file["model"]["merges"].append(["a", "b", "c"]),
        lambda file: file["model"]["merges"].append("a b c"),
        lambda file: file["model"]["merges"].append(["", ""]),
        lambda file: file["model"]["merges"].append([5, "a"]),
        lambda file: file["model"]["merges"].append(None),
        lambda file: file["model"].update(merges=5),
        lambda file: file["model"]["vocab"].update({"too large": 2**40}),
        lambda file: file.update(normalizer={"type": "None such"}),
    ],
)
def test_what_the_library_refuses_at_once_is_refused_in_parts(monkeypatch, change):
    parsed = json.loads(document("like Llama 2"))
    change(parsed)
    text = json.dumps(parsed)
    with pytest.raises(BaseException):  # noqa: B017, PT011 - whatever it raises
        tokenizers.Tokenizer.from_str(text)
    monkeypatch.setattr(tokenizer_json_file, "MANY_MERGES", 0)
    with pytest.raises(VocabularyFileError):
        open_tokenizer_json(LibraryFile.of("tokenizer.json", text.encode()), "opened")


@pytest.mark.parametrize(
    "change",
    [lambda model: model.update(max_input_chars_per_word="many"), lambda model: model.update(unk_token=3)],
)
def test_a_model_of_pieces_that_the_library_refuses_is_refused_in_parts(monkeypatch, change):
    parsed = json.loads(document("like BERT"))
    change(parsed["model"])
    monkeypatch.setattr(tokenizer_json_file, "MANY_PIECES", 0)
    with pytest.raises(VocabularyFileError):
        open_tokenizer_json(LibraryFile.of("tokenizer.json", json.dumps(parsed).encode()), "opened")


@given(value=st.dictionaries(st.text(max_size=5), VALUES, max_size=5), indent=st.sampled_from([None, 1]))
@settings(max_examples=75, deadline=None)
def test_long_json_is_read_as_short_json_is(value, indent):
    text = json.dumps(value, indent=indent)
    decoder = checks._decoder(10**9)
    assert decoder.decode(text) == json.loads(text) == value
    assert decoder.decode(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', "comes twice"), ('{"a": {"b": 1, "b": 2}}', "comes twice"),
        ('{"a": [{"b": 1, "b": 2}]}', "comes twice"), ('{"a": NaN}', "NaN is not a number"),
        ('{"a": [NaN]}', "NaN is not a number"), ('{"a": [1,}', "is not JSON"), ('{"a": 1} x', "is not JSON"),
        ('{"a": ' * 100_000, "nested too deeply"), ('{"a": ' + "[" * 100_000, "nested too deeply"),
        ("[1]", "must hold a JSON object, not a list"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_long_json_is_told_too(monkeypatch, text, said):
    monkeypatch.setattr(checks, "_LONG_JSON", 0)
    with pytest.raises(VocabularyFileError, match=said):
        checks.read_json(text, "x.json")


def large_file(n_merges: int) -> str:
    """Each token is the one before and a letter, as far as 200 letters; then it starts anew."""
    letters = [chr(0x4E00 + place) for place in range(n_merges // 200 + 1)] + ["a"]
    vocab = {letter: place for place, letter in enumerate(letters)}
    merges = []
    for first in letters[:-1]:
        token = first
        for _ in range(200):
            merges.append([token, "a"])
            token += "a"
            vocab[token] = len(vocab)
    return json.dumps({"added_tokens": [], "model": {"type": "BPE", "vocab": vocab, "merges": merges}})


def turns_of_others(work: Any) -> int:
    """How often another thread gets the interpreter while some work goes on."""
    n_turns, is_over = 0, threading.Event()

    def take_turns() -> None:
        nonlocal n_turns
        while not is_over.is_set():
            n_turns += 1
            time.sleep(0.0005)

    other = threading.Thread(target=take_turns)
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-4)
    other.start()
    try:
        n_before = n_turns
        work()
        return n_turns - n_before
    finally:
        is_over.set()
        other.join()
        sys.setswitchinterval(before)


def test_others_get_their_turns_while_a_large_file_is_read_for_the_first_time():
    """At once they get three, or a few more on a busy machine: before the call, after it, and at its end."""
    text = large_file(60_000)
    at_once = turns_of_others(lambda: tokenizers.Tokenizer.from_str(text))
    tokenizer = TokenizerJsonFile("large", LibraryFile.of("tokenizer.json", text.encode()))
    assert turns_of_others(lambda: tokenizer._document) > 2 * at_once
    assert turns_of_others(lambda: tokenizer._library) > 2 * at_once
    parsed = json.loads(text)
    pairs = read_pairs(parsed["model"])
    assert turns_of_others(lambda: load_in_parts(parsed, *pairs)) > at_once


def test_reading_one_large_file_keeps_nobody_from_reading_another(monkeypatch):
    """Who reads is held in the middle; another tokenizer of the same kind is read all the same."""
    entered, may_go_on = threading.Event(), threading.Event()
    first = TokenizerJsonFile("first", LibraryFile.of("tokenizer.json", document("like CLIP")))
    second = TokenizerJsonFile("second", LibraryFile.of("tokenizer.json", document("like RoBERTa")))
    read = read_library_document

    def held(text: str, name: str) -> Any:
        if name == "first":
            entered.set()
            assert may_go_on.wait(60)
        return read(text, name)

    monkeypatch.setattr(tokenizer_json_file, "read_library_document", held)
    reading = threading.Thread(target=lambda: first.encode("the cat"))
    reading.start()
    assert entered.wait(60)
    try:
        assert list(second.encode("the cat")) == library_ids("like RoBERTa")("the cat")
    finally:
        may_go_on.set()
        reading.join()
    assert list(first.encode("the cat")) == library_ids("like CLIP")("the cat")
