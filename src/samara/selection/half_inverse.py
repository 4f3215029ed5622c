"""A root of the inverse of a system, from what it was solved with: leverages are squares of its products."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from samara.core import Array, System
from samara.linalg.blas import solve_from_right, solve_upper
from samara.selection.methods import inverse
from samara.solvers import NormalSystem, RowSystem

EXACT, SKETCHED = 64, 16  # columns up to which the inverse is kept, and that stand for it: within a third


class HalfInverse(Protocol):
    """N with NNᵀ = (G + αI)⁻¹."""

    def after(self, Z: Array) -> Array:
        """ZN; takes Z over."""
        ...

    def times(self, B: Array) -> Array:
        """NB; takes B over."""
        ...

    def sketched(self, rng: np.random.Generator) -> Array:
        """D with few columns, DDᵀ near NNᵀ: random mixtures of N's columns (Johnson and Lindenstrauss)."""
        ...


@dataclass(frozen=True)
class OfTriangle:
    """R⁻¹, of the Cholesky factor that has solved the system."""

    triangle: Array  # (L, L)

    def after(self, Z: Array) -> Array:
        """ZR⁻¹."""
        return solve_from_right(self.triangle, Z)

    def times(self, B: Array) -> Array:
        """R⁻¹B."""
        return solve_upper(self.triangle, B)

    def sketched(self, rng: np.random.Generator) -> Array:
        """R⁻¹ of a mixture."""
        return self.times(mixture(len(self.triangle), rng))


@dataclass(frozen=True)
class OfAxes:
    """V(Λ + α)^−½, of the eigenvectors of the Gram matrix that rows reach."""

    vectors: Array  # (L, r)
    keep: Array  # (r,) 1/(λ + α)
    alpha: float

    def after(self, Z: Array) -> Array:
        """ZV(Λ + α)^−½."""
        return np.asarray((Z @ self.vectors) * np.sqrt(self.keep))

    def times(self, B: Array) -> Array:
        """V(Λ + α)^−½B."""
        return np.asarray(self.vectors @ (np.sqrt(self.keep)[:, None] * B))

    def sketched(self, rng: np.random.Generator) -> Array:
        """Of the symmetric root, which the signs and the number of eigenvectors don't change."""
        mixed = mixture(len(self.vectors), rng)
        along = self.vectors.T @ mixed
        made = self.times(along)
        if self.alpha > 0:  # no row of the fit goes there: only the ridge does
            made += (mixed - self.vectors @ along) / np.sqrt(self.alpha)
        return made


@dataclass(frozen=True)
class OfRows:
    """The symmetric root from the eigenvectors Q of HHᵀ alone, where there are fewer rows than columns.

    (HᵀH + α)^−½ = α^−½(I − PᵀWP) with P = QᵀH and W = 1/(Λ + α + √(α(Λ + α))): nothing is divided by a
    small singular value, and it errs by eps·λ₁/α. Leave-one-out errors ask for Q anyhow; with it this takes
    0.13 s at 1360 × 2000, where the SVD of H took 0.64.
    """

    along: Array  # (n, L): P
    shrink: Array  # (n,): the diagonal of W
    alpha: float

    def after(self, Z: Array) -> Array:
        """Z less what of it lies along the rows."""
        Z -= ((Z @ self.along.T) * self.shrink) @ self.along
        Z /= np.sqrt(self.alpha)
        return Z

    def times(self, B: Array) -> Array:
        """The root is symmetric."""
        return self.after(np.ascontiguousarray(B.T)).T

    def sketched(self, rng: np.random.Generator) -> Array:
        """Of the same root as that of the eigenvectors of the Gram matrix."""
        return self.times(mixture(self.along.shape[1], rng))


def mixture(size: int, rng: np.random.Generator) -> Array:
    """Columns that mix those of a root; all of them where they are few."""
    return np.eye(size) if size <= EXACT else rng.standard_normal((size, SKETCHED)) / np.sqrt(SKETCHED)


def half_inverse(system: System, alpha: float, size: int) -> HalfInverse:
    """Of the leading columns, from what the system has solved with."""
    if isinstance(system, NormalSystem):
        return OfTriangle(system.triangle(alpha)[:size, :size])
    if isinstance(system, RowSystem) and (known := system.along_rows(alpha, size)):
        values, along = known
        raised = values + alpha
        return OfRows(along, 1 / (raised + np.sqrt(alpha * raised)), alpha)
    values, vectors, _ = system.spectrum(size)
    keep = inverse(system, values, np.array([alpha]), size)[0]
    if (keep <= 0).any():  # as many numbers as H has: not copied without need
        vectors, keep = vectors[:, keep > 0], keep[keep > 0]
    return OfAxes(vectors, keep, alpha)
