"""`sketch`: the kernel matrix along a few random directions (Men and Wang, Algorithm 3), never stored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samara.errors import InputError
from samara.linalg.basis import orthonormalized
from samara.linalg.blas import in_threads
from samara.linalg.ranges import checked_count
from samara.solvers.kernel.matrix import STRIP, Products, too_extreme
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import KernelTask, rounding_of, warn_of_sign, without

PROBES = 10  # Gaussian vectors that the error is estimated with
FIRST, GROWTH = 64, 2  # rank tried first, and how it grows
LARGEST = 1e150  # entry whose square is still a number
SHARE = 0.01  # of the smallest ridge: what may be left of the matrix along a random direction
GRID_FLOOR = 1e-6  # of the trace: the ridge that a rank "auto" is found for where none is given


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
        most = task.gramian.max_rank
        rank = task.columns(most)
        if rank is not None:
            return self._of_rank(task, rank)
        rank = min(FIRST, most)
        while True:
            made = self._of_rank(task, rank)
            if rank >= most or made.error <= SHARE * _smallest(task, made) * np.sqrt(task.n):
                return made
            rank = min(most, GROWTH * rank)

    def _of_rank(self, task: KernelTask, rank: int) -> Spectral:
        products, rng, n = Products(task), task.rng(), task.n
        width = min(rank + self.oversampling, n - task.fit_intercept)
        made = products(rng.standard_normal((n, width)))
        if np.abs(made).max(initial=0.0) > LARGEST:
            raise too_extreme(float(task.matrix.tile(slice(0, 1), slice(0, 1))[0, 0]))
        basis = orthonormalized(made)
        for _ in range(self.power):
            basis = orthonormalized(products(basis))
        probes = without(task.constant, rng.standard_normal((n, PROBES)))
        seen, Ku = products.with_constant(np.hstack([basis, probes]))
        KQ, Kg = seen[:, : basis.shape[1]], seen[:, basis.shape[1] :]
        inner = basis.T @ KQ
        values, V = np.linalg.eigh((inner + inner.T) / 2)
        # What is rounding of the largest is no direction of the kernel, and may lean on the constant one.
        rounding = rounding_of(values, Ku, task.gramian.dtype)
        sizes = np.abs(values) if warn_of_sign(values, rounding) else values
        kept = np.argsort(-sizes)[:rank]
        kept = kept[sizes[kept] > rounding]
        factor = Spectral(task, basis @ V[:, kept], values[kept], Ku)
        left = Kg - factor.U @ (factor.values[:, None] * (factor.U.T @ probes))
        error = float(np.linalg.norm(left) / np.sqrt(PROBES))
        if self.exact_error:
            error = frobenius_error(task, factor)
        return replace(factor, error=error)


def _smallest(task: KernelTask, made: Spectral) -> float:
    """The smallest ridge that will be asked for."""
    return GRID_FLOOR * made.trace if task.alphas is None else min(task.alphas)


def frobenius_error(task: KernelTask, made: Spectral) -> float:
    """‖K − UΛUᵀ‖_F exactly, a strip of rows at a time; of the centred matrix where there is an intercept."""
    matrix, u, Ku = task.matrix, task.constant, made.Ku

    def run(lo: int) -> float:
        rows = slice(lo, min(lo + STRIP, task.n))
        strip = matrix.tile(rows, slice(0, task.n)).astype(np.float64)
        if u is not None:  # PKP = K − u(Ku)ᵀ − (Ku)uᵀ + (uᵀKu)uuᵀ
            strip -= np.outer(u[rows], Ku - (u @ Ku) * u) + np.outer(Ku[rows], u)
        strip -= (made.U[rows] * made.values) @ made.U.T
        return float(np.einsum("ij,ij->", strip, strip))

    return float(np.sqrt(sum(in_threads(run, range(0, task.n, STRIP), task.workers))))
