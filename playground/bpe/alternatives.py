"""Alternatives: the parts of a split pattern between its outermost bars, and which of them takes a piece."""

import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import regex

from playground.bpe.character_categories import with_stand_ins
from playground.bpe.split_pattern import SplitPattern, iter_pretokens
from playground.bpe.typed_patterns import compile_typed
from playground.core.errors import InvalidInputError

#: Seconds after which no more alternatives of a typed pattern are looked for in a text.
_MAX_SECONDS = 0.2


def alternatives_of(expression: str) -> tuple[str, ...]:
    r"""The parts between the outermost bars; bars in groups, in sets and after a backslash are not those.

    An expression is one part where its parts alone would not compile.

    >>> alternatives_of(r"'(?:s|t)| ?\p{L}+|[|]|\|")
    ("'(?:s|t)", ' ?\\p{L}+', '[|]', '\\|')
    """
    parts = [""]
    depth, is_set = 0, False
    for piece in regex.findall(r"(?s)\\.|.", expression):
        if is_set:
            is_set = piece != "]" or parts[-1].endswith(("[", "[^"))  # a ] that stands first is a member
        elif piece == "[":
            is_set = True
        else:
            depth += (piece == "(") - (piece == ")")
            if piece == "|" and depth == 0:
                parts.append("")
                continue
        parts[-1] += piece
    try:
        for part in parts:
            compile_typed(part)
    except InvalidInputError:
        return (expression,)
    return tuple(parts)


@dataclass(frozen=True, slots=True)
class SwitchedPattern:
    """A split pattern with some of its alternatives off; `on` are the places of the others."""

    alternatives: tuple[str, ...]
    on: tuple[int, ...]
    pattern: SplitPattern

    @classmethod
    def of(cls, expression: str, off: Collection[int] = ()) -> "SwitchedPattern":
        """The pattern of the alternatives that stay, tried out; "" cuts nothing. Raises InvalidInputError.

        >>> SwitchedPattern.of("a+|b|c+", off=[1]).pattern.expression
        'a+|c+'
        """
        alternatives = alternatives_of(expression) if expression else ()
        on = tuple([place for place in range(len(alternatives)) if place not in off])
        pattern = SplitPattern.typed("|".join(alternatives[place] for place in on))
        return cls(alternatives, on, pattern)

    def iter_taken(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Yield each pretoken, and the place of the alternative that takes it; None where none does.

        >>> list(SwitchedPattern.of("a+|b|c+", off=[1]).iter_taken("abc"))
        [('a', 0), ('b', None), ('c', 2)]
        """
        kept = [self.alternatives[place] for place in self.on]
        for piece, place in iter_taken(text, self.pattern, kept):
            yield piece, None if place is None or not kept else self.on[place]


#: What an alternative takes, what stands behind it, and how the first that fits is called.
_NAMES = (
    ("ab", " ", "letters"),
    ("!a", " ", "a sign and letters"),
    ("'s", "", "endings such as 's"),
    ("AB", " ", "capitals"),
    ("中", " ", "Chinese"),
    ("1", " ", "digits"),
    ("!", " ", "signs"),
    (" ", "a", "white space"),
    ("\n", "a", "line feeds"),
    (" ", " a", "white space, all but the last"),
    ("  ", "", "white space at the end"),
)


def alternative_name(alternative: str) -> str:
    r"""What an alternative takes, in words; "" where it takes none of the usual.

    >>> alternative_name(r" ?\p{L}+"), alternative_name(r"\s+(?!\S)"), alternative_name("€")
    ('letters', 'white space, all but the last', '')
    """
    compiled = compile_typed(alternative)
    for taken, behind, name in _NAMES:
        match = compiled.match(taken + behind, timeout=_MAX_SECONDS)
        if match is not None and match.end() == len(taken):
            return name
    return ""


def iter_taken(
    text: str, pattern: SplitPattern, alternatives: Sequence[str]
) -> Iterator[tuple[str, int | None]]:
    """Yield each pretoken, and the place of the alternative that takes it: the first that matches there.

    None where no alternative does. Raises InvalidInputError as `iter_pretokens` does.

    >>> list(iter_taken("a-b", SplitPattern.typed(r"\\d|\\w"), [r"\\d", r"\\w"]))
    [('a', 1), ('-', None), ('b', 1)]
    """
    compiled = [compile_typed(alternative) for alternative in alternatives]
    read = with_stand_ins(text) if pattern.is_known else text
    position, ending = 0, time.monotonic() + _MAX_SECONDS
    for piece, is_match in iter_pretokens(text, pattern):
        end = position + len(piece)
        taken: int | None = None
        if is_match and (pattern.is_known or time.monotonic() < ending):
            taken = _first_match(compiled, read, position, end)
        yield piece, taken
        position = end


def _first_match(compiled: Sequence["regex.Pattern[str]"], text: str, start: int, end: int) -> int | None:
    for place, alternative in enumerate(compiled):
        try:
            match = alternative.match(text, start, timeout=_MAX_SECONDS)
        except TimeoutError:
            return None
        if match is not None and match.end() == end:
            return place
    return None
