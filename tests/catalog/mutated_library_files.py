"""Mutated files that a library runs, and a check that uses whatever opens."""

import json
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from playground.bpe.split_pattern import SplitPattern
from playground.catalog import opened
from playground.core.errors import InvalidInputError, LimitExceededError, VocabularyFileError
from tests.catalog.sentencepiece_models import model_bytes
from tests.catalog.tokenizer_documents import document

_VALUES: list[Any] = [None, True, -1, 2**31, 1e308, "", "a", "\ud800", [], {}, [["a", 1]], "Sequence"]


@st.composite
def mutated_models(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw a SentencePiece model with one to four places changed."""
    raw = model_bytes("unigram, nmt_nfkc, symbols")
    places = st.integers(1, 2000) | st.integers(1, len(raw) - 1)
    for _ in range(draw(st.integers(1, 4))):
        place, change = draw(places), draw(st.binary(min_size=1, max_size=2))
        raw = raw[:place] + change + raw[place + len(change) :]
    return {"x.model": raw}


@st.composite
def mutated_documents(draw: st.DrawFn) -> dict[str, bytes]:
    """Draw a tokenizer.json with one to three values changed."""
    found = json.loads(document(draw(st.sampled_from(["like T5", "like BERT", "like Llama 2", "like CLIP"]))))
    for _ in range(draw(st.integers(1, 3))):
        target = found
        while True:
            keys = list(target) if isinstance(target, dict) else list(range(len(target)))
            key = draw(st.sampled_from(keys)) if keys else None
            if key is None or not isinstance(target[key], (dict, list)) or draw(st.integers(0, 3)) == 0:
                break
            target = target[key]
        if key is not None:
            target[key] = deepcopy(draw(st.sampled_from(_VALUES)))
    return {"x.json": json.dumps(found).encode()}


def open_and_use(files: dict[str, bytes]) -> None:
    """Open files in a process, because a library may crash; check the refusal, or that the file encodes."""
    try:
        model = opened.open_files(files, SplitPattern.named("gpt2"))
    except (VocabularyFileError, InvalidInputError, LimitExceededError):
        return
    tokenizer = opened.tokenizer_of("x", model)
    for text in ("the \ufb01 cat\n", "a <s>mat"):
        encoding = tokenizer.encode(text)
        tokenizer.decode(encoding)
        assert encoding.starts.tolist() == sorted(encoding.starts.tolist())
