"""LiveDocument: a text that is being edited, and its exact tokens after every edit.

The text is divided into pieces at safe cuts, where a pretoken always begins, so an edit encodes only a few
thousand characters. For tokenizers without safe cuts the whole text is encoded, and its tokens are divided
into pieces all the same, so that only changed pieces are sent and drawn.
`tests/analysis/test_live_document.py` compares the result with whole encodings.
"""

import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import accumulate, pairwise

import numpy as np
import numpy.typing as npt

from playground.analysis.categories import Category, CategoryTable, count_categories
from playground.analysis.text_counts import TextCounts, count_text
from playground.analysis.token_marks import marks_of
from playground.bpe.safe_cuts import SafeCuts, space_cut
from playground.bpe.special_tokens import encode_around_special, special_finder
from playground.core.encoding import Encoding
from playground.core.errors import InvalidInputError, TextTooLongError
from playground.core.text_units import Column, count_characters_before, count_utf16
from playground.core.tokenizer import NO_SPECIAL, Tokenizer, lets_text_be_cut, replace_lone_surrogates

MAX_TEXT_BYTES = 1_000_000
#: A piece ends at the first safe cut after this many characters: encoding three such pieces takes about 0.3
#: ms, and 1 MB has few enough of them to sum over.
PIECE_CHARS = 1_000
#: How much further to look for a cut after a line feed before one within a line is used.
LINE_SEARCH_CHARS = 2_000

