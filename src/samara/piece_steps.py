"""From the moments of filled rows to the precision matrices that fill them better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.linalg.gaps import PieceMoments, Pieces

RIDGE = 1e-3  # of a variance of 1, added where every direction is used: rows with many gaps stay sane
PIECE_RIDGE = 1e-2  # of several pieces, each of which has fewer rows
FLOOR = 1e-9  # least variance of the directions that a rank leaves out, and least precision of a projection
LLOYD_STEPS = 5  # by which the pieces are begun


@dataclass(frozen=True)
class Form:
    """How gaps are filled."""

    method: str  # gaussian, hard or soft
    rank: int
    n_pieces: int = 1
    shrinkage: float = 0.0


@dataclass(frozen=True)
class State:
    """Pieces, and the covariances that they come from."""

    pieces: Pieces
    covariances: Array  # (k, d, d)
    shares: Array  # (k,)

    def change(self, before: State) -> float:
        """How far means and covariances are from those before, relative to their size."""
        if len(self.shares) != len(before.shares):
            return float("inf")
        w, d = self.shares, self.pieces.n_columns
        moved = np.sum(w @ (self.pieces.means - before.pieces.means) ** 2) / d
        turned = w @ np.sum((self.covariances - before.covariances) ** 2, axis=(1, 2))
        size = w @ np.sum(self.covariances**2, axis=(1, 2))
        return float(np.sqrt(moved) + np.sqrt(turned / max(size, np.finfo(float).tiny)))


def first_state(n_columns: int) -> State:
    """Nothing is known: gaps are filled with the mean."""
    unit = np.eye(n_columns)[None]
    return State(Pieces(np.zeros((1, n_columns)), unit, np.zeros(1)), unit, np.ones(1))


def next_state(moments: PieceMoments, pieces: Pieces, form: Form) -> State:
    """The pieces of filled rows; one that is left without rows is given up."""
    kept = moments.weights > 0.5
    w = moments.weights[kept]
    shift = moments.sums[kept] / w[:, None]
    upper = moments.squares[kept] / w[:, None, None]
    C = upper + np.triu(upper, 1).transpose(0, 2, 1) - shift[:, :, None] * shift[:, None]
    return made_state(pieces.means[kept] + shift, C, w, form)


def made_state(means: Array, C: Array, weights: Array, form: Form) -> State:
    """Pieces of these means, covariances and weights."""
    shares = weights / weights.sum()
    if form.method != "gaussian":
        return State(Pieces(means, _projection(C[0], form)[None], np.zeros(1)), C, shares)
    d = C.shape[1]
    if len(C) > 1:  # drawn towards what they have in common, by as much as a piece of d rows weighs
        common = np.einsum("k,kij->ij", shares, C)
        C = (weights[:, None, None] * C + d * common) / (weights + d)[:, None, None]
    if form.rank < d:
        precisions, logs = _low_rank(C, form.rank)
    else:
        C = C + (RIDGE if len(C) == 1 else PIECE_RIDGE) * np.eye(d)
        precisions, logs = np.linalg.inv(C), -np.linalg.slogdet(C)[1]
    return State(Pieces(means, np.ascontiguousarray(precisions), np.log(shares) + 0.5 * logs), C, shares)


def _low_rank(C: Array, rank: int) -> tuple[Array, Array]:
    """Precisions of the leading directions, with one variance for all the others, and log determinants.

    (Probabilistic principal components; Tipping and Bishop 1999, in closed form.)
    """
    values, V = np.linalg.eigh(C)
    noise = np.maximum(values[:, :-rank].mean(axis=1, keepdims=True), FLOOR)
    top = np.maximum(values[:, -rank:], noise)
    V = V[:, :, -rank:]
    gains = 1 / top - 1 / noise
    P = (V * gains[:, None]) @ V.transpose(0, 2, 1)
    P += np.eye(C.shape[1]) / noise[:, :, None]
    logs = -np.log(top).sum(axis=1) - (C.shape[1] - rank) * np.log(noise[:, 0])
    return P, logs


def _projection(C: Array, form: Form) -> Array:
    """I − V·gain·Vᵀ of the leading directions: gain 1 (hard), or what the shrinkage leaves (soft)."""
    values, V = np.linalg.eigh(C)
    deviations = np.sqrt(np.maximum(values, np.finfo(float).tiny))
    gains = np.maximum(0.0, 1 - form.shrinkage / deviations)
    gains[: len(gains) - form.rank] = 0.0
    P: Array = (1 + FLOOR) * np.eye(len(C)) - (V * gains) @ V.T
    return P


def several_pieces(rows: Array, form: Form) -> State:
    """Pieces to begin with: a few steps of k-means from rows far apart."""
    rng = np.random.default_rng(0)
    squares = np.einsum("ij,ij->i", rows, rows)
    centres = rows[:1]
    nearest = _distances(rows, squares, centres)[:, 0]
    while len(centres) < form.n_pieces and nearest.max() > 0:
        drawn = rng.choice(len(rows), p=nearest / nearest.sum())
        centres = np.vstack([centres, rows[drawn]])
        nearest = np.minimum(nearest, _distances(rows, squares, rows[[drawn]])[:, 0])
    for _ in range(LLOYD_STEPS):
        label = _distances(rows, squares, centres).argmin(axis=1)
        there = np.unique(label)
        centres = np.stack([rows[label == k].mean(axis=0) for k in there])
    label = _distances(rows, squares, centres).argmin(axis=1)
    there, counts = np.unique(label, return_counts=True)
    centred = rows - centres[label]
    C = np.stack([centred[label == k].T @ centred[label == k] for k in there]) / counts[:, None, None]
    return made_state(centres[there], C, counts.astype(float), form)


def _distances(rows: Array, squares: Array, centres: Array) -> Array:
    """Squared distances (n, k)."""
    found = squares[:, None] - 2 * rows @ centres.T + np.einsum("ij,ij->i", centres, centres)
    return np.asarray(np.maximum(found, 0.0))
