"""SuperBPE: BPE inside pretokens, then, after a transition, merges across them, up to whole lines.

After the transition a text is cut as the authors' trainer cuts it: into lines, and digits in groups; here
also after a colon. The merges so far are applied to these longer pieces as the finished tokenizer applies
them, so the number of tokens may change a little at the transition. The authors' limit of four words per
token is not applied.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from playground.bpe.lecture import get_stats, merge
from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.trained import TrainedTokenizer
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.training.algorithms.bpe import BpeLearner
from playground.training.algorithms.learner import (
    Algorithm,
    Candidate,
    Change,
    Option,
    OptionValue,
    TrainingTexts,
)
from playground.training.film import MergeFilm
from playground.training.pretoken_counts import count_pretokens
from playground.training.trainer import MAX_VOCAB_SIZE, StopReason
from playground.training.warm_up import PIECES, compile_once

Longs = npt.NDArray[np.int64]

#: What remains one piece after the transition.
LINES = SplitPattern.of(r"[^\r\n\p{N}:]+:?[\r\n]*|:[\r\n]*|[\r\n]+|\p{N}{1,3}")
MAX_CHARACTERS = 20_000_000
_NO_PAIR = "no pair of tokens occurs as often as the minimum count"
_MASK = (1 << 64) - 1


class SuperBpeLearner:
    """`BpeLearner` until the transition, then merges over lines; of equal counts, lowest ids first."""

    score_name = "count"

    def __init__(self, texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> None:
        transition, min_count = options.get("transition", 50), options.get("min_count", 2)
        if not isinstance(transition, int) or not 1 <= transition <= 99:
            raise InvalidInputError(
                f"a transition after {transition} % of the merges leaves none to one of the two stages; "
                "choose 1 to 99"
            )
        if not isinstance(min_count, int):
            raise InvalidInputError(f"the minimum count {min_count!r} is not a whole number")
        if not 258 <= vocab_size <= MAX_VOCAB_SIZE:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned in two stages after the 256 bytes; "
                f"choose 258 to {MAX_VOCAB_SIZE:,}"
            )
        if texts.corpus is None:
            raise InvalidInputError("SuperBPE learns from texts, not from counts; choose a corpus of texts")
        if texts.corpus.n_characters > MAX_CHARACTERS:
            raise TextTooLongError(
                f"the text has {texts.corpus.n_characters:,} characters; SuperBPE learns from at most "
                f"{MAX_CHARACTERS:,}, so use less text"
            )
        first_size = max(257, 256 + (vocab_size - 256) * transition // 100)
        self._texts, self._vocab_size, self._min_count = texts, vocab_size, min_count
        first_options: dict[str, OptionValue] = {"ties": "lowest-pair", "min_count": min_count}
        self._first = BpeLearner(texts, first_size, first_options)
        self._second: _SecondStage | None = None

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        second = self._second
        return self._first.n_steps + (second.n_made if second else 0)

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges that fill the vocabulary."""
        return self.n_steps if self.stop_reason else max(self._vocab_size - 256, self.n_steps)

    @property
    def stop_reason(self) -> str:
        """Why the training ended, in words; "" before its end."""
        second = self._second
        return second.stop_reason if second else ""

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_made = self._first.advance(n_steps)
        if not self._first.stop_reason:
            return n_made
        if self._second is None:
            if n_steps is not None and n_made == n_steps:
                return n_made
            self._second = _SecondStage(self._texts, self._first, self._vocab_size, self._min_count)
        return n_made + self._second.advance(None if n_steps is None else n_steps - n_made)

    def curve(self) -> Longs:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        first, second = self._first.curve(), self._second
        return np.concatenate([first, second.curve()]) if second else first

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        second, n_first = self._second, self._first.n_steps
        found = list(self._first.changes(first, last))
        if second:
            raw_of = second.token_bytes()
            rows = second.rows()[max(first - n_first, 0) : None if last is None else max(last - n_first, 0)]
            for step, (left, right, new, count) in enumerate(rows, start=max(first, n_first)):
                found.append(Change(step, "added", new, raw_of[new], (left, right), count, float(count)))
        return found

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs now, the next merge first."""
        second = self._second
        return second.candidates(n_candidates) if second else self._first.candidates(n_candidates)

    def token_bytes(self) -> Sequence[bytes]:
        """Return the bytes of each id."""
        second = self._second
        return second.token_bytes() if second else self._first.token_bytes()

    def film(self, text: str) -> "SuperBpeFilm":
        """Return the film of a short text, up to the latest merge."""
        return SuperBpeFilm(text, self)

    def merges(self, first: int = 0) -> list[tuple[int, int, int]]:
        """Return left, right and new id of the merges from `first` on."""
        second = self._second
        rows = [tuple(row) for row in self._first.trainer.columns()[:, :3].tolist()]
        rows += [row[:3] for row in second.rows()] if second else []
        return [(left, right, new) for left, right, new in rows[first:]]

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> TrainedTokenizer:
        """Return the tokenizer learned so far, which cuts at pretokens until the transition.

        Raises InvalidInputError for invalid special tokens.
        """
        if self.n_steps == self._first.n_steps:
            return self._first.tokenizer(name, special_tokens)
        model = BpeModel(LINES, tuple(self.merges()))
        return TrainedTokenizer(name, model.with_special_tokens(special_tokens))

    def lines(self) -> Mapping[str, npt.NDArray[np.float64]]:
        """Return no further lines."""
        return {}


class _SecondStage:
    """Merges over whole lines, which begin as the first stage's tokens."""

    def __init__(self, texts: TrainingTexts, first: BpeLearner, vocab_size: int, min_count: int) -> None:
        from playground.training.kernel import character_merges as kernel  # Numba

        self._kernel, self._min_count, self._n_wanted = kernel, min_count, vocab_size
        self._raw_of = list(first.token_bytes())
        self._n_first = len(self._raw_of)
        merges = tuple((left, right, new) for left, right, new in first.trainer.columns()[:, :3].tolist())
        encode = TrainedTokenizer("the first stage", BpeModel(LINES, merges)).encode_pretoken
        training, held_out_texts = texts.divided()
        counted = _count_lines(training)
        held_out = _count_lines([text] for text in held_out_texts)
        lines = [*counted, *(line for line in held_out if line not in counted)]
        encoded = [encode(line) for line in lines]
        symbols = np.concatenate([np.array(ids, np.int32) for ids in encoded] or [np.zeros(0, np.int32)])
        starts = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
        self._state = kernel.new_state(
            symbols,
            starts,
            np.array([counted[line] for line in lines], np.int64),
            np.array([held_out[line] for line in lines], np.int64),
            np.zeros((self._n_first, 2), np.int64),
            vocab_size,
        )
        self._ids = np.zeros(1 << (2 * vocab_size).bit_length(), np.int32)
        self._enter_spellings()
        self._events = np.zeros((vocab_size - self._n_first, 9), np.int64)
        self.n_made = 0
        self._n_spelled = 0
        self.stop_reason = ""

    def _enter_spellings(self) -> None:
        """Hash the first tokens as the kernel does, so that a merge that spells one of them gets its id."""
        base, mask = int(self._state.spelled[0, 1]), len(self._ids) - 1
        for token_id, raw in enumerate(self._raw_of):
            hashed, power = 0, 1
            for byte in raw:
                hashed, power = (hashed * base + byte + 1) & _MASK, power * base & _MASK
            self._state.spelled[token_id] = hashed, power, 0
            at = (hashed ^ hashed >> 29) & mask
            while self._ids[at]:
                at = (at + 1) & mask
            self._ids[at] = token_id + 1

    def advance(self, n_steps: int | None = None) -> int:
        n_before = self.n_made
        while not self.stop_reason and (n_steps is None or self.n_made - n_before < n_steps):
            if self.n_made == len(self._events):  # several merges may share an id
                self._events = np.concatenate([self._events, np.zeros_like(self._events)])
            last = len(self._events) if n_steps is None else min(n_before + n_steps, len(self._events))
            events = self._events[self.n_made : last]
            n_made = int(
                self._kernel.learn(self._state, self._ids, self._n_wanted, self._min_count, False, events)
            )
            self.n_made += n_made
            is_full = int(self._state.numbers[self._kernel.N_IDS]) >= self._n_wanted
            if n_made < len(events) or is_full:
                self.stop_reason = StopReason.VOCAB_SIZE.value if is_full else _NO_PAIR
        return self.n_made - n_before

    def rows(self) -> list[tuple[int, int, int, int]]:
        """Return left, right, new id and count of each merge."""
        kernel = self._kernel
        columns = [kernel.E_LEFT, kernel.E_RIGHT, kernel.E_NEW, kernel.E_COUNT]
        return [(a, b, new, n) for a, b, new, n in self._events[: self.n_made, columns].tolist()]

    def curve(self) -> Longs:
        kernel = self._kernel
        return self._events[: self.n_made, [kernel.E_IDS, kernel.E_TOKENS, kernel.E_HELD_OUT]]

    def token_bytes(self) -> list[bytes]:
        rows = self.rows()
        for left, right, new, _count in rows[self._n_spelled :]:
            if new == len(self._raw_of):
                self._raw_of.append(self._raw_of[left] + self._raw_of[right])
        self._n_spelled = len(rows)
        return self._raw_of

    def candidates(self, n_candidates: int) -> list[Candidate]:
        state = self._state
        n_pairs = int(state.numbers[self._kernel.N_PAIRS])
        counts, keys = state.pair_counts[:n_pairs], state.keys[:n_pairs]
        if self.stop_reason or not n_pairs:
            return []
        n_best = min(n_candidates, n_pairs)
        near = np.flatnonzero(counts >= max(self._min_count, np.partition(counts, -n_best)[-n_best]))
        best = near[np.lexsort((keys[near], -counts[near]))][:n_candidates]
        raw_of = self.token_bytes()
        found = [(int(keys[n]) >> 32, int(keys[n]) & 0xFFFFFFFF, int(counts[n])) for n in best]
        return [Candidate(raw_of[a] + raw_of[b], count, float(count), a, b) for a, b, count in found]


