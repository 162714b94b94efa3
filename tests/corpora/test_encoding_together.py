"""Texts are encoded by several threads, and their ids come in the order of the texts."""

import threading

import pytest

from playground.core.errors import InvalidInputError
from playground.corpora.encoding_together import iter_encoded


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_ids_come_in_order_and_no_more_threads_encode_than_were_asked_for(n_threads):
    n_now = n_most = 0
    lock = threading.Lock()

    def encode(number):
        nonlocal n_now, n_most
        with lock:
            n_now += 1
            n_most = max(n_most, n_now)
        encoded = -sum(range(100 * number)) - number
        with lock:
            n_now -= 1
        return encoded

    found = list(iter_encoded(range(200), encode, n_threads))
    assert found == [(number, -sum(range(100 * number)) - number) for number in range(200)]
    assert n_most <= n_threads


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("what", ["read", "encoded"])
def test_an_error_is_raised_behind_all_earlier_ids(what, n_threads):
    def fail_at_5(number):
        if number == 5:
            raise InvalidInputError(f"cannot be {what}")
        return number

    jobs = map(fail_at_5, range(9)) if what == "read" else range(9)
    encoded = iter_encoded(jobs, fail_at_5, n_threads)
    assert [next(encoded)[0] for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(InvalidInputError, match=f"cannot be {what}"):
        next(encoded)
