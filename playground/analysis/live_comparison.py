"""LiveComparison: a text that is being edited in several tokenizers, with exact figures after every edit.

An edit encodes only the affected pieces in each tokenizer and recounts boundaries there.
`tests/analysis/test_comparison.py` compares the result with `comparison`, which counts a whole text.
"""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from playground.analysis.comparison import Agreement, ComparisonRow
from playground.analysis.live_document import MAX_TEXT_BYTES, LiveDocument, Piece, Update, too_long
from playground.analysis.text_counts import TextCounts, count_text
from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates

#: Each byte of the text has one bit for each tokenizer.
MAX_ROWS = 8


class LiveComparison:
    """A text and its tokens in each tokenizer, kept in step; `version` counts all changes.

    Not safe to use from several threads at once.

    >>> from playground.catalog.registry import get_tokenizer
    >>> comparison = LiveComparison("Egg", [get_tokenizer("gpt2"), get_tokenizer("cl100k_base")])
    >>> [update.pieces[0].ids.tolist() for update in comparison.edit(3, 0, " egg")]
    [[36, 1130, 5935], [36, 14736, 19151]]
    >>> comparison.agreement()
    Agreement(in_all=2, in_some=0, in_one=0)
    """

    def __init__(self, text: str = "", tokenizers: Sequence[Tokenizer] = ()) -> None:
        self.version = 0
        self.documents: tuple[LiveDocument, ...] = ()
        self._text = ""
        self._boundaries = _Boundaries(())
        self.replace(text)
        self.use(tokenizers)

    @property
    def tokenizers(self) -> tuple[Tokenizer, ...]:
        """The tokenizers in order; the others are compared with the first."""
        return tuple(document.tokenizer for document in self.documents)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.documents[0].text if self.documents else self._text

    def use(self, tokenizers: Sequence[Tokenizer]) -> None:
        """Change the tokenizers; the text stays, and so do the tokens of tokenizers that stay.

        Raises InvalidInputError for more than `MAX_ROWS`.
        """
        if len(tokenizers) > MAX_ROWS:
            raise InvalidInputError(f"{len(tokenizers)} tokenizers are too many; compare up to {MAX_ROWS}")
        text = self.text
        known = {id(document.tokenizer): document for document in self.documents}
        self.documents = tuple(
            known.pop(id(tokenizer)) if id(tokenizer) in known else LiveDocument(tokenizer, text)
            for tokenizer in tokenizers
        )
        self._text = "" if self.documents else text
        self.version += 1
        self._boundaries = _Boundaries(self.documents)

    def replace(self, text: str) -> tuple[Update, ...]:
        """Set the whole text; return an update for each tokenizer.

        Raises TextTooLongError; then the old text stays.
        """
        if not self.documents:
            text = replace_lone_surrogates(text)
            if (n_bytes := len(text.encode())) > MAX_TEXT_BYTES:
                raise too_long(n_bytes)
            self._text = text
        return self._change(lambda document: document.replace(text))

    def edit(self, start: int, n_deleted: int, inserted: str) -> tuple[Update, ...]:
        """Replace `n_deleted` UTF-16 units at `start`; return an update for each tokenizer.

        Raises InvalidInputError and TextTooLongError; then the old text stays.
        """
        return self._change(lambda document: document.edit(start, n_deleted, inserted))

    def text_counts(self) -> TextCounts:
        """Return the counts of the text that don't depend on tokens."""
        return self.documents[0].text_counts() if self.documents else count_text(self._text)

    def rows(self) -> list[ComparisonRow]:
        """Return a row for each tokenizer, equal to those of `comparison_rows`."""
        counts = self.text_counts()
        n_tokens = [document.n_tokens for document in self.documents]
        shares = self._boundaries.shares_with_first(self.documents)
        return [
            ComparisonRow(
                tokenizer_name=tokenizer.name,
                n_vocab=tokenizer.vocabulary.n_vocab,
                n_tokens=n,
                n_bytes=counts.n_bytes,
                n_characters=counts.n_characters,
                n_words=counts.n_words,
                shared_boundaries=share,
                tokens_against_first=n - n_tokens[0],
            )
            for tokenizer, n, share in zip(self.tokenizers, n_tokens, shares, strict=True)
        ]

    def agreement(self) -> Agreement:
        """Return the boundaries in all, some and one of the rows, equal to `count_agreement`."""
        return self._boundaries.agreement(self.documents)

    def _change(self, change: Callable[[LiveDocument], Update]) -> tuple[Update, ...]:
        before = self.text
        updates: list[Update] = []
        try:
            for document in self.documents:
                updates.append(change(document))
        except BaseException:  # includes an encoder's panic: restore the documents already changed
            for document in self.documents[: len(updates)]:
                document.replace(before)
            if updates:
                self.version += 1
                self._boundaries = _Boundaries(self.documents)
            raise
        self.version += 1
        self._boundaries.follow(self.documents, updates)
        return tuple(updates)


