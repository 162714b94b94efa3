"""Run regular expressions that a person types or a file brings, within limits of time and memory.

The cost of compiling is bounded before it begins, and matching is timed. A search that is not finished at
once moves to a worker process, because a bad one takes hundreds of megabytes in a second. `compile_typed` and
`find_spans` are the only ways in.
"""

import re
from array import array
from functools import lru_cache

import regex

from playground.core.errors import InvalidInputError, LimitExceededError
from playground.core.wording import quoted

#: The longest of OpenAI's patterns has 400 characters; this many take 0.3 s to compile at worst.
MAX_CHARACTERS = 5_000
#: Nested groups and sets. `regex` itself fails near 500.
MAX_DEPTH = 100
#: Items of a pattern with its counted repeats written out, as `regex` does; this many take 50 MB.
MAX_ITEMS = 100_000
#: Seconds for matching a text of `_TIMED_CHARACTERS`; the known patterns take 0.1.
MAX_SECONDS = 2.0
_TIMED_CHARACTERS = 1_000_000
#: Limits of a search in this process: characters of the text, items of the pattern, seconds.
MAX_CHARACTERS_HERE, MAX_ITEMS_HERE, SECONDS_HERE = 20_000, 5_000, 0.05
#: Longer texts (a training corpus, data) are searched in this process, because their matches are too many to
#: send back.
MAX_CHARACTERS_THERE = 2_000_000
#: Memory limit of a search in a worker.
MEMORY_BYTES = 300_000_000

#: An escape, a call of a group or of the whole pattern, a bracket, or a counted repeat.
_PART = (
    r"(?P<escape>\\(?:[pP]\{[\w &./:=^-]*\}|.))|(?P<call>\(\?(?:R|&|P>|[+-]?\d))|(?P<open>[(\[])"
    r"|(?P<close>[)\]])|\{\s*(?P<count>\d+)\s*(?:,[\s\d]*)?\}"
)


def compile_typed(expression: str, *, ignores_case: bool = False) -> regex.Pattern[str]:
    r"""Compile an expression that is not too costly. Raises InvalidInputError.

    >>> compile_typed(r"\w+").findall("to be")
    ['to', 'be']
    """
    is_small = _count_items(expression) <= MAX_ITEMS_HERE
    return (_compile_once if is_small else _compile)(expression, ignores_case)


def _compile(expression: str, ignores_case: bool) -> regex.Pattern[str]:
    try:
        return regex.compile(expression, regex.IGNORECASE if ignores_case else 0, cache_pattern=False)
    except Exception as error:  # `regex.error`, also ValueError for flags, and RecursionError
        raise InvalidInputError(
            f"the pattern {quoted(expression)} does not compile: {error} (syntax of Python's regex module)"
        ) from None


_compile_once = lru_cache(maxsize=16)(_compile)  # of small ones only, since one with `MAX_ITEMS` takes 50 MB


def find_spans(expression: str, text: str) -> "array[int]":
    """Return the start and end of each match in one flat array, from left to right.

    Raises: InvalidInputError if the expression does not compile, matches the empty text, takes too long or
    matches from right to left.

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
            pass  # a worker has higher limits
    from playground.workers import pool  # imported here because known patterns need no worker

    try:
        spans: array[int] = pool.run(
            "playground.bpe.typed_patterns.search", expression, text, seconds,
            what=f"searching with the pattern {quoted(expression)}",
            visitor=pool.VISITOR.get() or expression,
            seconds=2 * seconds + 1,  # the search's own limit counts CPU time
            memory_bytes=MEMORY_BYTES,
        )  # fmt: skip
    except LimitExceededError as error:
        raise (
            _too_long(expression, seconds) if error.limit == "time" else InvalidInputError(str(error))
        ) from None
    return spans


def search(expression: str, text: str, seconds: float) -> "array[int]":
    """Return the result of `find_spans`, searched in this process.

    Raises as `find_spans` does, and MemoryError.

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
    compiled = compile_typed(expression)
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
    """Return the number of items of an expression with its repeats written out, never too low.

    A repeat of a group counts as a repeat of everything before it. Raises InvalidInputError if the expression
    is too long, too deep or has too many items.
    """
    if len(expression) > MAX_CHARACTERS:
        raise InvalidInputError(
            f"the pattern has {len(expression):,} characters; at most {MAX_CHARACTERS:,} are read"
        )
    depth = 0
    n_items = 0
    is_verbose = (
        re.search(r"\(\?[\w-]*x", expression) is not None
    )  # then white space may separate a repeat from its group
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