def _count_lines(texts: Iterable[Iterable[str]]) -> Counter[str]:
    return Counter({raw.decode(): count for raw, count in count_pretokens(texts, LINES).items()})


class SuperBpeFilm(MergeFilm):
    """A text merged over whole lines from the first merge, as the finished tokenizer does."""

    def __init__(self, text: str, learner: SuperBpeLearner) -> None:
        super().__init__(text, LINES)
        self.n_steps = 0
        self._learner = learner
        self.follow()

    def follow(self) -> None:
        """Add the merges that the learner has made since the last call."""
        self.advance(self._learner.merges(self.n_steps))
        self.n_steps = self.n_merges


def learn_slowly(
    pretokens: Sequence[bytes], lines: Sequence[bytes], n_first: int, n_merges: int
) -> list[tuple[int, int]]:
    """Return the pairs that SuperBPE merges: `n_first` inside pretokens, then more inside lines.

    >>> learn_slowly([b"to", b" be", b" to", b" be"], [b"to be", b" to be"], 2, 4)
    [(32, 98), (116, 111), (256, 101), (257, 258)]
    """
    merges: list[tuple[int, int]] = []
    pieces = [list(piece) for piece in pretokens]
    for _ in range(n_merges):
        if len(merges) == n_first:
            pieces = [list(line) for line in lines]
            for new_id, pair in enumerate(merges, start=256):
                pieces = [merge(piece, pair, new_id) for piece in pieces]
        counts = Counter[tuple[int, int]]()
        for piece in pieces:
            counts.update(get_stats(piece))
        if not counts:
            break
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        pieces = [merge(piece, best, 256 + len(merges)) for piece in pieces]
        merges.append(best)
    return merges


def _start(texts: TrainingTexts, vocab_size: int, options: Mapping[str, OptionValue]) -> SuperBpeLearner:
    compile_once(PIECES)
    return SuperBpeLearner(texts, vocab_size, options)


SUPERBPE = Algorithm(
    "superbpe", "SuperBPE",
    "BPE inside words; after a transition, merges also join words.",
    "Liu et al. 2025, arXiv 2503.13423",
    (
        Option(
            "transition", "Transition, in percent of the merges",
            "Merges up to here stay inside pretokens; later ones may join them.", 50, None, 1, 99,
        ),
        Option("min_count", "Lowest count of a pair", "Rarer pairs are not merged.", 2, None, 1, 1_000_000),
    ),
    _start,
    needs_texts=True,
    code=(learn_slowly, get_stats, merge),
)  # fmt: skip
