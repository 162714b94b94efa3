"""Cutting a text at its special tokens; what lies between them is ordinary text."""

from collections.abc import Collection, Iterator

import regex


def iter_special_parts(text: str, special_tokens: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield `(part, is_special)`; the parts join to the text, and no part is empty.

    The leftmost special token wins, and of two that start together the longer.

    >>> list(iter_special_parts("a<|x|>b", ["<|x|>"]))
    [('a', False), ('<|x|>', True), ('b', False)]
    """
    if not special_tokens:
        if text:
            yield text, False
        return
    position = 0
    for match in special_pattern(special_tokens).finditer(text):
        if match.start() > position:
            yield text[position : match.start()], False
        yield match.group(), True
        position = match.end()
    if position < len(text):
        yield text[position:], False


def special_pattern(special_tokens: Collection[str]) -> regex.Pattern[str]:
    """A pattern that matches any of the special tokens, the longest first."""
    longest_first = sorted(special_tokens, key=lambda name: (-len(name), name))
    return regex.compile("|".join(map(regex.escape, longest_first)))
