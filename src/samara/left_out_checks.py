"""Whether what a file says of rows that were left out belongs to its model."""

from __future__ import annotations

import numpy as np

from samara.calibration import Calibration, Temperature
from samara.intervals import Intervals
from samara.model_checks import check_array
from samara.store import RefusedError


def check_left_out(
    calibration: Calibration | None, intervals: Intervals | None, shape: tuple[int, int]
) -> None:
    """Refuse what can't be of a model with so many nodes and outputs."""
    if calibration is not None:
        _check_calibration(calibration, shape[1])
    if intervals is not None:
        _check_intervals(intervals, *shape)


def _check_calibration(calibration: Calibration, n_outputs: int) -> None:
    if isinstance(calibration, Temperature):
        if not 0 <= calibration.steepness < np.inf:
            raise RefusedError("its temperature can't be")
        return
    if not len(calibration.outputs) == len(calibration.shares) == n_outputs:
        raise RefusedError(f"its calibration is not {n_outputs} curves")
    for outputs, shares in zip(calibration.outputs, calibration.shares, strict=True):
        check_array(outputs, (None,), "outputs of the calibration")
        check_array(shares, (len(outputs),), "shares of the calibration")
        rising = (np.diff(outputs) > 0).all() and (np.diff(shares) >= 0).all()
        if not len(shares) or not rising or shares[0] < 0 or shares[-1] > 1:
            raise RefusedError("its calibration does not rise from 0 to 1")


def _check_intervals(intervals: Intervals, n_nodes: int, n_outputs: int) -> None:
    check_array(intervals.scores, (None, n_outputs), "errors of rows left out")
    count, pull, leverage = len(intervals.scores), intervals.pull, intervals.leverage
    check_array(intervals.weight, (count,), "weights of rows left out")
    check_array(intervals.errors, (count if pull else 0, n_outputs), "errors of rows left out")
    if not count or (intervals.weight <= 0).any() or (intervals.scores < 0).any():
        raise RefusedError("its errors of rows left out can't be")
    if pull is not None:
        check_array(pull.features, (n_nodes, count), "pulls of rows left out")
        check_array(pull.offset, (count,), "pulls of rows left out")
    if leverage is not None:
        check_array(leverage.directions, (n_nodes, None), "directions of the leverage")
        check_array(leverage.centre, (leverage.directions.shape[1],), "centre of the leverage")
