"""Accelerated randomly pivoted Cholesky: a positive semidefinite matrix from a few of its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.blas import multiply, solve_upper
from samara.linalg.ranges import RandomState, checked_rank
from samara.linalg.room import room

_EMPTY_BLOCKS = 3  # blocks in a row that keep nothing: what is left is rounding error
_NOISE = 10  # units of rounding of its own diagonal entry below which a pivot is one


class Tiled(Protocol):
    """A symmetric matrix that is computed piece by piece."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ...

    @property
    def dtype(self) -> Any:
        """float32 or float64."""
        ...

    def diagonal(self) -> Array:
        """The n diagonal entries."""
        ...

    def tile(self, rows: Any, columns: Any, out: Array | None = None) -> Array:
        """The entries in some rows and columns, written into ``out`` where given."""
        ...


@dataclass(frozen=True)
class PivotedCholesky:
    """A low-rank approximation K ≈ FᵀF that is exact in the rows of its pivots.

    Attributes
    ----------
    F : ndarray of shape (rank, n)
        The factor, in the precision of K.
    pivots : ndarray of shape (rank,)
        The rows it was made from, in the order they were taken.
    residual : ndarray of shape (n,)
        The diagonal of K − FᵀF.
    history : ndarray of shape (n_blocks + 1,)
        The trace of K − FᵀF at the start and after each block.
    """

    F: Array
    pivots: Array
    residual: Array
    history: Array

    @property
    def rank(self) -> int:
        """Number of pivots."""
        return len(self.pivots)

    @property
    def error(self) -> float:
        """The nuclear norm of K − FᵀF: what is left is positive semidefinite, so that it is the trace."""
        return float(self.residual.sum())


def pivoted_cholesky(
    matrix: Any,
    rank: int,
    *,
    tol: float = 0.0,
    block: int = 128,
    random_state: RandomState = None,
    grow: Callable[[int, float], bool] | None = None,
) -> PivotedCholesky:
    r"""Approximate a positive semidefinite matrix from rows drawn by what is left of its diagonal.

    .. math:: K \approx F^\top F , \qquad F_{\text{new}} = L^{-1}\,(K_{I,:} - F_{:,I}^\top F) ,
        \qquad \Pr(i) = d_i / {\sum_j d_j} , \quad d = \operatorname{diag}(K - F^\top F) .

    Algorithm 2.2 of Epperly, Tropp and Webber (2024): a block of pivots is drawn at once, and each is kept
    with the probability that those kept before it leave, so that the pivots are distributed as if they came
    one at a time, while the work is products of matrices.

    Parameters
    ----------
    matrix : ndarray or Tiled, of shape (n, n)
        Symmetric positive semidefinite; read through its diagonal and ``rank`` of its rows, and through the
        entries among the pivots of each block. Anything with ``shape``, ``dtype``, ``diagonal()`` and
        ``tile(rows, columns, out)``.
    rank : int
        The most pivots.
    tol : float
        Stop when the trace left is at most tol times that of K.
    block : int
        Pivots drawn at a time; 1 is the plain algorithm. For 1000 pivots of a kernel of 20,000 rows in
        float32, blocks of 64, 128 and 256 took 0.8, 0.5 and 0.6 s.
    random_state : int, Generator or None
        Where the pivots come from.
    grow : callable, optional
        ``grow(rank, trace_left)``, asked before each block, the first too; false ends the search.

    Returns
    -------
    PivotedCholesky
        The factor, its pivots and what it leaves.

    Notes
    -----
    It ends early after three blocks in a row that keep nothing, as where a smooth kernel runs out of rank.
    """
    tiled: Tiled = _Dense(matrix) if isinstance(matrix, np.ndarray) else matrix
    search = _Search(tiled, _checked(tiled, rank, tol, block), np.random.default_rng(random_state))
    target, empty = tol * search.history[0], 0
    while search.rank < len(search.F) and empty < _EMPTY_BLOCKS and search.history[-1] > target:
        if grow is not None and not grow(search.rank, search.history[-1]):
            break
        empty = 0 if search.add(block) else empty + 1
    k = search.rank
    return PivotedCholesky(
        search.F[:k], np.array(search.pivots, np.intp), search.residual, np.array(search.history)
    )


