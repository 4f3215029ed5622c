"""`sketch`: the kernel matrix along a few random directions (Men and Wang, Algorithm 3), never stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samara.errors import InputError
from samara.linalg.ranges import checked_count
from samara.solvers.kernel.directions import find_directions, of_enough_directions
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import KernelTask


@dataclass(frozen=True)
class KernelSketch:
    """K ≈ Q(QᵀKQ)Qᵀ with Q a basis of KΩ, Ω Gaussian; (K̃ + αI)⁻¹ by Woodbury's formula.

    Two passes over the kernel, 4n²(k + oversampling) flops, of which nothing n×n is kept.

    Parameters
    ----------
    oversampling : int
        Columns of Ω beyond the rank.
    power : int
        More passes, each of which sharpens the directions.
    exact_error : bool
        Work the Frobenius error out exactly, in one more pass, instead of estimating it.
    """

    oversampling: int = 10
    power: int = 0
    exact_error: bool = False
    name = "sketch"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        checked_count("oversampling", self.oversampling)
        checked_count("power", self.power)

    def __call__(self, task: KernelTask) -> Spectral:
        """Find the directions and the matrix along them."""
        if task.alphas is not None and min(task.alphas) == 0:
            raise InputError('solver="sketch" needs a ridge above 0: what it leaves out has no inverse.')
        return of_enough_directions(task, lambda rank: self._of_rank(task, rank))

    def _of_rank(self, task: KernelTask, rank: int) -> Spectral:
        found = find_directions(task, rank, self.oversampling, self.power)
        factor = found.spectral()
        return replace(factor, error=found.error(factor.U * factor.values, factor.U, self.exact_error))
