"""Clocks that are told the time."""

import pytest

from samara import InputError
from samara.search.clock import USUAL_PACE, Clock, read_time


class Told:
    """A time that moves on by a step at each look."""

    def __init__(self, step=0.0):
        self.now, self.step = 100.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def test_what_is_left():
    told = Told()
    clock = Clock(10.0, told)
    told.now += 4
    assert clock.spent == 4
    assert clock.left == 6
    assert Clock(None, told).left == float("inf")


def test_pace():
    """Operations are predicted by those that were timed."""
    told = Told()
    clock = Clock(10.0, told)
    assert clock.predicted(1e9) == pytest.approx(1e9 * USUAL_PACE)
    with clock.timed(1e6):
        told.now += 2
    assert clock.predicted(3e6) == pytest.approx(6.0)


def test_times():
    assert read_time(None) is None
    assert read_time("2min") == 120
    assert read_time(1.5) == 1.5
    for wrong in (0, -1, "0s", "soon", "3 fortnights", True, float("nan")):
        with pytest.raises(InputError, match="time must be above 0"):
            read_time(wrong)
