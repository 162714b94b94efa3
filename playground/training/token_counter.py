"""TokenCounter: counts the tokens of long, repetitive texts by encoding each distinct pretoken once."""

import threading
from dataclasses import dataclass, field

from playground.bpe.split_pattern import SplitPattern
from playground.core.tokenizer import Tokenizer
from playground.training.pretoken_counts import count_pretokens

#: Shorter texts are simply encoded.
MIN_CHARACTERS = 100_000


@dataclass
class TokenCounter:
    """Counts the tokens of texts with one tokenizer; several threads may share it.

    >>> from playground.catalog.registry import get_tokenizer
    >>> TokenCounter(get_tokenizer("gpt2")).count("Hello world")
    2
    """

    tokenizer: Tokenizer
    _lengths: dict[bytes, int] = field(init=False, default_factory=dict)  # tokens of each pretoken
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def count(self, text: str) -> int:
        """Return the number of ids that the tokenizer's `encode` gives."""
        pattern = SplitPattern.of(self.tokenizer.split_pattern or "")
        if len(text) < MIN_CHARACTERS or not pattern.is_known:
            return len(self.tokenizer.encode(text))
        with self._lock:
            n_tokens = 0
            for raw, count in count_pretokens([text], pattern).items():
                if raw not in self._lengths:
                    self._lengths[raw] = len(self.tokenizer.encode(raw.decode()))
                n_tokens += count * self._lengths[raw]
            return n_tokens
