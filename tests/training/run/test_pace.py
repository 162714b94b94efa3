"""A speed is kept and measured, by a clock that the test moves."""

import pytest

from playground.training.run import pace as pace_module
from playground.training.run.pace import Pace


class Clock:
    """Time as a test has it."""

    def __init__(self):
        self.now = 100.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    moved = Clock()
    monkeypatch.setattr(pace_module, "time", moved)
    return moved


def run_for(pace, clock, seconds, *, speed, tick=0.02, n_merges=0, cost=0.0):
    """Merges done by a loop that looks every `tick`; each merge takes `cost`."""
    end = clock.now + seconds
    while clock.now < end - 1e-9:
        clock.now += tick
        n_done = pace.n_wanted(speed)
        clock.now += n_done * cost
        n_merges += n_done
        pace.did(n_done, seconds=n_done * cost, n_merges=n_merges, merges_per_second=speed)
    return n_merges


@pytest.mark.parametrize("speed", [1, 5, 25, 400])
def test_a_speed_is_kept_and_measured(clock, speed):
    pace = Pace(speed)
    assert pace.merges_per_second == speed
    n_merges = run_for(pace, clock, 20, speed=speed)
    assert n_merges == pytest.approx(20 * speed, abs=1)
    assert pace.merges_per_second == pytest.approx(speed, rel=0.05)


def test_a_speed_that_cannot_be_kept_is_measured_as_it_is(clock):
    pace = Pace(400)
    run_for(pace, clock, 20, speed=400, tick=0.0025, cost=0.01)
    assert pace.merges_per_second == pytest.approx(2 / 0.0225, rel=0.05)  # two merges a slice of 20 ms


def test_what_was_missed_is_made_up_for_by_a_second_at_most_and_a_pause_not_at_all(clock):
    pace = Pace(50)
    clock.now += 30
    assert pace.n_wanted(50) == 50
    pace.did(50, seconds=0.01, n_merges=50, merges_per_second=50)
    clock.now += 30
    pace.resume(50)
    assert pace.n_wanted(50) == 0
    clock.now += 0.11
    assert pace.n_wanted(50) == 5


def test_a_slice_takes_as_long_as_a_pause_may_wait(clock):
    pace = Pace(None)
    for cost in (1e-3, 1e-5):
        run_for(pace, clock, 5, speed=None, cost=cost)
        assert pace.n_wanted(None) * cost == pytest.approx(0.02, rel=0.6)


@pytest.mark.parametrize(("cost", "n_merges"), [(0, 4096), (1e-9, 4096), (1e-6, 4096), (0.015, 1), (3, 1)])
def test_a_slice_has_a_merge_at_least_and_4096_at_most(clock, cost, n_merges):
    pace = Pace(None)
    for _ in range(10):
        n_done = pace.n_wanted(None)
        pace.did(n_done, seconds=n_done * cost, n_merges=0, merges_per_second=None)
    assert pace.n_wanted(None) == n_merges


def test_a_slice_too_quick_to_be_timed_grows_at_once(clock):
    pace = Pace(None)
    pace.did(64, seconds=0, n_merges=64, merges_per_second=None)
    assert pace.n_wanted(None) == 4096


@pytest.mark.parametrize("n_done", [0, 1, 63])
def test_a_slice_that_was_not_whole_says_nothing_of_its_time(clock, n_done):
    pace = Pace(None)
    pace.did(n_done, seconds=1e-3, n_merges=n_done, merges_per_second=None)
    assert pace.n_wanted(None) == 64


def test_nothing_is_owed_at_the_start_nor_after_a_pause(clock):
    pace = Pace(50)
    assert pace.n_wanted(50) == 0
    clock.now += 0.5
    assert pace.n_wanted(50) == 25  # and a pause comes before they are done
    pace.resume(0)
    assert pace.n_wanted(50) == 0


def test_a_pace_is_measured_over_half_a_second_from_where_the_last_ended(clock):
    pace = Pace(None)
    assert pace.merges_per_second == 0, "nothing is known before it is measured"
    for seconds, n_merges, expected in (
        (0.49, 10, 0),
        (0.02, 20, 20 / 0.51),
        (0.6, 80, 100),
        (0.4, 999, 100),
    ):
        clock.now += seconds
        pace.did(10, seconds=0.01, n_merges=n_merges, merges_per_second=None)
        assert pace.merges_per_second == pytest.approx(expected)


@pytest.mark.parametrize("speed", [1, 2])
def test_a_slow_pace_is_measured_over_four_merges(clock, speed):
    pace = Pace(speed)
    clock.now += 3.9 / speed
    pace.did(3, seconds=0, n_merges=3, merges_per_second=speed)
    assert pace.merges_per_second == speed, "as it was wanted"
    clock.now += 0.2 / speed
    pace.did(0, seconds=0, n_merges=3, merges_per_second=speed)
    assert pace.merges_per_second == pytest.approx(3 / 4.1 * speed)


def test_the_pace_after_a_pause_is_not_that_of_the_pause(clock):
    pace = Pace(25)
    clock.now += 60
    pace.resume(50)
    clock.now += 1
    pace.did(30, seconds=0.01, n_merges=80, merges_per_second=25)
    assert pace.merges_per_second == pytest.approx(30)
