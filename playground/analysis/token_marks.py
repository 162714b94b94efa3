"""Marks of tokens whose bytes differ from the text that they cover, and of text that no token covers.

They show where a tokenizer normalizes, drops or inserts characters.
"""

from enum import IntEnum

import numpy as np

from playground.core.encoding import Encoding
from playground.core.text_units import Column
from playground.core.vocabulary import Vocabulary


class Mark(IntEnum):
    """How a token's bytes differ from the text that it covers."""

    AS_TYPED = 0
    CHANGED = 1
    #: The token adds a space before the text, or covers no text.
    INSERTED = 2


NO_MARKS = np.zeros(0, np.uint32)


def marks_of(encoding: Encoding, vocabulary: Vocabulary) -> Column:
    """Return the bytes dropped before the first token, then for each token 4 × the bytes dropped after it
    + its `Mark`; empty if the tokens spell the text.

    >>> from playground.core.vocabulary import TableVocabulary
    >>> vocabulary = TableVocabulary("toy", [1, 2], [b"e", b"!"])
    >>> spans = np.array([1, 4]), np.array([3, 5])
    >>> marks_of(Encoding(" \\u00e9 !", np.array([1, 2], np.uint32), *spans), vocabulary).tolist()
    [1, 5, 0]
    """
    if encoding.is_tiling:
        return NO_MARKS
    source = encoding.text.encode()
    reached = np.concatenate([[0], np.maximum.accumulate(encoding.ends)])
    dropped = np.maximum(np.append(encoding.starts, len(source)) - reached, 0)
    marks = 4 * dropped
    marks[0] = dropped[0]
    raws = vocabulary.raws_of(encoding.ids)
    starts, ends = encoding.starts.tolist(), encoding.ends.tolist()
    first = 0
    while first < len(raws):
        start, end = starts[first], ends[first]
        last = first + 1
        # Several tokens of one character are compared with it together.
        while last < len(raws) and start < end and (starts[last], ends[last]) == (start, end):
            last += 1
        own, covered = b"".join(raws[first:last]), source[start:end]
        # Claude's pieces have a mark for the beginning of a word, which stands for the space before it.
        if own != covered and b" " + own != covered:
            is_inserted = own == b" " + covered or not covered
            marks[first + 1 : last + 1] += Mark.INSERTED if is_inserted else Mark.CHANGED
        first = last
    return marks.astype(np.uint32) if marks.any() else NO_MARKS
