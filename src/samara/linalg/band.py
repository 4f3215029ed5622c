"""Reduction of a symmetric matrix to a band, from which every ridge has its exact inverse diagonal.

``eigh`` goes straight to three diagonals and reads the whole matrix for each column on the way. Stopping at
a band leaves every step a product of matrices, and a Cholesky factor of the band gives what a ridge needs,
solutions and the diagonal of the inverse, without an eigenvector. With 6000 rows on two cores: 4.8 s, then
0.2 s a ridge, where ``eigh`` took 22 s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import eigvals_banded

from samara.core import Array
from samara.errors import InputError
from samara.linalg.blas import (
    add_outer,
    factor_upper,
    mirror_upper,
    multiply,
    multiply_symmetric,
    reflect_rows,
    solve_upper,
    subtract_both,
)
from samara.linalg.room import room
from samara.linalg.workers import available_cores, in_threads, threads_for

_BLOCK = 96  # n = 6000: 5.5 s with 64, 4.8 s with 96 and 4.9 s with 128, of which a ridge costs more
_TILE_ROWS = (
    3000  # of Z at a time; at n = 6000 a diagonal took 0.24 s in tiles of 512, 0.12 s in tiles of 3000
)


@dataclass(frozen=True)
class Band:
    """A symmetric matrix as A = QBQᵀ, B block tridiagonal.

    Attributes
    ----------
    Q : ndarray of shape (n, n)
        Orthogonal.
    diagonal : tuple of ndarrays
        The symmetric blocks B₀₀, B₁₁, …, all of one size but the last.
    above : tuple of ndarrays
        The blocks B₀₁, B₁₂, …, each lower triangular: no entry of B is further than a block's size from
        the diagonal.
    """

    Q: Array
    diagonal: tuple[Array, ...]
    above: tuple[Array, ...]

    @property
    def n(self) -> int:
        """Rows of the matrix."""
        return len(self.Q)

    @property
    def edges(self) -> list[tuple[int, int]]:
        """First row of each block, and the first row after it."""
        ends = np.cumsum([len(block) for block in self.diagonal]).tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def factor(self, alpha: float) -> BandFactor | None:
        """Cholesky factor of B + αI, or None where that is not positive definite."""
        diagonal: list[Array] = []
        above: list[Array] = []
        for index, block in enumerate(self.diagonal):
            R = block + alpha * np.eye(len(block))
            if index:
                R_above = solve_upper(diagonal[-1], self.above[index - 1].copy(), transposed=True)
                multiply(R_above.T, R_above, R, -1, 1)
                above.append(R_above)
            if not factor_upper(R) or not np.isfinite(R[-1, -1]):
                return None
            diagonal.append(R)
        return BandFactor(self, tuple(diagonal), tuple(above))

    def times(self, v: Array) -> Array:
        """Bv, in the coordinates of the band."""
        parts = [v[lo:hi] for lo, hi in self.edges]
        made = [block @ part for block, part in zip(self.diagonal, parts, strict=True)]
        for index, block in enumerate(self.above):
            made[index] += block @ parts[index + 1]
            made[index + 1] += block.T @ parts[index]
        return np.concatenate(made)

    def eigenvalues(self) -> Array:
        """Eigenvalues of A, the largest first."""
        bands = np.zeros((len(self.diagonal[0]) + 1, self.n))  # bands[i, j] is B[j, i + j]
        for index, (lo, hi) in enumerate(self.edges):
            rows = self.diagonal[index]
            if index < len(self.above):
                rows = np.hstack([rows, self.above[index]])
            for i in range(min(len(bands), rows.shape[1])):
                entries = np.diagonal(rows, i)[: hi - lo]
                bands[i, lo : lo + len(entries)] = entries
        found = eigvals_banded(bands, lower=True, overwrite_a_band=True, check_finite=False)
        return np.asarray(found[::-1])

    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest eigenvalue of A.

        Nearly all the work is the way from the band to three diagonals: one eigenvalue took 0.62 s where
        all 3000 took 0.75 s, so that asking twice for one would be the slower way.
        """
        found = self.eigenvalues()
        return float(found[-1]), float(found[0])


