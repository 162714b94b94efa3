"""A long text in blocks that can be encoded one by one: exact ids in bounded memory."""

from collections.abc import Iterable, Iterator

import regex

#: A safe cut asks about at most this many characters before it; the search for one starts this far back.
_N_CONTEXT = 16


def iter_safe_blocks(chunks: Iterable[str], safe_cut: regex.Pattern[str] | None) -> Iterator[str]:
    r"""Regroup a text that comes in chunks into blocks that end at safe cuts; no block is empty.

    >>> list(iter_safe_blocks(["to b", "e or", " not"], regex.compile(r"(?=\s)")))
    ['to', ' be', ' or', ' not']

    The ids of the blocks join to the ids of the whole text. A place is judged only once the character
    after it has come, so the end of a chunk is never taken for the end of the text. A block is about as
    long as a chunk, and grows until a safe cut comes: a text without any, or a `safe_cut` of None, gives
    one block. `safe_cut` may look one character ahead and up to 16 back.
    """
    held: list[str] = []  # what was already searched and has no safe cut, then the newest text
    for chunk in chunks:
        if not chunk:
            continue
        held.append(chunk)
        if safe_cut is None:
            continue
        if len(held) > 1 and len(held[-2]) < _N_CONTEXT:
            held = ["".join(held)]  # many short chunks: enough context must stand in one string
        context = held[-2][-_N_CONTEXT:] if len(held) > 1 else ""
        cut = _last_cut(context + held[-1], safe_cut)
        if cut is None:
            continue
        newest = held.pop()
        if cut >= len(context):
            block = "".join([*held, newest[: cut - len(context)]])
            rest = newest[cut - len(context) :]
        else:  # between the last character searched before and the first of this chunk, or just ahead
            before = "".join(held)
            block = before[: len(before) - len(context) + cut]
            rest = before[len(block) :] + newest
        if block:
            yield block
        held = [rest]
    if held:
        yield "".join(held)


def _last_cut(text: str, safe_cut: regex.Pattern[str]) -> int | None:
    """The last safe cut strictly inside a text, found from the end in windows that double."""
    n_window = 64
    end = len(text)
    while end > 0:
        start = max(0, len(text) - n_window)
        places = [match.start() for match in safe_cut.finditer(text, start) if 0 < match.start() < end]
        if places:
            return places[-1]
        if start == 0:
            return None
        end = start
        n_window *= 8
    return None
