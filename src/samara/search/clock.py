"""How much time there is, and how fast this machine has been so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from samara.errors import InputError
from samara.store.clock import parse_interval

USUAL_PACE = 1e-10  # seconds an operation takes, until some have been timed


class Clock:
    """Seconds since it was made, against those that were given.

    Parameters
    ----------
    seconds : float or None
        All there are; None: no limit.
    now : callable
        What tells the time, in seconds.
    """

    def __init__(self, seconds: float | None, now: Callable[[], float] = time.perf_counter) -> None:
        self.seconds, self._now = seconds, now
        self._began = now()
        self._flops = self._spent = 0.0

    @property
    def spent(self) -> float:
        """Seconds since it was made."""
        return self._now() - self._began

    @property
    def left(self) -> float:
        """Seconds that are left, below 0 where there are none."""
        return float("inf") if self.seconds is None else self.seconds - self.spent

    @contextmanager
    def timed(self, flops: float) -> Iterator[None]:
        """Take note of how long some operations take."""
        began = self._now()
        yield
        self._spent += self._now() - began
        self._flops += flops

    def predicted(self, flops: float) -> float:
        """Seconds that so many operations would take, by those that were timed."""
        return flops * (self._spent / self._flops if self._flops else USUAL_PACE)


def read_time(given: object) -> float | None:
    """Seconds of a time such as ``"30s"``; None is no limit."""
    if given is None:
        return None
    try:
        seconds = parse_interval(given)
    except InputError:
        seconds = 0.0
    if seconds <= 0:
        raise InputError(
            f'time must be above 0, a text such as "30s" or "5min", seconds or None; got {given!r}.'
        )
    return seconds
