"""Intervals in words and in seconds."""

import numpy as np
import pytest

from samara.errors import InputError
from samara.store import parse_interval


@pytest.mark.parametrize(
    ("every", "seconds"),
    [
        ("30s", 30),
        ("2min", 120),
        (" 1 h ", 3600),
        ("1.5h", 5400),
        ("500ms", 0.5),
        (".5s", 0.5),
        ("0s", 0),
        (1.5, 1.5),
        (0, 0),
        (np.float32(2), 2),
        (np.int64(3), 3),
    ],
)
def test_intervals(every, seconds):
    """A number with a unit, or a number."""
    found = parse_interval(every)
    assert found == pytest.approx(seconds)
    assert type(found) is float


TEXTS = ["30", "s", "", "-1s", "2 weeks", "1m", "1e3s", "nan", "nans", "٣s", "9" * 400 + "s"]
OTHERS = [-1, float("nan"), float("inf"), True, None, [1], b"1s", 1j]


@pytest.mark.parametrize("every", [*TEXTS, *OTHERS])
def test_anything_else_is_refused(every):
    """With examples of what works."""
    with pytest.raises(InputError, match=r'"30s", "2min" or "1h"'):
        parse_interval(every)
