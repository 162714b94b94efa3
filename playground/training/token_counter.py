"""How many tokens long texts have, where many of them say the same: each distinct pretoken is encoded once.

A text's tokens themselves are the tokenizer's business.
"""

import threading
import unicodedata
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import numpy.typing as npt

from playground.bpe.pretokenize import SPLIT_PATTERNS
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates

#: Characters of a text below which it is encoded as it is; the compiled scanner takes longer to load.
MIN_CHARACTERS = 100_000
#: Where the code points end that Python's table of characters is asked about; those beyond are private.
_N_CODE_POINTS = 0x33480


@dataclass
class TokenCounter:
    """Counts the tokens of one text after another; may be used from several threads.

    >>> from playground.catalog.registry import get_tokenizer
    >>> TokenCounter(get_tokenizer("gpt2")).count("Hello world")
    2
    """

    tokenizer: Tokenizer
    _pretokens: "_Pretokens | None" = field(init=False, default=None)
    _lock: threading.Lock = field(init=False, default_factory=threading.Lock)

    def count(self, text: str) -> int:
        """The length of what the tokenizer's `encode` gives."""
        name = _pattern_name(self.tokenizer)
        if len(text) < MIN_CHARACTERS or name is None:
            return len(self.tokenizer.encode(text))
        text = replace_lone_surrogates(text)
        if not _is_long_known(text):
            return len(self.tokenizer.encode(text))
        with self._lock:
            if self._pretokens is None:
                self._pretokens = _Pretokens(self.tokenizer, name)
            return self._pretokens.count(text)


class _Pretokens:
    """The distinct pretokens of all texts so far, and the tokens of each."""

    def __init__(self, tokenizer: Tokenizer, pattern_name: str) -> None:
        # Numba takes 0.3 s to load, and short texts do without it.
        from playground.bpe.split_pattern import SplitPattern
        from playground.training.pretoken_counts import PretokenCounter

        self._tokenizer = tokenizer
        self._counter = PretokenCounter(SplitPattern.named(pattern_name))
        self._counts: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._n_tokens: npt.NDArray[np.int64] = np.zeros(0, np.int64)

    def count(self, text: str) -> int:
        self._counter.add(text)
        found = self._counter.result()  # what was known stays in its place; what is new follows
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


def _pattern_name(tokenizer: Tokenizer) -> str | None:
    """The name of the split pattern that a scanner reads for this tokenizer."""
    expression = getattr(tokenizer, "split_pattern", None)
    return next((name for name, known in SPLIT_PATTERNS.items() if known == expression), None)


def _is_long_known(text: str) -> bool:
    """Do tiktoken and the scanner know all of its characters? Their tables of Unicode differ in age."""
    if text.isascii():
        return True
    return bool(_long_known()[np.frombuffer(text.encode("utf-32-le"), np.uint32)].all())


@cache
def _long_known() -> npt.NDArray[np.bool_]:
    """The code points of Python's own Unicode, which is older than tiktoken's and the scanner's."""
    known = np.zeros(0x110000, np.bool_)
    known[:_N_CODE_POINTS] = [unicodedata.category(chr(code)) != "Cn" for code in range(_N_CODE_POINTS)]
    return known
