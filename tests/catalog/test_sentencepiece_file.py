"""Opened SentencePiece models equal the library's own, and damaged ones are refused in one sentence."""

import base64
from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sentencepiece import SentencePieceProcessor, sentencepiece_model_pb2

from playground.bpe.split_pattern import SplitPattern
from playground.catalog import opened
from playground.catalog.sentencepiece_file import (
    SentencePieceFile,
    check_sentencepiece,
    load_sentencepiece,
)
from playground.catalog.shipped_vocabularies import read_vocabulary
from playground.core.errors import InvalidInputError, VocabularyFileError
from playground.core.tokenizer import replace_lone_surrogates
from playground.files.library_file import LibraryFile
from tests.analysis.texts import HARD_AT_SPACES, texts
from tests.catalog import sentencepiece_models
from tests.catalog.any_file import FileCase, check_file, sentencepiece_files
from tests.catalog.in_pieces import same_in_pieces
from tests.catalog.kinds import SENTENCEPIECE
from tests.catalog.mutated_library_files import mutated_models, open_and_use
from tests.catalog.sentencepiece_models import OPTIONS, model_bytes, trained_bytes

#: What is normalized, dropped, made of bytes, unknown, or taken as it stands.
PARTS = ["the", " ", "   ", "cat", "中", "é", "e\u0301", "ﬁ", "🙂", "½", "ﷺ", "¨", "mat", "<user>", "\u2581",
         "\n", "\t", "\0", "x", "\u200b", "<s>", "<c>", "don't", "İ", "ß", "ᄒ\u1161"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=7).map("".join)
PATTERN = SplitPattern.named("gpt2")


#: An unknown word is the bytes of all its characters, also of the sign of its space.
WORDS_OF_BYTES = {
    "model_type": "word", "vocab_size": 330, "byte_fallback": True, "normalization_rule_name": "identity",
    "remove_extra_whitespaces": False,
}  # fmt: skip


@pytest.mark.parametrize("title", OPTIONS)
@given(text=TEXTS)
@settings(max_examples=25, deadline=None)
def test_ids_are_the_librarys_and_words_are_built_of_them(title, text):
    tokenizer = sentencepiece_models.opened(title)
    processor = SentencePieceProcessor(model_proto=model_bytes(title))
    encoding = tokenizer.encode(text)
    assert encoding == processor.encode(text)
    assert [*encoding.starts] == sorted(encoding.starts)
    assert [*encoding.ends] == sorted(encoding.ends)
    covering = encoding.ids[encoding.ends > encoding.starts].tolist()
    pretokens = list(tokenizer.iter_pretokens(text))
    assert [token_id for word in pretokens for token_id in tokenizer.build(word).ids] == covering
    assert all(0 <= word.char_start < word.char_end <= len(text) for word in pretokens)
    assert all(a.char_start <= b.char_start and a.char_end <= b.char_end for a, b in pairwise(pretokens))
    assert tokenizer.decode(encoding) == processor.decode(list(encoding)) or "<unk>" in tokenizer.decode(
        encoding
    )


@given(sentencepiece_files())
@example(FileCase("x.model", trained_bytes(WORDS_OF_BYTES), ["Hello world", " x"]))
@settings(max_examples=15, deadline=None)
def test_a_model_trained_with_any_options_is_its_librarys(case):
    check_file(case)


@pytest.mark.parametrize("title", OPTIONS)
@given(text=TEXTS)
@settings(max_examples=15, deadline=None)
def test_positions_equal_the_librarys_except_for_shared_characters(title, text):
    tokenizer = sentencepiece_models.opened(title)
    encoding, raw = tokenizer.encode(text), text.encode()
    said = SentencePieceProcessor(model_proto=model_bytes(title)).encode(text, out_type="proto").pieces
    for piece, start, end in zip(said, encoding.starts.tolist(), encoding.ends.tolist(), strict=True):
        if piece.begin < piece.end and start < piece.end:
            assert start >= piece.begin
            assert end == piece.end
        if tokenizer.vocabulary.entry(piece.id).kind == "byte" and end - start == 1:
            assert raw[start:end] == tokenizer.vocabulary.raw_of(piece.id)


def test_inserted_dropped_and_changed_text_is_marked():
    tokenizer = sentencepiece_models.opened("unigram, nmt_nfkc, symbols")

    def cut(text):
        encoding = tokenizer.encode(text)
        spelled = [tokenizer.vocabulary.entry(token_id).spelled for token_id in encoding]
        return list(zip(spelled, encoding.starts.tolist(), encoding.ends.tolist(), strict=True))

    assert cut("中") == [("▁", 0, 0), ("<unk>", 0, 3)]
    assert cut("  é ") == [("▁", 2, 2), ("é", 2, 4)]
    assert cut("xﬁ")[-2:] == [("f", 1, 4), ("i", 1, 4)]
    entry = tokenizer.vocabulary.entry(tokenizer.encode("the")[0])
    assert (entry.kind, entry.rank) == ("piece", None)
    assert entry.score is not None
    assert entry.score < 0
    assert tokenizer.about == "SentencePiece Unigram · 37 tokens"


def test_a_model_file_of_ranks_is_read_as_ranks():
    ranks = b"".join(base64.b64encode(bytes([byte])) + b" %d\n" % byte for byte in range(256))
    model = opened.open_files({"tokenizer.model": ranks}, PATTERN)
    assert opened.tokenizer_of("llama", model).encode("ab") == [97, 98]


