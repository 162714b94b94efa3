"""Read and write files of ids in pieces: raw numbers, NumPy or Parquet.

Ids go to `NAME.part`, which only one process at a time writes; `finish` renames it. `encode_files` decides
which ids are written.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from itertools import count, takewhile
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from playground.core.errors import InvalidInputError
from playground.core.vocabulary import Ids

_NPY_HEADER_BYTES = 128
BLOCK_IDS = 1 << 20
_MAX_UINT16 = 1 << 16
#: Ids of a shard where no number is given: 200 or 400 MB, as GPT-2's training code has them.
SHARD_IDS = 100_000_000
_SHARD = re.compile(r"_\d{5,}(?=\.\w+(?:\.part|\.packing)?$)")


def id_type(n_vocab: int) -> np.dtype[np.unsignedinteger]:
    """Return uint16 or uint32, the smaller type that holds every id of a vocabulary.

    >>> id_type(50_257).name, id_type(100_277).name
    ('uint16', 'uint32')
    """
    return np.dtype("<u2" if n_vocab <= _MAX_UINT16 else "<u4")


def shard_path(path: Path, number: int) -> Path:
    """Return the name of a shard of a file.

    >>> shard_path(Path("ids/train.bin"), 3).name
    'train_00003.bin'
    """
    return path.with_name(f"{path.stem}_{number:05}{path.suffix}")


def without_shard(name: str) -> str:
    """Return the name of a shard without its number; other names stay as they are.

    >>> without_shard("ids/train_00003.bin"), without_shard("a_1.bin")
    ('ids/train.bin', 'a_1.bin')
    """
    return _SHARD.sub("", name)


def read_about(path: Path) -> dict[str, Any]:
    """Return the JSON that describes a file of ids or all shards of one; empty if there is none.

    Raises InvalidInputError.
    """
    beside = path.with_name(path.name + ".json")
    if not beside.exists():
        beside = path.with_name(without_shard(path.name) + ".json")
    try:
        about = json.loads(beside.read_text(encoding="utf-8", errors="surrogateescape"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidInputError(f"{beside} cannot be read: {error}") from error
    if not isinstance(about, dict):
        raise InvalidInputError(f"{beside} does not tell how {path.name} was made")
    return about


def iter_ids(path: Path) -> Iterator[Ids]:
    """Yield the ids of a file in batches. Raises InvalidInputError for a damaged or other file."""
    try:
        for block in _READERS[path.suffix](path):
            if block.dtype.kind not in "iu":
                raise InvalidInputError(f"{path} holds {block.dtype.name}; ids are whole numbers")
            for n in (block.min(), block.max()) if len(block) else ():
                if not 0 <= n < 1 << 32:
                    raise InvalidInputError(f"{path} holds {n}, which is no id")
            yield block.astype(np.uint32)
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror or error}") from error


def _iter_raw(path: Path) -> Iterator[Any]:
    name = read_about(path).get("dtype")
    if name not in ("uint16", "uint32"):
        raise InvalidInputError(
            f"{path}: {path.name}.json beside it tells whether an id has two bytes or four; `encode --out` "
            "writes both"
        )
    dtype = np.dtype(name).newbyteorder("<")
    with path.open("rb") as file:
        while block := file.read(BLOCK_IDS * dtype.itemsize):
            if len(block) % dtype.itemsize:
                raise InvalidInputError(f"{path} is cut off within an id")
            yield np.frombuffer(block, dtype)


def _iter_npy(path: Path) -> Iterator[Any]:
    try:
        ids = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidInputError(f"{path}: it is no .npy file, or a broken one ({error})") from error
    if ids.ndim != 1:
        raise InvalidInputError(f"{path} has {ids.ndim} dimensions; ids must be in one dimension")
    for start in range(0, len(ids), BLOCK_IDS):
        yield ids[start : start + BLOCK_IDS]


def _iter_parquet(path: Path) -> Iterator[Any]:
    import pyarrow as pa  # only here: it takes a fifth of a second
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as table:
            if table.schema_arrow.names != ["id"]:
                names = ", ".join(table.schema_arrow.names[:8])
                raise InvalidInputError(f"{path} has the columns {names}; a file of ids has one, id")
            for batch in table.iter_batches(BLOCK_IDS):
                yield batch.column(0).to_numpy(zero_copy_only=False)
    except pa.ArrowException as error:
        raise InvalidInputError(f"{path}: it is no Parquet file, or a broken one ({error})") from error


def check_id_file(path: Path) -> None:
    """Check the name and folder of a file before the work begins. Raises InvalidInputError."""
    if path.suffix not in ENDINGS:
        raise InvalidInputError(f"cannot write {path}: ids go to a file that ends in {', '.join(ENDINGS)}")
    if path.is_dir():
        raise InvalidInputError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise InvalidInputError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInputError(f"cannot write {path}: permission denied")


class IdFile:
    """A file of ids that grows. Raises InvalidInputError where another process writes it."""

    def __init__(self, path: Path, dtype: np.dtype[np.unsignedinteger]) -> None:
        self.path = path
        self.n_ids = 0
        self._dtype = dtype
        self.part = _part_of(path)
        self._n_header = _NPY_HEADER_BYTES if path.suffix == ".npy" else 0
        try:
            self.part.touch()
            self._lock = _locked(self.part)
            self._file = self.part.open("r+b")
        except BlockingIOError as error:
            raise InvalidInputError(
                f"cannot write {path}: another run is writing it now; wait for its end or name another file"
            ) from error
        except OSError as error:
            raise self._failure(error) from error

    def holds(self, n_ids: int) -> bool:
        """Whether an earlier run has written at least `n_ids` ids."""
        return self.part.stat().st_size >= n_ids * self._dtype.itemsize

    def go_on(self, n_ids: int) -> None:
        """Keep the first `n_ids` ids of an earlier run. Raises InvalidInputError."""
        self.n_ids = n_ids
        try:
            self._file.truncate(self._n_header + n_ids * self._dtype.itemsize)
            self._file.seek(0, os.SEEK_END)
        except OSError as error:
            raise self._failure(error) from error

    def write(self, ids: Ids) -> None:
        """Append ids. Raises InvalidInputError if the disk is full."""
        try:
            self._file.write(np.ascontiguousarray(ids, self._dtype).data)
        except OSError as error:
            raise self._failure(error) from error
        self.n_ids += len(ids)

    def sync(self) -> None:
        """Flush what was written to the disk."""
        try:
            if not self._file.closed:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Close the unfinished file, which a later run can continue."""
        try:
            self._file.close()
        except OSError as error:
            raise self._failure(error) from error
        finally:
            self._lock.close()

    def finish(self) -> None:
        """Give the file its name, replacing an existing file."""
        try:
            ENDINGS[self.path.suffix](self)
        except OSError as error:
            raise self._failure(error) from error
        self._lock.close()

    def _finish_raw(self) -> None:
        self.sync()
        self._file.close()
        os.replace(self.part, self.path)

    def _finish_npy(self) -> None:
        about = f"{{'descr': '{self._dtype.str}', 'fortran_order': False, 'shape': ({self.n_ids},), }}"
        n_about = _NPY_HEADER_BYTES - 10
        self._file.seek(0)
        self._file.write(b"\x93NUMPY\x01\x00" + n_about.to_bytes(2, "little"))
        self._file.write(about.ljust(n_about - 1).encode() + b"\n")
        self._finish_raw()

    def _finish_parquet(self) -> None:
        import pyarrow as pa  # only here: it takes a fifth of a second
        import pyarrow.parquet as pq

        self.sync()
        self._file.close()
        packed = self.path.with_name(self.path.name + ".packing")
        schema = pa.schema([("id", pa.from_numpy_dtype(self._dtype))])
        try:
            with self.part.open("rb") as ids, pq.ParquetWriter(packed, schema) as table:
                while block := ids.read(BLOCK_IDS * self._dtype.itemsize):
                    table.write_batch(
                        pa.record_batch([pa.array(np.frombuffer(block, self._dtype))], schema=schema)
                    )
            os.replace(packed, self.path)
        except BaseException:
            packed.unlink(missing_ok=True)
            raise
        self.part.unlink()

    def _failure(self, error: OSError) -> InvalidInputError:
        return InvalidInputError(f"cannot write {self.part}: {error.strerror or error}")


