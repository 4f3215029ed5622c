"""`sketch`: the randomized approximate ELM of Men and Wang, by Woodbury's formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Factor
from samara.errors import InputError
from samara.linalg import RidgeStop
from samara.linalg.basis import orthonormalized
from samara.linalg.blas import factor_upper, solve_upper
from samara.linalg.ranges import checked_count
from samara.linalg.room import copied
from samara.linalg.triangular import leading_solutions
from samara.maps import Project
from samara.solvers.lowrank import ProjectedFactor, rank_ladder, smallest_ridge, whole_space
from samara.solvers.normal import Gram, IllConditionedError, NormalFactor, NormalSystem, with_intercept
from samara.solvers.subspace import powered, subspace_by_stop, subspace_of_rank
from samara.solvers.task import Task


class WoodburySystem:
    """(M̃ + αI)β = r with M̃ = QQᵀMQQᵀ: the Gram along Q, and nothing but the ridge elsewhere."""

    def __init__(self, whole: NormalSystem, n_sketch: int) -> None:
        self._whole, self._k = whole, n_sketch
        self.weight, self.means = whole.weight, whole.means
        self.target_squares, self.fit_intercept = whole.target_squares, whole.fit_intercept

    @property
    def trace(self) -> float:
        """Trace of the centred Gram along the directions."""
        return self._whole.trace

    def solve(self, alpha: float, sizes: Sequence[int]) -> Array:
        """Solutions (1 + k, S, t): r/α in every direction that Q does not have."""
        k, cross = self._k, self._whole.cross
        R = copied(self._whole.gram[:k, :k])
        R[np.diag_indices_from(R)] += alpha
        if not factor_upper(R):
            raise IllConditionedError(float("inf"))
        within = [min(size, k) for size in sizes]
        solutions = np.repeat((cross / alpha)[:, None], len(sizes), axis=1)
        solutions[:k] = leading_solutions(R, solve_upper(R, cross[:k].copy(), transposed=True), within)
        for case, size in enumerate(within):
            solutions[size:k, case] = cross[size:k] / alpha
        return with_intercept(solutions, self.means)

    def spectrum(self, size: int | None = None) -> tuple[Array, Array, Array]:
        """Of M̃ there is none beyond Q."""
        raise InputError('solver="sketch" has no leave-one-out, GCV or L-curve: use selection="kfold".')

    def condition(self, alpha: float) -> float:
        """Condition number of (M̃ + αI)^½."""
        top = np.linalg.eigvalsh(self._whole.gram[: self._k, : self._k])[-1]
        return float(np.sqrt((top + alpha) / alpha))

    def rank(self, alpha: float, size: int) -> int:
        """Columns of Q in use."""
        return min(size, self._k)


class WoodburyFactor(ProjectedFactor):
    """Moments along Q and along what Q leaves of HᵀT."""

    def __init__(
        self, inner: NormalFactor, directions: Array, task: Task, energy: float, n_sketch: int
    ) -> None:
        super().__init__(inner, directions, task.source, energy)
        self._moments, self._k = inner, n_sketch

    def system(self, without: int | None = None) -> WoodburySystem:
        """The system of all rows, or of all but one fold's."""
        return WoodburySystem(self._moments.system(without), self._k)

    def ranks(self) -> list[int]:
        """Leading directions to try."""
        return rank_ladder(self._k)

    def _kept(self, rank: int) -> float:
        return float(np.trace(self._moments.system().gram[:rank, :rank]))


@dataclass(frozen=True)
class Sketch:
    """Randomized approximate ELM (Men and Wang, Algorithm 3) with M = HᵀH and Woodbury's formula.

    Three passes: Y = MΩ, Q = orth(Y), a power iteration Q = orth(MQ), then QᵀMQ, of which the ``rank``
    largest eigenvalues are used. Neither H nor M is held. Unlike `rsvd`, what these do not reach is not left
    out but gets r/α, as in the paper: with a rank too small for the ridge the model blows up.

    Parameters
    ----------
    oversampling : int
        Random vectors beyond the rank, the paper's p.
    power : int
        Power iterations, a pass each. The paper has none; one makes the directions nearly the best of their
        number.
    """

    oversampling: int = 10
    power: int = 1
    name = "sketch"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        checked_count("oversampling", self.oversampling)
        checked_count("power", self.power)

    def __call__(self, task: Task) -> Factor:
        """Find Q, then summarize the rows along it and along what it leaves of HᵀT."""
        sets = (-1, *(range(task.n_folds) if task.n_folds > 1 else ()))
        rank = task.given_rank()
        if rank is not None:
            found = subspace_of_rank(task, rank, self.oversampling, sets)
        else:
            by_ridge = subspace_by_stop(task, RidgeStop(smallest_ridge(task)), self.oversampling, sets=sets)
            if by_ridge is None:
                return whole_space(task)
            found = by_ridge
        Q = powered(task, found, self.power).basis
        rest = np.concatenate(list(found.crosses), axis=1)
        rest -= Q @ (Q.T @ rest)
        directions = np.concatenate([Q, remaining(Q, rest)], axis=1)
        inner = Gram()(
            replace(
                task,
                source=task.source.map(Project(directions.astype(task.layout.dtype))),
                layout=task.layout.projected(directions),
            )
        )
        k = Q.shape[1]
        turn = np.eye(directions.shape[1])
        turn[:k, :k] = np.linalg.eigh(inner.system().gram[:k, :k])[1][:, ::-1]
        return WoodburyFactor(inner.turned(turn), directions @ turn, task, found.energy, min(found.rank, k))


def remaining(Q: Array, rest: Array) -> Array:
    """An orthonormal basis of what lies outside of Q, without directions that are only rounding."""
    sizes = np.linalg.norm(rest, axis=0)
    rest = rest[:, sizes > 0] / sizes[sizes > 0]
    if not rest.shape[1] or Q.shape[1] >= len(Q):
        return np.zeros((len(Q), 0))
    U, s, _ = np.linalg.svd(rest, full_matrices=False)
    U = U[:, s > 1e-12 * s[0]][:, : len(Q) - Q.shape[1]]
    U -= Q @ (Q.T @ U)
    return orthonormalized(U)