def changed(**values):
    message = vars(sentencepiece_model_pb2)["ModelProto"]()
    message.ParseFromString(model_bytes("bpe, bytes"))
    for path, value in values.items():
        *parents, name = path.split("__")
        target = message
        for parent in parents:
            target = getattr(target, parent) if not parent.isdecimal() else target[int(parent)]
        setattr(target, name, value)
    return message.SerializeToString()


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (model_bytes("bpe, bytes")[:900], "x.model is not a complete SentencePiece model"),
        (b"\n" + bytes(range(256)), "x.model is not a complete SentencePiece model"),
        (b"\n", "x.model is not a complete SentencePiece model"),
        (changed(pieces__9__piece=""), "piece 9 has 0 bytes; 1 to 16,384 are read"),
        (changed(pieces__9__piece="a" * 16_385), "piece 9 has 16,385 bytes; 1 to 16,384 are read"),
        (changed(pieces__299__piece="<s>"), "the piece <s> comes twice"),
        (changed(pieces__0__type=1), "x.model has 0 pieces for unknown characters; a model has one"),
        (
            changed(normalizer_spec__precompiled_charsmap=b"\4\0\0\0\0\0\0\0" + b"a" * 300 + b"\0"),
            "its normalizer makes 300 bytes of a character; the limit is 256",
        ),
        (changed(normalizer_spec__precompiled_charsmap=b"\xff\xff\xff\xff"), "has a damaged table"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_refused_with_the_fault(raw, words):
    with pytest.raises(VocabularyFileError, match=words):
        check_sentencepiece(LibraryFile.of("sentencepiece.model", raw), "x.model")


def test_a_truncated_model_is_refused():
    """A truncated protobuf message is a valid message of a model with few pieces."""
    whole = vars(sentencepiece_model_pb2)["ModelProto"].FromString(model_bytes("unigram, nmt_nfkc, symbols"))
    cut = type(whole)(pieces=whole.pieces[:20])
    assert model_bytes("unigram, nmt_nfkc, symbols").startswith(cut.SerializeToString())
    with pytest.raises(
        VocabularyFileError, match="is not a complete SentencePiece model: its normalizer_spec is m"
    ):
        check_sentencepiece(LibraryFile.of("sentencepiece.model", cut.SerializeToString()), "x.model")


@given(mutated_models())
@settings(max_examples=20, deadline=None)
def test_mutated_models_are_refused_or_used(files):
    open_and_use(files)


def test_two_files_and_too_large_ones_are_refused(monkeypatch):
    raw = model_bytes("bpe, bytes")
    with pytest.raises(InvalidInputError, match=r"choose a.model alone: it is a whole tokenizer"):
        opened.read_and_try({"a.model": raw, "b.tiktoken": b"YQ== 0\n"}, PATTERN)
    monkeypatch.setattr(opened, "MAX_FILE_BYTES", 100)
    with pytest.raises(VocabularyFileError, match=r"a.model has .* bytes; the limit is 100"):
        opened.read_and_try({"a.model": raw}, PATTERN)


def changed_model(title, change):
    found = vars(sentencepiece_model_pb2)["ModelProto"].FromString(model_bytes(title))
    change(found)
    return SentencePieceFile("x", LibraryFile.of("sentencepiece.model", found.SerializeToString()))


CUT_AT_SPACES = ["bpe, nmt_nfkc", "bpe, bytes", "bpe, nothing normalized", "bpe, lower case, symbols"]


@pytest.mark.parametrize("title", CUT_AT_SPACES)
@given(text=HARD_AT_SPACES | texts())
@settings(max_examples=20, deadline=None)
@example(text="a \u0301b \xa8 c\u2017 d \ufdfa e \u0e33 \u0600 x \u3164 y  z")
@example(text="  the cat  sat\u3000 on \u2581 the\n mat  Q Q Ω the-cat <user> ")
def test_the_rest_of_a_text_is_encoded_as_in_the_whole(title, text):
    """Ids, positions and marks, at each safe cut and at all of them."""
    tokenizer = sentencepiece_models.opened(title)
    assert tokenizer.rest is not None
    same_in_pieces(tokenizer, replace_lone_surrogates(text))


@pytest.mark.parametrize(
    "change",
    [
        lambda model: setattr(model.pieces[-1], "piece", "t\u2581h"),
        lambda model: setattr(next(p for p in model.pieces if p.piece == "\u2581"), "piece", "猫"),
        lambda model: setattr(model.trainer_spec, "treat_whitespace_as_suffix", True),
        lambda model: setattr(model.normalizer_spec, "escape_whitespaces", False),
    ],
)
def test_a_model_whose_pieces_or_rules_reach_over_spaces_is_not_cut(change):
    assert sentencepiece_models.opened("bpe, nmt_nfkc").rest is not None
    assert changed_model("bpe, nmt_nfkc", change).rest is None


@pytest.mark.parametrize("name", SENTENCEPIECE)
def test_symbols_and_special_tokens_equal_the_models(name):
    tokenizer = load_sentencepiece(name)
    model = vars(sentencepiece_model_pb2)["ModelProto"]()
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
    # Words are merged alone, except around the pieces that cross a space.
    crossing = [piece.piece for piece in model.pieces if "\u2581" in piece.piece.lstrip("\u2581")]
    assert crossing == ([">\u2581</"] if name == "gemma_4" else [])
    assert model.normalizer_spec.name == "identity"
    assert not model.normalizer_spec.remove_extra_whitespaces
    assert model.trainer_spec.byte_fallback
