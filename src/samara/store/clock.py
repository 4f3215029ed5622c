"""How often something is to be written."""

from __future__ import annotations

import math
import re
from numbers import Real

from samara.errors import InputError

_SECONDS = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0}
_INTERVAL = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*(ms|s|min|h)\s*", re.ASCII)


def parse_interval(every: object) -> float:
    """Seconds of an interval.

    Parameters
    ----------
    every : str or float
        A number with a unit, ``"500ms"``, ``"30s"``, ``"2min"`` or ``"1h"``, or a number of seconds. 0 is as
        often as possible.

    Returns
    -------
    float
        Seconds.

    Raises
    ------
    InputError
        If it is neither.
    """
    seconds = math.nan
    if isinstance(every, str):
        match = _INTERVAL.fullmatch(every)
        seconds = float(match[1]) * _SECONDS[match[2]] if match else math.nan
    elif not isinstance(every, bool) and isinstance(every, Real):
        seconds = float(every)
    if not 0 <= seconds < math.inf:
        raise InputError(f'An interval is a text such as "30s", "2min" or "1h", or seconds; got {every!r}.')
    return seconds
