"""Large arrays in pages of their own, which the system has back as soon as an array is let go.

`malloc` keeps much of what a table leaves behind as it grows: at 100 MB of text twice what is in use.
"""

import mmap
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Number = TypeVar("Number", np.uint8, np.int32, np.int64, np.uint64)


def zero_pages(shape: int | tuple[int, ...], dtype: type[Number]) -> npt.NDArray[Number]:
    """An array of zeros; a page takes memory only once something is written to it.

    >>> zero_pages((2, 3), np.int32).sum()
    np.int64(0)
    """
    n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.ndarray(shape, dtype, mmap.mmap(-1, max(1, n_bytes)))