_NO_TOKENS = np.zeros(len(Category), np.int64)


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text and its tokens; `lengths` and `ends` are those of its `Encoding`.

    `marks` are those of `marks_of`. `categories()` counts its tokens by category on the first call.
    """

    text: str
    n_utf16: int
    ids: Column
    lengths: Column
    ends: Column
    marks: Column
    counts: TextCounts
    categories: Callable[[], npt.NDArray[np.int64]]
    n_tokens_plain: int
    n_tokens_special: int
    spells_special: bool


@dataclass(frozen=True, slots=True)
class Update:
    """An edit's effect: from piece `first` on, `pieces` replace `removed`; `version` counts the edits."""

    version: int
    first: int
    removed: tuple[Piece, ...]
    pieces: tuple[Piece, ...]

    @property
    def n_removed(self) -> int:
        """The number of pieces that were replaced."""
        return len(self.removed)


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals of the whole text; `n_tokens` is the count with or without special tokens, as configured."""

    n_tokens: int
    n_tokens_plain: int
    n_tokens_special: int
    counts: TextCounts
    categories: tuple[int, ...]


class LiveDocument:
    """A text and its tokens, kept in step through edits.

    Offsets of edits are UTF-16 code units, as browsers count. Safe to use from several threads.

    >>> from playground.catalog.registry import get_tokenizer
    >>> document = LiveDocument(get_tokenizer("gpt2"), "Hello world")
    >>> document.edit(5, 6, " there").pieces[0].ids.tolist()
    [15496, 612]
    """

    def __init__(self, tokenizer: Tokenizer, text: str = "", *, honours_special: bool = False) -> None:
        self.lock = threading.RLock()
        self.version = 0
        self._categories: npt.NDArray[np.int64] | None = None  # counted on demand
        self._configure(tokenizer, honours_special)
        self.replace(text)

    @property
    def text(self) -> str:
        """The whole text."""
        with self.lock:
            return "".join(piece.text for piece in self.pieces)

    @property
    def ids(self) -> list[int]:
        """The ids of the whole text, exactly as `tokenizer.encode` gives them."""
        with self.lock:
            return [token_id for piece in self.pieces for token_id in piece.ids.tolist()]

    def configure(self, tokenizer: Tokenizer, *, honours_special: bool) -> None:
        """Change the tokenizer or the treatment of special tokens; the text stays."""
        with self.lock:
            text = self.text
            self._configure(tokenizer, honours_special)
            self.replace(text)

    def replace(self, text: str) -> Update:
        """Set the whole text. Raises TextTooLongError; then the old text stays."""
        with self.lock:
            return self._splice(0, len(self.pieces), text)

    def edit(self, start: int, n_deleted: int, inserted: str) -> Update:
        """Replace `n_deleted` UTF-16 units at `start`. Raises InvalidInputError and TextTooLongError."""
        with self.lock:
            first, last, first_start = self._pieces_around(start, n_deleted)
            old = "".join(piece.text for piece in self.pieces[first:last])
            old_start = count_characters_before(old, start - first_start)
            old_stop = count_characters_before(old, start + n_deleted - first_start)
            return self._splice(first, last, old[:old_start] + inserted + old[old_stop:])

    def n_characters_around(self, start: int, n_deleted: int) -> int:
        """Return the characters that an edit there encodes again, besides the inserted text.

        Raises InvalidInputError.
        """
        with self.lock:
            first, last, _start = self._pieces_around(start, n_deleted)
            if self._encodes_whole:
                return self._counts.n_characters
            return sum(len(piece.text) for piece in self.pieces[first:last])

    @property
    def has_totals(self) -> bool:
        """Whether the tokenizer's engine is loaded and the categories are counted."""
        return bool(self.pieces) and self._categories is not None

    @property
    def n_tokens(self) -> int:
        """The number of tokens of the whole text, with or without special tokens, as configured."""
        return self._n_special if self.honours_special else self._n_plain

    def totals(self) -> Totals:
        """Return the totals of all pieces, which each edit keeps up to date."""
        with self.lock:
            if self._categories is None:
                self._categories = sum((piece.categories() for piece in self.pieces), _NO_TOKENS)
            return Totals(
                n_tokens=self.n_tokens,
                n_tokens_plain=self._n_plain,
                n_tokens_special=self._n_special,
                counts=self._counts,
                categories=tuple(self._categories.tolist()),
            )

    def text_counts(self) -> TextCounts:
        """Return the counts of the whole text that don't depend on tokens."""
        return self._counts

    def special_spelled(self) -> list[str]:
        """Return the special tokens that the text spells, whether or not they are encoded as such."""
        with self.lock:
            suspects = [piece.text for piece in self.pieces if piece.spells_special]
        names = (name for text in suspects for name in self._special_finder.spelled(text))
        return list(dict.fromkeys(names))

    def _configure(self, tokenizer: Tokenizer, honours_special: bool) -> None:
        self.pieces: list[Piece] = []  # pieces of another tokenizer can't be reused
        self._counts = TextCounts()
        self._n_plain = self._n_special = 0
        self._categories = None
        self.tokenizer = tokenizer
        self.honours_special = honours_special
        self.special_ids = frozenset(tokenizer.special_tokens.values())
        self._special_finder = special_finder(tokenizer.special_tokens)
        self._encodes_whole = not lets_text_be_cut(tokenizer)
        if tokenizer.rest is None:
            cut = tokenizer.safe_cut or space_cut(is_behind=False)
            self._cuts = SafeCuts(cut, tokenizer.special_tokens)
        else:
            self._cuts = SafeCuts(tokenizer.rest.cut, tokenizer.special_tokens, before_rest=True)
        self._category_table = CategoryTable(tokenizer.vocabulary)

    def _pieces_around(self, start: int, n_deleted: int) -> tuple[int, int, int]:
        """Return the range of pieces that an edit affects (half-open), and the UTF-16 unit where it starts.

        Whether a cut is still safe depends on the text around it, so neighbouring pieces are included.
        """
        ends = list(accumulate((piece.n_utf16 for piece in self.pieces), initial=0))
        stop = start + n_deleted
        if not 0 <= start <= stop <= ends[-1]:
            raise InvalidInputError(f"an edit at {start} to {stop} is outside the text of {ends[-1]} units")
        first = max(bisect_right(ends, start) - 1, 0)
        last = min(max(bisect_right(ends, stop), first + 1), len(self.pieces))
        n_before = n_after = 0
        while first > 0 and n_before < self._cuts.n_around:
            first -= 1
            n_before += len(self.pieces[first].text)
        while last < len(self.pieces) and n_after < self._cuts.n_around:
            n_after += len(self.pieces[last].text)
            last += 1
        return first, last, ends[first]

    def _splice(self, first: int, last: int, text: str) -> Update:
        text = replace_lone_surrogates(text)
        removed = self.pieces[first:last]
        n_bytes = self._counts.n_bytes - sum(piece.counts.n_bytes for piece in removed)
        n_bytes += len(text.encode())
        if n_bytes > MAX_TEXT_BYTES:
            raise too_long(n_bytes)
        texts = list(_iter_cut(text, self._cuts))
        if self._encodes_whole:
            before, behind = self.pieces[:first], self.pieces[last:]
            return self._put_whole([*(p.text for p in before), *texts, *(p.text for p in behind)])
        n_kept = 0
        while n_kept < min(len(texts), len(removed)) and texts[n_kept] == removed[n_kept].text:
            n_kept += 1
        first, removed, texts = first + n_kept, removed[n_kept:], texts[n_kept:]
        while texts and removed and texts[-1] == removed[-1].text:
            if (first + len(texts) == 1) != (last == 1):
                break  # only one of the two begins the text
            last -= 1
            removed.pop()
            texts.pop()
        pieces = tuple(self._encode_piece(own, is_rest=first + n > 0) for n, own in enumerate(texts))
        return self._put(first, last, tuple(removed), pieces)

    def _put_whole(self, texts: list[str]) -> Update:
        """Encode texts as one and replace the pieces that changed."""
        old = self.pieces
        made = list(self._iter_divided(texts))
        n_least = min(len(old), len(made))
        n_before = next((n for n in range(n_least) if not _is_same(old[n], made[n])), n_least)
        n_least -= n_before
        n_behind = next((n for n in range(n_least) if not _is_same(old[~n], made[~n])), n_least)
        last = len(old) - n_behind
        pieces = [
            self._piece(own, n_plain, n_special, spells_special=self._spells_special(own.text))
            for own, n_plain, n_special in made[n_before : len(made) - n_behind]
        ]
        return self._put(n_before, last, tuple(old[n_before:last]), tuple(pieces))

    def _iter_divided(self, texts: list[str]) -> Iterator[tuple[Encoding, int, int]]:
        """Encode consecutive texts as one; yield each part with its plain and its special token count.

        Where no token begins between two texts, the parts are divided at the next cut where one does; if
        there is none, they are one part.
        """
        text = "".join(texts)
        if not text:
            return
        plain, special = self._encode_both(text)
        shown = special if self.honours_special else plain
        starts, reached = shown.starts, np.maximum.accumulate(shown.ends)
        is_first = starts[1:] > starts[:-1]  # the first of the tokens that begin there
        begins = frozenset(starts[1:][is_first & (starts[1:] == reached[:-1])].tolist())
        place = n_bytes = 0
        kept = [(0, 0)]  # characters and bytes
        for own, behind in pairwise(texts):
            place, n_bytes = place + len(own), n_bytes + len(own.encode())
            if met := self._next_begin(text, place, n_bytes, place + len(behind), begins):
                kept.append(met)
        kept.append((len(text), len(text.encode())))
        n_before = [
            [0, *np.searchsorted(found.starts, [start for _, start in kept[1:-1]]).tolist(), len(found)]
            for found in (shown, plain, special)
        ]
        for n, ((begin, start), (end, _)) in enumerate(pairwise(kept)):
            (a, b), (a_plain, b_plain), (a_special, b_special) = (row[n : n + 2] for row in n_before)
            part = Encoding(text[begin:end], shown.ids[a:b], starts[a:b] - start, shown.ends[a:b] - start)
            part.is_tiling = shown.is_tiling
            yield part, b_plain - a_plain, b_special - a_special

    def _next_begin(
        self, text: str, place: int, n_bytes: int, end: int, begins: frozenset[int]
    ) -> tuple[int, int] | None:
        """Return the first cut from `place` to `end` at a byte in `begins`, as character and byte offsets."""
        found: int | None = place
        while found is not None and found < end:
            n_bytes += len(text[place:found].encode())
            if n_bytes in begins:
                return found, n_bytes
            place = found
            found = self._cuts.next(text, place + 1)
        return None

    def _put(self, first: int, last: int, removed: tuple[Piece, ...], pieces: tuple[Piece, ...]) -> Update:
        """Replace pieces and update the totals."""
        start = max(first - 1, 0)  # a word may continue into a neighbouring piece
        before = self.pieces[start : last + 1]
        self.pieces[first:last] = pieces
        self._sum_up(before, self.pieces[start : first + len(pieces) + 1])
        self.version += 1
        return Update(self.version, first, removed, pieces)

    def _sum_up(self, before: list[Piece], after: list[Piece]) -> None:
        """Update the totals after `after` replaced `before`, both including neighbouring pieces."""
        old, new = (sum((piece.counts for piece in pieces), TextCounts()) for pieces in (before, after))
        self._counts = TextCounts(
            self._counts.n_characters + new.n_characters - old.n_characters,
            self._counts.n_bytes + new.n_bytes - old.n_bytes,
            self._counts.n_words + new.n_words - old.n_words,
            self._counts.n_line_ends + new.n_line_ends - old.n_line_ends,
            starts_in_word=bool(self.pieces) and self.pieces[0].counts.starts_in_word,
            ends_in_word=bool(self.pieces) and self.pieces[-1].counts.ends_in_word,
        )
        self._n_plain += sum(p.n_tokens_plain for p in after) - sum(p.n_tokens_plain for p in before)
        self._n_special += sum(p.n_tokens_special for p in after) - sum(p.n_tokens_special for p in before)
        if self._categories is not None:
            self._categories = sum((p.categories() for p in after), self._categories)
            self._categories = sum((-p.categories() for p in before), self._categories)

    def _encode(self, text: str, *, is_rest: bool, allowed_special: frozenset[str] = NO_SPECIAL) -> Encoding:
        tokenizer = self.tokenizer
        if tokenizer.rest is None or not is_rest:
            return tokenizer.encode(text, allowed_special=allowed_special)
        return encode_around_special(
            tokenizer, text, allowed_special, tokenizer.encode, encode_first=tokenizer.rest.encode
        )

    def _encode_piece(self, text: str, *, is_rest: bool) -> Piece:
        plain, special = self._encode_both(text, is_rest=is_rest)
        shown = special if self.honours_special else plain
        return self._piece(shown, len(plain), len(special), spells_special=special is not plain)

    def _encode_both(self, text: str, *, is_rest: bool = False) -> tuple[Encoding, Encoding]:
        """Encode a text without and with special tokens."""
        plain = special = self._encode(text, is_rest=is_rest)
        if self._spells_special(text):
            every_special = frozenset(self.tokenizer.special_tokens)
            special = self._encode(text, is_rest=is_rest, allowed_special=every_special)
        return plain, special

    def _spells_special(self, text: str) -> bool:
        return next(self._special_finder.iter_spans(text), None) is not None

    def _piece(
        self, encoding: Encoding, n_tokens_plain: int, n_tokens_special: int, *, spells_special: bool
    ) -> Piece:
        text, ids, lengths = encoding.text, encoding.ids, encoding.lengths.astype(np.uint32)
        return Piece(
            text=text,
            n_utf16=count_utf16(text),
            ids=ids,
            lengths=lengths,
            ends=encoding.ends.astype(np.uint32),
            marks=marks_of(encoding, self.tokenizer.vocabulary),
            counts=count_text(text),
            categories=cache(
                partial(count_categories, ids, text, lengths, self.special_ids, self._category_table)
            ),
            n_tokens_plain=n_tokens_plain,
            n_tokens_special=n_tokens_special,
            spells_special=spells_special,
        )


