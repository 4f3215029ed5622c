"""Sparse least squares from moments: FISTA (Beck and Teboulle 2009) on the Gram matrix, no row is needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh

from samara.core import Array

CHECK_EVERY = 10  # steps between two looks at the gap, each of which costs a product


@dataclass(frozen=True)
class Lasso:
    """min ‖Hβ − T‖² + λ‖β‖₁ over the moments of some rows, every column of T by itself.

    The search ends when the duality gap of each column, by which its objective can exceed the least one at
    most, is below ``tol`` times the square of the column: where features are nearly alike many β do as well,
    and no condition on β itself would ever be met.
    """

    gram: Array  # (L, L) HᵀH
    cross: Array  # (L, t) HᵀT
    squares: Array  # (t,) of the columns of T

    @property
    def largest(self) -> float:
        """λ from which on β is zero."""
        return 2 * float(abs(self.cross).max(initial=0.0))

    def solve(
        self, penalty: float, start: Array | None = None, tol: float = 1e-4, most: int = 1000
    ) -> tuple[Array, bool]:
        """β, zero to the bit where it is zero, and whether it met the tolerance within so many steps."""
        L = len(self.gram)
        steepest = float(eigh(self.gram, eigvals_only=True, subset_by_index=[L - 1, L - 1])[0])
        if steepest <= 0 or penalty >= self.largest:
            return np.zeros_like(self.cross), True
        beta = ahead = np.zeros_like(self.cross) if start is None else start
        momentum = 1.0
        for step in range(1, most + 1):
            # A step of 1/(2·steepest) along the gradient 2(Gβ − r), then the shrinkage that λ asks for.
            slope = (self.gram @ ahead - self.cross) / steepest
            moved = _shrunk(ahead - slope, penalty / (2 * steepest))
            # What points uphill has overshot: the momentum starts anew (O'Donoghue and Candès 2015).
            uphill = float(np.vdot(ahead - moved, moved - beta)) > 0
            following = 1.0 if uphill else (1 + np.sqrt(1 + 4 * momentum**2)) / 2
            ahead = moved if uphill else moved + (momentum - 1) / following * (moved - beta)
            beta, momentum = moved, following
            if step % CHECK_EVERY == 0 and (self.gap(penalty, beta) <= tol * self.squares).all():
                return beta, True
        return beta, False

    def gap(self, penalty: float, beta: Array) -> Array:
        """The duality gap of each column: the residual, shrunk until it is feasible, is the dual point."""
        products = self.gram @ beta
        along = np.einsum("lt,lt->t", beta, self.cross)  # βᵀr
        residual = np.maximum(self.squares - 2 * along + np.einsum("lt,lt->t", beta, products), 0)
        steepest = 2 * abs(self.cross - products).max(axis=0)
        share = penalty / np.maximum(steepest, penalty)
        bound = 2 * share * (self.squares - along) - share**2 * residual
        return np.asarray(residual + penalty * abs(beta).sum(axis=0) - bound)


def _shrunk(values: Array, threshold: float) -> Array:
    """Each value moved towards zero by the threshold, and no further."""
    return np.asarray(np.sign(values) * np.maximum(abs(values) - threshold, 0))
