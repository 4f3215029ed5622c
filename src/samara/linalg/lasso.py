"""Sparse least squares from moments: FISTA (Beck and Teboulle 2009) on the Gram matrix, no row is needed."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

from samara.core import Array

CHECK_EVERY = 10  # steps between two looks at the optimality conditions, each of which costs a product


def lasso(
    gram: Array, cross: Array, penalty: float, start: Array | None = None, tol: float = 1e-2, most: int = 1000
) -> tuple[Array, bool]:
    """min ‖Hβ − T‖² + λ‖β‖₁ with HᵀH = ``gram`` and HᵀT = ``cross``, every column of T by itself.

    Parameters
    ----------
    gram : array of shape (L, L)
        Symmetric, no eigenvalue below zero.
    cross : array of shape (L, t)
        Products of features and targets.
    penalty : float
        λ. From 2·max|cross| on, β is zero.
    start : array of shape (L, t), optional
        Where to begin; zero unless given.
    tol : float
        Share of λ by which the optimality conditions may be missed.
    most : int
        Steps after which it ends in any case.

    Returns
    -------
    beta : array of shape (L, t)
        The solution; where it is zero, it is zero to the bit.
    converged : bool
        Whether it met the tolerance.
    """
    beta = np.zeros_like(cross) if start is None else start
    L = len(gram)
    steepest = float(eigh(gram, eigvals_only=True, subset_by_index=[L - 1, L - 1])[0])
    if steepest <= 0:
        return np.zeros_like(cross), True
    ahead, momentum = beta, 1.0
    for step in range(1, most + 1):
        # A step of 1/(2·steepest) along the gradient 2(Gβ − r), then the shrinkage that λ asks for.
        moved = _shrunk(ahead - (gram @ ahead - cross) / steepest, penalty / (2 * steepest))
        # What points uphill has overshot: the momentum starts anew (O'Donoghue and Candès 2015).
        uphill = float(np.vdot(ahead - moved, moved - beta)) > 0
        following = 1.0 if uphill else (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moved if uphill else moved + (momentum - 1) / following * (moved - beta)
        beta, momentum = moved, following
        if step % CHECK_EVERY == 0 and violation(gram, cross, penalty, beta) <= tol * penalty:
            return beta, True
    return beta, False


def violation(gram: Array, cross: Array, penalty: float, beta: Array) -> float:
    """By how much the optimality conditions are missed at most.

    The gradient 2(Gβ − r) has to be −λ·sign(β) where β is not zero, and within ±λ where it is.
    """
    gradient = 2 * (gram @ beta - cross)
    off = np.where(beta == 0, np.maximum(abs(gradient) - penalty, 0), abs(gradient + penalty * np.sign(beta)))
    return float(off.max(initial=0.0))


def _shrunk(values: Array, threshold: float) -> Array:
    """Each value moved towards zero by the threshold, and no further."""
    return np.asarray(np.sign(values) * np.maximum(abs(values) - threshold, 0))
