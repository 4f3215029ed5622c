"""The kernel matrix put to use: written out where it fits, and multiplied tile by tile where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from samara.core import Array, S, Source
from samara.engines import Threads
from samara.errors import InputError
from samara.linalg.blas import multiply_symmetric, subtract_both
from samara.linalg.room import room
from samara.linalg.workers import in_threads, threads_for
from samara.solvers.kernel.task import KernelTask, without
from samara.solvers.kernel.tiles import TileProducts, Tiles

TILE = 1024  # rows and columns of a tile
STRIP, LEAST = 256, 32  # rows of the matrix written at a time at most; at least, where each is much work
PIECES = 8  # of a small matrix of wide rows: what lies below the diagonal is hardly worked out
FEW = 24  # columns up to which those of float32 are multiplied with all their digits: `pcg` needs them
PER_ENTRY = 80  # flops in the time of which half an entry of the matrix is made, beside its product
SMALLEST = 1e-280  # sum of squares below which they have lost digits


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
    work = float(task.n) ** 2 * (task.gramian.rows.shape[1] + PER_ENTRY)
    threads = threads_for(work, task.workers)
    strip = min(STRIP, max(LEAST, -(-task.n // PIECES))) if threads > 1 else STRIP

    def fill(lo: int) -> float:
        rows, after = slice(lo, min(lo + strip, task.n)), slice(lo, task.n)
        if matrix.dtype == np.float64:
            matrix.tile(rows, after, out=K[rows, after])
        else:
            K[rows, after] = matrix.tile(rows, after)
        if task.report:
            task.report("kernel", rows.stop - lo, task.n)
        return 2 * float(np.vdot(K[rows], K[rows]))  # left of these columns it is 0

    squares = sum(in_threads(fill, range(0, task.n, strip), threads))
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
    """KP for a few or many columns, by whoever the engine is; K is made anew each time but for what is kept.

    Half the tiles, each used twice, took less time than strips of all entries up to 220 columns.
    """

    def __init__(self, task: KernelTask) -> None:
        self._constant, self._n = task.constant, task.n
        self._task, self._tiles = task, tiles_of(task)

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
        dtype = self._tiles.gramian.dtype
        if dtype == np.float64 or P.shape[1] > FEW:
            return self._plainly(P.astype(dtype, order="C", copy=False))
        # What float32 takes off the vectors is multiplied too: the tiles are in the cache, entries cost more.
        high = P.astype(np.float32)
        both = self._plainly(np.hstack([high, (P - high).astype(np.float32)]))
        return np.asarray(both[:, : P.shape[1]] + both[:, P.shape[1] :])

    def _plainly(self, P: Array) -> Array:
        return over_tiles(self._task, self._tiles, partial(TileProducts, P)).total


def tiles_of(task: KernelTask) -> Tiles:
    """The matrix of a task, as many tiles of it kept as there is room for."""
    keep = task.spare // (TILE * TILE * task.gramian.dtype.itemsize)
    tiles = Tiles(task.gramian, task.weights, TILE)
    return replace(tiles, keep=min(len(tiles.pairs()), keep))


def over_tiles(task: KernelTask, tiles: Tiles, make: Callable[[], S]) -> S:
    """One pass over the tiles of a task; a matrix that is there already does not travel."""
    here = task.engine is None or task.gramian.kernel.name == "precomputed"
    engine = Threads(task.workers, TILE) if here or task.engine is None else task.engine
    # Tiles are no rows: they have parts and what these share, which is all that a pass asks for.
    return engine.summarize(cast(Source, tiles), make, name="kernel")
