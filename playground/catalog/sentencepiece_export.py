"""Write a Unigram, or a BPE over characters, as a SentencePiece `.model`.

SentencePiece does not cut a text before it looks for pieces. So ids are equal as long as no piece matches
across a cut of the split pattern; with the pattern "none" there is no cut.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from playground.catalog.sentencepiece_library import SPACE
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.errors import CannotHoldError

#: The step that writes a space as U+2581; what was learned here has no step besides it and the split pattern.
_SPACES = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "never", "split": False}
_NO_PARTS = ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "ignore_merges")
#: Notes for a model whose pieces might match across a cut, and for a Unigram.
NO_PATTERN = (
    "It has no split pattern: where a piece crosses a pretoken boundary, sentencepiece gives other ids."
)
_SUMS = "sentencepiece adds scores in single precision, so in long texts it may prefer a nearly equal split."


def sentencepiece_model(tokenizer: TokenizerJsonFile) -> tuple[bytes, str]:
    """Return a `.model` file, and a note on what it can't store or "".

    Raises CannotHoldError for another kind of tokenizer, and for one that changes texts in another way.
    """
    from sentencepiece import sentencepiece_model_pb2

    document = json.loads(tokenizer.model.raw.decode("utf-8-sig"))
    model = document["model"]
    is_bpe = model["type"] == "BPE"
    if not is_bpe and model["type"] != "Unigram":
        raise CannotHoldError("it has neither pieces with scores nor merges, which this file consists of")
    steps = document["pre_tokenizer"] or {"pretokenizers": []}
    steps = steps.get("pretokenizers", [steps])
    others = [step for step in steps if step != _SPACES]
    is_cut_only = len(others) <= 1 and all(step["type"] == "Split" for step in others)
    if document["normalizer"] is not None or not is_cut_only or (is_bpe and any(map(model.get, _NO_PARTS))):
        raise CannotHoldError("it changes texts in a way that this app does not write as a .model")
    if not model["byte_fallback"]:
        raise CannotHoldError(
            "sentencepiece joins adjacent unknown characters to one token; train it with bytes for unknown "
            "characters"
        )
    written: Any = vars(sentencepiece_model_pb2)["ModelProto"]()
    kinds = type(written).SentencePiece
    unknown = model["unk_token"] if is_bpe else model["vocab"][model["unk_id"]][0]
    for piece, score in _merged_pieces(model) if is_bpe else model["vocab"]:
        is_byte = len(piece) == 6 and piece.startswith("<0x")
        kind = kinds.UNKNOWN if piece == unknown else kinds.BYTE if is_byte else kinds.NORMAL
        written.pieces.add(piece=piece, score=score, type=kind)
    for token in document["added_tokens"]:
        if token["id"] >= len(written.pieces):
            written.pieces.add(piece=token["content"], score=0.0, type=kinds.USER_DEFINED)
    if unknown is None:  # the library requires one, which bytes make needless
        written.pieces.add(piece="<unk>", score=0.0, type=kinds.UNKNOWN)
    trainer, normalizer = written.trainer_spec, written.normalizer_spec
    trainer.model_type = type(trainer).BPE if is_bpe else type(trainer).UNIGRAM
    trainer.vocab_size, trainer.byte_fallback = len(written.pieces), True
    trainer.unk_id = next(n for n, piece in enumerate(written.pieces) if piece.type == kinds.UNKNOWN)
    trainer.bos_id = trainer.eos_id = trainer.pad_id = -1
    normalizer.name, normalizer.precompiled_charsmap = "identity", b""
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = _SPACES in steps
    notes = [NO_PATTERN] * bool(others) + [_SUMS] * (not is_bpe)
    return written.SerializeToString(), " ".join(notes)


def _merged_pieces(model: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Yield the pieces of a BPE by id, each with its score: the earlier merged, the higher."""
    scores: dict[str, float] = {}
    for rank, (left, right) in enumerate(model["merges"]):
        scores.setdefault(left + right, -float(rank))
    for piece, _id in sorted(model["vocab"].items(), key=lambda item: item[1]):
        yield piece, scores.get(piece, -float(len(model["merges"])))
