"""The thread that reads encodes too, never more than were asked for at once, and all comes in order."""

import threading
import time

import pytest

from playground.core.errors import InvalidInputError
from playground.corpora.encoding_together import iter_encoded


@pytest.mark.parametrize("n_threads", [1, 2, 4])
def test_as_many_encode_at_once_as_were_asked_for(n_threads):
    n_now = n_most = n_read = n_given = most_held = 0
    lock, threads = threading.Lock(), set()

    def read():
        nonlocal n_read
        for number in range(40):
            n_read += 1
            yield number

    def encode(number):
        nonlocal n_now, n_most
        with lock:
            n_now += 1
            n_most = max(n_most, n_now)
            threads.add(threading.current_thread())
        time.sleep(0.02 if number == 7 else 0.002)  # a long one holds up what comes behind it
        with lock:
            n_now -= 1
        return -number

    for number, ids in iter_encoded(read(), encode, n_threads):
        assert (number, ids) == (n_given, -n_given)
        most_held = max(most_held, n_read - n_given)
        n_given += 1
    assert n_given == 40
    assert max(n_most, len(threads)) <= n_threads
    assert threading.current_thread() in threads
    assert most_held <= 2 * n_threads + 1


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("what", ["read", "encoded"])
def test_what_cannot_be_done_is_raised_once_all_before_is_given(what, n_threads):
    def fail_at_5(number):
        if number == 5:
            raise InvalidInputError(f"cannot be {what}")
        time.sleep(0.002)
        return number

    jobs = map(fail_at_5, range(9)) if what == "read" else range(9)
    encoded = iter_encoded(jobs, fail_at_5, n_threads)
    assert [next(encoded)[0] for _ in range(5)] == [0, 1, 2, 3, 4]
    with pytest.raises(InvalidInputError, match=f"cannot be {what}"):
        next(encoded)
