"""Rows left out of a blend: exactly, one by one, from the fits of its members to all rows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from samara.core import Array
from samara.left_out import LeftOut
from samara.search.blend import combined
from samara.search.candidates import Tried
from samara.search.rows import SearchRows

FEWEST = 200  # below, the rows of the search say more
LEAST_SHARE = 0.5


def left_out_of(found: Sequence[LeftOut | None], weights: Array, mean: Array) -> LeftOut | None:
    """mean + Σ wᵢ(fᵢ − mean), each fᵢ without the row, for rows that all members leave out; None: too few.

    Rows are known by the keys of their inputs: outputs of equal inputs are equal, left out together.
    """
    there = [(one, one.keys) for one in found if one is not None and one.keys is not None]
    if len(there) < len(found):
        return None
    first, keys = there[0]
    kept = np.isin(keys, reduce(np.intersect1d, [keys for _, keys in there]))
    if kept.sum() < FEWEST:
        return None
    wanted, outputs = keys[kept], (1 - weights.sum()) * mean
    for (one, keys), weight in zip(there, weights.tolist(), strict=True):
        outputs = outputs + weight * one.outputs[_first_of(keys, wanted)]
    return LeftOut(
        outputs=outputs,
        targets=first.targets[kept],
        weight=None if first.weight is None else first.weight[kept],
        spread=np.ones(len(wanted)),
        keys=wanted,
    )


def _first_of(keys: Array, wanted: Array) -> Array:
    """Where each key stands first."""
    order = np.argsort(keys, kind="stable")
    return np.asarray(order[np.searchsorted(keys[order], wanted)])


def learned_from(
    tried: Sequence[Tried], rows: SearchRows, blend: tuple[list[int], Array], exact: LeftOut | None
) -> LeftOut:
    """What probabilities and intervals are learned from.

    Where only some rows were searched: the blend of all rows without each of some that its metrics were not
    made from. Else its metrics have seen all of them, which flatters, and it is what the search said of the
    rows that it scored: of numbers with errors half as much smaller as the blend of all rows makes them. Of
    classes these are left as they are: moved towards the class that came they would be right too often.
    """
    if exact is not None and len(rows.folds) == 1:
        return exact
    said, Y, weight = combined(tried, *blend), rows.Y[rows.scored], rows.weight[rows.scored]
    share = 1.0
    if exact is not None and not rows.classes:
        final = _mean_error(exact.errors / rows.spread, exact.weight)
        share = (1 + float(np.clip(final / max(_mean_error(said - Y, weight), 1e-300), LEAST_SHARE, 1.0))) / 2
    return LeftOut(
        outputs=(Y - share * (Y - said)) * rows.spread + rows.mean,
        targets=Y * rows.spread + rows.mean,
        weight=None if (weight == 1).all() else weight,
        spread=np.ones(len(Y)),
    )


def _mean_error(errors: Array, weight: Array | None) -> float:
    return float(np.average(np.abs(errors).mean(axis=1), weights=weight))
