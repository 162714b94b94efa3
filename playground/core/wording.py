"""Numbers, lists and typed text as messages need them."""

from collections.abc import Sequence


def counted(n: int, unit: str) -> str:
    """Return a number with thousands separators and its unit, with a plural "s" unless the number is 1.

    >>> counted(1, "merge"), counted(0, "merge"), counted(1_000, "merge")
    ('1 merge', '0 merges', '1,000 merges')
    """
    return f"{n:,} {unit}" if n == 1 else f"{n:,} {unit}s"


def listed(phrases: Sequence[str]) -> str:
    """Return the phrases joined with commas and a final "and".

    >>> listed(["one"]), listed(["one", "two", "three"])
    ('one', 'one, two and three')
    """
    return " and ".join([", ".join(phrases[:-1]), phrases[-1]] if len(phrases) > 1 else phrases)


def quoted(typed: str, *, n_shown: int = 120) -> str:
    r"""Quote typed text for a message: invisible characters are escaped and long text is shortened.

    >>> print(quoted(r"\p{Nope}+"), quoted("a\tb"), quoted("it's"), quoted("abcdef", n_shown=3))
    '\p{Nope}+' 'a\tb' "it's" 'abc'…
    """
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in typed[:n_shown])
    mark = '"' if "'" in shown and '"' not in shown else "'"
    return f"{mark}{shown}{mark}{'…' if len(typed) > n_shown else ''}"


def json_kind(value: object) -> str:
    """Name the JSON type of a value, with its article.

    >>> json_kind(None), json_kind(True), json_kind([1])
    ('null', 'true or false', 'a list')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
    return "an object"