class _Boundaries:
    """Token boundaries: for each byte of the text, the set of rows in which a token starts there, as bits.

    The number of bytes with each set of rows gives all figures about boundaries.
    """

    def __init__(self, documents: Sequence[LiveDocument]) -> None:
        self._rows_at = np.zeros(0, np.uint8)
        self._n_of_set = np.zeros(1 << len(documents), np.int64)
        row_of_set = np.arange(len(self._n_of_set))[:, None] >> np.arange(len(documents))
        self._has_row = (row_of_set & 1).astype(bool)  # (sets, rows)
        self.follow(documents, [Update(0, 0, (), tuple(document.pieces)) for document in documents])

    def follow(self, documents: Sequence[LiveDocument], updates: Sequence[Update]) -> None:
        """Recount where updates changed pieces; all rows have the same edit in pieces of their own."""
        if not updates:
            return
        firsts = [_n_bytes(d.pieces[: u.first]) for d, u in zip(documents, updates, strict=True)]
        lasts = [first + _n_bytes(update.removed) for first, update in zip(firsts, updates, strict=True)]
        growth = _n_bytes(updates[0].pieces) - _n_bytes(updates[0].removed)
        start, stop = min(firsts), max(lasts)
        old = self._rows_at[start:stop]
        new = np.zeros(len(old) + growth, np.uint8)
        for row, (first, last, update) in enumerate(zip(firsts, lasts, updates, strict=True)):
            own, n_before, n_after = np.uint8(1 << row), first - start, stop - last
            new[:n_before] |= old[:n_before] & own
            new[len(new) - n_after :] |= old[len(old) - n_after :] & own
            for piece in update.pieces:
                starts = np.cumsum(piece.lengths) - piece.lengths
                n_bytes = piece.counts.n_bytes
                new[n_before + starts[starts < n_bytes]] |= (
                    own  # a token that starts at the piece's end counts there
                )
                n_before += n_bytes
        n_sets = len(self._n_of_set)
        self._n_of_set += np.bincount(new, minlength=n_sets) - np.bincount(old, minlength=n_sets)
        self._rows_at = np.concatenate([self._rows_at[:start], new, self._rows_at[stop:]])

    def agreement(self, documents: Sequence[LiveDocument]) -> Agreement:
        """Count each boundary once, by the number of rows that have it."""
        n_of_set = self._counts(documents)
        n_rows = self._has_row.sum(axis=1)
        in_all = int(n_of_set[-1]) if documents else 0
        in_one = int(n_of_set[n_rows == 1].sum()) if len(documents) > 1 else 0
        return Agreement(in_all, int(n_of_set[1:].sum()) - in_all - in_one, in_one)

    def shares_with_first(self, documents: Sequence[LiveDocument]) -> list[float]:
        """Return each row's common boundaries with the first row, divided by those that either has."""
        n_of_set, of_first = self._counts(documents), self._has_row[:, :1]
        n_both = (n_of_set @ (self._has_row & of_first)).tolist()
        n_either = (n_of_set @ (self._has_row | of_first)).tolist()
        return [both / either if either else 1.0 for both, either in zip(n_both, n_either, strict=True)]

    def _counts(self, documents: Sequence[LiveDocument]) -> npt.NDArray[np.int64]:
        """Count boundaries by set of rows; the start of the text isn't one, its end may be."""
        at_end = sum(1 << row for row, document in enumerate(documents) if _has_token_at_end(document.pieces))
        n_of_set = self._n_of_set.copy()
        n_of_set[self._rows_at[:1]] -= 1
        n_of_set[at_end] += 1
        return n_of_set


def _n_bytes(pieces: Sequence[Piece]) -> int:
    return sum(piece.counts.n_bytes for piece in pieces)


def _has_token_at_end(pieces: Sequence[Piece]) -> bool:
    return bool(pieces) and len(pieces[-1].lengths) > 0 and not pieces[-1].lengths[-1]
