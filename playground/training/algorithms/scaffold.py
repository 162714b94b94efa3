"""Scaffold-BPE and PickyBPE: BPE that removes tokens which only served as parts of longer ones.

Scaffold-BPE (arXiv 2404.17808): after a merge, a part that now occurs less often than the next candidate is a
scaffold. It leaves the vocabulary and becomes a candidate itself; merges still use it, and the encoder breaks
it into its parts at the end. PickyBPE (arXiv 2409.04599): a part is removed if the merge took at least a
share τ of its occurrences; what is left of it is broken into its parts at once. Bytes always stay.
"""

import heapq
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import get_stats, merge
from playground.bpe.model import BpeModel
from playground.bpe.removing import replace_all
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError
from playground.training.algorithms.cutters import ByteCutter
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    LearnerDefaults,
    Option,
    OptionValue,
    Removals,
    TrainingTexts,
)

_Pair = tuple[int, int]
_FULL = "The vocabulary has its size."


class RemovingLearner(LearnerDefaults):
    """A `Learner` of BPE with removals; each step is a merge and the removals after it.

    `threshold` is PickyBPE's τ, or None for Scaffold-BPE. Of equally frequent pairs the one with the lowest
    ids is merged first. Tokens with equal bytes are one token, whose parts are those of its first merge.
    """

    score_name = "count"

    def __init__(
        self, texts: TrainingTexts, vocab_size: int, *, min_count: object, threshold: float | None
    ) -> None:
        if not isinstance(min_count, int) or min_count < 1:
            raise InvalidInputError(f"the lowest count {min_count!r} makes no sense; choose 1 or more")
        if vocab_size < 256:
            raise InvalidInputError(
                f"the 256 bytes do not fit into {vocab_size:,} tokens; choose 256 or more"
            )
        self._pattern, self._threshold, self._min_count = texts.pattern, threshold, min_count
        self._n_wanted = vocab_size
        counts = dict(texts.pretokens.items())
        held_out = dict(texts.held_out.items()) if texts.held_out else {}
        raws = [*counts, *(raw for raw in held_out if raw not in counts)]
        self._words = [list(raw) for raw in raws]
        self._n_of = [(counts.get(raw, 0), held_out.get(raw, 0)) for raw in raws]
        self._raws = [bytes([byte]) for byte in range(256)]
        self._id_of = {raw: n for n, raw in enumerate(self._raws)}
        self._parts: dict[int, _Pair] = {}
        self._pair_counts: Counter[_Pair] = Counter()
        self._places: defaultdict[_Pair, set[int]] = defaultdict(set)
        self._token_places: defaultdict[int, set[int]] = defaultdict(set)
        self._counts, self._held_out = Counter[int](), Counter[int]()
        self._heap: list[tuple[int, _Pair]] = []
        for place in range(len(self._words)):
            self._tally(place, 1)
        self._push(self._pair_counts)
        self._gone: set[int] = set()
        self._merges: list[tuple[int, int, int]] = []
        self._removals: list[tuple[int, int]] = []  # PickyBPE's: the number of merges before it, and the id
        self._n_broken = 0  # tokens that PickyBPE has broken into two
        self._changes: list[Change] = []
        self._ends = [0]  # the number of changes and of events at the end of each step
        self._events: list[list[tuple[tuple[int, ...], tuple[int, ...]]]] = []
        self._rows = [self._row()]
        self._stopped = _FULL if vocab_size == 256 else ""

    @property
    def n_steps(self) -> int:
        """The number of steps so far."""
        return len(self._events)

    @property
    def n_steps_wanted(self) -> int:
        """The number of steps that fill the vocabulary if no further token is removed."""
        return self.n_steps + (0 if self._stopped else self._n_wanted - self._n_vocab)

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        return self._stopped

    @property
    def _n_vocab(self) -> int:
        return len(self._raws) - len(self._gone)

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` steps, or all; return their number."""
        n_before = self.n_steps
        while not self._stopped and (n_steps is None or self.n_steps - n_before < n_steps):
            best = self._best()
            if best is None:
                self._stopped = f"No pair occurs {self._min_count:,} times any more."
                break
            self._events.append([])
            if isinstance(best, int):  # a scaffold that is frequent enough again
                self._gone.discard(best)
                self._note("added", best, self._counts[best], self._parts[best])
            else:
                self._merge(best)
            self._ends.append(len(self._changes))
            self._rows.append(self._row())
            if self._n_vocab >= self._n_wanted:
                self._stopped = _FULL
        return self.n_steps - n_before

    def _best(self) -> _Pair | int | None:
        """Return the next pair to merge, the scaffold to take back, or None."""
        while self._heap and self._pair_counts[self._heap[0][1]] != -self._heap[0][0]:
            heapq.heappop(self._heap)
        count = -self._heap[0][0] if self._heap else 0
        if self._threshold is None and self._gone:
            scaffold = min(self._gone, key=lambda token_id: (-self._counts[token_id], token_id))
            if self._counts[scaffold] >= max(count, self._min_count):
                return scaffold
        return self._heap[0][1] if count >= self._min_count else None

    def _merge(self, pair: _Pair) -> None:
        raw = self._raws[pair[0]] + self._raws[pair[1]]
        count = self._pair_counts[pair]
        new_id = self._id_of.setdefault(raw, len(self._raws))
        is_new = new_id == len(self._raws)
        if is_new:
            self._raws.append(raw)
            self._parts[new_id] = pair
        before = {part: self._counts[part] for part in pair}
        self._merges.append((*pair, new_id))
        self._replace(pair, (new_id,), self._places[pair])
        if is_new or new_id in self._gone:
            self._gone.discard(new_id)
            self._note("added", new_id, count, pair)
        for part in dict.fromkeys(pair):
            if part < 256 or part in self._gone:
                continue
            if self._threshold is None:
                head = self._best()
                next_count = self._count_of(head) if head is not None else 0
                if self._counts[part] < next_count:
                    self._gone.add(part)
                    self._note("removed", part, self._counts[part], self._parts[part])
            elif before[part] - self._counts[part] >= self._threshold * before[part]:
                left_over = self._counts[part]
                self._gone.add(part)
                self._note("removed", part, left_over, tuple(self._expand(part)))
                for each in sorted(self._broken(part), reverse=True):
                    self._removals.append((len(self._merges), each))
                    self._n_broken += self._counts[each]
                    self._replace((each,), self._parts[each], self._token_places[each])

    def _count_of(self, best: _Pair | int) -> int:
        return self._counts[best] if isinstance(best, int) else self._pair_counts[best]

    def _broken(self, token_id: int) -> set[int]:
        """Return a removed token and the removed tokens inside it."""
        if token_id not in self._gone:
            return set()
        return {token_id}.union(*(self._broken(part) for part in self._parts[token_id]))

    def _expand(self, token_id: int) -> list[int]:
        """Return the tokens of the vocabulary that stand for a token."""
        if token_id not in self._gone:
            return [token_id]
        return [each for part in self._parts[token_id] for each in self._expand(part)]

    def _note(self, kind: str, token_id: int, count: int, parts: tuple[int, ...]) -> None:
        step, raw = self.n_steps - 1, self._raws[token_id]
        if kind == "added":
            self._changes.append(Change(step, "added", token_id, raw, parts, count, float(count)))
        else:
            self._changes.append(Change(step, "removed", token_id, raw, parts, count, float(count)))

    def _replace(self, replaced: tuple[int, ...], by: tuple[int, ...], places: Iterable[int]) -> None:
        changed: set[_Pair] = set()
        for place in list(places):
            changed |= self._tally(place, -1)
            self._words[place] = replace_all(self._words[place], replaced, by)
            changed |= self._tally(place, 1)
        self._push(changed)
        self._events[-1].append((replaced, by))

    def _tally(self, place: int, sign: int) -> set[_Pair]:
        ids, (count, n_held_out) = self._words[place], self._n_of[place]
        pairs = list(pairwise(ids))
        for pair in pairs:
            self._pair_counts[pair] += sign * count
            (self._places[pair].add if sign > 0 else self._places[pair].discard)(place)
        for token_id in ids:
            self._counts[token_id] += sign * count
            self._held_out[token_id] += sign * n_held_out
            if token_id >= 256:
                places = self._token_places[token_id]
                (places.add if sign > 0 else places.discard)(place)
        return set(pairs)

    def _push(self, pairs: Iterable[_Pair]) -> None:
        for pair in pairs:
            if self._pair_counts[pair] > 0:
                heapq.heappush(self._heap, (-self._pair_counts[pair], pair))

    def _row(self) -> tuple[int, int, int]:
        """Return the size of the vocabulary and the tokens of both texts, scaffolds as their parts."""
        n_tokens, n_held_out = self._counts.total(), self._held_out.total()
        if self._threshold is None:
            for token_id in self._gone:
                more = len(self._expand(token_id)) - 1
                n_tokens += more * self._counts[token_id]
                n_held_out += more * self._held_out[token_id]
        return self._n_vocab, n_tokens, n_held_out

    def curve(self) -> npt.NDArray[np.int64]:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        return np.array(self._rows, np.int64)

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the steps `first:last` added or removed, with what replaces these."""
        ends = self._ends
        last = self.n_steps if last is None else min(last, self.n_steps)
        return self._changes[ends[min(first, self.n_steps)] : ends[last]]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs, and for Scaffold-BPE scaffolds, the next one first."""
        if self._stopped:
            return []
        found = [(-count, 1, pair) for pair, count in self._pair_counts.items() if count >= self._min_count]
        if self._threshold is None:
            found += [
                (-self._counts[n], 0, (n, -1)) for n in self._gone if self._counts[n] >= self._min_count
            ]
        return [
            Candidate(self._raws[a] + self._raws[b], -count, -float(count), a, b)
            if is_pair
            else Candidate(self._raws[a], -count, -float(count))
            for count, is_pair, (a, b) in heapq.nsmallest(n_candidates, found)
        ]

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id that ever existed."""
        return self._raws

    def cutter(self) -> ByteCutter:
        """Return how a short text is cut: merges begin with its bytes."""
        return ByteCutter(self._pattern)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the tokenizer learned so far; removed tokens have the ids after all others.

        Raises InvalidInputError for invalid special tokens.
        """
        removals = self._removals
        if self._threshold is None:  # longer tokens first: their parts may be scaffolds too
            removals = [(len(self._merges), n) for n in sorted(self._gone, reverse=True)]
        model = BpeModel(self._pattern, tuple(self._merges), removals=tuple(removals))
        return TrainedTokenizer(name, without_removed(model, self._gone, special_tokens))

    def removals(self) -> Removals:
        """Return the removed tokens, and the further tokens that are in their places."""
        n_more = self._n_broken
        if self._threshold is None:
            n_more = sum((len(self._expand(n)) - 1) * self._counts[n] for n in self._gone)
        return Removals(len(self._gone), n_more)


def without_removed(model: BpeModel, removed: Set[int], special_tokens: tuple[str, ...]) -> BpeModel:
    """Return a model whose tokens are numbered without gaps, then special tokens, then removed tokens.

    Raises InvalidInputError for invalid special tokens.
    """
    stay = sorted({*range(256), *(new for _left, _right, new in model.merges)} - removed)
    numbered = BpeModel(model.pattern, ((0, 0, len(stay) - 1),)).with_special_tokens(special_tokens)
    order = [*stay, *special_tokens, *sorted(removed)]
    new_ids = {old: new for new, old in enumerate(order)}
    return BpeModel(
        model.pattern,
        tuple([(new_ids[a], new_ids[b], new_ids[n]) for a, b, n in model.merges]),
        numbered.special_tokens,
        removals=tuple([(n, new_ids[token_id]) for n, token_id in model.removals]),
    )


def picky_slowly(words: Mapping[bytes, int], vocab_size: int, threshold: float) -> set[bytes]:
    """Return the tokens that PickyBPE learns from counted words, counting everything anew each time.

    >>> max(picky_slowly({b"low": 5, b"lot": 1}, 258, 0.8), key=len)
    b'low'
    """
    ids = {word: list(word) for word in words}
    raw_of = {byte: bytes([byte]) for byte in range(256)}
    parts: dict[int, tuple[int, int]] = {}
    live = set(raw_of)

    def tokens() -> Counter[int]:
        return Counter([n for word, count in words.items() for n in ids[word] * count])

    def expand(n: int) -> list[int]:
        return [n] if n in live else [each for part in parts[n] for each in expand(part)]

    while len(live) < vocab_size:
        pairs = Counter[tuple[int, int]]()
        for word, count in words.items():
            pairs.update({pair: n * count for pair, n in get_stats(ids[word]).items()})
        pair = min(pairs, key=lambda each: (-pairs[each], each), default=None)
        if pair is None:
            break
        raw = raw_of[pair[0]] + raw_of[pair[1]]
        new = next((n for n in raw_of if raw_of[n] == raw), len(raw_of))
        raw_of[new] = raw
        parts.setdefault(new, pair)
        live.add(new)
        before = tokens()
        ids = {word: merge(ids[word], pair, new) for word in words}
        for part in dict.fromkeys(pair):
            after = tokens()
            if part >= 256 and part in live and before[part] - after[part] >= threshold * before[part]:
                live.discard(part)
                ids = {word: [each for n in ids[word] for each in expand(n)] for word in words}
    return {raw_of[n] for n in live}


def scaffold_slowly(words: Mapping[bytes, int], vocab_size: int) -> set[bytes]:
    """Return the tokens that Scaffold-BPE learns from counted words, counting everything anew each time.

    >>> sorted(scaffold_slowly({b"low": 5, b"lot": 1, b"wow": 3}, 258), key=len)[-2:]
    [b'ow', b'low']
    """
    ids = {word: list(word) for word in words}
    raw_of = {byte: bytes([byte]) for byte in range(256)}
    live, scaffolds = set(raw_of), set[int]()

    def tokens() -> Counter[int]:
        return Counter([n for word, count in words.items() for n in ids[word] * count])

    def candidate() -> tuple[int, bool, tuple[int, ...]] | None:
        """Return the most frequent scaffold or pair: minus its count, whether it is a pair, and its ids."""
        pairs, counts = Counter[tuple[int, int]](), tokens()
        for word, count in words.items():
            pairs.update({pair: n * count for pair, n in get_stats(ids[word]).items()})
        found = [(-n, True, pair) for pair, n in pairs.items()]
        return min([*found, *((-counts[n], False, (n,)) for n in scaffolds if counts[n])], default=None)

    while len(live) < vocab_size and (best := candidate()) is not None:
        _count, is_pair, parts = best
        if not is_pair:  # a scaffold that is frequent enough again
            scaffolds.discard(parts[0])
            live.add(parts[0])
            continue
        left, right = parts
        raw = raw_of[left] + raw_of[right]
        new = next((n for n in raw_of if raw_of[n] == raw), len(raw_of))
        raw_of[new] = raw
        live.add(new)
        scaffolds.discard(new)
        ids = {word: merge(ids[word], (left, right), new) for word in words}
        for part in dict.fromkeys(parts):
            following = candidate()
            if part >= 256 and part in live and following is not None and tokens()[part] < -following[0]:
                live.discard(part)
                scaffolds.add(part)
    return {raw_of[n] for n in live}


def _start_scaffold(
    texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]
) -> RemovingLearner:
    return RemovingLearner(texts, vocab_size, min_count=options.get("min_count", 2), threshold=None)


def _start_picky(
    texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]
) -> RemovingLearner:
    threshold = options.get("threshold", 0.9)
    if not isinstance(threshold, int | float) or not 0.5 <= threshold <= 1:
        raise InvalidInputError(
            f"the threshold {threshold!r} is not a share from 0.5 to 1; choose such as 0.9"
        )
    return RemovingLearner(
        texts, vocab_size, min_count=options.get("min_count", 2), threshold=float(threshold)
    )


_MIN_COUNT = Option(
    "min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000
)

SCAFFOLD = Algorithm(
    "scaffold", "Scaffold-BPE",
    "BPE that leaves out tokens which occur less on their own than the next candidate.",
    "Lian et al. 2024, arXiv 2404.17808",
    (_MIN_COUNT,),
    _start_scaffold,
    code=(scaffold_slowly, get_stats, merge),
)  # fmt: skip

PICKY = Algorithm(
    "picky", "PickyBPE",
    "BPE that removes a token once a merge takes most of its occurrences.",
    "Chizhov et al. 2024, arXiv 2409.04599",
    (
        Option(
            "threshold", "Share that a merge takes",
            "A part is removed if the merge takes at least this share of its occurrences.", 0.9, None, 0.5, 1,
        ),
        _MIN_COUNT,
    ),
    _start_picky,
    code=(picky_slowly, get_stats, merge),
)  # fmt: skip
