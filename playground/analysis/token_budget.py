"""Cut a text to a token budget: into chunks with overlap, or to its beginning, its end, or both ends.

Cuts fall between tokens, sentences, lines or Markdown sections, and never inside a grapheme cluster, the
character that a reader sees. Every count is that of the piece encoded by itself, as a model gets it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import regex

from playground.core.errors import InvalidInputError
from playground.core.graphemes import grapheme_starts
from playground.core.text_units import Positions, byte_of_characters
from playground.core.tokenizer import NO_SPECIAL, Tokenizer
from playground.core.wording import counted

#: Where a text may be cut, from the largest unit to the smallest. A unit that alone exceeds the budget is cut
#: between units of the next kind.
Unit = Literal["sections", "lines", "sentences", "tokens"]
UNITS: tuple[Unit, ...] = get_args(Unit)
#: Which part of a text stays.
Kept = Literal["start", "end", "both"]
#: The text in place of the removed middle.
MARK = "\n[…]\n"
#: Limit on repeated tokens, which are all encoded again and held in memory.
MAX_REPEATED_TOKENS = 2_000_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text that fits the budget; the character span is half-open.

    `n_tokens` counts the chunk encoded by itself. Its first `n_repeated` characters are those that the
    previous chunk ends with. `cut` is the kind of unit after which it ends.
    """

    index: int
    text: str
    char_start: int
    char_end: int
    n_tokens: int
    n_repeated: int
    cut: Unit


@dataclass(frozen=True, slots=True)
class Truncation:
    """A text shortened to a budget; `text` has `n_tokens`.

    `removed` is the half-open span of characters that are left out, empty if the text fits. `mark` stands in
    their place if both ends are kept.
    """

    text: str
    n_tokens: int
    removed: tuple[int, int]
    mark: str = ""


def cut_into_chunks(
    tokenizer: Tokenizer,
    text: str,
    *,
    n_tokens: int,
    overlap: int = 0,
    by: Unit = "tokens",
    allowed_special: frozenset[str] = NO_SPECIAL,
) -> Iterator[Chunk]:
    """Yield chunks of at most `n_tokens` that cover a text, each as long as fits.

    A chunk repeats up to `overlap` tokens of the previous one, in whole units where one fits.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> chunks = cut_into_chunks(gpt2, "one two three four", n_tokens=2, overlap=1)
    >>> [chunk.text for chunk in chunks]
    ['one two', ' two three', ' three four']
    >>> [chunk.text for chunk in cut_into_chunks(gpt2, "Go. I am here. No!", n_tokens=6, by="sentences")]
    ['Go. I am here.', ' No!']

    Raises InvalidInputError for a budget below 1, an overlap outside 0 to `n_tokens - 1` or that repeats more
    than MAX_REPEATED_TOKENS, and a character that has more tokens than the budget.
    """
    _check_budget(n_tokens)
    if not 0 <= overlap < n_tokens:
        raise InvalidInputError(
            f"an overlap of {counted(overlap, 'token')} does not fit a budget of {n_tokens:,}; "
            f"choose 0 to {n_tokens - 1:,}"
        )
    cuts = _Cuts(tokenizer, text, allowed_special)
    n_repeated = max(cuts.n_tokens - overlap, 0) // (n_tokens - overlap) * overlap
    if n_repeated > MAX_REPEATED_TOKENS:
        raise InvalidInputError(
            f"an overlap of {overlap:,} tokens would repeat {n_repeated:,}; at most {MAX_REPEATED_TOKENS:,} "
            "fit: choose a smaller overlap"
        )
    return _iter_chunks(cuts, n_tokens, overlap, by)


def truncate(
    tokenizer: Tokenizer,
    text: str,
    *,
    n_tokens: int,
    keep: Kept = "start",
    by: Unit = "tokens",
    mark: str = MARK,
    allowed_special: frozenset[str] = NO_SPECIAL,
) -> Truncation:
    """Return as much of a text as fits `n_tokens`; with `keep="both"`, `mark` replaces the middle.

    >>> from playground.catalog.registry import get_tokenizer
    >>> gpt2 = get_tokenizer("gpt2")
    >>> truncate(gpt2, "one two three four five", n_tokens=3).text
    'one two three'
    >>> truncate(gpt2, "one two three four five", n_tokens=4, keep="both", mark=" …")
    Truncation(text='one two … five', n_tokens=4, removed=(7, 18), mark=' …')

    Raises InvalidInputError for a budget below 1, and for one in which the mark or a character doesn't fit.
    """
    _check_budget(n_tokens)
    cuts = _Cuts(tokenizer, text, allowed_special)
    if cuts.n_tokens <= n_tokens:
        return Truncation(text, cuts.n_tokens, (len(text), len(text)))
    if keep == "start":
        end = cuts.longest(0, n_tokens, cuts.unit_that_fits(0, n_tokens, by))
        return Truncation(text[:end], cuts.count(0, end), (end, len(text)))
    if keep == "end":
        start = cuts.earliest(len(text), n_tokens, by)
        if start == len(text):
            raise cuts.too_small(cuts.last_start, n_tokens)
        return Truncation(text[start:], cuts.count(start, len(text)), (0, start))
    return _without_middle(cuts, n_tokens, by, mark)


