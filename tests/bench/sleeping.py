"""Trials for tests of the clock, and some that go wrong."""

import os
import sys
import time

from bench.measure import Trial


def trial(seconds: float, split: int = 0) -> Trial:
    """Sleep, and predict the number of the split."""
    return Trial(
        run=lambda: time.sleep(seconds),
        predict=lambda _: split,
        describe=lambda predicted: {"predicted": predicted},
    )


def refused() -> Trial:
    """Told so by its maker."""
    raise SystemExit("no such thing")


def gone() -> Trial:
    """The process ends without a word."""
    return Trial(run=lambda: os._exit(3))


def noisy() -> Trial:
    """Prints what could be taken for an answer."""
    return Trial(run=lambda: os.write(1, b'{"told": "nonsense"}\n'))


def importing(module: str) -> Trial:
    """Whether a module had been imported before the fork, and in which process all of it ran."""
    there = module in sys.modules
    __import__(module)
    return Trial(run=lambda: None, describe=lambda _: {"there": there, "process": os.getpid()})
