"""Arrays in pages of their own."""

import numpy as np

from playground.training.kernel.memory_pages import enlarged, zero_pages


def test_zeros_of_any_shape():
    for shape in (0, 1, (3, 2), 1 << 20):  # the last in large pages
        array = zero_pages(shape, np.int64)
        assert array.flags.c_contiguous
        assert not array.any()
        array[...] = 1


def test_enlarged_keeps_what_is_used():
    array = zero_pages((4, 2), np.int32)
    array[:3] = 7
    assert enlarged(array, 3, 4) is array
    larger = enlarged(array, 3, 5)
    assert larger.shape == (8, 2)
    assert (larger[:3] == 7).all()
    assert not larger[3:].any()