def _check_budget(n_tokens: int) -> None:
    if n_tokens < 1:
        raise InvalidInputError(f"a budget of {n_tokens} tokens is too small; it must be at least 1")


def _iter_chunks(cuts: "_Cuts", n_tokens: int, overlap: int, by: Unit) -> Iterator[Chunk]:
    index, covered, first = 0, 0, -1
    while covered < len(cuts.text):
        unit = cuts.unit_that_fits(covered, n_tokens, by)
        start = covered
        if overlap and first >= 0:
            start = cuts.earliest(covered, overlap, by, after=first)
            next_end = cuts.next(covered, unit)
            while start < covered and not cuts.fits(start, next_end, n_tokens):  # nothing new would fit
                start = min(cuts.next(start, "tokens"), covered)
        end = cuts.longest(start, n_tokens, unit)
        yield Chunk(index, cuts.text[start:end], start, end, cuts.count(start, end), covered - start, unit)
        index, covered, first = index + 1, end, start


def _without_middle(cuts: "_Cuts", n_tokens: int, by: Unit, mark: str) -> Truncation:
    text = cuts.text

    def joined(end: int, start: int) -> str:
        return text[:end] + mark + text[start:]

    n_left = n_tokens - cuts.count_text(mark)
    if n_left < 1:
        raise InvalidInputError(
            f"the mark has {counted(n_tokens - n_left, 'token')}, so nothing of the text fits "
            f"{counted(n_tokens, 'token')}; choose a larger budget or a shorter mark"
        )
    n_head = (n_left + 1) // 2
    end = cuts.longest(0, n_head, cuts.unit_that_fits(0, n_head, by))
    n_tail = n_left - cuts.count(0, end)
    start = max(cuts.earliest(len(text), n_tail, by), end) if n_tail else len(text)
    while cuts.count_text(joined(end, start)) > n_tokens and start < len(text):
        start = cuts.next(start, "tokens")
    while cuts.count_text(joined(end, start)) > n_tokens and end > 0:
        end = cuts.previous(end)
    shortened = joined(end, start)
    return Truncation(shortened, cuts.count_text(shortened), (end, start), mark)


