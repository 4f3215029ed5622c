"""Rows of a kernel model as the model without them sees them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samara.core import Array
from samara.left_out import LeftOut, Pull
from samara.rowkeys import Copies, row_keys
from samara.solvers.kernel import KernelTask, Leafed, OneRidge, Spectral, some_left_out

Units = tuple[Array, Array]  # centre and spread of the targets


def left_out_of_few(task: KernelTask, alpha: float, units: Units) -> LeftOut:
    """From the inverse of [[K + α/w, 1], [1ᵀ, 0]] itself: each row's error, and what it does to the model."""
    copies = _copies(task)
    first, means = copies.first, copies.mean(task.targets)
    n = len(first)
    bordered = np.zeros((n + 1, n + 1))
    bordered[:n, :n] = task.gramian.tile(slice(None), slice(None))[np.ix_(first, first)]
    bordered[np.arange(n), np.arange(n)] += alpha / copies.total
    bordered[:n, n] = bordered[n, :n] = task.fit_intercept
    bordered[n, n] = 1 - task.fit_intercept
    try:
        inverse = np.linalg.inv(bordered)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(bordered, hermitian=True)
    C, diagonal = inverse[:n, :n], np.diagonal(inverse)[:n]
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = (C @ means) / diagonal[:, None]
    pull = None
    if copies.one_target_each:
        features = np.zeros((task.n, n))
        features[first] = C  # a copy of a row has the same kernel: once is enough
        if task.gramian.kernel.name == "linear":  # kept as its weights of the inputs
            features = np.asarray(task.gramian.rows.T @ features)
        pull = Pull(features, inverse[n, :n] * task.fit_intercept)
    return _restored(task, copies, (means - errors)[copies.group], units, pull)


def left_out_of_many(task: KernelTask, held_out: Callable[[], Array], units: Units) -> LeftOut:
    """From the factor; what a row does to the model would be a matrix as large as the kernel's."""
    copies = _copies(task)
    outputs = (held_out() - units[0]) / units[1]
    return _restored(task, copies, outputs[copies.rows], units, None)


def left_out_of_one_ridge(
    task: KernelTask, factor: OneRidge | Spectral | Leafed, alpha: float, units: Units
) -> LeftOut:
    """From the factor of a ridge that was given; of many rows a thousand or two, drawn by their content."""
    copies = _copies(task)
    means = copies.mean(task.targets)
    assert task.keys is not None
    # The highest keys: a search has fitted its candidates, and their metrics, to the rows of the lowest.
    chosen = np.sort(np.argsort(task.keys[copies.first], kind="stable")[-some_left_out(task.n) :])
    errors = np.full(means.shape, np.nan)
    if len(copies.first) > 1:  # without its only input a model is none
        errors[chosen] = factor.copies_left_out(alpha, copies.members(chosen))
    return _restored(task, copies, (means - errors)[copies.group], units, None)


def _copies(task: KernelTask) -> Copies:
    """Rows that are there several times."""
    assert task.keys is not None
    keys = np.stack([task.keys, task.keys ^ row_keys(task.targets, 1)], axis=1)
    return Copies.found(keys, task.weights)


def _restored(task: KernelTask, copies: Copies, outputs: Array, units: Units, pull: Pull | None) -> LeftOut:
    """In the units of the data, without rows that nothing can be said of."""
    centre, spread = units
    assert task.keys is not None
    kept = np.isfinite(outputs).all(axis=1)
    return LeftOut(
        outputs=(outputs * spread + centre)[kept],
        targets=(task.targets[copies.rows] * spread + centre)[kept],
        weight=None if copies.weight is None else copies.weight[kept],
        spread=np.ones(int(kept.sum())),
        pull=pull if kept.all() else None,
        keys=task.keys[copies.rows][kept],
    )
