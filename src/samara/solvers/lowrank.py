"""`rsvd`: ridge regression on the few directions that hold nearly all of H; what low-rank solvers share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Factor, Source, System
from samara.linalg import RidgeStop
from samara.linalg.ranges import checked_count
from samara.maps import Project
from samara.shapes import exact_solver, safe_ridge
from samara.solvers.normal import Gram, NormalFactor
from samara.solvers.root import Qr, RootFactor
from samara.solvers.rows import Dual, RowFactor, Svd
from samara.solvers.subspace import Subspace, powered, subspace_by_stop, subspace_of_rank
from samara.solvers.task import Task
from samara.summaries import Layout

N_RANKS = 8  # nested ranks tried, half an octave apart


class ProjectedFactor:
    """A factor over coordinates along orthonormal directions, in the order of what they hold of H."""

    def __init__(
        self, inner: NormalFactor | RootFactor, directions: Array, source: Source, energy: float
    ) -> None:
        self._inner, self.directions, self.energy = inner, directions, energy
        self.source = source.map(Project(directions.astype(inner.layout.dtype)))

    @property
    def layout(self) -> Layout:
        return self._inner.layout

    @property
    def n_folds(self) -> int:
        return self._inner.n_folds

    @property
    def fold_weights(self) -> Array:
        """Weight of the rows of each fold."""
        return self._inner.fold_weights

    def system(self, without: int | None = None) -> System:
        """The system of all rows, or of all but one fold's."""
        return self._inner.system(without)

    def squared_errors(self, solutions: Array, fold: int | None = None) -> Array:
        """Squared errors (S, t) on a fold, or on all rows."""
        return self._inner.squared_errors(solutions, fold)

    def ranks(self) -> list[int]:
        """Leading directions to try, the largest rank last."""
        return rank_ladder(self.directions.shape[1])

    def lift(self, solution: Array) -> Array:
        """Back to the hidden nodes: (1 + k, t) → (1 + L, t)."""
        return np.concatenate([solution[:1], self.directions @ solution[1:]])

    def lost(self, rank: int) -> float:
        """‖H − HVVᵀ‖_F / ‖H‖_F of the leading directions."""
        return float(np.sqrt(max(0.0, 1 - self._kept(rank) / self.energy))) if self.energy > 0 else 0.0

    def _kept(self, rank: int) -> float:
        return float(self._inner.system().spectrum()[0][:rank].sum())


def rank_ladder(most: int) -> list[int]:
    """Ranks half an octave apart up to the largest."""
    return sorted({max(1, round(most / 2 ** (k / 2))) for k in range(N_RANKS)})


def project(task: Task, subspace: Subspace) -> ProjectedFactor:
    """One pass over the coordinates, then turned so that the first hold the most (Rayleigh–Ritz)."""
    seen = replace(
        task,
        source=task.source.map(Project(subspace.basis.astype(task.layout.dtype))),
        layout=task.layout.projected(subspace.basis),
    )
    inner: NormalFactor | RootFactor = Qr()(seen) if task.tiny_ridge else Gram()(seen)
    turn = inner.system().spectrum()[1][:, : subspace.rank]
    return ProjectedFactor(inner.turned(turn), subspace.basis @ turn, task.source, subspace.energy)


def smallest_ridge(task: Task) -> float:
    """The smallest ridge that will be tried, or the smallest that could be."""
    low = safe_ridge(task.trace, task.layout.dtype.name)
    return (
        max(min(task.alphas), low)
        if task.alphas is not None
        else max(1e-7 * task.trace / task.n_columns, low)
    )


@dataclass(frozen=True)
class Rsvd:
    """Randomized SVD of H (RSVD-ELM, Schindler Algorithms 4 and 5), streamed: H is never held.

    Two passes, 6nLk flops for rank k. With ``rank="auto"`` directions are added until what is left of H is
    lost in the smallest ridge; where that takes more than a fourth of the smaller dimension of H, the whole
    of it is used: `gram`, or `dual` for fewer rows than columns, as ``plan_`` then says.

    Parameters
    ----------
    oversampling : int
        Random vectors beyond the rank.
    power : int
        Power iterations, one more pass each: for a given rank and slowly falling singular values.
    """

    oversampling: int = 10
    power: int = 0
    name = "rsvd"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        checked_count("oversampling", self.oversampling)
        checked_count("power", self.power)

    def __call__(self, task: Task) -> Factor:
        """Find the directions, then summarize the rows along them."""
        rank = task.given_rank()
        found: Subspace | None
        if rank is not None:
            found = subspace_of_rank(task, rank, self.oversampling)
        else:
            found = subspace_by_stop(task, RidgeStop(smallest_ridge(task)), self.oversampling)
        if found is None:
            return whole_space(task)
        return project(task, powered(task, found, self.power))


_EXACT: dict[str, Callable[[], Gram | Qr | Dual]] = {made.name: made for made in (Gram, Qr, Dual, Svd)}


def whole_space(task: Task) -> NormalFactor | RootFactor | RowFactor:
    """Every direction is needed: the exact solver of the smaller system, without a detour."""
    return _EXACT[exact_solver(task.source.n_rows, task.n_columns, task.tiny_ridge)]()(task)
