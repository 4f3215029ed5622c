"""Rows with gaps under a few Gaussian pieces: filled by their conditional means, and their moments."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.linalg import kernels

NEGLIGIBLE = 1e-6  # of a row: shares of a piece below add nothing to its moments


@dataclass(frozen=True)
class Pieces:
    """A mixture of Gaussians: rows belong to the piece that explains what is there."""

    means: Array  # (k, d)
    precisions: Array  # (k, d, d)
    offsets: Array  # (k,) log of the share plus half the log determinant of the precision

    @property
    def n_columns(self) -> int:
        """Columns of a row."""
        return int(self.means.shape[1])


class PieceMoments:
    """Weight, sum and squares of filled rows, less the mean of each piece."""

    def __init__(self, pieces: Pieces) -> None:
        k, d = pieces.means.shape
        self.weights, self.sums, self.squares = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))

    def add(self, other: PieceMoments) -> None:
        """Add another's rows."""
        self.weights += other.weights
        self.sums += other.sums
        self.squares += other.squares


class _Gaps(ctypes.Structure):
    """The structure of the same name in gaps.h."""

    _fields_ = (
        ("rows", ctypes.c_void_p),
        *((name, ctypes.c_int64) for name in ("n", "d", "pieces")),
        *((name, ctypes.c_void_p) for name in ("means", "precisions", "offsets", "filled")),
        *((name, ctypes.c_void_p) for name in ("weights", "sums", "squares")),
        ("uncertain", ctypes.c_int64),
    )


def filled_rows(X: Array, pieces: Pieces) -> Array:
    """The rows, each gap filled by its conditional mean."""
    out = np.empty_like(X)
    _run(X, pieces, out, None, False)
    return out


def add_moments(X: Array, pieces: Pieces, total: PieceMoments, uncertain: bool) -> None:
    """Add the moments of rows, their gaps filled; ``uncertain`` adds the covariance of what fills them."""
    _run(X, pieces, None, total, uncertain)


def _run(X: Array, pieces: Pieces, out: Array | None, total: PieceMoments | None, uncertain: bool) -> None:
    if not kernels.compiled():
        _plain(X, pieces, out, total, uncertain)
        return
    job = _Gaps(
        rows=X.ctypes.data,
        n=len(X),
        d=X.shape[1],
        pieces=len(pieces.means),
        means=pieces.means.ctypes.data,
        precisions=pieces.precisions.ctypes.data,
        offsets=pieces.offsets.ctypes.data,
        filled=None if out is None else out.ctypes.data,
        weights=None if total is None else total.weights.ctypes.data,
        sums=None if total is None else total.sums.ctypes.data,
        squares=None if total is None else total.squares.ctypes.data,
        uncertain=uncertain,
    )
    if kernels.library().fill_gaps(ctypes.byref(job)):
        raise MemoryError("no room for the gaps of a row")


def _plain(X: Array, pieces: Pieces, out: Array | None, total: PieceMoments | None, uncertain: bool) -> None:
    """The same in NumPy, pattern by pattern of gaps."""
    patterns, which = np.unique(np.isnan(X), axis=0, return_inverse=True)
    for number, gap in enumerate(patterns):
        rows = np.flatnonzero(which.ravel() == number)
        Z, scores, spreads = _under_each(X[rows], gap, pieces)
        shares = np.exp(scores - scores.max(axis=0))
        shares /= shares.sum(axis=0)
        if out is not None:
            made = np.einsum("kn,knj->nj", shares, Z + pieces.means[:, None])
            out[rows] = np.where(gap, made, X[rows])
        if total is not None:
            shares[shares <= NEGLIGIBLE] = 0.0
            total.weights += shares.sum(axis=1)
            total.sums += np.einsum("kn,knj->kj", shares, Z)
            total.squares += np.triu(np.einsum("kn,kni,knj->kij", shares, Z, Z))
            if uncertain:
                total.squares += np.triu(shares.sum(axis=1)[:, None, None] * spreads)


def _under_each(X: Array, gap: Array, pieces: Pieces) -> tuple[Array, Array, Array]:
    """Filled rows less the mean (k, n, d), log weights (k, n) and covariances of the gaps (k, d, d)."""
    Z = np.where(gap, 0.0, X - pieces.means[:, None])
    U = Z @ pieces.precisions
    distances = np.einsum("knj,knj->kn", Z, U)
    scores = pieces.offsets[:, None] - 0.5 * distances
    spreads = np.zeros_like(pieces.precisions)
    if gap.any():
        inside = np.ix_(np.arange(len(spreads)), gap, gap)
        block = pieces.precisions[:, gap][:, :, gap]
        spreads[inside] = inverse = np.linalg.inv(block)
        Z[:, :, gap] = -U[:, :, gap] @ inverse
        scores += 0.5 * np.einsum("kni,kij,knj->kn", U[:, :, gap], inverse, U[:, :, gap])
        scores -= 0.5 * np.linalg.slogdet(block)[1][:, None]
    return Z, scores, spreads
