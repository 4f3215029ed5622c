"""A few directions of the hidden space that hold nearly all of H, found from products with random vectors.

With Y = HΩ, the columns of HᵀY span the row space of QQᵀH, where Q is the range finder's basis of Y. A pass
thus gives the directions (L×k) and, through the triangle of Y, what a stop of the range finder watches after
every column; neither H nor Q is ever held.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.linalg import solve_triangular

from samara.core import Array
from samara.linalg import RidgeStop, Stop
from samara.linalg.basis import orthonormalized
from samara.shapes import FEWEST, FIRST, worth_drawing
from samara.solvers.task import Task
from samara.summaries import Products

_EXHAUSTED = 100 * np.finfo(float).eps  # of the largest probe: what is left is rounding
HOPE = 0.6  # of what is worth drawing: where more are expected no second pass is tried, as falls slow down


@dataclass(frozen=True)
class Sketched:
    """What one pass with random vectors gives."""

    products: Array  # (L, w): HᵀHΩ, centred
    energy: float  # ‖H‖²_F, centred
    triangle: Array  # of HΩ, (w, w), as it is; none where nothing is watched
    raw: Array  # (L, w): HᵀHΩ as it is
    crosses: Array  # (sets, L, t): HᵀT, centred, of each training set


@dataclass(frozen=True)
class Subspace:
    """Orthonormal directions of the hidden space."""

    basis: Array  # (L, w)
    rank: int  # of them to be used, once they are in the order of what they hold
    energy: float  # ‖H‖²_F
    crosses: Array
    history: Array  # what the stop watched


def sketch_rows(task: Task, omega: Array, n_probes: int, sets: tuple[int, ...] = ()) -> Sketched:
    """One pass: HᵀHΩ, and HᵀT of the training sets (all rows but those of a fold; −1: all rows)."""
    L, t, w = task.n_columns, task.layout.n_targets, omega.shape[1]
    per_set = 1 + t
    P = np.zeros((task.layout.width, w + 1 + len(sets) * per_set))
    P[1 : 1 + L, :w] = omega
    P[0, w] = 1
    skip = np.full(P.shape[1], -1)
    for k, fold in enumerate(sets):
        first = w + 1 + k * per_set
        P[0, first] = 1
        P[1 + L :, first + 1 : first + per_set] = np.eye(t)
        skip[first : first + per_set] = fold
    r = n_probes
    source = task.source.folded(task.n_folds) if sets else task.source
    done = task.engine.summarize(
        source,
        partial(Products, task.layout, P, task.engine.block_rows, skip if sets else None, w if r else 0),
        name="sketch",
    ).finish()
    sums = done.products[:, w]
    mean = sums[1 : 1 + L] / sums[0] * task.fit_intercept
    products = done.products[1 : 1 + L, :w] - np.outer(mean, done.products[0, :w])
    crosses = [_cross(done.products[:, w + 1 + k * per_set :][:, :per_set], task) for k in range(len(sets))]
    return Sketched(
        products=products,
        energy=done.energy - float(mean @ sums[1 : 1 + L]),
        triangle=done.triangle,
        raw=done.products[1 : 1 + L, :w],
        crosses=np.array(crosses).reshape(len(sets), L, t),
    )


def _cross(moments: Array, task: Task) -> Array:
    """Centred HᵀT from the products with the constant and with the targets."""
    L = task.n_columns
    weight = moments[0, 0] or 1.0  # of no rows, where one fold holds them all
    mean = moments[1 : 1 + L, 0] / weight * task.fit_intercept
    return np.asarray(moments[1 : 1 + L, 1:] - np.outer(mean, moments[0, 1:]))


def probe_norms(R: Array, r: int) -> Array:
    """Largest norm of columns j…j+r−1 below row j, for every j: what j columns leave of the next r."""
    w = R.shape[1]
    below = np.zeros((w + 1, w))
    below[: len(R)] = R**2
    below = np.cumsum(below[::-1], axis=0)[::-1]
    windows = [below[j, j : j + r].max(initial=0.0) for j in range(w - r + 1)]
    return np.asarray(np.sqrt(np.array(windows)))


def gram_probe_norms(R: Array, W: Array, r: int) -> Array:
    """The same for what j columns leave of the next r columns of W = HᵀHΩ.

    With HΩ = QR the rows that Q reaches are B = R⁻ᵀWᵀ, and of column i is left Σ Rₗᵢ bₗ over l ≥ j. This is a
    residual of the Gram matrix, which is what a ridge is compared with: a long tail of small singular values
    adds up in the norm of H, not in this one.
    """
    w = len(R)
    Bt = solve_triangular(R, W[:, :w].T, trans="T").T
    windows = [
        np.linalg.norm(Bt[:, j : j + r] @ R[j : j + r, j : j + r], axis=0).max(initial=0.0)
        for j in range(w - r + 1)
    ]
    return np.array(windows)


def subspace_of_rank(task: Task, rank: int, oversampling: int, sets: tuple[int, ...] = ()) -> Subspace:
    """Directions for a given rank, and a few more for accuracy."""
    width = min(rank + oversampling, task.n_columns)
    omega = task.rng().standard_normal((width, task.n_columns)).T
    sketched = sketch_rows(task, omega, 0, sets)
    basis = orthonormalized(sketched.products)
    return Subspace(basis, rank, sketched.energy, sketched.crosses, np.zeros(0))


def subspace_by_stop(
    task: Task, stop: Stop, oversampling: int = 0, most: int | None = None, sets: tuple[int, ...] = ()
) -> Subspace | None:
    """Directions until a stop is met, or ``most`` of them; None where the whole space is to be used.

    The first pass draws an eighth of the smaller dimension of H. If that is too little, the fall of the
    probes tells how many more the next pass should draw. It goes on only while that costs less than the
    whole; with ``most`` and fewer rows than columns always, as no smaller summary is there to turn to.
    """
    L, limit = task.n_columns, worth_drawing(task.source.n_rows, task.n_columns)
    if most is not None:
        limit = min(most, task.most if task.source.n_rows < L else limit)
    rng, omega, columns = task.rng(), np.zeros((L, 0)), max(int(FIRST * task.most), FEWEST)
    while True:
        columns = min(columns, limit)
        new = rng.standard_normal((columns + stop.r - omega.shape[1], L)).T
        omega = np.concatenate([omega, new], axis=1)
        sketched = sketch_rows(task, omega, stop.r, sets)
        probes = watched(stop, sketched)
        count = _stopped(stop, probes)
        if count is not None:
            used = min(max(1, count + oversampling), columns + stop.r, L)
            basis = orthonormalized(sketched.products[:, :used])
            return Subspace(basis, max(1, count), sketched.energy, sketched.crosses, probes[: count + 1])
        if most is not None and columns == most < task.most:
            basis = orthonormalized(sketched.products[:, :L])  # the probes make the directions better
            return Subspace(basis, most, sketched.energy, sketched.crosses, probes)
        expected = expected_count(stop, probes)
        if columns == limit or (limit != most and expected > HOPE * limit):
            return None
        columns = max(int(1.2 * expected), 2 * columns)


def watched(stop: Stop, sketched: Sketched) -> Array:
    """What the stop reads: probes of H, or for a ridge the root of probes of the Gram matrix."""
    R = sketched.triangle
    probes = probe_norms(R, stop.r)
    spent = probes <= _EXHAUSTED * probes.max(initial=0.0)
    if not isinstance(stop, RidgeStop) or len(R) < R.shape[1] or spent.any():
        return probes
    return np.asarray(np.sqrt(gram_probe_norms(R, sketched.raw, stop.r)))


def expected_count(stop: Stop, probes: Array) -> int:
    """Columns at which the stop will be met if the probes go on falling as they did at the end.

    The slower of two falls counts, over the second half and over the last eighth: a cliff in between is past.
    """
    end = len(probes) - 1
    logs = np.log(np.maximum(probes, np.finfo(float).tiny))
    fall = min(
        (logs[start] - logs[end]) / max(end - start, 1) for start in (end // 2, end - max(end // 8, 1))
    )
    ahead = np.exp(logs[end] - max(fall, 0.0) * np.arange(1, 20 * len(probes)))
    found = stop.stopped_at(np.concatenate([probes, ahead]))
    return 20 * len(probes) if found is None else found


def _stopped(stop: Stop, probes: Array) -> int | None:
    """Columns at which the stop is met, or nothing but rounding errors is left."""
    spent = np.flatnonzero(probes <= _EXHAUSTED * probes.max(initial=0.0))
    counts = [
        count for count in (stop.stopped_at(probes), spent[0] if len(spent) else None) if count is not None
    ]
    return int(min(counts)) if counts else None


def powered(task: Task, subspace: Subspace, power: int) -> Subspace:
    """Power iterations: each turns the directions towards the largest singular values, for one more pass."""
    basis = subspace.basis
    for _ in range(power):
        basis = orthonormalized(sketch_rows(task, basis, 0).products)
    return Subspace(basis, subspace.rank, subspace.energy, subspace.crosses, subspace.history)
