"""`ssvd`: the stochastic SVD of αI + K (Bi et al., Algorithms 1 to 3: DK-ELM), by tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from samara.core import Array
from samara.linalg.ranges import checked_count
from samara.solvers.kernel.directions import Directions, find_directions, of_enough_directions
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import KernelTask, Solution


@dataclass(frozen=True)
class Ssvd:
    """c = VΣ⁻¹Uᵀy with UΣVᵀ ≈ αI + K: Q a basis of KᵖKΩ, Ω Gaussian, and the SVD of Qᵀ(αI + K).

    K alone is sketched: αI adds nothing to the directions but noise, and one sketch serves every ridge, each
    with the SVD of a k×k triangle. `sketch` finds the same directions, but inverts αI plus Nyström's form of
    K, with one eigenvalue in all directions beyond; here the inverse itself is cut at k, and what lies beyond
    U is not in the model at all.

    2 + power passes over the tiles on and above the diagonal; n × (k + oversampling) sums are merged in each.

    Parameters
    ----------
    power : int
        Passes that sharpen the directions.
    oversampling : int
        Columns of Ω beyond the rank.
    exact_error : bool
        Work the Frobenius error out exactly, in one more pass, instead of estimating it.
    """

    power: int = 1
    oversampling: int = 10
    exact_error: bool = False
    name = "ssvd"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        checked_count("power", self.power)
        checked_count("oversampling", self.oversampling)

    def __call__(self, task: KernelTask) -> Truncated:
        """Find the directions."""
        return of_enough_directions(task, lambda rank: self._of_rank(task, rank))

    def _of_rank(self, task: KernelTask, rank: int) -> Truncated:
        found = find_directions(task, rank, self.oversampling, self.power)
        made = Truncated(found)
        _, V = made.small_svd(0.0)
        made.error = found.error(found.basis @ V, found.image @ V, self.exact_error)
        return made


@dataclass
class Truncated:
    """QᵀK: the k largest singular values and vectors of Qᵀ(αI + K) for every ridge."""

    found: Directions
    error: float = 0.0
    _last: tuple[float, tuple[Array, Array]] | None = field(default=None, repr=False)

    @property
    def values(self) -> Array:
        """Eigenvalues of the matrix along the directions."""
        return self.found.inner[0]

    @property
    def rank(self) -> int:
        """Directions kept."""
        return len(self.values)

    @property
    def trace(self) -> float:
        """Sum of the eigenvalues."""
        return float(self.values.sum())

    def small_svd(self, alpha: float) -> tuple[Array, Array]:
        """Singular values of Qᵀ(αI + K), those of rounding left out, and V with U = QV."""
        if self._last is None or self._last[0] != alpha:
            R = np.linalg.qr(self._shifted(alpha), mode="r")
            _, s, Vt = np.linalg.svd(R, full_matrices=False)
            self._last = alpha, (s[: self.rank], Vt[: self.rank].T)
        return self._last[1]

    def _shifted(self, alpha: float) -> Array:
        """(αI + K)Q."""
        return self.found.image + alpha * self.found.basis if alpha else self.found.image

    def solve(self, alpha: float) -> Solution:
        """The model of one ridge; by the pseudo-inverse where it is 0."""
        s, V = self.small_svd(alpha)
        task, Q = self.found.task, self.found.basis
        rotated = V.T @ (Q.T @ task.Y)
        # The right singular vectors are (αI + K)QVΣ⁻¹.
        c = self._shifted(alpha) @ (V @ (rotated / (s**2)[:, None]))
        return task.solution(c, self.found.Ku)

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Errors of each row by Q(QᵀKQ)Qᵀ without it, which gives these rows the same outputs."""
        return self._spectral.left_out(alpha, groups)

    @cached_property
    def _spectral(self) -> Spectral:
        return self.found.projected()

    def condition(self, alpha: float) -> float:
        """Condition number of the part of αI + K that is inverted."""
        s, _ = self.small_svd(alpha)
        return float(s[0] / s[-1]) if len(s) else 1.0
