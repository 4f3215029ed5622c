"""Trials for tests of the clock."""

import time

from bench.measure import Trial


def trial(seconds: float, split: int = 0) -> Trial:
    """Sleep, and predict the number of the split."""
    return Trial(
        run=lambda: time.sleep(seconds),
        predict=lambda _: split,
        describe=lambda predicted: {"predicted": predicted},
    )