@dataclass(frozen=True)
class _Dense:
    """An array as a tiled matrix."""

    entries: Array

    @property
    def shape(self) -> Any:
        return self.entries.shape

    @property
    def dtype(self) -> Any:
        return np.result_type(self.entries.dtype, np.float32)

    def diagonal(self) -> Array:
        return np.diagonal(self.entries)

    def tile(self, rows: Any, columns: Any, out: Array | None = None) -> Array:
        found = self.entries[rows][:, columns]
        return found if out is None else _written(found, out)


def _written(found: Array, out: Array) -> Array:
    out[...] = found
    return out


def _checked(matrix: Any, rank: Any, tol: float, block: Any) -> int:
    """Refuse what can't be approximated."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"A symmetric matrix is square, got shape {matrix.shape}.")
    if not 0 <= tol < np.inf:
        raise InputError(f"tol must be a number, at least 0, got {tol!r}.")
    if not isinstance(block, (int, np.integer)) or block < 1:
        raise InputError(f"block must be a whole number, at least 1, got {block!r}.")
    return checked_rank(rank, matrix.shape)


@dataclass
class _Search:
    """The factor as far as it has grown."""

    matrix: Tiled
    most: int
    rng: np.random.Generator
    pivots: list[int] = field(default_factory=list)
    history: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.diagonal = np.array(self.matrix.diagonal(), np.float64)
        if not np.isfinite(self.diagonal).all():
            raise InputError("The diagonal of the matrix holds a NaN or an infinity.")
        if self.diagonal.min() < 0:
            raise InputError(
                f"The matrix is not positive semidefinite: {self.diagonal.min():.3g} is on its diagonal."
            )
        single = self.matrix.dtype == np.float32
        self.F = room((self.most, len(self.diagonal)), np.float32 if single else np.float64)
        self.eps = float(np.finfo(self.F.dtype).eps)
        self.residual = self.diagonal.copy()
        self.history.append(float(self.residual.sum()))

    @property
    def rank(self) -> int:
        return len(self.pivots)

    def add(self, block: int) -> int:
        """Draw a block of pivots, add the rows of F of those that are kept, and return their number."""
        drawn = self._draw(block)
        kept, R = self._keep(drawn)
        if len(kept):
            self._extend(drawn[kept], R)
        self.history.append(float(self.residual.sum()))
        return len(kept)

    def _draw(self, block: int) -> Array:
        """Indices with the probabilities of the residual, with repetition."""
        sums = np.cumsum(self.residual)
        found = np.searchsorted(sums, self.rng.random(block) * sums[-1], side="right")
        return np.asarray(np.minimum(found, len(sums) - 1))

    def _keep(self, drawn: Array) -> tuple[Array, Array]:
        """Positions of the pivots that are kept, and the factor of what is left of them in an upper triangle.

        A repeated pivot leaves nothing for its second, and noise is not divided by its root.
        """
        columns = self.F[: self.rank, drawn]
        left = np.array(self.matrix.tile(drawn, drawn), self.F.dtype, order="C")
        left = multiply(columns.T, columns, left, -1, 1).astype(np.float64, copy=False)
        chances = self.rng.random(len(drawn)) * self.residual[drawn]
        least = np.maximum(chances, _NOISE * self.eps * self.diagonal[drawn])
        kept: list[int] = []
        rows = []
        for i in range(len(drawn)):
            if left[i, i] > least[i] and self.rank + len(kept) < self.most:
                row = left[i] / np.sqrt(left[i, i])
                left -= np.outer(row, row)
                kept.append(i)
                rows.append(row)
        return np.array(kept, np.intp), np.array(rows).reshape(len(kept), len(drawn))[:, kept]

    def _extend(self, kept: Array, R: Array) -> None:
        """The new rows of F, made where they stay, and what they leave of the diagonal."""
        before, new = self.F[: self.rank], self.F[self.rank : self.rank + len(kept)]
        made = self.matrix.tile(kept, slice(None), out=new)
        if made is not new:
            new[...] = made
        multiply(before[:, kept].T, before, new, -1, 1)
        solve_upper(np.ascontiguousarray(R, new.dtype), new, transposed=True)
        for row in new:
            self.residual -= np.square(row, dtype=np.float64)
        self.residual[kept] = 0
        if not self.residual.min() >= -np.sqrt(self.eps) * self.diagonal.max():
            raise InputError(
                "The matrix is not positive semidefinite, or holds a NaN: "
                f"its pivots leave {self.residual.min():.3g} on the diagonal."
            )
        np.maximum(self.residual, 0, out=self.residual)
        self.pivots.extend(kept.tolist())
