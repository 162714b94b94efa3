"""A cache for functions of a text that is limited in bytes: it keeps short texts with short results only."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Result = TypeVar("Result", bound=Sequence[object])
#: The longest text and result that are kept. A word and its tokens have a tenth of this.
MAX_CHARACTERS, MAX_ITEMS = 64, 32
#: Most texts that one cache keeps: at most 50 MB, and about 10 MB with words of prose.
MAX_TEXTS = 1 << 15


def cache_short(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Return a function with the same results, which remembers those of short texts.

    >>> calls = []
    >>> cached = cache_short(lambda text: calls.append(text) or text.split())
    >>> cached("to be"), cached("to be"), len(calls)
    (['to', 'be'], ['to', 'be'], 1)

    Whoever can send texts chooses what is kept, so the number of entries alone limits nothing.
    """
    kept: dict[str, Result] = {}

    def cached(text: str) -> Result:
        found = kept.get(text)
        if found is None:
            found = function(text)
            if len(text) <= MAX_CHARACTERS and len(found) <= MAX_ITEMS:
                if len(kept) >= MAX_TEXTS:
                    kept.clear()
                kept[text] = found
        return found

    return cached
