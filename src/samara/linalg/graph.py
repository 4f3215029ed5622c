"""Responses of a spectral regression: the leading eigenvectors of a graph of rows (Liu et al. section 3).

Wy = λDy with W the weights of the edges and D their sums. Rows of one class are all joined, by 1/l_k; this
part is never written down. A graph in pieces has an eigenvector of eigenvalue 1 for each piece, known
without an eigensolver; where only classes are joined, these are all that is wanted.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from samara.core import Array
from samara.errors import InputError

DENSE_ROWS = 400  # up to which all eigenvectors at once take no longer than a few by Lanczos' method


def group_responses(weights: Array) -> Array:
    """Gram-Schmidt of the constant and the indicators of m groups of these weights: (m, m − 1).

    One row a group: its rows all have the same response. Under the weights, the columns have mean 0 and mean
    square 1 and are orthogonal to each other.
    """
    roots = np.sqrt(weights)
    indicators = np.eye(len(weights))
    indicators[:, 1:] = np.eye(len(weights))[:, :-1]
    indicators[:, 0] = 1.0
    Q, R = np.linalg.qr(indicators * roots[:, None])
    Q = Q * np.where(np.diag(R) < 0, -1.0, 1.0)  # Householder's signs are not those of Gram and Schmidt
    return np.asarray(Q[:, 1:] / roots[:, None] * np.sqrt(weights.sum()))


@dataclass(frozen=True)
class RowGraph:
    """Edges between neighbours, and between all rows of one class."""

    edges: Any  # (n, n) CSR, symmetric: δ·s(i, j)
    classes: Array  # (n,) number of the class, −1 for rows without a label

    def __post_init__(self) -> None:
        rows, columns = self.edges.nonzero()
        same = (self.classes[rows] == self.classes[columns]) & (self.classes[rows] >= 0)
        if same.any():
            raise ValueError("edges within a class have the weight 1/l_k: leave them out")

    @cached_property
    def members(self) -> Any:
        """(n, m) CSR: 1/√l_k where a row is of class k, so that the product with itself joins the classes."""
        labelled = np.flatnonzero(self.classes >= 0)
        codes = self.classes[labelled]
        counts = np.bincount(codes, minlength=1)
        shape = (len(self.classes), len(counts))
        return sparse.csr_array((1 / np.sqrt(counts[codes]), (labelled, codes)), shape=shape)

    @cached_property
    def degrees(self) -> Array:
        """D: sums of the weights of each row."""
        return np.asarray(self.edges.sum(axis=1)).ravel() + (self.classes >= 0)

    def times(self, v: Array) -> Array:
        """W·v."""
        return np.asarray(self.edges @ v + self.members @ (self.members.T @ v))

    def pieces(self) -> tuple[int, Array]:
        """How many pieces the graph is in, and the piece of each row, the heaviest first."""
        # A class hangs together by a node of its own: n + m nodes instead of l² edges.
        joined = sparse.block_array([[self.edges, self.members], [self.members.T, None]], format="csr")
        found = connected_components(joined, directed=False)[1][: len(self.classes)]
        _, found = np.unique(found, return_inverse=True)
        heaviest = np.argsort(-np.bincount(found, self.degrees), kind="stable")
        place = np.empty(len(heaviest), np.intp)
        place[heaviest] = np.arange(len(heaviest))
        return len(heaviest), place[found]

    def responses(self, count: int) -> Array:
        """The ``count`` leading eigenvectors after the constant one: (n, count), of mean square 1 under D.

        Those of a graph in pieces come first, by Gram-Schmidt. Each has the sign that makes the sum of its
        cubes positive, which the order of the rows does not change.
        """
        n_pieces, piece = self.pieces()
        if n_pieces > count + 1:
            raise InputError(
                f"The graph of neighbours is in {n_pieces} pieces, which {count} components can't tell "
                f"apart: use more n_neighbors, or n_components={n_pieces - 1}."
            )
        known = group_responses(np.bincount(piece, self.degrees))[piece]
        rest = count - (n_pieces - 1)
        if rest == 0:
            return known
        found = self._eigenvectors(piece, n_pieces, rest)
        found *= np.where((found**3).sum(axis=0) < 0, -1.0, 1.0)
        return np.concatenate([known, found], axis=1)

    def _eigenvectors(self, piece: Array, n_pieces: int, count: int) -> Array:
        """The leading eigenvectors but those of the pieces, which are moved to the other end."""
        roots = np.sqrt(self.degrees)
        indicators = sparse.csr_array((roots, (np.arange(len(piece)), piece)), shape=(len(piece), n_pieces))
        norms = np.asarray(indicators.power(2).sum(axis=0)).ravel()

        def apply(v: Array) -> Array:
            column = v.reshape(len(piece), -1)
            made = self.times(column / roots[:, None]) / roots[:, None]
            made -= 2 * (indicators @ ((indicators.T @ column) / norms[:, None]))
            return made.reshape(v.shape)

        n = len(piece)
        if n <= DENSE_ROWS or count >= n // 2:
            S = apply(np.eye(n))
            _, vectors = eigh((S + S.T) / 2, subset_by_index=(n - count, n - 1))
        else:
            operator = LinearOperator((n, n), matvec=apply, matmat=apply, dtype=np.float64)
            start = np.random.default_rng(0).standard_normal(n)
            try:
                values, vectors = eigsh(operator, count, which="LA", v0=start)
            except ArpackError as error:
                raise InputError(
                    f"The eigenvectors of the graph were not found ({error}): use more n_neighbors."
                ) from error
            vectors = vectors[:, np.argsort(values)]
        return np.asarray(vectors[:, ::-1] / roots[:, None] * np.sqrt(self.degrees.sum()))


def similarities(distances: Any, width: float | None) -> Any:
    """s(i, j) of a CSR matrix of distances to neighbours, made symmetric: 1, or exp(−d²/2σ²)."""
    squares = distances.data**2
    made = sparse.csr_array(distances, copy=True)
    made.data = np.ones_like(squares) if width is None else np.exp(-squares / (2 * width**2))
    return sparse.csr_array(made.maximum(made.T))


def median_distance(distances: Any) -> float:
    """The median distance of neighbours; 1 where they all coincide."""
    median = float(np.median(distances.data)) if distances.nnz else 0.0
    return median if median > 0 else 1.0
