"""SymbolMerges: the compiled merges over sequences of tokens that SuperBPE, BoundlessBPE and BPE share."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from playground.training.algorithms.learner import Candidate
from playground.training.algorithms.merge_learner import StopReason

Longs = npt.NDArray[np.int64]
_MASK = (1 << 64) - 1


class SymbolMerges:
    """Repeated merges of the most frequent pair, until there are `n_wanted` ids.

    Of pairs with the same count, the one with the lowest ids is merged. `sequences` contain ids, whose bytes
    are `raws`; `counts` and `held_out` say how often each sequence occurs in the training and the held-out
    text. Merges that spell the same bytes share an id. A token has at most `max_words` words (0: no limit).
    `stop_reason` is "" before the end.
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        counts: Sequence[int],
        held_out: Sequence[int],
        raws: Sequence[bytes],
        n_wanted: int,
        min_count: int,
        *,
        max_words: int = 0,
    ) -> None:
        from playground.training.kernel import character_merges as kernel  # Numba

        self._kernel, self._min_count, self._n_wanted = kernel, min_count, n_wanted
        self._raw_of = list(raws)
        symbols = np.concatenate([np.array(ids, np.int32) for ids in sequences] or [np.zeros(0, np.int32)])
        self._state = kernel.new_state(
            symbols,
            np.cumsum([0, *map(len, sequences)]).astype(np.int64),
            np.array(counts, np.int64),
            np.array(held_out, np.int64),
            np.zeros((len(raws), 2), np.int64),
            n_wanted,
            raws=raws,
            max_words=max_words,
        )
        self._ids = np.zeros(1 << (2 * n_wanted).bit_length(), np.int32)
        self._enter_spellings()
        self._events = np.zeros((n_wanted - len(raws), 9), np.int64)
        numbers = self._state.numbers
        self._first_row = (len(raws), int(numbers[kernel.N_TOKENS]), int(numbers[kernel.N_HELD_OUT]))
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

    @property
    def n_left(self) -> int:
        """The number of ids that are still wanted."""
        return 0 if self.stop_reason else self._n_wanted - int(self._state.numbers[self._kernel.N_IDS])

    def advance(self, n_steps: int | None = None) -> int:
        """Make up to `n_steps` merges, or all; return their number."""
        n_before = self.n_made
        while not self.stop_reason and (n_steps is None or self.n_made - n_before < n_steps):
            if self.n_made == len(self._events):  # several merges may share an id
                more = np.zeros((max(len(self._events), 1), 9), np.int64)
                self._events = np.concatenate([self._events, more])
            last = len(self._events) if n_steps is None else min(n_before + n_steps, len(self._events))
            events = self._events[self.n_made : last]
            n_made = int(
                self._kernel.learn(self._state, self._ids, self._n_wanted, self._min_count, False, events)
            )
            self.n_made += n_made
            is_full = int(self._state.numbers[self._kernel.N_IDS]) >= self._n_wanted
            if n_made < len(events) or is_full:
                self.stop_reason = (StopReason.VOCAB_SIZE if is_full else StopReason.MIN_COUNT).value
        return self.n_made - n_before

    def rows(self) -> list[tuple[int, int, int, int]]:
        """Return left, right, new id and count of each merge."""
        kernel = self._kernel
        columns = [kernel.E_LEFT, kernel.E_RIGHT, kernel.E_NEW, kernel.E_COUNT]
        return [(a, b, new, n) for a, b, new, n in self._events[: self.n_made, columns].tolist()]

    def curve(self) -> Longs:
        """Return ids, tokens and held-out tokens of each state, beginning before the first merge."""
        kernel = self._kernel
        rows = self._events[: self.n_made, [kernel.E_IDS, kernel.E_TOKENS, kernel.E_HELD_OUT]]
        return np.concatenate([np.array([self._first_row], np.int64), rows])

    def token_bytes(self) -> list[bytes]:
        """Return the bytes of each id."""
        rows = self.rows()
        for left, right, new, _count in rows[self._n_spelled :]:
            if new == len(self._raw_of):
                self._raw_of.append(self._raw_of[left] + self._raw_of[right])
        self._n_spelled = len(rows)
        return self._raw_of

    def candidates(self, n_candidates: int) -> list[Candidate]:
        """Return the most frequent pairs now, the next merge first."""
        state = self._state
        n_pairs = int(state.numbers[self._kernel.N_PAIRS])
        counts, keys = state.pair_counts[:n_pairs], state.keys[:n_pairs]
        if self.stop_reason or not n_pairs:
            return []
        if max_words := int(state.numbers[self._kernel.MAX_WORDS]):
            one, other = state.words[keys >> 32], state.words[keys & 0xFFFFFFFF]
            counts = np.where(self._kernel.joined_words(one, other) >> 2 > max_words, 0, counts)
        n_best = min(n_candidates, n_pairs)
        near = np.flatnonzero(counts >= max(self._min_count, np.partition(counts, -n_best)[-n_best]))
        best = near[np.lexsort((keys[near], -counts[near]))][:n_candidates]
        raw_of = self.token_bytes()
        found = [(int(keys[n]) >> 32, int(keys[n]) & 0xFFFFFFFF, int(counts[n])) for n in best]
        return [Candidate(raw_of[a] + raw_of[b], count, float(count), a, b) for a, b, count in found]
