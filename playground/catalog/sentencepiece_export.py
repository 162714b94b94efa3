"""Write a learned Unigram as a SentencePiece `.model`.

SentencePiece does not cut a text before it looks for the best pieces. So ids are equal as long as no piece
matches across a cut of the split pattern; with the pattern "none" there is no cut.
"""

import json
from typing import Any

from playground.catalog.sentencepiece_library import SPACE
from playground.catalog.tokenizer_json_file import TokenizerJsonFile
from playground.core.errors import CannotHoldError

#: What a Unigram that was learned here does before it looks for pieces, besides cutting by a split pattern.
_METASPACE = {"type": "Metaspace", "replacement": SPACE, "prepend_scheme": "never", "split": False}
#: The note for a model whose pieces might match across a cut.
CUTS_NOTE = (
    "It has no split pattern: where a piece matches across a cut of yours, sentencepiece gives other ids."
)


def sentencepiece_model(tokenizer: TokenizerJsonFile) -> tuple[bytes, str]:
    """Return a `.model` file, and a note on what it can't store or "".

    Raises CannotHoldError for a tokenizer that is no Unigram, or changes texts in another way.
    """
    from sentencepiece import sentencepiece_model_pb2

    document = json.loads(tokenizer.model.raw.decode("utf-8-sig"))
    model = document["model"]
    if model["type"] != "Unigram":
        raise CannotHoldError("it is no Unigram, whose pieces and scores this file consists of")
    steps = document["pre_tokenizer"] or {}
    steps = steps.get("pretokenizers", [steps])
    if document["normalizer"] is not None or steps[-1] != _METASPACE or model.get("unk_id") is None:
        raise CannotHoldError("it changes texts in a way that this app does not write as a .model")
    written: Any = vars(sentencepiece_model_pb2)["ModelProto"]()
    kinds = type(written).SentencePiece
    for token_id, (piece, score) in enumerate(model["vocab"]):
        is_byte = model["byte_fallback"] and len(piece) == 6 and piece.startswith("<0x")
        kind = kinds.UNKNOWN if token_id == model["unk_id"] else kinds.BYTE if is_byte else kinds.NORMAL
        written.pieces.add(piece=piece, score=score, type=kind)
    for token in document["added_tokens"]:
        if token["id"] >= len(written.pieces):
            written.pieces.add(piece=token["content"], score=0.0, type=kinds.USER_DEFINED)
    trainer, normalizer = written.trainer_spec, written.normalizer_spec
    trainer.model_type, trainer.vocab_size = type(trainer).UNIGRAM, len(written.pieces)
    trainer.byte_fallback, trainer.unk_id = model["byte_fallback"], model["unk_id"]
    trainer.bos_id = trainer.eos_id = trainer.pad_id = -1
    normalizer.name, normalizer.precompiled_charsmap = "identity", b""
    normalizer.add_dummy_prefix = normalizer.remove_extra_whitespaces = False
    normalizer.escape_whitespaces = True
    return written.SerializeToString(), CUTS_NOTE if len(steps) > 1 else ""
