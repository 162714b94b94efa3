"""Trainer: byte-level BPE training, merge by merge, in compiled code.

`bpe.lecture` has the same algorithm in its short, slow form; `kernel.merge_kernel` explains why this one is
fast.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
import numpy.typing as npt

from playground.bpe.model import BpeModel
from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.training.kernel import merge_kernel as kernel
from playground.training.kernel import merge_state, pair_choice
from playground.training.kernel.merge_state import P_COUNT, P_KEY
from playground.training.merges import TIE_RULES, Merge
from playground.training.pretoken_counts import PretokenCounts

MAX_VOCAB_SIZE = 1 << 20
MAX_MIN_COUNT = (1 << 63) - 1  # counts are int64


class StopReason(Enum):
    """Reasons for the end of a training."""

    VOCAB_SIZE = "the vocabulary is as large as asked for"
    MIN_COUNT = "no pair occurs as often as the minimum count"
    NO_PAIR = "no pair is left: every pretoken is one token"


@dataclass(frozen=True, slots=True)
class PairCount:
    """A pair of neighbouring tokens and its count."""

    left: int
    right: int
    raw: bytes
    count: int


class Trainer:
    """A training that can be advanced merge by merge.

    It starts from counted pretokens (`pretoken_counts`); held-out pretokens are encoded but never learned
    from. Only one thread may advance it; any thread may read the results so far.

    >>> from playground.training.pretoken_counts import count_pretokens
    >>> from playground.bpe.split_pattern import SplitPattern
    >>> trainer = Trainer(count_pretokens(["aaabdaaabac"], SplitPattern.named("none")), vocab_size=259)
    >>> trainer.advance(), [merge.raw for merge in trainer.merges()], trainer.stop_reason.name
    (3, [b'aa', b'aaa', b'aaab'], 'VOCAB_SIZE')
    """

    def __init__(
        self,
        pretokens: PretokenCounts,
        *,
        vocab_size: int,
        ties: str = "first-seen",
        min_count: int = 1,
        held_out: PretokenCounts | None = None,
    ) -> None:
        if ties not in TIE_RULES:
            raise InvalidInputError(f"unknown tie rule {ties!r}; choose from {', '.join(TIE_RULES)}")
        if not 257 <= vocab_size <= MAX_VOCAB_SIZE:
            raise InvalidInputError(
                f"a vocabulary of {vocab_size:,} tokens cannot be learned: the 256 bytes come first, so "
                f"choose 257 to {MAX_VOCAB_SIZE:,}"
            )
        if not 1 <= min_count <= MAX_MIN_COUNT:
            raise InvalidInputError(
                f"a minimum count of {min_count:,} cannot be reached; choose 1 to {MAX_MIN_COUNT:,}"
            )
        self.vocab_size = vocab_size
        self.ties = ties
        self.min_count = min_count
        self.stop_reason: StopReason | None = None
        self._token_bytes = [bytes([byte]) for byte in range(256)]
        self._n_spelled = 0  # the number of merges whose bytes are in _token_bytes
        self._state = merge_state.new_state(pretokens, held_out, vocab_size, TIE_RULES[ties])

    @property
    def n_merges(self) -> int:
        """The number of merges so far."""
        return int(self._state.numbers[merge_state.N_MERGES])

    @property
    def n_tokens(self) -> int:
        """The number of tokens of the training text now."""
        return int(self._state.numbers[merge_state.N_TOKENS])

    @property
    def n_held_out_tokens(self) -> int:
        """The number of tokens of the held-out text now."""
        return int(self._state.numbers[merge_state.N_HELD_OUT])

    @property
    def n_vocab(self) -> int:
        """The number of ids so far, including the 256 bytes."""
        return int(self._state.numbers[merge_state.N_IDS])

    def advance(self, n_merges: int | None = None) -> int:
        """Make up to `n_merges` merges, or all; return their number. At the end, set `stop_reason`."""
        before = self.n_merges
        wanted = MAX_VOCAB_SIZE if n_merges is None else n_merges
        while self.stop_reason is None:
            ending = kernel.run_merges(
                self._state,
                min(wanted - (self.n_merges - before), len(self._state.events) - self.n_merges),
                self.vocab_size,
                self.min_count,
                TIE_RULES[self.ties],
            )
            if ending == pair_choice.NEEDS_ROOM:
                self._state = merge_state.with_room(self._state)
            elif ending == pair_choice.NO_PAIR:
                self.stop_reason = StopReason.NO_PAIR
            elif ending == pair_choice.BELOW_MIN_COUNT:
                self.stop_reason = StopReason.MIN_COUNT
            elif self.n_vocab >= self.vocab_size:
                self.stop_reason = StopReason.VOCAB_SIZE
            elif self.n_merges - before >= wanted:
                break
            else:
                self._state = merge_state.with_more_events(self._state)
        return self.n_merges - before

    def merges(self, first: int = 0, last: int | None = None) -> list[Merge]:
        """Return the merges of the ranks `first:last`."""
        last = self.n_merges if last is None else min(last, self.n_merges)
        token_bytes = self.token_bytes()
        rows = self._state.events[first:last].tolist()
        return [
            Merge(rank, left, right, new_id, token_bytes[new_id], count, n_tokens, n_held_out)
            for rank, (left, right, new_id, count, n_tokens, n_held_out) in enumerate(rows, start=first)
        ]

    def columns(self) -> npt.NDArray[np.int64]:
        """The merges so far, a row each: left, right, new id, pair count, tokens, held-out tokens."""
        return self._state.events[: self.n_merges]

    def token_bytes(self) -> list[bytes]:
        """Return the bytes of each id so far: the trainer's own list, which grows with further merges."""
        rows = self._state.events[self._n_spelled : self.n_merges, :3].tolist()
        for left, right, new_id in rows:
            if new_id == len(self._token_bytes):
                self._token_bytes.append(self._token_bytes[left] + self._token_bytes[right])
        self._n_spelled += len(rows)
        return self._token_bytes

    def top_pairs(self, n_pairs: int = 10) -> list[PairCount]:
        """Return the most frequent pairs now, the next merge first: the lecture's `get_stats`."""
        state = self._state
        counts = state.pairs[: int(state.numbers[merge_state.N_PAIRS]), P_COUNT]
        if not len(counts):
            return []
        n_pairs = min(n_pairs, len(counts))
        lowest = np.partition(counts, -n_pairs)[-n_pairs]
        candidates = np.flatnonzero(counts >= max(1, lowest))
        ties = {int(pair): self._tie(int(pair)) for pair in candidates[:10_000]}
        chosen = sorted(ties, key=lambda pair: (-int(counts[pair]), ties[pair]))[:n_pairs]
        token_bytes = self.token_bytes()
        keys = [int(state.pairs[pair, P_KEY]) for pair in chosen]
        sides = [(key >> 32, key & 0xFFFFFFFF) for key in keys]
        return [
            PairCount(left, right, token_bytes[left] + token_bytes[right], int(counts[pair]))
            for (left, right), pair in zip(sides, chosen, strict=True)
        ]

    def _tie(self, pair: int) -> int:
        state = self._state
        key, _, first, last = state.pairs[pair].tolist()
        left, right = key >> 32, key & 0xFFFFFFFF
        if self.ties != "first-seen":
            order = state.ids[:, merge_state.I_ORDER]
            return int(order[left]) << 32 | int(order[right])
        places = state.pool[first:last]
        cells, length = state.cells[:, merge_state.C_ID], int(state.ids[left, merge_state.I_LENGTH])
        stands = (cells[places] == left) & (cells[places + length] == right)
        return int(places[np.argmax(stands)])