def _is_same(piece: Piece, made: tuple[Encoding, int, int]) -> bool:
    """Whether a piece equals a new encoding, including the bytes dropped before its first token."""
    encoding, n_tokens_plain, n_tokens_special = made
    n_dropped = piece.marks[0] if len(piece.marks) else 0
    return (
        piece.text == encoding.text
        and (piece.n_tokens_plain, piece.n_tokens_special) == (n_tokens_plain, n_tokens_special)
        and np.array_equal(piece.ids, encoding.ids)
        and np.array_equal(piece.lengths, encoding.lengths)
        and np.array_equal(piece.ends, encoding.ends)
        and (not len(encoding) or n_dropped == encoding.starts[0])
    )


def too_long(n_bytes: int) -> TextTooLongError:
    """Return the error for a text of more than `MAX_TEXT_BYTES`."""
    return TextTooLongError(
        f"the text would have {n_bytes:,} bytes; this page takes up to {MAX_TEXT_BYTES:,}. "
        "Longer files are counted by My corpus on Compare, or in a shell by tessera count FILE"
    )


def _iter_cut(text: str, cuts: SafeCuts) -> Iterator[str]:
    """Cut a text into pieces that encode on their own, preferably after a line feed."""
    start = 0
    while len(text) - start > PIECE_CHARS:
        end = _cut_after_line(text, start + PIECE_CHARS, cuts) or cuts.next(text, start + PIECE_CHARS)
        if end is None:
            break
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _cut_after_line(text: str, earliest: int, cuts: SafeCuts) -> int | None:
    line_feed = text.find("\n", earliest, earliest + LINE_SEARCH_CHARS)
    while line_feed != -1:
        if cuts.is_safe(text, line_feed + 1):
            return line_feed + 1
        line_feed = text.find("\n", line_feed + 1, earliest + LINE_SEARCH_CHARS)
    return None
