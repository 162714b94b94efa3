"""A set speed is reached and measured, by a clock that the test moves."""

import pytest

from playground.training.run.training_run import Pace


class Clock:
    """A clock that the test moves."""

    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def run_for(pace, clock, seconds, *, speed, tick=0.02, n_merges=0, cost=0.0):
    """Return the merges made by a loop that runs every `tick`; each merge takes `cost`."""
    end = clock.now + seconds
    while clock.now < end - 1e-9:
        clock.now += tick
        n_done = pace.n_wanted(speed)
        clock.now += n_done * cost
        n_merges += n_done
        pace.did(n_done, seconds=n_done * cost, n_merges=n_merges, merges_per_second=speed)
    return n_merges


@pytest.mark.parametrize("speed", [1, 5, 25, 400])
def test_a_set_speed_is_reached_and_measured(clock, speed):
    pace = Pace(speed, clock=clock)
    assert pace.merges_per_second == speed
    n_merges = run_for(pace, clock, 20, speed=speed)
    assert n_merges == pytest.approx(20 * speed, abs=1)
    assert pace.merges_per_second == pytest.approx(speed, rel=0.05)


def test_a_speed_that_the_machine_cannot_reach_is_measured(clock):
    pace = Pace(400, clock=clock)
    run_for(pace, clock, 20, speed=400, tick=0.0025, cost=0.01)
    assert pace.merges_per_second == pytest.approx(2 / 0.0225, rel=0.05)  # two merges a slice of 20 ms


def test_at_most_a_second_of_merges_is_made_up_for_and_no_pause(clock):
    pace = Pace(50, clock=clock)
    clock.now += 30
    assert pace.n_wanted(50) == 50
    pace.did(50, seconds=0.01, n_merges=50, merges_per_second=50)
    clock.now += 30
    pace.resume(50)
    assert pace.n_wanted(50) == 0
    clock.now += 0.11
    assert pace.n_wanted(50) == 5


def test_a_slice_is_short_enough_for_a_pause_to_take_effect(clock):
    pace = Pace(None, clock=clock)
    for cost in (1e-3, 1e-5):
        run_for(pace, clock, 5, speed=None, cost=cost)
        assert pace.n_wanted(None) * cost == pytest.approx(0.02, rel=0.6)


def test_a_pause_does_not_lower_the_measured_pace(clock):
    pace = Pace(25, clock=clock)
    clock.now += 60
    pace.resume(50)
    clock.now += 1
    pace.did(30, seconds=0.01, n_merges=80, merges_per_second=25)
    assert pace.merges_per_second == pytest.approx(30)


def test_a_speed_chosen_after_full_speed_takes_effect_at_once(clock):
    pace = Pace(None, clock=clock)
    n_merges = run_for(pace, clock, 2, speed=None, cost=1e-4)
    assert run_for(pace, clock, 2, speed=25, n_merges=n_merges) - n_merges == pytest.approx(50, abs=1)
