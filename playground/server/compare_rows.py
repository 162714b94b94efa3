"""The rows of a comparison as a browser gets them: only the tokens that it does not hold yet.

A row is two columns, ids and starts; `web/compare/rows.js` puts them between the ends that it kept.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from starlette.responses import Response

from playground.analysis.comparison import (
    Columns,
    TextCut,
    comparison_rows,
    count_agreement,
    row_figures,
    utf16_starts,
)
from playground.core.text_units import count_utf16
from playground.server.wire import columns_response


@dataclass(frozen=True, slots=True)
class SentRows:
    """What a browser holds: ids and starts for each row, of a text of so many UTF-16 units."""

    version: int
    n_units: int
    columns: tuple[tuple[Columns, Columns], ...]


def sent_rows(text: str, cuts: Sequence[TextCut], *, version: int) -> SentRows:
    """What a browser holds once it has been sent these cuts of a text."""
    columns = tuple((cut.ids, starts) for cut, starts in zip(cuts, utf16_starts(text, cuts), strict=True))
    return SentRows(version, count_utf16(text), columns)


def rows_response(text: str, cuts: Sequence[TextCut], sent: SentRows, before: SentRows | None) -> Response:
    """Figures, and each row's two columns without what `before` has at the ends."""
    shift = sent.n_units - before.n_units if before else 0
    kept, columns = [], []
    for number, (ids, starts) in enumerate(sent.columns):
        n_before, n_after = count_kept(before.columns[number], (ids, starts), shift) if before else (0, 0)
        kept.append({"n_before": n_before, "n_after": n_after})
        columns += [column[n_before : len(column) - n_after] for column in (ids, starts)]
    header = {
        "version": sent.version,
        "shift": shift,
        "rows": [row_figures(row) | own for row, own in zip(comparison_rows(text, cuts), kept, strict=True)],
        "agreement": asdict(count_agreement(cuts)) if cuts else None,
        "n_characters": len(text),
        "n_bytes": len(text.encode(errors="replace")),
    }
    return columns_response(header, columns)


def count_kept(old: tuple[Columns, Columns], new: tuple[Columns, Columns], shift: int) -> tuple[int, int]:
    """How many tokens at the start are the same, and how many at the end with their starts moved by `shift`.

    >>> ids, starts = np.array([1, 2, 3], dtype=np.uint32), np.array([0, 4, 5], dtype=np.uint32)
    >>> count_kept((ids, starts), (ids, np.array([0, 4, 7], dtype=np.uint32)), 2)
    (2, 1)
    """
    limit = min(len(old[0]), len(new[0]))
    is_same = (old[0][:limit] == new[0][:limit]) & (old[1][:limit] == new[1][:limit])
    n_before = limit if is_same.all() else int(np.argmin(is_same))
    limit -= n_before
    if not limit:
        return n_before, 0
    moved = old[1][-limit:] + np.uint32(shift % 2**32)  # the highest bit, which is a flag, stays
    is_same = ((old[0][-limit:] == new[0][-limit:]) & (moved == new[1][-limit:]))[::-1]
    return n_before, limit if is_same.all() else int(np.argmin(is_same))