class IdShards:
    """Files NAME_00000.bin, NAME_00001.bin, … of `n_each` ids each, the last with the rest.

    They are written like one `IdFile`, and get their names together. Raises InvalidInputError as it does.
    """

    def __init__(self, path: Path, dtype: np.dtype[np.unsignedinteger], n_each: int) -> None:
        self.path = path
        self.n_ids = 0
        self._dtype, self._n_each = dtype, n_each
        self._first = self._last = IdFile(shard_path(path, 0), dtype)  # the lock of the first is that of all

    @property
    def names(self) -> list[str]:
        """The names of the finished files."""
        return [shard_path(self.path, number).name for number, _n_ids in self._shards(self.n_ids)]

    def holds(self, n_ids: int) -> bool:
        """Whether an earlier run has written at least `n_ids` ids. Raises OSError if a shard is missing."""
        return all(
            _part_of(shard_path(self.path, number)).stat().st_size >= n_own * self._dtype.itemsize
            for number, n_own in self._shards(n_ids)
        )

    def go_on(self, n_ids: int) -> None:
        """Keep the first `n_ids` ids of an earlier run. Raises InvalidInputError."""
        self.n_ids = n_ids
        shards = self._shards(n_ids)
        self._open(*shards[-1])
        for path in self._from(len(shards), _part_of):
            path.unlink()

    def write(self, ids: Ids) -> None:
        """Append ids. Raises InvalidInputError if the disk is full."""
        while len(ids):
            if self._last.n_ids == self._n_each:
                self._last.sync()
                self._open(self.n_ids // self._n_each, 0)
            more = ids[: self._n_each - self._last.n_ids]
            self._last.write(more)
            self.n_ids += len(more)
            ids = ids[len(more) :]

    def sync(self) -> None:
        """Flush what was written to the disk."""
        self._last.sync()

    def close(self) -> None:
        """Close the unfinished shards, which a later run can continue."""
        self._last.close()
        self._first.close()

    def finish(self) -> None:
        """Give the shards their names, and remove those of an earlier run behind them."""
        shards = self._shards(self.n_ids)
        for number, n_own in shards:
            self._open(number, n_own)
            self._last.finish()
        for path in self._from(len(shards), lambda path: path):
            path.unlink()

    def _shards(self, n_ids: int) -> list[tuple[int, int]]:
        """Return the number of each shard of `n_ids` ids, at least one, and its number of ids."""
        starts = range(0, max(n_ids, 1), self._n_each)
        return [(number, min(n_ids - start, self._n_each)) for number, start in enumerate(starts)]

    def _open(self, number: int, n_ids: int) -> None:
        """Continue with a shard, of which the first `n_ids` ids are kept."""
        if self._last is not self._first:
            self._last.close()
        self._last = IdFile(shard_path(self.path, number), self._dtype) if number else self._first
        self._last.go_on(n_ids)

    def _from(self, number: int, name: Callable[[Path], Path]) -> Iterator[Path]:
        """Yield the files from a shard on that exist, by a function of a shard's path."""
        return takewhile(Path.exists, (name(shard_path(self.path, n)) for n in count(number)))


def _part_of(path: Path) -> Path:
    """Return the name of a file that is not finished."""
    return path.with_name(path.name + ".part")


def _locked(path: Path) -> BinaryIO:
    """Open the file again with an exclusive lock, which closing it or the end of the process releases.

    Raises BlockingIOError if another process has the lock.
    """
    file = path.open("rb")
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # Windows, where an open file cannot be given its name
        file.close()
    except BlockingIOError:
        file.close()
        raise
    except OSError:
        pass  # a file system without locks
    return file


#: How a file of each ending becomes whole.
ENDINGS: dict[str, Callable[[IdFile], None]] = {
    ".npy": IdFile._finish_npy,
    ".bin": IdFile._finish_raw,
    ".parquet": IdFile._finish_parquet,
}

_READERS: dict[str, Callable[[Path], Iterator[Any]]] = {
    ".npy": _iter_npy,
    ".bin": _iter_raw,
    ".parquet": _iter_parquet,
}
