"""Distinct pretokens with their counts as a Parquet file: counted once, trained on many times.

Columns `pretoken` (bytes) and `count`, first seen first, so ties break as they would on the texts. DuckDB and
pandas read it too.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.corpora.text_files import open_binary
from playground.training.pretoken_counts import PretokenCounts

_ABOUT = b"tessera"
_COLUMNS = ["pretoken", "count"]


def are_kept_counts(path: str) -> bool:
    """Whether a file has the columns that `write_counts` writes."""
    try:
        with open_binary(path) as opened, pq.ParquetFile(opened) as file:
            return list(file.schema_arrow.names) == _COLUMNS
    except (InvalidInputError, OSError, pa.ArrowException):
        return False


def write_counts(path: Path, counts: PretokenCounts, pattern: SplitPattern) -> None:
    """Write the counts atomically. Raises InvalidInputError."""
    about = {
        "pattern": pattern.name,
        "expression": pattern.expression,
        "bytes": counts.n_bytes,
        "unmatched_bytes": counts.n_unmatched_bytes,
    }
    pretokens = pa.array(list(counts.counts), pa.large_binary())
    table = pa.table([pretokens, pa.array(list(counts.counts.values()), pa.int64())], names=_COLUMNS)
    part = path.with_name(path.name + ".part")
    try:
        pq.write_table(table.replace_schema_metadata({_ABOUT: json.dumps(about)}), part, compression="zstd")
        os.replace(part, path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def read_counts(path: Path | str) -> tuple[PretokenCounts, SplitPattern]:
    """Return the counts in a file, and their split pattern. Raises InvalidInputError."""
    with open_binary(str(path)) as opened:
        return _counts_in(opened, str(path))


def counts_in_upload(raw: bytes, name: str, max_pretokens: int) -> tuple[PretokenCounts, SplitPattern]:
    """Return the counts in an uploaded file, and their split pattern.

    Raises InvalidInputError, also for more than `max_pretokens` distinct pretokens.
    """
    file = pa.BufferReader(raw)
    try:
        about = pq.ParquetFile(file)
    except (OSError, pa.ArrowException) as error:
        raise InvalidInputError(f"{name}: it is no Parquet file, or a broken one ({_line(error)})") from error
    columns = list(about.schema_arrow.names)
    if columns != _COLUMNS:
        shown = ", ".join(columns[:8]) + (" …" if len(columns) > 8 else "")
        raise InvalidInputError(
            f"{name} has no column of text, and is no counts of a corpus: its columns are "
            f"{shown or 'none'}, not {' and '.join(_COLUMNS)}"
        )
    if about.metadata.num_rows > max_pretokens:
        raise InvalidInputError(
            f"{name}: it has {about.metadata.num_rows:,} distinct pretokens; at most {max_pretokens:,} can "
            f"be learned from here. For more, train in a shell: tessera train {name}"
        )
    file.seek(0)
    return _counts_in(file, name)


def _counts_in(file: Any, name: str) -> tuple[PretokenCounts, SplitPattern]:
    try:
        table = pq.read_table(file).combine_chunks()
        about = json.loads((table.schema.metadata or {})[_ABOUT])
        pattern = SplitPattern.typed(about["expression"])
        n_bytes, n_unmatched = int(about["bytes"]), int(about["unmatched_bytes"])
        raws = table.column("pretoken").cast(pa.large_binary()).to_pylist()
        numbers = table.column("count").to_pylist()
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"{name}: no counts that --keep-counts wrote ({_line(error)})") from error
    counts = dict(zip(raws, numbers, strict=True))
    if (
        len(counts) < len(raws)
        or not all(raw and isinstance(number, int) and number >= 1 for raw, number in counts.items())
        or sum(len(raw) * number for raw, number in counts.items()) != n_bytes
    ):
        raise InvalidInputError(f"{name}: the counts are damaged: they do not add up to {n_bytes:,} bytes")
    return PretokenCounts(counts, n_bytes, n_unmatched), pattern


def _line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
