"""The tokens that a training learned, in four lists: longest, crossing, unused and swallowed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import regex

from playground.core.tokenizer import Tokenizer
from playground.training.merges import Merge

#: A letter or number next to a punctuation mark, which split patterns separate ("dog." and "dog!").
_CROSSES = r"[\p{L}\p{N}]\s*[^\s\p{L}\p{N}\p{M}]|[^\s\p{L}\p{N}\p{M}]\s*[\p{L}\p{N}]|\S\s+\S"


@dataclass(frozen=True, slots=True)
class LearnedToken:
    """A learned token, the count of its pair in training, and its count in the encoded held-out text."""

    id: int
    raw: bytes
    pair_count: int
    n_held_out: int


@dataclass(frozen=True, slots=True)
class Learned:
    """Four lists of learned tokens, described in `learned_tokens`."""

    longest: tuple[LearnedToken, ...]
    crossing: tuple[LearnedToken, ...]
    unused: tuple[LearnedToken, ...]
    swallowed: tuple[LearnedToken, ...]


def learned_tokens(tokenizer: Tokenizer, merges: Sequence[Merge], held_out: Sequence[str]) -> Learned:
    """Return the learned tokens in four lists.

    `longest` has all of them by falling length, and `crossing` those that mix categories of characters.
    `unused` tokens occur nowhere in the encoded held-out text, neither alone nor as part of a longer token;
    `swallowed` ones occur there only as part of a longer token. Without merges all tokens of two or more
    characters of the vocabulary count as learned.
    """
    used: Counter[int] = Counter()
    for text in held_out:
        used.update(tokenizer.encode(text))
    inside: set[int] = set()  # ids of the parts of used tokens
    waiting = list(used)
    parts = {merge.new_id: (merge.left, merge.right) for merge in merges}
    while waiting:
        for part in parts.get(waiting.pop(), ()):
            if part not in inside:
                inside.add(part)
                waiting.append(part)
    tokens = [LearnedToken(m.new_id, m.raw, m.pair_count, used[m.new_id]) for m in merges]
    if not merges:
        ids, specials = tokenizer.vocabulary.ids, {*tokenizer.special_tokens.values()}
        tokens = [
            LearnedToken(token_id, raw, 0, used[token_id])
            for token_id, raw in zip(ids.tolist(), tokenizer.vocabulary.raws_of(ids), strict=True)
            if token_id not in specials and len(raw.decode(errors="replace")) > 1
        ]
    return Learned(
        longest=tuple(sorted(tokens, key=lambda token: (-len(token.raw), token.id))),
        crossing=tuple(token for token in tokens if _crosses(token.raw)),
        unused=tuple(t for t in tokens if not t.n_held_out and t.id not in inside) if held_out else (),
        swallowed=tuple(token for token in tokens if not token.n_held_out and token.id in inside),
    )


def _crosses(raw: bytes) -> bool:
    try:
        return regex.search(_CROSSES, raw.decode()) is not None
    except UnicodeDecodeError:
        return False
