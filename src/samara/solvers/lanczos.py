"""Conjugate gradients by products with a Gram matrix: orthogonalised, so that one run has all ridges."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.linalg import eigh_tridiagonal

from samara.core import Array
from samara.solvers.lsqr import Directions
from samara.solvers.training_sets import TrainingSets

Apply = Callable[[Array, Array], Array]  # (which training sets, V) → GV, centred


class Lanczos:
    """GV = VT for every training set and target at once, started at HᵀT; a product a step.

    In exact arithmetic x = V(T + αI)⁻¹V′HᵀT are the iterates of conjugate gradients, for every ridge α at
    once. V is orthogonalised against all earlier directions, twice: with ridges of 1e-7 to 1e-3 of the mean
    eigenvalue plain conjugate gradients took two to ten times as many steps (600 nodes), and a preconditioner
    would serve one ridge only. A column that has converged for the smallest ridge takes no further part.
    """

    def __init__(self, sets: TrainingSets, apply: Apply, smallest: float, tol: float) -> None:
        self._apply, self._ridge, self._tol = apply, smallest, tol
        S, L, t = sets.crosses.shape
        self.which = np.repeat(np.arange(S), t)
        r = sets.crosses.transpose(1, 0, 2).reshape(L, S * t)
        self._start = np.sqrt(np.maximum(sets.target_squares.ravel(), 0.0))  # ‖T‖
        self._cross = np.linalg.norm(r, axis=0)  # ‖HᵀT‖
        least = np.finfo(float).eps * self._start * np.sqrt(max(sets.energy, 0.0))
        self.alive = (self._cross > least) & (self._start > 0)
        self._cross = np.where(self.alive, self._cross, 1.0)
        self.steps = np.zeros(S * t, int)
        self.left = self.alive.astype(float)  # ‖HᵀT − (G + αI)β‖/‖HᵀT‖ at the smallest ridge
        self.off = self.alive.astype(float)  # bound on how far fitted values are off, of ‖T‖
        self.V = Directions(S * t, L)
        self.V.append(np.arange(S * t), np.where(self.alive, r / self._cross, 0.0))
        self._diagonal: list[Array] = []
        self._below: list[Array] = []
        self._pivot, self._forward = np.ones(S * t), self._cross.copy()  # of T + αI = LDLᵀ

    def step(self) -> None:
        """w = Gv − av − bv′, for the columns still alive."""
        live = np.flatnonzero(self.alive)
        v = self.V.last(live)
        w = self._apply(self.which[live], v)
        a = np.einsum("ij,ij->j", v, w)
        w = self.V.orthogonalized(live, w)
        b = np.linalg.norm(w, axis=0)
        before = self._below[-1][live] if self._below else np.zeros(len(live))
        for entries, new in ((self._diagonal, a), (self._below, b)):
            entries.append(np.zeros(len(self.alive)))
            entries[-1][live] = new
        ends = b <= 10 * np.finfo(float).eps * np.maximum(np.abs(a), before)  # the rest is rounding
        self.V.append(live, np.where(ends, 0.0, w / np.where(b > 0, b, 1.0)))
        self.steps[live] += 1
        self._converge(live, before, np.where(ends, 0.0, b))

    def _converge(self, live: Array, before: Array, b: Array) -> None:
        """What is left of the gradient is b|y|, y the last of (T + αI)⁻¹e₁‖HᵀT‖, by elimination.

        Coefficients off by (G + αI)⁻¹g put the fitted values off by at most max √λ/(λ + α)·‖g‖ = ‖g‖/2√α.
        """
        lower = before / self._pivot[live]
        self._forward[live] *= np.where(self.steps[live] > 1, -lower, 1.0)
        floor = np.finfo(float).eps * self._ridge  # rounding may take a pivot below the ridge
        self._pivot[live] = np.maximum(self._diagonal[-1][live] + self._ridge - lower * before, floor)
        gradient = b * np.abs(self._forward[live]) / self._pivot[live]
        self.left[live] = gradient / self._cross[live]
        self.off[live] = gradient / (2 * np.sqrt(self._ridge) * self._start[live])
        self.alive[live] = np.maximum(self.left[live], self.off[live]) > self._tol

    def spectrum(self, column: int) -> tuple[Array, Array]:
        """Eigenvalues and eigenvectors of T."""
        k = int(self.steps[column])
        diagonal = np.array([a[column] for a in self._diagonal[:k]])
        values, vectors = eigh_tridiagonal(diagonal, [b[column] for b in self._below[: k - 1]])
        return np.maximum(values, 0.0), vectors

    def solutions(self, column: int, alphas: Sequence[float]) -> Array:
        """The coefficients (L, A) of a column: one decomposition of its T serves all ridges."""
        directions = self.V.of(column, int(self.steps[column]))
        if not directions:
            return np.zeros((self.V.length, len(alphas)))
        values, vectors = self.spectrum(column)
        Y = vectors @ (vectors[0][:, None] * self._cross[column] / (values[:, None] + np.asarray(alphas)))
        return np.asarray(np.concatenate(directions).T @ Y)
