"""Count characters, bytes, words and line ends of a text; the counts of its parts can be added."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextCounts:
    """Counts of a text or a part; parts can be added unless the cut is between CR and LF.

    A word is a run of characters that are not white space, as `wc` counts. `n_line_ends` counts LF, CRLF and
    CR, each as one. `starts_in_word` and `ends_in_word` are True if a word may continue beyond that end.

    >>> count_text("one two\\n") + count_text("three")
    TextCounts(n_characters=13, n_bytes=13, n_words=3, n_line_ends=1,
               starts_in_word=True, ends_in_word=True)
    """

    n_characters: int = 0
    n_bytes: int = 0
    n_words: int = 0
    n_line_ends: int = 0
    starts_in_word: bool = False
    ends_in_word: bool = False

    def __add__(self, other: "TextCounts") -> "TextCounts":
        if not (self.n_characters and other.n_characters):
            return self if self.n_characters else other
        return TextCounts(
            self.n_characters + other.n_characters,
            self.n_bytes + other.n_bytes,
            self.n_words + other.n_words - (self.ends_in_word and other.starts_in_word),
            self.n_line_ends + other.n_line_ends,
            self.starts_in_word,
            other.ends_in_word,
        )

    @property
    def n_lines(self) -> int:
        """The number of lines as editors count them: line ends + 1, and 0 for an empty text."""
        return self.n_line_ends + 1 if self.n_characters else 0


def count_text(text: str) -> TextCounts:
    """Count one text.

    >>> count_text("a\\r\\nb c").n_lines, count_text("a\\r\\nb c").n_words
    (2, 3)
    """
    n_line_ends = text.count("\n")
    if "\r" in text:
        n_line_ends += text.count("\r") - text.count("\r\n")
    return TextCounts(
        len(text),
        len(text.encode()),
        len(text.split()),
        n_line_ends,
        starts_in_word=not text[:1].isspace() and bool(text),
        ends_in_word=not text[-1:].isspace() and bool(text),
    )
