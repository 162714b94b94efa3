"""Files of ids: raw numbers, NumPy's and Parquet, written piece by piece; whole once they have their name.

Ids go to `NAME.part`, which only `finish` gives its name. Which ids they are is `encode_files`' business.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from playground.core.errors import InvalidInputError
from playground.core.vocabulary import Ids

_NPY_HEADER_BYTES = 128
_PARQUET_IDS = 1 << 20
_MAX_UINT16 = 1 << 16


def id_type(n_vocab: int) -> np.dtype[np.unsignedinteger]:
    """The smaller of uint16 and uint32 that holds every id of a vocabulary.

    >>> id_type(50_257).name, id_type(100_277).name
    ('uint16', 'uint32')
    """
    return np.dtype("<u2" if n_vocab <= _MAX_UINT16 else "<u4")


def check_id_file(path: Path) -> None:
    """Hours of work later is too late. Raises InvalidInputError."""
    if path.suffix not in ENDINGS:
        raise InvalidInputError(f"cannot write {path}: ids go to a file that ends in {', '.join(ENDINGS)}")
    if path.is_dir():
        raise InvalidInputError(f"cannot write {path}: it is a folder")
    if not path.parent.is_dir():
        raise InvalidInputError(f"cannot write {path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise InvalidInputError(f"cannot write {path}: permission denied")


class IdFile:
    """A file of ids that grows; `n_ids` of them are there already where it goes on."""

    def __init__(self, path: Path, dtype: np.dtype[np.unsignedinteger], *, n_ids: int = 0) -> None:
        self.path = path
        self.n_ids = n_ids
        self._dtype = dtype
        self.part = path.with_name(path.name + ".part")
        self._n_header = _NPY_HEADER_BYTES if path.suffix == ".npy" else 0
        try:
            self._file = self.part.open("r+b" if n_ids else "wb")
            self._file.truncate(self._n_header + n_ids * dtype.itemsize)
            self._file.seek(0, os.SEEK_END)
        except OSError as error:
            raise self._failure(error) from error

    def write(self, ids: Ids) -> None:
        """Append ids. Raises InvalidInputError on a disk that is full."""
        try:
            self._file.write(np.ascontiguousarray(ids, self._dtype).data)
        except OSError as error:
            raise self._failure(error) from error
        self.n_ids += len(ids)

    def sync(self) -> None:
        """What was written is on the disk; of a closed file it is."""
        try:
            if not self._file.closed:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError as error:
            raise self._failure(error) from error

    def close(self) -> None:
        """Leave the part as it is."""
        try:
            self._file.close()
        except OSError as error:
            raise self._failure(error) from error

    def finish(self) -> None:
        """Give the file its name, in place of one that had it."""
        try:
            ENDINGS[self.path.suffix](self)
        except OSError as error:
            raise self._failure(error) from error

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
                while block := ids.read(_PARQUET_IDS * self._dtype.itemsize):
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


#: How a file of each ending becomes whole.
ENDINGS: dict[str, Callable[[IdFile], None]] = {
    ".npy": IdFile._finish_npy,
    ".bin": IdFile._finish_raw,
    ".parquet": IdFile._finish_parquet,
}
