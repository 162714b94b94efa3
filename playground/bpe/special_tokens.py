"""Cut a text at its special tokens; the parts between them are ordinary text."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache

import numpy as np

from playground.core.encoding import Encoding, join_encodings
from playground.core.text_units import Positions
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.core.vocabulary import Ids

#: The finder looks for the first few characters of special tokens, as many as leave at most this number of
#: distinct starts.
_MAX_STARTS = 64
_MAX_START_CHARACTERS = 4
#: White space as C has it.
_C_SPACES = " \t\n\v\f\r"
#: Larger collections have a cache with fewer places.
_FEW_TOKENS = 5_000


def iter_special_parts(text: str, special_tokens: Collection[str]) -> Iterator[tuple[str, bool]]:
    """Yield `(part, is_special)`; the parts join to the text, and none is empty.

    The leftmost special token wins, and the longer of two that start together.

    >>> list(iter_special_parts("a<|x|>b", ["<|x|>"]))
    [('a', False), ('<|x|>', True), ('b', False)]
    """
    position = 0
    if special_tokens:
        for start, end in special_finder(special_tokens).iter_spans(text):
            if start > position:
                yield text[position:start], False
            yield text[start:end], True
            position = end
    if position < len(text):
        yield text[position:], False


def encode_around_special(
    tokenizer: Tokenizer,
    text: str,
    allowed_special: frozenset[str],
    encode_part: Callable[[str], Encoding],
    *,
    encode_first: Callable[[str], Encoding] | None = None,
    strips_after: Collection[str] = (),
) -> Encoding:
    """Encode a text whose parts between allowed special tokens are encoded with `encode_part`.

    For the rest of a longer text, `encode_first` encodes the part before the first special token. The special
    tokens of `strips_after` take the white space behind them.
    """
    text = replace_lone_surrogates(text)
    allowed = [name for name in tokenizer.special_tokens if name in allowed_special]
    encodings: list[Encoding] = []
    before = ""  # the special token that precedes this part and takes white space
    for place, (part, is_special) in enumerate(iter_special_parts(text, allowed)):
        if is_special:
            encodings.append(Encoding.tiling(part, [tokenizer.special_tokens[part]], _n_bytes_in(tokenizer)))
            before = part if part in strips_after else ""
            continue
        rest = part.lstrip(_C_SPACES) if before else part
        if len(rest) < len(part):
            taken = before + part[: len(part) - len(rest)]
            ids = np.array([tokenizer.special_tokens[before]], np.uint32)
            encodings[-1] = Encoding(taken, ids, np.array([0]), np.array([len(taken)]))
        before = ""
        if rest:
            encodings.append((encode_part if place or encode_first is None else encode_first)(rest))
    return join_encodings(encodings)


def encode_ids_around_special(
    tokenizer: Tokenizer, text: str, allowed_special: frozenset[str], ids_of: Callable[[str], Sequence[int]]
) -> Encoding:
    """Encode a text like `encode_around_special`, for a tokenizer whose tokens' bytes join to the text."""
    text = replace_lone_surrogates(text)
    allowed = [name for name in tokenizer.special_tokens if name in allowed_special]
    ids: list[int] = []
    for part, is_special in iter_special_parts(text, allowed):
        ids.extend([tokenizer.special_tokens[part]] if is_special else ids_of(part))
    return Encoding.tiling(text, ids, _n_bytes_in(tokenizer))


def _n_bytes_in(tokenizer: Tokenizer) -> Callable[[Ids], Positions]:
    """Return a function of token lengths that builds the vocabulary only when it is called."""
    return lambda ids: tokenizer.vocabulary.n_bytes_of(ids)


def special_finder(special_tokens: Collection[str]) -> "SpecialFinder":
    """Return the finder of these special tokens, cached for the last few collections."""
    tokens = frozenset(special_tokens)
    return (_finder_of_few if len(tokens) <= _FEW_TOKENS else _finder_of_many)(tokens)


class SpecialFinder:
    """Finds special tokens in a text; its time hardly grows with their number.

    >>> finder = SpecialFinder(frozenset({"ab", "abc", "bc"}))
    >>> list(finder.iter_spans("xabcx")), list(finder.iter_spans("xabcx", overlapped=True))
    ([(1, 4)], [(1, 4), (2, 4)])
    """

    def __init__(self, special_tokens: frozenset[str]) -> None:
        self.n_longest = max(map(len, special_tokens), default=0)
        self._special_tokens = special_tokens
        n_start = min(_MAX_START_CHARACTERS, *map(len, special_tokens), self.n_longest)
        while n_start > 1 and len({name[:n_start] for name in special_tokens}) > _MAX_STARTS:
            n_start -= 1
        lengths: dict[str, set[int]] = {}
        for name in special_tokens:
            lengths.setdefault(name[:n_start], set()).add(len(name))
        self._n_start = n_start
        self._lengths = {start: sorted(found, reverse=True) for start, found in lengths.items()}
        self._start = re.compile("|".join(map(re.escape, lengths)) if lengths else "(?!)")

    def iter_spans(self, text: str, *, overlapped: bool = False) -> Iterator[tuple[int, int]]:
        """Yield half-open spans from the left, the longest special token at each start."""
        position = 0
        while match := self._start.search(text, position):
            start = match.start()
            end = self._longest_end(text, start)
            if end:
                yield start, end
            position = end if end and not overlapped else start + 1

    def spelled(self, text: str) -> list[str]:
        """Return the special tokens that a text contains, each once, in text order.

        >>> SpecialFinder(frozenset({"<a>", "<b>"})).spelled("<b> <a> <b>")
        ['<b>', '<a>']
        """
        return list(dict.fromkeys(text[start:end] for start, end in self.iter_spans(text)))

    def is_inside(self, text: str, position: int, *, or_behind: bool = False) -> bool:
        """Whether a special token crosses a position in a text, or (`or_behind`) ends there.

        >>> SpecialFinder(frozenset({"<a>"})).is_inside("x<a>", 2)
        True
        """
        first = max(position - self.n_longest, 0)
        around = text[first : position + self.n_longest - 1]
        place = position - first
        last = place if or_behind else place + 1
        spans = self.iter_spans(around, overlapped=True)
        return any(start < place and end >= last for start, end in spans)

    def begins_at(self, text: str, position: int) -> bool:
        """Whether a special token begins at a position in a text.

        >>> SpecialFinder(frozenset({"<a>"})).begins_at("x<a>", 1)
        True
        """
        return self._start.match(text, position) is not None and self._longest_end(text, position) > 0

    def _longest_end(self, text: str, start: int) -> int:
        """Return the end of the longest special token that starts here; 0 for none."""
        for length in self._lengths[text[start : start + self._n_start]]:
            if (part := text[start : start + length]) in self._special_tokens:
                return start + len(part)
        return 0


# Opened files may have 300,000 special tokens, which take 30 MB.
_finder_of_few, _finder_of_many = (lru_cache(maxsize=64)(SpecialFinder), lru_cache(maxsize=4)(SpecialFinder))
