"""Regular expressions that a person types or a file brings: read and run within stated limits.

What they may cost is bounded before they are compiled, and matching them is timed. What is not found at once
a process of the pool searches: a search that goes wrong takes hundreds of megabytes in a second. All of it
happens in `compile_typed` and `find_spans`.
"""

import re
from array import array
from functools import lru_cache

import regex

from playground.core.errors import InvalidInputError, LimitExceededError
from playground.core.wording import quoted

#: OpenAI's longest has 400 characters; this many take 0.3 s to compile at worst.
MAX_CHARACTERS = 5_000
#: Groups and sets inside each other. A deeper pattern would be too deep for `regex` itself near 500.
MAX_DEPTH = 100
#: Items of a pattern once its counted repeats are written out, as `regex` does: this many take 50 MB.
MAX_ITEMS = 100_000
#: Seconds that matching may take for a text of `_TIMED_CHARACTERS`; the known patterns take 0.1.
MAX_SECONDS = 2.0
_TIMED_CHARACTERS = 1_000_000
#: What is searched here: a text of so many characters, by a pattern of so many items, for so many seconds.
MAX_CHARACTERS_HERE, MAX_ITEMS_HERE, SECONDS_HERE = 20_000, 5_000, 0.05
#: A longer text is searched here too: one to train on, or data in a format. Its matches are too many to be
#: handed over.
MAX_CHARACTERS_THERE = 2_000_000
#: What a search may take there.
MEMORY_BYTES = 300_000_000

#: An escape, a call of a group or of the whole, a bracket, or a counted repeat.
_PART = (
    r"(?P<escape>\\(?:[pP]\{[\w &./:=^-]*\}|.))|(?P<call>\(\?(?:R|&|P>|[+-]?\d))|(?P<open>[(\[])"
    r"|(?P<close>[)\]])|\{\s*(?P<count>\d+)\s*(?:,[\s\d]*)?\}"
)


def compile_typed(expression: str, *, ignores_case: bool = False) -> regex.Pattern[str]:
    r"""Compile an expression that is not too costly. Raises InvalidInputError.

    >>> compile_typed(r"\w+").findall("to be")
    ['to', 'be']
    """
    _count_items(expression)
    return _compiled(expression, ignores_case)


@lru_cache(maxsize=16)  # `regex` itself would keep 500, of which one may take 50 MB
def _compiled(expression: str, ignores_case: bool = False) -> regex.Pattern[str]:
    try:
        return regex.compile(expression, regex.IGNORECASE if ignores_case else 0, cache_pattern=False)
    except Exception as error:  # `regex.error`, but ValueError for flags and RecursionError too
        raise InvalidInputError(
            f"the pattern {quoted(expression)} does not compile: {error}; Python's `regex` module reads it"
        ) from None


def find_spans(expression: str, text: str) -> "array[int]":
    """Start and end of each match, one after the other, from left to right.

    Raises: InvalidInputError where the expression does not compile, matches the empty text, takes too long
    or finds its matches from right to left.

    >>> find_spans("b+", "abba").tolist()
    [1, 3]
    """
    n_items = _count_items(expression)
    seconds = MAX_SECONDS * max(1.0, len(text) / _TIMED_CHARACTERS)
    if len(text) > MAX_CHARACTERS_THERE:
        try:
            return search(expression, text, seconds)
        except MemoryError:
            raise InvalidInputError(
                f"the pattern {quoted(expression)} takes more memory than there is"
            ) from None
    if n_items <= MAX_ITEMS_HERE and len(text) <= MAX_CHARACTERS_HERE:
        try:
            return _search(expression, text, SECONDS_HERE)
        except (TimeoutError, MemoryError):
            pass  # it gets more of both there
    from playground.workers import pool  # only here: known patterns need no process, and it takes 0.01 s

    try:
        spans: array[int] = pool.run(
            "playground.bpe.typed_patterns.search", expression, text, seconds,
            what=f"searching with the pattern {quoted(expression)}",
            visitor=pool.VISITOR.get() or expression,
            seconds=2 * seconds + 1,  # its own limit counts the processor's time
            memory_bytes=MEMORY_BYTES,
        )  # fmt: skip
    except LimitExceededError as error:
        raise (
            _too_long(expression, seconds) if error.limit == "time" else InvalidInputError(str(error))
        ) from None
    return spans


def search(expression: str, text: str, seconds: float) -> "array[int]":
    """What `find_spans` gives, searched in this process. Raises as that does, and MemoryError.

    >>> search("b+", "abba", 1.0).tolist()
    [1, 3]
    """
    try:
        return _search(expression, text, seconds)
    except TimeoutError:
        raise _too_long(expression, seconds) from None


def _too_long(expression: str, seconds: float) -> InvalidInputError:
    return InvalidInputError(
        f"the pattern {quoted(expression)} takes too long (over {seconds:.0f} s); nested repeats such as "
        "(a+)+ do that: make them possessive, (a++)++, or leave one out"
    )


def _search(expression: str, text: str, seconds: float) -> "array[int]":
    compiled = _compiled(expression)
    spans = array("q")
    position = 0
    if compiled.fullmatch("", timeout=seconds):
        raise InvalidInputError(
            f"the pattern {quoted(expression)} matches the empty text, so it would cut nowhere; "
            "use + instead of *, or drop the last |"
        )
    for match in compiled.finditer(text, timeout=seconds):
        start, end = match.span()
        if not position <= start <= end:
            raise InvalidInputError(
                f"the pattern {quoted(expression)} does not go from left to right; leave out (?r) or \\K"
            )
        spans.extend((start, end))
        position = end
    return spans


def _count_items(expression: str) -> int:
    """How many items an expression has written out.

    Raises InvalidInputError where it is too long, too deep, or has too many.

    What it counts is never too low: a repeat of a group counts as one of all that stands before it.
    """
    if len(expression) > MAX_CHARACTERS:
        raise InvalidInputError(
            f"the pattern has {len(expression):,} characters; at most {MAX_CHARACTERS:,} are read"
        )
    depth = 0
    n_items = 0
    is_verbose = re.search(r"\(\?[\w-]*x", expression) is not None  # a repeat may stand apart from its group
    end, is_escape = 0, False
    for part in re.finditer(_PART, expression, re.DOTALL):
        n_items += part.start() - end + 1
        is_escaped = is_escape and part.start() == end
        end, is_escape = part.end(), part["escape"] is not None
        if part["call"]:
            raise InvalidInputError(
                f"the pattern {quoted(expression)} calls itself with {part['call']}…), which may never end; "
                "write the group out"
            )
        if part["open"]:
            depth += 1
        elif part["close"]:
            depth = max(depth - 1, 0)
        elif part["count"]:
            count = max(1, int(part["count"][:9]))
            is_single = is_escaped or expression[part.start() - 1] not in ")}*+?"
            n_items = n_items + count if is_single and not is_verbose else n_items * count
        if depth > MAX_DEPTH:
            raise InvalidInputError(
                f"the pattern {quoted(expression)} has more than {MAX_DEPTH} groups inside each other"
            )
        if n_items > MAX_ITEMS:
            raise InvalidInputError(
                f"the counted repeats of the pattern {quoted(expression)} come to more than {MAX_ITEMS:,} "
                "items written out; make the counts smaller"
            )
    return n_items
