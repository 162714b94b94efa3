"""Shrink a text while it keeps a property, to one from which no single character can be removed."""

from collections.abc import Callable

from playground.drift.texts import simpler_characters


def shrink(text: str, holds: Callable[[str], bool]) -> str:
    """Return a text for which `holds`, without a character to spare and with simple characters.

    Removing any one character, or replacing it by a simpler one, gives a text for which it does not hold.

    >>> shrink("xx123 456yy", lambda text: sum(map(str.isdigit, text)) >= 2)
    '00'
    """
    while True:
        shorter = _without_spare(text, holds)
        text = _with_simple_characters(shorter, holds)
        if text == shorter:
            return text


def _without_spare(text: str, holds: Callable[[str], bool]) -> str:
    """Remove runs of characters, long ones first, until no single one can be removed."""
    n_chars = len(text) // 2
    while n_chars:
        place, is_changed = 0, False
        while place < len(text):
            rest = text[:place] + text[place + n_chars :]
            if rest and holds(rest):
                text, is_changed = rest, True
            else:
                place += n_chars
        if not (is_changed and n_chars == 1):
            n_chars //= 2
    return text


def _with_simple_characters(text: str, holds: Callable[[str], bool]) -> str:
    for place, character in enumerate(text):
        for simpler in simpler_characters(character):
            changed = text[:place] + simpler + text[place + 1 :]
            if holds(changed):
                text = changed
                break
    return text
