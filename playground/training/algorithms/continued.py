"""Continue: learn more tokens from a text with the tokens of an existing BPE tokenizer as the alphabet.

The base's merges keep their ranks and come first, so each pretoken is encoded by the base, and new merges
join the tokens that remain. A merge learned this way is reached by the encoder: neighbours in an encoding are
also what their joined bytes encode to. A new token whose bytes the base already has would never be chosen
where ranks are looked up by bytes; such pairs are left alone and counted in `n_avoided`.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.core.wording import counted
from playground.training.algorithms.base import (
    BaseTokenizer,
    base_for,
    bytes_by_id,
    check_special_tokens,
    iter_encoded,
    model_of_base,
)
from playground.training.algorithms.cutters import TokenizerCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    TrainingTexts,
)
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
    steps = _Steps(base, pretokens, None, min_count)
    while len(steps.added) < n_tokens and steps.step():
        pass
    tokenizer = steps.tokenizer(name or f"{base.name}-continued")
    return Continued(tokenizer, tuple(steps.added), steps.n_avoided, steps.unreachable())


class _Steps:
    """The merges that follow those of a base, made one by one."""

    def __init__(
        self, base: BaseTokenizer, pretokens: PretokenCounts, held_out: PretokenCounts | None, min_count: int
    ) -> None:
        self.model = model_of_base(base)
        self.raw_of = self.model.token_bytes()
        self.n_base = len(self.raw_of)
        self.added: list[AddedMerge] = []
        self.n_avoided = 0
        self._known = {*self.raw_of.values(), *map(str.encode, self.model.special_tokens)}
        self._next_id = max([*self.raw_of, *self.model.special_tokens.values()]) + 1
        self._min_count = min_count
        self.words = _Words(base, pretokens)
        self.held_out = _Words(base, held_out) if held_out else None

    def step(self) -> bool:
        """Make the next merge; return False if no pair is frequent enough."""
        while best := self.words.most_frequent(self._min_count):
            (left, right), count = best
            raw = self.raw_of[left] + self.raw_of[right]
            if raw in self._known:
                self.n_avoided += 1
                self.words.leave_alone((left, right))
                continue
            new_id = self._next_id + len(self.added)
            self.raw_of[new_id] = raw
            self._known.add(raw)
            self.words.merge((left, right), new_id)
            if self.held_out:
                self.held_out.merge((left, right), new_id)
            self.added.append(AddedMerge(left, right, new_id, raw, count))
            return True
        return False

    def candidates(self, n: int) -> list[Candidate]:
        """Return the next merges, the most frequent first."""
        found: list[Candidate] = []
        for (left, right), count in self.words.by_count():
            raw = self.raw_of[left] + self.raw_of[right]
            if count < self._min_count or len(found) == n:
                break
            if raw not in self._known:
                found.append(Candidate(raw, count, float(count), left, right))
        return found

    def tokenizer(self, name: str) -> TrainedTokenizer:
        """Return the base with the merges made so far."""
        merges = (*self.model.merges, *((merge.left, merge.right, merge.id) for merge in self.added))
        return TrainedTokenizer(name, replace(self.model, merges=merges))

    def unreachable(self) -> tuple[int, ...]:
        """Return the new ids that the encoder does not give for their own bytes."""
        rule = self.tokenizer("all merges").merges
        return tuple(merge.id for merge in self.added if rule.build(merge.raw).ids != (merge.id,))

    def reach(self) -> str:
        """Say which pairs were left alone, and which new tokens can never be reached; "" if none."""
        found = []
        if self.n_avoided:
            found.append(
                f"{counted(self.n_avoided, 'pair')} left alone, because a token of the same bytes exists and "
                "the new one could never be reached"
            )
        if unreachable := self.unreachable():
            found.append(f"never reached by the encoder: {', '.join(map(str, unreachable))}")
        return "; ".join(found)


class ContinueLearner(LearnerDefaults):
    """A training whose merges follow those of a base; each step adds a token."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        self._base = base_for(texts)
        self._pattern = texts.pattern
        self.n_steps_wanted = vocab_size - 256
        if not 1 <= self.n_steps_wanted <= MAX_NEW_TOKENS:
            raise InvalidInputError(
                f"{self.n_steps_wanted:,} new tokens cannot be learned; choose 1 to {MAX_NEW_TOKENS:,}"
            )
        self._steps = _Steps(self._base, texts.pretokens, texts.held_out, int(options.get("min_count", 2)))
        self._curve = [self._state()]
        self.stop_reason = ""

    @property
    def n_steps(self) -> int:
        """The number of tokens added so far."""
        return len(self._steps.added)

    def advance(self, n_steps: int | None = None) -> int:
        """Add up to `n_steps` tokens, or all; return their number."""
        n_left = self.n_steps_wanted - self.n_steps
        n_wanted = n_left if n_steps is None else min(n_steps, n_left)
        n_done = 0
        while n_done < n_wanted and self._steps.step():
            n_done += 1
            self._curve.append(self._state())
        if n_done < n_wanted or self.n_steps == self.n_steps_wanted:
            is_short = self.n_steps < self.n_steps_wanted
            reason = "no further pair occurs often enough" if is_short else "all tokens asked for were added"
            self.stop_reason = "; ".join(filter(None, [reason, self._steps.reach()]))
        return n_done

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return np.array(self._curve, np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` added."""
        return [
            Change(first + n, "added", m.id, m.raw, (m.left, m.right), m.count, float(m.count))
            for n, m in enumerate(self._steps.added[first:last])
        ]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs of tokens whose bytes are no token yet."""
        return self._steps.candidates(n_candidates)

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id, special tokens as b""."""
        return bytes_by_id(self._steps.raw_of)

    def cutter(self) -> TokenizerCutter:
        """Return how a short text is cut: merges begin with the base's tokens."""
        return TokenizerCutter(TrainedTokenizer(self._base.name, self._steps.model))

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the base with the added tokens. Raises InvalidInputError for further special tokens."""
        check_special_tokens(self._base, special_tokens)
        return self._steps.tokenizer(name)

    def _state(self) -> tuple[int, int, int]:
        held_out = self._steps.held_out
        return (
            self._steps.n_base + self.n_steps,
            self._steps.words.n_tokens,
            held_out.n_tokens if held_out else 0,
        )


CONTINUE = Algorithm(
    "continue", "Continue", "Add tokens learned from the text to a tokenizer, one for each merge asked for.",
    "The tokenizer’s merges come first; asked for in tokenizers #839 and sentencepiece #830",
    (
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    ContinueLearner,
    needs_base=True,
    adds_special_tokens=False,
    code=(continue_bpe,),
)  # fmt: skip


class _Words:
    """The distinct pretokens as lists of ids, with counts of their pairs that each merge updates."""

    def __init__(self, base: BaseTokenizer, pretokens: PretokenCounts) -> None:
        self._words = list(iter_encoded(base, pretokens))
        self.n_tokens = sum(len(ids) * count for ids, count in self._words)
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

    def by_count(self) -> list[tuple[tuple[int, int], int]]:
        """Return the pairs and their counts, in the order in which they would be merged now."""
        found = [(pair, n) for pair, n in self._counts.items() if n > 0 and pair not in self._alone]
        return sorted(found, key=lambda each: (-each[1], each[0]))

    def leave_alone(self, pair: tuple[int, int]) -> None:
        """Never return a pair again."""
        self._alone.add(pair)

    def merge(self, pair: tuple[int, int], new_id: int) -> None:
        """Replace a pair by a new id in all pretokens, from left to right."""
        changed: set[tuple[int, int]] = set()
        for place in list(self._places[pair]):
            changed |= self._add(place, -1)
            ids, count = self._words[place]
            merged = _merged(ids, pair, new_id)
            self.n_tokens -= (len(ids) - len(merged)) * count
            self._words[place] = (merged, count)
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
