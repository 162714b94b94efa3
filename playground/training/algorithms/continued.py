"""Continue: learn more tokens from a text with the tokens of an existing BPE tokenizer as the alphabet.

The base's merges keep their ranks and come first, so each pretoken is encoded by the base, and new merges
join the tokens that remain. A merge learned this way is reached by the encoder: neighbours in an encoding are
also what their joined bytes encode to. A new token whose bytes the base already has would never be chosen
where ranks are looked up by bytes; such pairs are left alone and counted in `n_avoided`.
"""

import heapq
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from itertools import pairwise

from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.base import BaseTokenizer, iter_encoded, model_of_base
from playground.training.pretoken_counts import PretokenCounts

MAX_NEW_TOKENS = 200_000


@dataclass(frozen=True, slots=True)
class AddedMerge:
    """A new token, its parts, and the number of times the pair occurred when it was merged."""

    left: int
    right: int
    id: int
    raw: bytes
    count: int


@dataclass(frozen=True, slots=True)
class Continued:
    """A continued tokenizer; `unreachable` are new ids that the encoder does not give for their own bytes."""

    tokenizer: TrainedTokenizer
    added: tuple[AddedMerge, ...]
    n_avoided: int
    unreachable: tuple[int, ...]


def continue_bpe(
    base: BaseTokenizer, pretokens: PretokenCounts, *, n_tokens: int, min_count: int = 2, name: str = ""
) -> Continued:
    """Add up to `n_tokens` tokens to a base; stop when no pair occurs `min_count` times.

    `pretokens` are counted with the base's split pattern. Of equally frequent pairs the one with the lowest
    ids is merged first. New ids follow the highest id of the base, special tokens included.

    >>> from playground.bpe.split_pattern import SplitPattern
    >>> from playground.catalog.registry import get_tokenizer
    >>> from playground.training.pretoken_counts import count_pretokens
    >>> texts = count_pretokens(["tokenizer, tokenizer"], SplitPattern.named("gpt2"))
    >>> found = continue_bpe(get_tokenizer("gpt2"), texts, n_tokens=1, min_count=1)
    >>> [(merge.id, merge.raw, merge.count) for merge in found.added]
    [(50257, b' tokenizer', 1)]

    Raises InvalidInputError for a number of tokens or a count that makes no sense.
    """
    if not 1 <= n_tokens <= MAX_NEW_TOKENS:
        raise InvalidInputError(f"{n_tokens:,} new tokens cannot be learned; choose 1 to {MAX_NEW_TOKENS:,}")
    if min_count < 1:
        raise InvalidInputError(f"a minimum count of {min_count:,} makes no sense; choose 1 or more")
    model = model_of_base(base)
    raw_of = model.token_bytes()
    known = set(raw_of.values())
    next_id = max([*raw_of, *model.special_tokens.values()]) + 1
    words = _Words(base, pretokens)
    added: list[AddedMerge] = []
    n_avoided = 0
    while len(added) < n_tokens and (best := words.most_frequent(min_count)):
        (left, right), count = best
        raw = raw_of[left] + raw_of[right]
        if raw in known:
            n_avoided += 1
            words.leave_alone((left, right))
            continue
        new_id = next_id + len(added)
        added.append(AddedMerge(left, right, new_id, raw, count))
        raw_of[new_id] = raw
        known.add(raw)
        words.merge((left, right), new_id)
    merges = (*model.merges, *((merge.left, merge.right, merge.id) for merge in added))
    tokenizer = TrainedTokenizer(name or f"{base.name}-continued", replace(model, merges=merges))
    rule = tokenizer.merges
    unreachable = tuple(merge.id for merge in added if rule.build(merge.raw).ids != (merge.id,))
    return Continued(tokenizer, tuple(added), n_avoided, unreachable)


class _Words:
    """The distinct pretokens as lists of ids, with counts of their pairs that each merge updates."""

    def __init__(self, base: BaseTokenizer, pretokens: PretokenCounts) -> None:
        self._words = list(iter_encoded(base, pretokens))
        self._counts: Counter[tuple[int, int]] = Counter()
        self._places: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
        self._alone: set[tuple[int, int]] = set()
        for place in range(len(self._words)):
            self._add(place, 1)
        self._heap = [(-count, pair) for pair, count in self._counts.items()]
        heapq.heapify(self._heap)

    def most_frequent(self, min_count: int) -> tuple[tuple[int, int], int] | None:
        """Return the most frequent pair and its count; None if no pair is frequent enough."""
        while self._heap:
            count, pair = self._heap[0]
            if pair in self._alone or self._counts[pair] != -count:  # an entry before a later change
                heapq.heappop(self._heap)
                continue
            return (pair, -count) if -count >= min_count else None
        return None

    def leave_alone(self, pair: tuple[int, int]) -> None:
        """Never return a pair again."""
        self._alone.add(pair)

    def merge(self, pair: tuple[int, int], new_id: int) -> None:
        """Replace a pair by a new id in all pretokens, from left to right."""
        changed: set[tuple[int, int]] = set()
        for place in list(self._places[pair]):
            changed |= self._add(place, -1)
            ids, count = self._words[place]
            self._words[place] = (_merged(ids, pair, new_id), count)
            changed |= self._add(place, 1)
        for each in changed:
            if self._counts[each] > 0:
                heapq.heappush(self._heap, (-self._counts[each], each))

    def _add(self, place: int, sign: int) -> set[tuple[int, int]]:
        ids, count = self._words[place]
        pairs = list(pairwise(ids))
        for pair in pairs:
            self._counts[pair] += sign * count
            (self._places[pair].add if sign > 0 else self._places[pair].discard)(place)
        return set(pairs)


def _merged(ids: list[int], pair: tuple[int, int], new_id: int) -> list[int]:
    """Return ids with each occurrence of a pair replaced.

    >>> _merged([1, 1, 1, 2], (1, 1), 9)
    [9, 1, 2]
    """
    result, i = [], 0
    while i < len(ids):
        if i + 1 < len(ids) and (ids[i], ids[i + 1]) == pair:
            result.append(new_id)
            i += 2
        else:
            result.append(ids[i])
            i += 1
    return result
