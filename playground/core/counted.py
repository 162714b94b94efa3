"""A number with the name of what it counts, as a sentence needs it."""


def counted(n: int, unit: str) -> str:
    """The number with separators of thousands, and its unit: alone for one, with an "s" for others.

    >>> counted(1, "merge"), counted(0, "merge"), counted(1_000, "merge")
    ('1 merge', '0 merges', '1,000 merges')
    """
    return f"{n:,} {unit}" if n == 1 else f"{n:,} {unit}s"
