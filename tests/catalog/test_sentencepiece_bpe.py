"""Mistral's SentencePiece models are the library's own: ids, places and symbols."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2

from playground.catalog.registry import encoding_name, get_tokenizer
from playground.catalog.sentencepiece_file import SentencePieceFile, load_sentencepiece
from playground.catalog.shipped_vocabularies import read_vocabulary
from tests.catalog.kinds import MISTRAL

UDHR = json.loads((Path(__file__).resolve().parents[2] / "assets/texts/udhr.json").read_text())
TEXTS = st.text(st.sampled_from("ab the 한é🙂\n\u2581\x00[REFNC_DO1]"), max_size=14) | st.lists(
    st.sampled_from(["[REFERENCE_DOC_1]", " ", "\u2581", "x", "  the"]), max_size=4
).map("".join)


@pytest.mark.parametrize("name", MISTRAL)
def test_ids_and_buildings_of_the_declaration_are_the_librarys(name):
    tokenizer = get_tokenizer(name)
    processor = SentencePieceProcessor(model_proto=read_vocabulary(f"{name}.model.gz"))
    for entry in UDHR:
        text = " ".join(entry["articles"][:3])
        ids = processor.encode(text)
        assert tokenizer.encode(text) == ids
        built = [n for word in tokenizer.iter_pretokens(text) for n in tokenizer.build(word).ids]
        assert built == (ids[1:] if processor.id_to_piece(ids[0]) == "\u2581" else ids)
        assert tokenizer.decode(ids) == text


@pytest.mark.parametrize("name", MISTRAL)
@given(text=TEXTS)
@settings(max_examples=30, deadline=None)
def test_places_are_the_librarys(name, text):
    """Of a character that falls to bytes it gives all to the last of them; here each has its own."""
    tokenizer = get_tokenizer(name)
    assert isinstance(tokenizer, SentencePieceFile)
    encoding = tokenizer.encode(text)
    raw = text.encode()
    told = tokenizer._processor.encode(text, out_type="proto").pieces
    assert [piece.id for piece in told] == list(encoding)
    for piece, start, end in zip(told, encoding.starts.tolist(), encoding.ends.tolist(), strict=True):
        if tokenizer.vocabulary.entry(piece.id).kind != "byte":
            assert (start, end) == (piece.begin, piece.end)
        else:
            assert raw[start:end] == tokenizer.vocabulary.raw_of(piece.id)


@pytest.mark.parametrize("name", MISTRAL)
def test_symbols_and_special_tokens_are_what_the_model_says(name):
    tokenizer = load_sentencepiece(name)
    model: Any = vars(sentencepiece_model_pb2)["ModelProto"]()
    model.ParseFromString(read_vocabulary(f"{name}.model.gz"))
    kinds = model.SentencePiece
    of_kind = {
        kind: {piece.piece for piece in model.pieces if piece.type == kind}
        for kind in (kinds.CONTROL, kinds.UNKNOWN, kinds.BYTE)
    }
    assert set(tokenizer.special_tokens) == of_kind[kinds.CONTROL] | of_kind[kinds.UNKNOWN]
    entries = map(tokenizer.vocabulary.entry, tokenizer.vocabulary.ids.tolist())
    spelled = {entry.spelled for entry in entries if entry.kind == "byte"}
    assert spelled == of_kind[kinds.BYTE]
    # A word may be merged alone: no piece goes on over a space.
    assert not [piece.piece for piece in model.pieces if "\u2581" in piece.piece.lstrip("\u2581")]
    assert model.normalizer_spec.name == "identity"
    assert not model.normalizer_spec.remove_extra_whitespaces
    assert model.trainer_spec.byte_fallback


def test_scores_bytes_and_names():
    mistral = get_tokenizer("mistral_v1")
    byte, piece = mistral.vocabulary.ids_of(b"A")
    assert [mistral.vocabulary.entry(n).spelled for n in (byte, piece)] == ["<0x41>", "A"]
    score = mistral.vocabulary.entry(mistral.encode("the")[0]).score
    assert score is not None
    assert score < 0
    assert mistral.decode([1, *mistral.encode("a b"), 2]) == "<s>a b</s>"
    names = {"Mistral-7B-v0.1": "mistral_v1", "Mixtral-8x7B-Instruct-v0.1": "mistral_v1",
             "mistral-7b-instruct-v0.3": "mistral_v3", "Mixtral-8x22B": "mistral_v3"}  # fmt: skip
    assert {name: encoding_name(name) for name in names} == names
