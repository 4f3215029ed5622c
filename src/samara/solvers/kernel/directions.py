"""Directions that a kernel matrix is seen along: a randomized range finder by products with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Protocol, TypeVar

import numpy as np

from samara.core import Array
from samara.linalg.basis import Basis, economic_svd, orthonormalized
from samara.solvers.kernel.matrix import Products, over_tiles, tiles_of, too_extreme
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import KernelTask, rounding_of, warn_of_sign, without
from samara.solvers.kernel.tiles import TileGaps

PROBES = 10  # Gaussian vectors that the error is estimated with
FIRST, GROWTH = 64, 2  # rank tried first, and how it grows
LARGEST = 1e150  # entry whose square is still a number
SHARE = 0.01  # of the smallest ridge: what may be left of the matrix along a random direction
GRID_FLOOR = 1e-6  # of the trace: the ridge that a rank "auto" is found for where none is given


@dataclass(frozen=True)
class Directions:
    """Q, orthonormal, what K makes of it, and of some Gaussian vectors; all off the constant direction."""

    task: KernelTask
    rank: int  # directions asked for; Q has a few more
    basis: Array  # Q
    image: Array  # KQ
    probes: Array
    seen: Array  # what K makes of the probes
    Ku: Array  # what K makes of the constant direction

    @cached_property
    def _all_inner(self) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors of QᵀKQ, the largest first, without rounding."""
        inner = self.basis.T @ self.image
        values, V = np.linalg.eigh((inner + inner.T) / 2)
        # What is rounding of the largest is no direction of the kernel, and may lean on the constant one.
        rounding = rounding_of(values, self.Ku, self.task.gramian.dtype)
        sizes = np.abs(values) if warn_of_sign(values, rounding) else values
        kept = np.argsort(-sizes)
        kept = kept[sizes[kept] > rounding]
        return values[kept], V[:, kept]

    @property
    def inner(self) -> tuple[Array, Array]:
        """Of the eigenvalues and eigenvectors of QᵀKQ at most ``rank``."""
        values, V = self._all_inner
        return values[: self.rank], V[:, : self.rank]

    def projected(self) -> Spectral:
        """Q(QᵀKQ)Qᵀ along its largest eigenvalues."""
        values, V = self.inner
        return Spectral(self.task, self.basis @ V, values, self.Ku)

    def nystroem(self) -> Spectral:
        """KQ(QᵀKQ)⁻¹QᵀK along its largest eigenvalues: nearer to K than Q(QᵀKQ)Qᵀ, of the same products.

        It needs a matrix without negative eigenvalues; of others it is `projected`.
        """
        values, V = self._all_inner
        if values.min(initial=np.inf) < 0 or not len(values):
            return self.projected()
        basis = Basis(len(self.image), self.image.dtype)
        triangle = basis.extend(np.array(self.image, order="F"))
        W, s, _ = economic_svd(triangle @ (V / np.sqrt(values)))
        return Spectral(self.task, basis.columns @ W[:, : self.rank], s[: self.rank] ** 2, self.Ku)

    def error(self, A: Array, B: Array, exactly: bool) -> float:
        """‖K − ABᵀ‖_F: estimated from the probes, or worked out in one more pass over the tiles."""
        if not exactly:
            return float(np.linalg.norm(self.seen - A @ (B.T @ self.probes)) / np.sqrt(PROBES))
        u, Ku = self.task.constant, self.Ku
        if u is not None:  # PKP = K − u(Ku)ᵀ − (Ku)uᵀ + (uᵀKu)uuᵀ
            A = np.column_stack([A, u, Ku])
            B = np.column_stack([B, Ku - (u @ Ku) * u, u])
        made = over_tiles(self.task, tiles_of(self.task), partial(TileGaps, A, B))
        return float(np.sqrt(made.squares))


def find_directions(task: KernelTask, rank: int, oversampling: int, power: int) -> Directions:
    """A basis of (K)ᵖKΩ with Ω Gaussian, and one more product with it."""
    products, rng, n = Products(task), task.rng(), task.n
    width = min(rank + oversampling, n - task.fit_intercept)
    made = products(rng.standard_normal((n, width)))
    if np.abs(made).max(initial=0.0) > LARGEST:
        raise too_extreme(float(task.matrix.tile(slice(0, 1), slice(0, 1))[0, 0]))
    basis = orthonormalized(made)
    for _ in range(power):
        basis = orthonormalized(products(basis))
    probes = without(task.constant, rng.standard_normal((n, PROBES)))
    seen, Ku = products.with_constant(np.hstack([basis, probes]))
    return Directions(task, rank, basis, seen[:, :width], probes, seen[:, width:], Ku)


class Approximate(Protocol):
    """A factor that knows what it leaves out."""

    @property
    def error(self) -> float: ...
    @property
    def trace(self) -> float: ...


F = TypeVar("F", bound=Approximate)


def of_enough_directions(task: KernelTask, of_rank: Callable[[int], F]) -> F:
    """The factor of the rank given; or of twice the rank until what it leaves is small beside the ridge."""
    most = task.gramian.max_rank
    rank = task.columns(most)
    if rank is not None:
        return of_rank(rank)
    rank = min(FIRST, most)
    while True:
        made = of_rank(rank)
        smallest = GRID_FLOOR * made.trace if task.alphas is None else min(task.alphas)
        if rank >= most or made.error <= SHARE * smallest * np.sqrt(task.n):
            return made
        rank = min(most, GROWTH * rank)
