"""Memory and time arithmetic: pure functions of the shape of a problem, a solver and a block."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from samara.core import TILE_ROWS
from samara.errors import InputError

# Four times the 384 rows that OpenBLAS takes at a time. Between 1024 and 4096 rows of 1000 nodes no
# difference was found that a second series of runs confirmed.
DEFAULT_BLOCK = 1536
SMALLEST_BLOCK = 128
KEY_ROWS = 131_072  # rows whose folds are worked out at a time
LOW_RANK = ("rsvd", "fast_svd", "fast_svd_gradient", "sketch")
OVERSAMPLING = 10  # random vectors beyond a rank
SKETCH_ROWS = 8  # of the sketch of `precondition`, for each column
MAX_STEPS, TYPICAL_STEPS = 500, 40  # of the iterative solvers
BASE = 16 << 20  # thread stacks, BLAS buffers and the interpreter's own growth
_UNITS = {
    "": 1,
    "k": 10**3,
    "m": 10**6,
    "g": 10**9,
    "t": 10**12,
    "ki": 2**10,
    "mi": 2**20,
    "gi": 2**30,
    "ti": 2**40,
}


@dataclass(frozen=True)
class Shape:
    """What a plan is made from."""

    n_rows: int
    n_inputs: int
    n_targets: int
    n_hidden: int  # nodes at the largest size
    n_link: int = 0  # inputs passed through beside the nodes
    dtype: str = "float64"
    n_alphas: int = 1
    n_sizes: int = 1
    selection: str | None = None  # kfold, loo, gcv, lcurve; None where nothing is chosen
    n_folds: int = 1
    smallest_alpha: float | None = None  # None: chosen in proportion to the trace, never too small
    trace: float | None = None  # estimate of tr G, once some rows were seen
    rank: int | float | str = "auto"  # of a solver that has one
    oversampling: int | None = None  # of a solver given as an object; None: the usual
    most_steps: int = MAX_STEPS  # of an iterative solver
    sample_rows: int = 0
    layer_bytes: int = 0  # beside the weights
    grows: bool = False  # nodes may be appended to a model half as large

    @property
    def width(self) -> int:
        """Columns of an augmented row [1, H, Y]."""
        return 1 + self.n_link + self.n_hidden + self.n_targets

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize


def peak_bytes(shape: Shape, solver: str, block: int, workers: int) -> int:
    """Predicted peak above the input: the largest of the look, the passes and the solve."""
    hidden = shape.itemsize * (shape.n_inputs + 1) * (shape.n_hidden + shape.n_link) + shape.layer_bytes
    sample = 8 * shape.sample_rows * shape.n_inputs * 3
    profile = workers * (24 * block * (shape.n_inputs + shape.n_targets) + sample)
    return int(BASE + hidden + max(profile, _BYTES[solver](shape, block, workers)))


def _gram_bytes(shape: Shape, block: int, workers: int) -> int:
    square, folds = 8 * shape.width**2, shape.n_folds
    single = 4 * shape.width**2 if shape.itemsize == 4 else 0
    summarize = workers * (folds * square + single + _lane_bytes(shape, block))
    # Folds and total; the system of a fold and of the next; a triangle for each worker, and one spare.
    systems = 2 if folds > 1 and workers > 1 else 1
    solve = (folds + (folds > 1) + systems + systems + workers) * square + 4 * workers * _cases(shape)
    if shape.grows:  # the moments of the smaller model stay until they are put into the larger one's
        summarize, solve = summarize + folds * square // 4, solve + folds * square
    return max(summarize, solve, _spectrum_bytes(shape, block, workers))


def _qr_bytes(shape: Shape, block: int, workers: int) -> int:
    square, folds = 8 * shape.width**2, shape.n_folds
    stacked = 8 * (shape.width + block) * shape.width
    summarize = workers * (folds * square + _lane_bytes(shape, block) + 3 * stacked)
    solve = 3 * folds * square + 6 * square + 4 * _cases(shape)
    return max(summarize, solve, _spectrum_bytes(shape, block, workers))


def _spectrum_bytes(shape: Shape, block: int, workers: int) -> int:
    """Scores from a decomposition: GCV, the L-curve, and leave-one-out, which reads the rows again."""
    if shape.selection in (None, "kfold"):
        return 0
    decomposed = (shape.n_folds + 6) * 8 * shape.width**2
    if shape.selection != "loo":
        return decomposed
    rotated = shape.itemsize * block * (shape.n_hidden + shape.n_link)
    errors = 40 * block * shape.n_alphas * shape.n_targets
    return decomposed + workers * (_lane_bytes(shape, block) + rotated + errors)


def _rows_bytes(shape: Shape, block: int, workers: int, dual: bool) -> int:
    kept = 8 * shape.n_rows * shape.width
    small = 8 * shape.n_rows * min(shape.n_rows, shape.width)
    # A decomposition for each worker, of n×n numbers or of n×L.
    decomposed = workers * (4 * small if dual else 2 * kept + 3 * small)
    return max(2 * kept + workers * _lane_bytes(shape, block), 5 * kept + decomposed + 4 * _cases(shape))


def _low_rank_bytes(shape: Shape, block: int, workers: int, solver: str) -> int:
    width, t = shape.width, shape.n_targets
    k = columns_of(shape, solver) + (_training_sets(shape) * t if solver == "sketch" else 0)
    # Ω, HᵀHΩ and their like; the rows of Y, up to 9k of them in three copies where a stop reads their
    # triangle; then the moments of the coordinates.
    probes = 232 if isinstance(shape.rank, str) or solver.startswith("fast") else 96
    lane = _lane_bytes(shape, block) + 24 * width * k + 40 * block * k + probes * k * k
    moments = (workers * shape.n_folds + 6) * 8 * (k + 1 + t) ** 2
    found = 40 * width * k + workers * lane + moments
    if isinstance(shape.rank, str):  # it may find that the whole space is needed
        return max(found, _gram_bytes(shape, block, workers))
    return found


def columns_of(shape: Shape, solver: str) -> int:
    """Directions that a low-rank solver works with at most."""
    L = shape.n_hidden + shape.n_link
    extra = OVERSAMPLING if shape.oversampling is None else shape.oversampling
    if isinstance(shape.rank, str):
        return (L if solver.startswith("fast") else min(L, max(L // 4, 64))) + extra
    rank = round(shape.rank * L) if isinstance(shape.rank, float) else shape.rank
    return min(L, rank + extra) + (extra if solver.startswith("fast") else 0)


def _training_sets(shape: Shape) -> int:
    return 1 if shape.n_folds == 1 else 1 + shape.n_folds


def _lsqr_bytes(shape: Shape, block: int, workers: int) -> int:
    width, m = shape.width, _training_sets(shape) * shape.n_targets
    # Room for directions is taken 32 steps at a time.
    directions = 8 * width * m * (min(shape.most_steps, shape.n_rows, width) + 44)
    lane = _lane_bytes(shape, block) + 16 * block * m + 24 * width * m
    return directions + workers * lane + 3 * _held_out_bytes(shape)


def _precondition_bytes(shape: Shape, block: int, workers: int) -> int:
    width, lane = shape.width, _lane_bytes(shape, block)
    m = max(1, (_training_sets(shape) - 1) * shape.n_alphas) * shape.n_targets
    rows = SKETCH_ROWS if shape.oversampling is None else shape.oversampling
    sketch = (workers + 2) * 8 * rows * width * width + workers * (2 * lane + 96 * block)
    steps = 96 * width * m + workers * (lane + 16 * block * m + 24 * width * m)
    iterate = 48 * width * width + steps + 3 * _held_out_bytes(shape)
    return max(sketch, iterate, _qr_bytes(shape, block, workers) if shape.n_rows <= 2 * rows * width else 0)


def _held_out_bytes(shape: Shape) -> int:
    return 8 * shape.width * shape.n_folds * shape.n_alphas * shape.n_targets


def _cases(shape: Shape) -> int:
    """Solutions of every size."""
    return 8 * shape.width * shape.n_targets * shape.n_sizes


_BYTES: dict[str, Callable[[Shape, int, int], int]] = {
    "gram": _gram_bytes,
    "qr": _qr_bytes,
    "dual": partial(_rows_bytes, dual=True),
    "svd": partial(_rows_bytes, dual=False),
    "lsqr": _lsqr_bytes,
    "precondition": _precondition_bytes,
    **{name: partial(_low_rank_bytes, solver=name) for name in LOW_RANK},
}


def _lane_bytes(shape: Shape, block: int) -> int:
    """What one worker holds beside its summary."""
    workspace = shape.itemsize * block * (shape.width + 15)
    # Copies of a tile of inputs on their way through the maps, and what the allocator keeps of them.
    tile = TILE_ROWS * 64 * (shape.n_inputs + 2)
    # A block gathered by index, and the one before it; the tile that the maps work on.
    gathered = 16 * block * shape.n_inputs if shape.n_folds > 1 else 0
    tile += TILE_ROWS * shape.itemsize * shape.width
    keys = 48 * min(KEY_ROWS, shape.n_rows) if shape.n_folds > 1 else 0
    return workspace + tile + gathered + keys + 32 * block * (shape.n_targets + 2)


def passes(shape: Shape, solver: str) -> int:
    """Times the rows are read: a look, the summary, and one a size for leave-one-out."""
    again = shape.n_sizes if shape.selection == "loo" and solver in ("gram", "qr", *LOW_RANK) else 0
    return (
        2
        + again
        + {"lsqr": TYPICAL_STEPS, "precondition": TYPICAL_STEPS}.get(solver, int(solver in LOW_RANK))
    )


def flops(shape: Shape, solver: str) -> float:
    """Floating-point operations of the whole fit."""
    n, L, t = float(shape.n_rows), float(shape.n_hidden + shape.n_link), shape.n_targets
    mapping = 2 * n * (shape.n_inputs + 1) * shape.n_hidden
    k, sets = float(columns_of(shape, solver)), 1 if shape.n_folds == 1 else 1 + shape.n_folds
    iterated = TYPICAL_STEPS * 4 * n * L * t * sets
    per_system = {
        "gram": L**3 / 3,
        "qr": 2 * L**3,
        "dual": n**3 / 3 + 2 * n * L * t,
        "svd": 6 * n * min(n, L) * L,
    }
    summary = {"gram": n * shape.width**2, "qr": 2.7 * n * shape.width**2, "dual": n * n * L, "svd": 0.0}
    summary |= dict.fromkeys(LOW_RANK, 6 * n * L * k + n * k * k)
    summary |= {"lsqr": iterated, "precondition": iterated * shape.n_alphas + 36 * L**3}
    systems = 1 + (shape.n_folds * shape.n_alphas if shape.selection == "kfold" else 0)
    total = passes(shape, solver) * mapping + summary[solver] + systems * per_system.get(solver, k**3 / 3)
    if shape.selection == "loo":
        total += shape.n_sizes * (9 * L**3 + 2 * n * L**2)
    return total


def parse_memory(memory: str | int | float | None) -> int | None:
    """``"200MB"``, ``"1.5 GiB"`` or a number of bytes."""
    if memory is None:
        return None
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", memory.lower())
        if not found:
            raise InputError(f'memory must look like "200MB" or "1.5GB", got {memory!r}.')
        memory = float(found[1]) * _UNITS[found[2] or ""]
    if not np.isfinite(memory) or memory <= 0:
        raise InputError(f"memory must be positive, got {memory!r}.")
    return int(memory)


def format_bytes(count: int | float) -> str:
    """``1234567`` → ``1.2 MB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError
