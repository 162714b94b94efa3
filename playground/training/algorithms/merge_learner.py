"""MergeLearner: the adapter between algorithms that merge pairs and the contract of learners."""

from array import array
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import islice

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.catalog.opened import OpenedTokenizer
from playground.catalog.trained import TrainedTokenizer
from playground.training.algorithms.cutters import ByteCutter, Cutter
from playground.training.algorithms.learner import Candidate, Change, LearnerDefaults
from playground.training.algorithms.words import MAX_IDS, MergeEvent, Words
from playground.training.merges import Merge

Rows = npt.NDArray[np.int64]


class StopReason(Enum):
    """Reasons for the end of a training."""

    VOCAB_SIZE = "the vocabulary is as large as asked for"
    MIN_COUNT = "no pair occurs as often as the minimum count"
    NO_PAIR = "no pair is left: every pretoken is one token"


class MergeLearner(LearnerDefaults):
    """A training that takes its merges from an iterator, one a step.

    The iterator merges in `words` and appends to `tokens`, the bytes of each id, until there are
    `vocab_size`. `cutter` cuts a short text as before the first merge; None: into its bytes.
    """

    score_name = "count"

    def __init__(
        self,
        words: Words,
        tokens: list[bytes],
        events: Iterator[MergeEvent],
        vocab_size: int,
        pattern: SplitPattern,
        cutter: Cutter | None = None,
    ) -> None:
        self.pattern, self.vocab_size = pattern, vocab_size
        self.stop_reason = ""
        self._words, self._tokens, self._events = words, tokens, events
        self._cutter = cutter or ByteCutter(pattern)
        self._first_row = (len(tokens), words.n_tokens, words.n_held_out)
        self._rows = array("q")  # six numbers for each event

    @property
    def n_steps(self) -> int:
        """The number of merges so far."""
        return len(self._rows) // len(MergeEvent._fields)

    @property
    def n_steps_wanted(self) -> int:
        """The number of merges of the whole training, as far as it is known."""
        return self.n_steps if self.stop_reason else self.n_steps + self.vocab_size - self.n_vocab

    @property
    def n_tokens(self) -> int:
        """The number of tokens of the training text now."""
        return self._words.n_tokens

    @property
    def n_held_out_tokens(self) -> int:
        """The number of tokens of the held-out text now."""
        return self._words.n_held_out

    @property
    def n_vocab(self) -> int:
        """The number of tokens in the vocabulary now."""
        return len(self._tokens)

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_before = self.n_steps
        for event in islice(self._events, n_steps):
            self._rows.extend(event)
        n_made = self.n_steps - n_before
        if self.n_vocab >= self.vocab_size:
            self.stop_reason = StopReason.VOCAB_SIZE.value
        elif n_steps is None or n_made < n_steps:
            is_rest = any(count > 0 for count in self._words.pairs.values())
            self.stop_reason = (StopReason.MIN_COUNT if is_rest else StopReason.NO_PAIR).value
        return n_made

    def columns(self) -> Rows:
        """Return the merges so far, a row each: left, right, new id, count, tokens, held-out tokens."""
        return np.array(self._rows, np.int64).reshape(-1, len(MergeEvent._fields))

    def curve(self) -> Rows:
        """Return vocabulary size, tokens, and held-out tokens of each state."""
        columns = self.columns()
        n_vocab = np.maximum.accumulate(np.append(self._first_row[0], columns[:, 2] + 1))
        return np.column_stack([n_vocab, np.concatenate([[self._first_row[1:]], columns[:, 4:]])])

    def merges(self, first: int = 0, last: int | None = None) -> list[Merge]:
        """Return the merges of the ranks `first:last`."""
        raw_of = self.token_bytes()
        return [
            Merge(rank, left, right, new, raw_of[new], count, n_tokens, n_held_out)
            for rank, (left, right, new, count, n_tokens, n_held_out) in enumerate(
                self.columns()[first:last].tolist(), first
            )
        ]

    def pairs(self, first: int = 0) -> list[tuple[int, int, int]]:
        """Return left, right and new id of the merges from `first` on."""
        return [(left, right, new) for left, right, new in self.columns()[first:, :3].tolist()]

    def changes(self, first: int = 0, last: int | None = None) -> Sequence[Change]:
        """Return the tokens that the merges `first:last` added."""
        return [
            Change(m.rank, "added", m.new_id, m.raw, (m.left, m.right), m.pair_count, float(m.pair_count))
            for m in self.merges(first, last)
        ]

    def candidates(self, n_candidates: int = 8) -> Sequence[Candidate]:
        """Return the most frequent pairs now, the next merge first."""
        return self._candidates_in(self._words, n_candidates)

    def _candidates_in(self, words: Words, n_candidates: int) -> list[Candidate]:
        found = []
        for pair in words.most_frequent_pairs(n_candidates):
            left, right, count = pair >> 20, pair % MAX_IDS, words.pairs[pair]
            raw = self._tokens[left] + self._tokens[right]
            found.append(Candidate(raw, count, float(count), left, right))
        return found

    def token_bytes(self) -> list[bytes]:
        """Return the bytes of each id so far: the learner's own list, which grows with further merges."""
        return self._tokens

    def cutter(self) -> Cutter:
        """Return how a short text is cut before the first merge."""
        return self._cutter

    def model(self, special_tokens: tuple[str, ...] = ()) -> BpeModel:
        """Return the merges learned so far. Raises InvalidInputError for invalid special tokens."""
        return BpeModel(self.pattern, tuple(self.pairs())).with_special_tokens(special_tokens)

    def tokenizer(self, name: str, special_tokens: tuple[str, ...] = ()) -> OpenedTokenizer:
        """Return the tokenizer learned so far. Raises InvalidInputError for invalid special tokens."""
        return TrainedTokenizer(name, self.model(special_tokens))
