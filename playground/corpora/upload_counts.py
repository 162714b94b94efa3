"""Counting an uploaded file in processes of the pool, part by part: between parts others have their turns."""

import threading
import time
from collections.abc import Callable, Sequence

from playground.core.errors import InvalidInputError
from playground.core.tokenizer import Tokenizer
from playground.corpora.blocks import common_cuts
from playground.corpora.part_work import TokenizerParcel, tally_of
from playground.corpora.parts import Part, parts_of
from playground.corpora.sources import find_sources
from playground.corpora.token_counts import FileCount, Tally
from playground.corpora.upload_files import as_file
from playground.workers import pool, progress
from playground.workers.process import CancelledError

#: Of what is counted in one turn: a second of work with several tokenizers.
PART_BYTES = 1 << 23
#: A packed file and CSV are one part.
SECONDS, MEMORY_BYTES = 180.0, 1_500_000_000
_TELL_SECONDS = 0.2


def count_upload(
    name: str,
    raw: bytes,
    tokenizers: Sequence[Tokenizer],
    *,
    field: str = "",
    visitor: str = "",
    cancelled: threading.Event | None = None,
    tell: Callable[[float], object] = lambda _part: None,
) -> FileCount:
    """Count a file of any kind that the shell's `count` reads; `tell` hears which part of it is done.

    Raises: InvalidInputError with the file's name, LimitExceededError; CancelledError once `cancelled` is
    set.
    """
    parcel = TokenizerParcel.of(tokenizers, allow_special=False)
    with as_file(name, raw) as path:
        sources = find_sources([str(path)], field=field)
        parts = parts_of(sources, common_cuts(tokenizers, allow_special=False), part_bytes=PART_BYTES)
        tallies = []
        for number, part in enumerate(parts):
            if cancelled is not None and cancelled.is_set():
                raise CancelledError
            tell(number / len(parts))
            found: Tally | str = pool.run(
                "playground.corpora.upload_counts.tally_and_tell", part, parcel,
                what=f"counting {name}", visitor=visitor, cancelled=cancelled,
                seconds=SECONDS, memory_bytes=MEMORY_BYTES,
                on_progress=None if len(parts) > 1 else lambda n_read: tell(n_read / max(len(raw), 1)),
            )  # fmt: skip
            if isinstance(found, str):
                raise InvalidInputError(found)
            tallies.append(found)
    return FileCount.total_of(name, tallies, len(tokenizers))


def tally_and_tell(part: Part, parcel: TokenizerParcel) -> Tally | str:
    """`part_work.tally_of`, which tells now and then how many bytes of a whole file are read."""
    n_read, due = 0, time.monotonic() + _TELL_SECONDS

    def on_read(n_bytes: int) -> None:
        nonlocal n_read, due
        n_read += n_bytes
        if time.monotonic() >= due:
            due = time.monotonic() + _TELL_SECONDS
            progress.report(n_read)

    return tally_of(part, parcel, on_read=on_read)
