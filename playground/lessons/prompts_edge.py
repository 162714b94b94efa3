"""A prompt that ends within a token, and token healing, which takes the last tokens back.

Counts of the novel stand in for a model. The bias is analysed in arXiv 2406.16829, and exact sampling by
characters in arXiv 2412.03719.
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from playground.analysis.vocabulary_index import vocabulary_index
from playground.catalog.registry import get_tokenizer
from playground.training.corpora import novel

TOKENIZER = "gpt2"
MAX_PIECES, N_SHOWN = 14, 6


@cache
def novel_ids() -> NDArray[np.uint32]:
    """Return GPT-2's ids of the novel.

    >>> len(novel_ids())
    154868
    """
    return get_tokenizer(TOKENIZER).encode(novel().texts[0]).ids


def next_counts(after: int | None) -> dict[int, int]:
    """Count the tokens that follow a token in the novel; all tokens for None."""
    ids = novel_ids()
    following = ids if after is None else ids[1:][ids[:-1] == after]
    found, counts = np.unique(following, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def starting_with(start: bytes) -> list[int]:
    """Return the ids of all tokens whose bytes begin with `start`.

    >>> len(starting_with(b" "))
    33135
    """
    index = vocabulary_index(get_tokenizer(TOKENIZER))
    return [
        int(token_id) for token_id, raw in zip(index.ids, index.raws, strict=True) if raw.startswith(start)
    ]


def heal(ids: Sequence[int]) -> tuple[int, bytes, list[int]]:
    """Take back as many last tokens as one token can begin with.

    Return the number of tokens left, the bytes taken back, and the tokens that begin with them.

    >>> n_left, removed, allowed = heal(get_tokenizer("gpt2").encode("She was very ").ids.tolist())
    >>> n_left, removed, len(allowed)
    (3, b' ', 33135)
    >>> heal(get_tokenizer("gpt2").encode("I am very hap").ids.tolist())[:2]
    (3, b' hap')
    """
    n_left, removed, allowed = len(ids), b"", list[int]()
    while n_left:
        longer = get_tokenizer(TOKENIZER).vocabulary.raw_of(ids[n_left - 1]) + removed
        found = starting_with(longer)
        if not found:
            break
        n_left, removed, allowed = n_left - 1, longer, found
    return n_left, removed, allowed


def edge_of(text: str) -> dict[str, Any] | None:
    """Return the prompt's last tokens, what follows the last one in the novel, and after healing; or None."""
    ids = get_tokenizer(TOKENIZER).encode(text).ids.tolist()
    if not ids:
        return None
    n_left, removed, allowed = heal(ids)
    before = ids[n_left - 1] if n_left else None
    plain, may = next_counts(ids[-1]), set(allowed)
    healed = {token_id: n for token_id, n in next_counts(before).items() if token_id in may}
    return {
        "n_tokens": len(ids),
        "tokens": [_token(token_id) for token_id in ids[-MAX_PIECES:]],
        "next": _most(plain),
        "n_next": sum(plain.values()),
        "healed": _most(healed),
        "n_healed": sum(healed.values()),
        "removed": removed.decode(errors="replace"),
        "n_removed": len(ids) - n_left,
    }


def _token(token_id: int) -> dict[str, Any]:
    raw = get_tokenizer(TOKENIZER).vocabulary.raw_of(token_id)
    return {"text": raw.decode(errors="replace"), "id": token_id}


def _most(counts: dict[int, int]) -> list[dict[str, Any]]:
    most = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:N_SHOWN]
    return [{**_token(token_id), "n": n} for token_id, n in most]
