"""Rows of a kernel model as the model without them sees them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samara.core import Array
from samara.left_out import LeftOut, Pull
from samara.solvers.kernel import KernelTask

Units = tuple[Array, Array]  # centre and spread of the targets


def left_out_of_few(task: KernelTask, alpha: float, units: Units) -> LeftOut:
    """From the inverse of [[K + α/w, 1], [1ᵀ, 0]] itself: each row's error, and what it does to the model."""
    n, weight = task.n, np.ones(task.n) if task.weights is None else task.weights
    bordered = np.zeros((n + 1, n + 1))
    bordered[:n, :n] = task.gramian.tile(slice(None), slice(None))
    bordered[np.arange(n), np.arange(n)] += alpha / weight
    bordered[:n, n] = bordered[n, :n] = task.fit_intercept
    bordered[n, n] = 1 - task.fit_intercept
    try:
        inverse = np.linalg.inv(bordered)
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(bordered, hermitian=True)
    C, diagonal = inverse[:n, :n], np.diagonal(inverse)[:n]
    with np.errstate(divide="ignore", invalid="ignore"):
        errors = (C @ task.targets) / diagonal[:, None]
    linear = task.gramian.kernel.name == "linear"  # kept as its weights of the inputs
    pull = Pull(np.asarray(task.gramian.rows.T @ C) if linear else C, inverse[n, :n] * task.fit_intercept)
    return _restored(task, task.targets - errors, units, pull)


def left_out_of_many(task: KernelTask, held_out: Callable[[], Array], units: Units) -> LeftOut:
    """From the factor; what a row does to the model would be a matrix as large as the kernel's."""
    outputs = (held_out() - units[0]) / units[1]
    return _restored(task, outputs, units, None)


def _restored(task: KernelTask, outputs: Array, units: Units, pull: Pull | None) -> LeftOut:
    """In the units of the data, without rows that nothing can be said of."""
    centre, spread = units
    kept = np.isfinite(outputs).all(axis=1)
    return LeftOut(
        outputs=(outputs * spread + centre)[kept],
        targets=(task.targets * spread + centre)[kept],
        weight=None if task.weights is None else task.weights[kept],
        spread=np.ones(int(kept.sum())),
        pull=pull if kept.all() else None,
    )
