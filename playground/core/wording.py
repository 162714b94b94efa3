"""Numbers and lists as a sentence needs them."""

from collections.abc import Sequence


def counted(n: int, unit: str) -> str:
    """The number with separators of thousands, and its unit: alone for one, with an "s" for others.

    >>> counted(1, "merge"), counted(0, "merge"), counted(1_000, "merge")
    ('1 merge', '0 merges', '1,000 merges')
    """
    return f"{n:,} {unit}" if n == 1 else f"{n:,} {unit}s"


def listed(phrases: Sequence[str]) -> str:
    """All of them, the last after "and".

    >>> listed(["one"]), listed(["one", "two", "three"])
    ('one', 'one, two and three')
    """
    return " and ".join([", ".join(phrases[:-1]), phrases[-1]] if len(phrases) > 1 else phrases)
