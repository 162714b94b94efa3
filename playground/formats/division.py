"""The tokens of a format's text by role; of very many rows each pair of neighbours is looked at once.

What a role is, and how a token that spans several is divided, is `roles`' business.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np

from playground.bpe.safe_cuts import SafeCuts
from playground.core.tokenizer import Tokenizer, replace_lone_surrogates
from playground.formats import repeats
from playground.formats.roles import RoleCounter, character_roles, count_tokens_by_role, rounded_parts
from playground.formats.values import Format, Role, RowFrame, WriteOptions


def divide(text: str, entry: Format, options: WriteOptions, tokenizer: Tokenizer) -> dict[Role, int]:
    """Whole tokens by role, which sum to the number of tokens of a text that was written with these options.

    >>> from playground.catalog.baselines import ByteTokenizer
    >>> from playground.formats.registry import FORMATS
    >>> divide("a: 1", FORMATS["yaml"], WriteOptions(), ByteTokenizer())
    {'keys': 1, 'values': 1, 'punctuation': 1, 'whitespace': 1}
    """
    text = replace_lone_surrogates(text)
    for frame in entry.row_frames(options):
        split = frame.split(text)
        if split is not None and len(split[1]) >= repeats.MIN_ROWS:
            parts = _divide_rows(frame, *split, entry, tokenizer)
            if parts is not None:
                return rounded_parts(parts)
    return rounded_parts(count_tokens_by_role(text, entry.iter_roles(text), tokenizer))


def _divide_rows(
    frame: RowFrame, head: str, rows: list[str], tail: str, entry: Format, tokenizer: Tokenizer
) -> dict[Role, Fraction] | None:
    """The same from each pair of neighbours, cut within both; None where too few repeat, or cannot be cut."""
    pairs = Counter(pairwise(rows))
    distinct = list(dict.fromkeys(rows))
    if 2 * len(pairs) > len(rows):
        return None
    cuts = SafeCuts(tokenizer.safe_cut)
    cut_of: dict[str, int] = {}
    for row in distinct:
        place = cuts.next(row, 1)
        if place is None:
            return None
        cut_of[row] = place
    shown = [*distinct, rows[-1]]
    if frame.is_read_alone and not _are_rows(frame.join(head, shown, tail), len(shown), entry):
        return None

    short = f"{head}{frame.separator.join(shown)}{tail}"
    roles = character_roles(short, entry.iter_roles(short))
    n_separator, start = len(frame.separator), len(head)
    start_of = {}
    for row in distinct:
        start_of[row] = start
        start += len(row) + n_separator
    between = roles[start - n_separator : start]

    counted = RoleCounter(tokenizer)
    first, last = rows[0], rows[-1]
    n_first, n_last = len(head) + cut_of[first], len(tail) + len(last) - cut_of[last]
    counted.add(short[:n_first], roles[:n_first])
    counted.add(short[len(short) - n_last :], roles[len(short) - n_last :])
    for (left, right), n in pairs.items():
        left_cut, right_cut = cut_of[left], cut_of[right]
        left_roles = roles[start_of[left] + left_cut : start_of[left] + len(left)]
        right_roles = roles[start_of[right] : start_of[right] + right_cut]
        counted.add(
            left[left_cut:] + frame.separator + right[:right_cut],
            np.concatenate([left_roles, between, right_roles]),
            n,
        )
    return counted.parts()


def _are_rows(text: str, n_rows: int, entry: Format) -> bool:
    """Does the format's own parser find so many? Otherwise a separator stands within one."""
    try:
        found = entry.read(text)
    except MemoryError:
        raise
    except Exception:
        return False
    if isinstance(found, dict) and len(found) == 1:
        [found] = found.values()
    return isinstance(found, list) and len(found) == n_rows
