"""A root of the inverse of a system, from what it was solved with: leverages are squares of its products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array, System
from samara.linalg.blas import solve_from_right, solve_upper
from samara.selection.methods import inverse
from samara.solvers import NormalSystem

EXACT, SKETCHED = 64, 16  # columns up to which the inverse is kept, and that stand for it: within a third


@dataclass(frozen=True)
class HalfInverse:
    """N with NNᵀ = (G + αI)⁻¹: the inverse of a triangle, or eigenvectors divided by roots."""

    triangle: Array | None  # (L, L)
    vectors: Array  # (L, r); none where there is a triangle
    keep: Array  # (r,) 1/(λ + α)
    alpha: float

    def after(self, Z: Array) -> Array:
        """ZN; takes Z over."""
        if self.triangle is not None:
            return solve_from_right(self.triangle, Z)
        return np.asarray((Z @ self.vectors) * np.sqrt(self.keep))

    def times(self, B: Array) -> Array:
        """NB; takes B over."""
        if self.triangle is not None:
            return solve_upper(self.triangle, B)
        return np.asarray(self.vectors @ (np.sqrt(self.keep)[:, None] * B))

    def sketched(self, rng: np.random.Generator) -> Array:
        """D with few columns, DDᵀ near NNᵀ: random mixtures of N's columns (Johnson and Lindenstrauss).

        Of eigenvectors the symmetric root is mixed, which their signs and their number don't change.
        """
        L = len(self.vectors)
        mixture = np.eye(L) if L <= EXACT else rng.standard_normal((L, SKETCHED)) / np.sqrt(SKETCHED)
        if self.triangle is not None:
            return self.times(mixture)
        along = self.vectors.T @ mixture
        made = self.times(along)
        if self.alpha > 0:  # no row of the fit goes there: only the ridge does
            made += (mixture - self.vectors @ along) / np.sqrt(self.alpha)
        return made


def half_inverse(system: System, alpha: float, size: int) -> HalfInverse:
    """Of the leading columns, from what the system has solved with."""
    none = np.empty((size, 0))
    if isinstance(system, NormalSystem):
        return HalfInverse(system.triangle(alpha)[:size, :size], none, np.empty(0), alpha)
    values, vectors, _ = system.spectrum(size)
    keep = inverse(system, values, np.array([alpha]), size)[0]
    if (keep <= 0).any():  # as many numbers as H has: not copied without need
        vectors, keep = vectors[:, keep > 0], keep[keep > 0]
    return HalfInverse(None, vectors, keep, alpha)
