"""TokenCounter: counts the tokens of long, repetitive texts by encoding each distinct pretoken once."""

import threading
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from playground.bpe.split_pattern import SplitPattern
from playground.core.tokenizer import Tokenizer
from playground.training.warm_up import TRAINER, compile_once

#: Shorter texts are simply encoded, because the compiled scanner takes longer to load.
MIN_CHARACTERS = 100_000


@dataclass
class TokenCounter:
    """Counts the tokens of texts with one tokenizer; several threads may share it.

    >>> from playground.catalog.registry import get_tokenizer
    >>> TokenCounter(get_tokenizer("gpt2")).count("Hello world")
    2
    """

    tokenizer: Tokenizer
    _pretokens: "_Pretokens | None" = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def count(self, text: str) -> int:
        """Return the number of ids that the tokenizer's `encode` gives."""
        pattern = SplitPattern.of(self.tokenizer.split_pattern or "")
        if len(text) < MIN_CHARACTERS or not pattern.is_known:
            return len(self.tokenizer.encode(text))
        with self._lock:
            if self._pretokens is None:
                self._pretokens = _Pretokens(self.tokenizer, pattern)
            return self._pretokens.count(text)


class _Pretokens:
    """The distinct pretokens of all texts so far, and the number of tokens of each."""

    def __init__(self, tokenizer: Tokenizer, pattern: SplitPattern) -> None:
        from playground.training.pretoken_counts import PretokenCounter  # loads Numba

        compile_once(TRAINER)
        self._tokenizer = tokenizer
        self._counter = PretokenCounter(pattern)
        self._counts: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._n_tokens: npt.NDArray[np.int64] = np.zeros(0, np.int64)

    def count(self, text: str) -> int:
        self._counter.add(text)
        found = self._counter.result()  # known pretokens keep their numbers; new ones follow
        n_known = len(self._counts)
        lengths = [
            len(self._tokenizer.encode(found.pretoken(number).decode()))
            for number in range(n_known, len(found))
        ]
        self._n_tokens = np.concatenate([self._n_tokens, np.array(lengths, np.int64)])
        in_text = found.counts.copy()
        in_text[:n_known] -= self._counts
        self._counts = found.counts
        return int(in_text @ self._n_tokens)