@dataclass(frozen=True)
class BandFactor:
    """A + αI = Q RᵀR Qᵀ with R block bidiagonal.

    Attributes
    ----------
    band : Band
        Where Q is.
    diagonal : tuple of ndarrays
        The blocks R₀₀, R₁₁, …; only their upper triangles are meant.
    above : tuple of ndarrays
        The blocks R₀₁, R₁₂, ….
    """

    band: Band
    diagonal: tuple[Array, ...]
    above: tuple[Array, ...]

    def solve(self, Y: Array) -> Array:
        """(A + αI)⁻¹Y for a vector, or for the columns of a matrix."""
        right = np.array(Y.reshape(self.band.n, -1), np.float64, order="C")
        U = self.solve_inner(multiply(self.band.Q.T, right, np.empty_like(right)))
        return multiply(self.band.Q, U, right).reshape(Y.shape)

    def solve_inner(self, U: Array) -> Array:
        """(B + αI)⁻¹U in place, in the coordinates of the band."""
        parts = [U[lo:hi] for lo, hi in self.band.edges]
        for index, part in enumerate(parts):
            if index:
                multiply(self.above[index - 1].T, parts[index - 1], part, -1, 1)
            solve_upper(self.diagonal[index], part, transposed=True)
        for index, part in reversed(list(enumerate(parts))):
            if index < len(self.above):
                multiply(self.above[index], parts[index + 1], part, -1, 1)
            solve_upper(self.diagonal[index], part)
        return U

    def inverse_diagonal(self) -> Array:
        """The diagonal of (A + αI)⁻¹: squared norms of the rows of Z = QR⁻¹."""

        def of_rows(rows: slice) -> Array:
            total = np.zeros(rows.stop - rows.start)
            for Z in self._roots(rows):
                total += np.einsum("ij,ij->i", Z, Z)
            return total

        cores = threads_for(float(self.band.n) ** 3, available_cores())
        tiles = cores * -(-self.band.n // (cores * _TILE_ROWS))
        edges = np.linspace(0, self.band.n, tiles + 1).astype(int).tolist()
        slices = [slice(lo, hi) for lo, hi in pairwise(edges) if lo < hi]
        return np.concatenate(in_threads(of_rows, slices, cores))

    def inverse_block(self, rows: Any) -> Array:
        """The entries of (A + αI)⁻¹ in these rows and the same columns."""
        index = np.asarray(rows)
        found = room((len(index), len(index)))
        for Z in self._roots(index):
            add_outer(Z, found)
        return mirror_upper(found)

    @cached_property
    def _inverses(self) -> tuple[list[Array], list[Array]]:
        """Rⱼⱼ⁻¹ for each block, and Rⱼ₋₁ⱼRⱼⱼ⁻¹ for each but the first."""
        inner = [solve_upper(R, np.eye(len(R))) for R in self.diagonal]
        return inner, [multiply(R, S, np.empty(R.shape)) for R, S in zip(self.above, inner[1:], strict=True)]

    def _roots(self, rows: slice | Array) -> Iterator[Array]:
        """Some rows of Z = QR⁻¹, a block of columns after another: Zⱼ = QⱼRⱼⱼ⁻¹ − Zⱼ₋₁(Rⱼ₋₁ⱼRⱼⱼ⁻¹).

        Products with the inverses of the small triangles took half the time of triangular solves, and no
        digit was lost: both agreed to 9 digits of an error of 1e-7 (condition 1e10) and of 3e-2 (1e14).
        """
        inner, outer = self._inverses
        before = np.empty((0, 0))
        for index, (lo, hi) in enumerate(self.band.edges):
            columns = self.band.Q[rows, lo:hi]
            Z = multiply(columns, inner[index], np.empty(columns.shape))
            if index:
                multiply(before, outer[index - 1], Z, -1, 1)
            before = Z
            yield Z


def reduce_to_band(A: Array, block: int = _BLOCK) -> Band:
    r"""Reduce a symmetric matrix to a band by orthogonal similarity, in its own place.

    .. math:: A = Q B Q^\top , \qquad B_{ij} = 0 \text{ where } |i - j| > \text{block} .

    The first stage of the two-stage tridiagonalization (Bischof, Lang and Sun 2000): for each block of
    columns a QR factorization of what lies below the band, I − VTVᵀ, and a symmetric update of rank 2·block
    of the rest. 4/3·n³ operations, and as many for Q, all in products of matrices.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        float64, C-ordered. Only the upper triangle is read. **Overwritten**: it becomes Q, so that no
        second matrix of its size is ever there.
    block : int
        Distance from the diagonal to the edge of the band.

    Returns
    -------
    Band
        Q and the blocks of B.
    """
    if A.ndim != 2 or A.shape[0] != A.shape[1] or not len(A):
        raise InputError(f"A symmetric matrix is square and has rows, got shape {A.shape}.")
    if A.dtype != np.float64 or not A.flags.c_contiguous or not A.flags.writeable:
        raise InputError("The matrix is reduced in place: it must be float64, C-ordered and writeable.")
    if block < 1:
        raise InputError(f"block must be at least 1, got {block!r}.")
    block = min(block, len(A))
    scratch = room((3, block * len(A)))
    triangles = [_eliminate(A, k, block, scratch) for k in range(0, len(A) - block, block)]
    starts = range(0, len(A), block)
    diagonal = tuple(mirror_upper(A[k : k + block, k : k + block].copy()) for k in starts)
    above = tuple(np.tril(A[k : k + block, k + block : k + 2 * block]) for k in starts[:-1])
    _accumulate(A, triangles, block, scratch)
    return Band(A, diagonal, above)


def _eliminate(A: Array, k: int, block: int, scratch: Array) -> Array:
    """Clear the rows of a block right of the band and carry the reflection to the rest; returns its T."""
    T = reflect_rows(A[k : k + block, k + block :])
    V, X, W = _reflectors(A, k, block, scratch)
    rest = A[k + block :, k + block :]
    # With X = AVT and S = TᵀVᵀX, (I − VTVᵀ)ᵀA(I − VTVᵀ) = A − VWᵀ − WVᵀ for W = X − VS/2.
    multiply(T.T, multiply_symmetric(V, rest, X), W)
    # Never NumPy's product here: its BLAS is another, whose waiting threads would take the cores.
    S = multiply(T.T, multiply(V, W.T, np.empty(T.shape)), np.empty(T.shape))
    multiply(S.T, V, W, -0.5, 1)
    subtract_both(V, W, rest)
    return T


def _reflectors(A: Array, k: int, block: int, scratch: Array) -> tuple[Array, Array, Array]:
    """The rows of Vᵀ that a block left right of the band, with their unit triangle; room for two more."""
    n_rest = len(A) - k - block
    count = min(block, n_rest)
    V, X, W = (line[: count * n_rest].reshape(count, n_rest) for line in scratch)
    V[...] = A[k : k + count, k + block :]
    corner = V[:, :count]
    corner[...] = np.triu(corner, 1)
    np.fill_diagonal(corner, 1)
    return V, X, W


def _accumulate(A: Array, triangles: Sequence[Array], block: int, scratch: Array) -> None:
    """Put Q in the place of A, from the last reflection to the first.

    Q grows from the last corner: what it covers next held reflectors that have just been used up.
    """
    last = len(triangles) * block
    _set_identity(A[last:, last:], len(A) - last)
    for index in reversed(range(len(triangles))):
        k = index * block
        V, X, W = _reflectors(A, k, block, scratch)
        rest = A[k + block :, k + block :]
        multiply(triangles[index], multiply(V, rest, X), W)
        multiply(V.T, W, rest, -1, 1)
        _set_identity(A[k:, k:], block)


def _set_identity(corner: Array, count: int) -> None:
    """Make the first rows and columns those of the identity."""
    corner[:count] = 0
    corner[:, :count] = 0
    np.fill_diagonal(corner[:count, :count], 1)
