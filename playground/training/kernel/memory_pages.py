"""Large arrays in memory pages of their own, which go back to the system as soon as an array is freed.

`malloc` keeps most of the memory of earlier, smaller copies of a table: for 100 MB of text, half of all.
"""

import mmap
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", np.uint8, np.int32, np.uint32, np.int64, np.uint64)

#: Larger arrays ask for pages of 2 MB, as NumPy does; their first use takes a sixth of the time.
_HUGE_BYTES = 1 << 22


def zero_pages(shape: int | tuple[int, ...], dtype: type[Number]) -> npt.NDArray[Number]:
    """Return an array of zeros; a page takes memory once something is written to it.

    >>> zero_pages((2, 3), np.int32).sum()
    np.int64(0)
    """
    n_bytes = max(1, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    if hasattr(mmap, "MAP_PRIVATE"):
        pages = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    else:  # Windows
        pages = mmap.mmap(-1, n_bytes)
    if n_bytes >= _HUGE_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
        pages.madvise(mmap.MADV_HUGEPAGE)
    return np.ndarray(shape, dtype, pages)


def enlarged(array: npt.NDArray[Number], n_used: int, n_wanted: int) -> npt.NDArray[Number]:
    """Return the array if it has room for `n_wanted` rows, else a copy at least twice as long."""
    if n_wanted <= len(array):
        return array
    larger = zero_pages((max(n_wanted, 2 * len(array)), *array.shape[1:]), array.dtype.type)
    larger[:n_used] = array[:n_used]
    return larger
