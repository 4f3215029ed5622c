"""The kernel matrix put to use: written out where it fits, and multiplied tile by tile where it does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg.blas import in_threads, multiply_symmetric, subtract_both
from samara.linalg.room import room
from samara.solvers.kernel.task import KernelTask, without

TILE = 1024  # rows and columns of a tile
STRIP = 256  # rows of the matrix written at a time
FEW = 24  # columns up to which half the tiles, each used twice, are faster than all of them
SMALLEST = 1e-280  # sum of squares below which they have lost digits
STRIP_BYTES = 32 << 20  # of kernel rows that a worker multiplies at a time


@dataclass(frozen=True)
class Written:
    """The matrix written out."""

    K: Array  # (n, n) float64; only the upper triangle is meant
    top: float  # eigenvalue that stands for the constant direction
    trace: float  # of the others
    Ku: Array  # what K made of the constant direction


def written_out(task: KernelTask) -> Written:
    """The whole matrix, an intercept's direction moved out of the way.

    With P the projection off the constant direction u it is PKP + τuuᵀ, τ above all eigenvalues: the right
    sides have nothing of u, so the solutions have nothing of it, and no other eigenvalue is touched.
    """
    K, matrix = room((task.n, task.n)), task.matrix

    def fill(lo: int) -> float:
        rows, after = slice(lo, min(lo + STRIP, task.n)), slice(lo, task.n)
        if matrix.dtype == np.float64:
            matrix.tile(rows, after, out=K[rows, after])
        else:
            K[rows, after] = matrix.tile(rows, after)
        if task.report:
            task.report("kernel", rows.stop - lo, task.n)
        return 2 * float(np.einsum("ij,ij->", K[rows, after], K[rows, after]))

    squares = sum(in_threads(fill, range(0, task.n, STRIP), task.workers))
    trace, u = float(np.trace(K)), task.constant
    if not np.isfinite(squares) or (trace and squares < SMALLEST):
        raise too_extreme(float(K[0, 0]))
    if u is None:
        return Written(K, 0.0, trace, np.zeros(task.n))
    m = multiply_symmetric(u[None], K, np.empty((1, task.n)))[0]
    along, top = float(u @ m), 2 * float(np.sqrt(squares)) or 1.0
    subtract_both((m - (along + top) / 2 * u)[None], u[None], K)
    left = trace - along
    # A matrix of one number has nothing left but rounding.
    return Written(K, top, left if left > task.n * np.finfo(K.dtype).eps * abs(trace) else 0.0, m)


def too_extreme(entry: float) -> InputError:
    """Squares of the entries are no numbers, or have lost digits."""
    return InputError(
        "The entries of the kernel matrix must lie between 1e-140 and 1e150 in size, "
        f'got {entry:.0e}: divide the kernel, or use scale="standard".'
    )


class Products:
    """KP for a few or many columns, on every core; K is made anew each time but for the tiles that fit.

    Few columns: only tiles on and above the diagonal are made, each used for both its places. Many: the
    product itself takes the time, and strips of rows need no sums across the workers.
    """

    def __init__(self, task: KernelTask) -> None:
        self._matrix, self._n, self._workers = task.matrix, task.n, task.workers
        self._constant = task.constant
        self._kept: dict[tuple[int, int], Array] = {}
        edges = range(0, task.n, TILE)
        self._tiles = [(i, j) for i in edges for j in edges if j >= i]
        size = TILE * TILE * self._matrix.dtype.itemsize
        # Every step-th tile of a worker's own is kept, so that all workers save the same time.
        self._room = min(len(self._tiles), task.spare // size)

    def __call__(self, P: Array) -> Array:
        """K̃P in float64, the constant direction projected out on both sides."""
        return without(self._constant, self._times(without(self._constant, P)))

    def with_constant(self, P: Array) -> tuple[Array, Array]:
        """K̃P, and what K makes of the constant direction, from the same tiles."""
        if self._constant is None:
            return self(P), np.zeros(self._n)
        made = self._times(np.column_stack([without(self._constant, P), self._constant]))
        return without(self._constant, made[:, :-1]), made[:, -1]

    def _times(self, P: Array) -> Array:
        """KP."""
        return self._by_tiles(P) if P.shape[1] <= FEW else self._by_strips(P)

    def _by_tiles(self, P: Array) -> Array:
        if self._matrix.dtype == np.float64:
            return self._by_plain_tiles(np.ascontiguousarray(P, np.float64))
        # What float32 takes off the vectors is multiplied too: the tiles are in the cache, entries cost more.
        high = P.astype(np.float32)
        both = self._by_plain_tiles(np.hstack([high, (P - high).astype(np.float32)]))
        return np.asarray(both[:, : P.shape[1]] + both[:, P.shape[1] :])

    def _by_plain_tiles(self, P: Array) -> Array:
        def run(worker: int) -> Array:
            total = np.zeros(P.shape)
            scratch = np.empty((TILE, TILE), P.dtype)
            for number in range(worker, len(self._tiles), self._workers):
                i, j = self._tiles[number]
                tile = self._tile(number, scratch)
                total[i : i + TILE] += tile @ P[j : j + TILE]
                if i != j:
                    total[j : j + TILE] += tile.T @ P[i : i + TILE]
            return total

        parts = in_threads(run, range(self._workers), self._workers)
        for part in parts[1:]:
            parts[0] += part
        return parts[0]

    def _tile(self, number: int, scratch: Array) -> Array:
        i, j = self._tiles[number]
        if (i, j) in self._kept:
            return self._kept[i, j]
        rows, columns = slice(i, min(i + TILE, self._n)), slice(j, min(j + TILE, self._n))
        shape = (rows.stop - i, columns.stop - j)
        keep = number * self._room // len(self._tiles) != (number + 1) * self._room // len(self._tiles)
        tile: Array = self._matrix.tile(
            rows,
            columns,
            out=np.empty(shape, scratch.dtype) if keep else scratch[: shape[0], : shape[1]],
        )
        if keep:
            self._kept[i, j] = tile
        return tile

    def _by_strips(self, P: Array) -> Array:
        P, made = np.ascontiguousarray(P, self._matrix.dtype), np.empty(P.shape)
        height = max(16, min(TILE, STRIP_BYTES // (self._n * P.itemsize)))

        def run(lo: int) -> None:
            strip = self._matrix.tile(slice(lo, min(lo + height, self._n)), slice(0, self._n))
            made[lo : lo + height] = strip @ P

        in_threads(run, range(0, self._n, height), self._workers)
        return made