def iter_merges(
    pretokens: PretokenCounts,
    *,
    n_merges: int,
    ties: str = "first-seen",
    min_count: int = 1,
    held_out: PretokenCounts | None = None,
) -> Iterator[Merge]:
    """Yield merges as they are learned.

    Stops after `n_merges`, or when no pair occurs `min_count` times. Source: Sennrich et al. 2016, "Neural
    Machine Translation of Rare Words with Subword Units"; byte-level as in GPT-2.

    >>> from playground.training.pretoken_counts import count_pretokens
    >>> from playground.bpe.split_pattern import SplitPattern
    >>> pretokens = count_pretokens(["aaabdaaabac"], SplitPattern.named("none"))
    >>> [(merge.raw, merge.pair_count, merge.n_tokens) for merge in iter_merges(pretokens, n_merges=2)]
    [(b'aa', 4, 9), (b'aaa', 2, 7)]
    """
    trainer = Trainer(pretokens, vocab_size=256 + n_merges, ties=ties, min_count=min_count, held_out=held_out)
    while trainer.advance(1):
        yield from trainer.merges(trainer.n_merges - 1)


def model_of(trainer: Trainer, pattern: SplitPattern, special_tokens: tuple[str, ...] = ()) -> BpeModel:
    """Return the model learned so far. Raises InvalidInputError for invalid special tokens."""
    merges = tuple((left, right, new) for left, right, new in trainer.columns()[:, :3].tolist())
    return BpeModel(pattern, merges).with_special_tokens(special_tokens)