#: Up to the end of a sentence, of a heading or a paragraph, or before an item of a list. A space between two
#: sentences belongs to the second, as in most tokenizers; a line feed belongs to the first.
_SENTENCE = regex.compile(
    r"""(?<![!?….])(?:[!?…]|(?<!\b(?:\p{Lu}|e\.g|i\.e|Mr|Mrs|Ms|Dr|Prof|St|vs|No|Fig))\.)++["'”’»)\]]{0,2}
        (?:(?:[ \t]*+\n)++|(?=[ \t]++[^\s\p{Ll}]))
    |[。！？｡؟۔।॥]++[”’」』）]{0,2}\n*+
    |^\#{1,6}[ \t][^\n]*+\n++
    |\n(?:[ \t]*+\n)++
    |\n(?=[ \t]*+(?:[-*+•]|\d{1,3}[.)])[ \t])""",
    regex.X | regex.M,
)
#: The start of a heading: `# Title`, or a line above `===` or `---`.
_HEADING = regex.compile(
    r"^(?= {0,3}\#{1,6}(?:[ \t]|$)|[ \t]*+[^\s#>|-][^\n]*+\n {0,3}(?:=++|-++)[ \t]*+$)", regex.M
)
_FENCE = regex.compile(r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", regex.M | regex.S)


class _Cuts:
    """Where a text may be cut, and the tokens between two cuts."""

    def __init__(self, tokenizer: Tokenizer, text: str, allowed_special: frozenset[str]) -> None:
        self.text = text
        self._tokenizer = tokenizer
        self._allowed = allowed_special
        self._counts: dict[tuple[int, int], int] = {}
        encoding = tokenizer.encode(text, allowed_special=allowed_special)
        self.n_tokens = len(encoding)
        byte_of = byte_of_characters(text)
        #: The tokens of the whole text that start before each character: an estimate for parts.
        self._n_before = np.searchsorted(encoding.starts, byte_of)
        self._is_start = grapheme_starts(text)
        self._is_start[0] = True
        is_token = np.isin(byte_of, encoding.starts)
        is_token[-1] = True
        self._tokens: Positions = np.flatnonzero(is_token & self._is_start)

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens of a part encoded by itself; the last counts are remembered."""
        if (start, end) not in self._counts:
            if len(self._counts) > 50:
                self._counts.clear()
            self._counts[start, end] = self.count_text(self.text[start:end])
        return self._counts[start, end]

    def fits(self, start: int, end: int, n_tokens: int) -> bool:
        """Whether a part fits the budget by itself; one that is far too long isn't encoded."""
        estimate = int(self._n_before[end] - self._n_before[start])
        return estimate <= 2 * n_tokens + 50 and self.count(start, end) <= n_tokens

    def count_text(self, text: str) -> int:
        """Return the number of tokens of a text."""
        return len(self._tokenizer.encode(text, allowed_special=self._allowed))

    @property
    def last_start(self) -> int:
        """The start of the last grapheme cluster of the text."""
        return int(self._characters[-2])

    def next(self, place: int, unit: Unit) -> int:
        """Return the first cut after a place."""
        cuts = self._of(unit)
        return int(cuts[min(int(np.searchsorted(cuts, place, "right")), len(cuts) - 1)])

    def previous(self, place: int) -> int:
        """Return the last cut between tokens before a place."""
        return int(self._tokens[max(int(np.searchsorted(self._tokens, place)) - 1, 0)])

    def unit_that_fits(self, start: int, n_tokens: int, by: Unit) -> Unit:
        """Return the largest kind of unit, from `by` on, of which one fits the budget after `start`.

        Raises InvalidInputError if not even a character fits.
        """
        for unit in UNITS[UNITS.index(by) :]:
            if self.fits(start, self.next(start, unit), n_tokens):
                return unit
        if len(self._tokens) < len(self._characters):
            self._tokens = self._characters  # a token of several characters becomes several tokens by itself
            return self.unit_that_fits(start, n_tokens, by)
        raise self.too_small(start, n_tokens)

    def too_small(self, start: int, n_tokens: int) -> InvalidInputError:
        """Return the error for a character with more tokens than the budget."""
        end = int(self._characters[np.searchsorted(self._characters, start, "right")])
        return InvalidInputError(
            f"the character “{self.text[start:end]}” alone has {counted(self.count(start, end), 'token')}; "
            f"choose a budget of at least that, not {n_tokens:,}"
        )

    def longest(self, start: int, n_tokens: int, unit: Unit) -> int:
        """Return the last cut up to which a part from `start` fits; at least one unit must fit."""
        cuts = self._of(unit)
        reached = int(np.searchsorted(self._n_before, self._n_before[start] + n_tokens, "right")) - 1
        place = max(
            int(np.searchsorted(cuts, reached, "right")) - 1, int(np.searchsorted(cuts, start, "right"))
        )
        place = min(place, len(cuts) - 1)
        while cuts[place - 1] > start and not self.fits(start, int(cuts[place]), n_tokens):
            place -= 1
        while place + 1 < len(cuts) and self.fits(start, int(cuts[place + 1]), n_tokens):
            place += 1
        return int(cuts[place])

    def earliest(self, end: int, n_tokens: int, by: Unit, *, after: int = -1) -> int:
        """Return the first cut later than `after` from which a part up to `end` fits.

        Units are those of `by`, or smaller ones if none fits; `end` if no character fits.
        """
        for unit in UNITS[UNITS.index(by) :]:
            cuts = self._of(unit)
            reached = np.searchsorted(self._n_before, self._n_before[end] - n_tokens)
            place = int(np.searchsorted(cuts, max(int(reached), after + 1)))
            while cuts[place] < end and not self.fits(int(cuts[place]), end, n_tokens):
                place += 1
            if cuts[place] < end:
                before = place - 1
                while before >= 0 and cuts[before] > after and self.fits(int(cuts[before]), end, n_tokens):
                    place, before = before, before - 1
                return int(cuts[place])
        return end

    def _of(self, unit: Unit) -> Positions:
        match unit:
            case "tokens":
                return self._tokens
            case "sentences":
                return self._sentences
            case "lines":
                return self._lines
            case "sections":
                return self._sections

    @cached_property
    def _characters(self) -> Positions:
        return np.flatnonzero(self._is_start)

    @cached_property
    def _sentences(self) -> Positions:
        return self._whole(found.end() for found in _SENTENCE.finditer(self.text))

    @cached_property
    def _lines(self) -> Positions:
        return self._whole(found.end() for found in regex.finditer("\n", self.text))

    @cached_property
    def _sections(self) -> Positions:
        """The starts of Markdown headings outside code blocks."""
        code = [found.span() for found in _FENCE.finditer(self.text)]
        starts = np.array([start for start, _ in code], np.int64)

        def is_in_code(place: int) -> bool:
            block = int(np.searchsorted(starts, place, "right")) - 1
            return block >= 0 and place < code[block][1]

        headings = (found.start() for found in _HEADING.finditer(self.text))
        return self._whole(place for place in headings if not is_in_code(place))

    def _whole(self, places: Iterator[int]) -> Positions:
        """Return the places that are between characters, with both ends of the text."""
        found = np.array([0, *(place for place in places if self._is_start[place]), len(self.text)], np.int64)
        return np.unique(found)
