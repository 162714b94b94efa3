"""Distinct pretokens with their counts as a Parquet file: counted once, trained on many times.

Columns `pretoken` (bytes) and `count`, first seen first, so ties break as they would on the texts. DuckDB and
pandas read it too.
"""

import json
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from playground.bpe.split_pattern import SplitPattern
from playground.core.errors import InvalidInputError
from playground.corpora.text_files import open_binary
from playground.training.pretoken_counts import PretokenCounts

_ABOUT = b"tessera"
_COLUMNS = ["pretoken", "count"]


def are_kept_counts(path: str) -> bool:
    """Whether a file has the columns of one that `write_counts` wrote."""
    try:
        with open_binary(path) as opened, pq.ParquetFile(opened) as file:
            return list(file.schema_arrow.names) == _COLUMNS
    except (InvalidInputError, OSError, pa.ArrowException):
        return False


def write_counts(path: Path, counts: PretokenCounts, pattern: SplitPattern) -> None:
    """Write the file, which is there once it is whole. Raises InvalidInputError."""
    about = {
        "pattern": pattern.name,
        "expression": pattern.expression,
        "bytes": counts.n_bytes,
        "unmatched_bytes": counts.n_unmatched_bytes,
    }
    buffers = [None, pa.py_buffer(counts.starts), pa.py_buffer(counts.pool)]
    pretokens = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(counts), buffers)
    table = pa.table([pretokens, pa.array(counts.counts)], names=_COLUMNS)
    part = path.with_name(path.name + ".part")
    try:
        pq.write_table(table.replace_schema_metadata({_ABOUT: json.dumps(about)}), part, compression="zstd")
        os.replace(part, path)
    except OSError as error:
        raise InvalidInputError(f"cannot write {path}: {error.strerror or error}") from error


def read_counts(path: Path | str) -> tuple[PretokenCounts, SplitPattern]:
    """The counts of a file, and the split pattern that they were cut by. Raises InvalidInputError."""
    try:
        with open_binary(str(path)) as opened:
            table = pq.read_table(opened).combine_chunks()
        about = json.loads((table.schema.metadata or {})[_ABOUT])
        pattern = SplitPattern(about["pattern"], about["expression"])
        n_bytes, n_unmatched = int(about["bytes"]), int(about["unmatched_bytes"])
        raws = table.column("pretoken").cast(pa.large_binary()).combine_chunks()
        counts = table.column("count").to_numpy().astype(np.int64)
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise InvalidInputError(f"{path}: no counts that --keep-counts wrote ({error})") from error
    if len(raws) == 0:
        starts, pool = np.zeros(1, np.int64), np.zeros(0, np.uint8)
    else:
        offsets = np.frombuffer(raws.buffers()[1], np.int64)[raws.offset : raws.offset + len(raws) + 1]
        pool = np.frombuffer(raws.buffers()[2], np.uint8)[offsets[0] : offsets[-1]].copy()
        starts = offsets - offsets[0]
    lengths = np.diff(starts)
    if raws.null_count or (counts < 1).any() or (lengths < 1).any() or int(lengths @ counts) != n_bytes:
        raise InvalidInputError(f"{path}: the counts are damaged: they do not add up to {n_bytes:,} bytes")
    return PretokenCounts(pool, starts, counts, n_bytes, n_unmatched), pattern
