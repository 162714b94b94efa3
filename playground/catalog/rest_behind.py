"""The rest of a text, encoded behind characters whose own tokens are taken away.

Where a text may be cut is said by who asks.
"""

from collections.abc import Callable
from functools import cache

import regex

from playground.core.encoding import Encoding
from playground.core.tokenizer import RestOfText


def rest_behind(before: str, cut: regex.Pattern[str], encode: Callable[[str], Encoding]) -> RestOfText:
    """How a text goes on behind a cut, for an `encode` that puts something before each text.

    No token of `before`, at the start of a text, may depend on what follows it.
    """
    n_bytes = len(before.encode())

    @cache
    def n_before() -> int:
        return len(encode(before))

    def encode_rest(text: str) -> Encoding:
        found, n_tokens = encode(before + text), n_before()
        return Encoding(
            text, found.ids[n_tokens:], found.starts[n_tokens:] - n_bytes, found.ends[n_tokens:] - n_bytes
        )

    return RestOfText(cut, encode_rest)
