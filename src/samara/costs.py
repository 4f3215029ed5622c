"""Memory and time arithmetic: pure functions of the shape of a problem, a solver and a block."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import numpy as np

from samara.core import TILE_ROWS
from samara.errors import InputError
from samara.shapes import (
    FEWEST,
    FIRST,
    LOW_RANK,
    OVERSAMPLING,
    Shape,
    columns_of,
    exact_solver,
    needs_whole,
)

# Four times the 384 rows that OpenBLAS takes at a time. Between 1024 and 4096 rows of 1000 nodes no
# difference was found that a second series of runs confirmed.
DEFAULT_BLOCK = 1536
SMALLEST_BLOCK = 128
KEY_ROWS = 131_072  # rows whose folds are worked out at a time
PACKED_ROWS = 192  # of a block, copied for the compiled product (gram.h); a factor copies fewer (root.h)
SKETCH_ROWS = 8  # of the sketch of `precondition`, for each column
TYPICAL_STEPS = 40  # of `lsqr`: it depends on ridge and rows, which a plan does not know
BASE = 16 << 20  # thread stacks, BLAS buffers and the interpreter's own growth
__all__ = [
    "DEFAULT_BLOCK",
    "SMALLEST_BLOCK",
    "Shape",
    "flops",
    "format_bytes",
    "parse_memory",
    "passes",
    "peak_bytes",
    "sketch_is_longer",
]
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


def peak_bytes(shape: Shape, solver: str, block: int, workers: int) -> int:
    """Predicted peak above the input: the largest of the look, the passes and the solve."""
    hidden = shape.itemsize * (shape.n_inputs + 1) * (shape.n_hidden + shape.n_link) + shape.layer_bytes
    sample = 8 * shape.sample_rows * shape.n_inputs * 3
    profile = workers * (24 * block * (shape.n_inputs + shape.n_targets) + sample)
    return int(BASE + hidden + max(profile, _BYTES[solver](shape, block, workers)))


def _gram_bytes(shape: Shape, block: int, workers: int) -> int:
    square, folds = 8 * shape.width**2, shape.n_folds
    single = 4 * shape.width**2 if shape.itemsize == 4 else 0
    packed = shape.itemsize * min(block, PACKED_ROWS) * (shape.width + 31)
    summarize = workers * (folds * square + single + packed + _lane_bytes(shape, block))
    # Folds and total; the system of a fold and of the next; a triangle for each worker, and one spare.
    systems = 2 if folds > 1 and workers > 1 else 1
    solve = (folds + (folds > 1) + systems + systems + workers) * square + 4 * workers * _cases(shape)
    solve += workers * 8 * min(PACKED_ROWS, shape.width) * (shape.width + 31)
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
    # All rows, and those of a training set, twice; with folds those of the next one too. That shows where
    # rows are few: 400 of 3,000 nodes peaked at 78 to 114 MB in six runs, where 5 would have planned 76.
    held = (10 if shape.n_folds > 1 and shape.n_rows < shape.width else 5) * kept
    return max(2 * kept + workers * _lane_bytes(shape, block), held + decomposed + 4 * _cases(shape))


def _low_rank_bytes(shape: Shape, block: int, workers: int, solver: str) -> int:
    width, t = shape.width, shape.n_targets
    k = columns_of(shape, solver) + (shape.training_sets * t if solver == "sketch" else 0)
    # Ω, HᵀHΩ and their like; the rows of Y, up to 9k of them in three copies where a stop reads their
    # triangle; then the moments of the coordinates.
    probes = 232 if isinstance(shape.rank, str) or solver.startswith("fast") else 96
    lane = _lane_bytes(shape, block) + 24 * width * k + 40 * block * k + probes * k * k
    moments = (workers * shape.n_folds + 6) * 8 * (k + 1 + t) ** 2
    found = 40 * width * k + workers * lane + moments
    if not needs_whole(shape, solver):
        return found
    exact = exact_solver(shape.n_rows, shape.n_columns, shape.tiny_ridge)
    whole = _BYTES[exact](shape, block, workers)
    if solver.startswith("fast") and shape.n_rows >= shape.n_columns:
        # The folds' moments; a root of them, Ω, their product and its triangle; the directions.
        squares = 3 * shape.n_folds + (30 if shape.tiny_ridge else 14)
        whole = max(whole, squares * 8 * width**2)
    return max(found, whole)


def _lsqr_bytes(shape: Shape, block: int, workers: int) -> int:
    width, m = shape.width, shape.training_sets * shape.n_targets
    # Room for directions is taken 32 steps at a time.
    directions = 8 * width * m * (min(shape.most_steps, shape.n_rows, width) + 44)
    lane = _lane_bytes(shape, block) + 16 * block * m + 24 * width * m
    return directions + workers * lane + 3 * _held_out_bytes(shape)


def _precondition_bytes(shape: Shape, block: int, workers: int) -> int:
    width, lane = shape.width, _lane_bytes(shape, block)
    m = max(1, (shape.training_sets - 1) * shape.n_alphas) * shape.n_targets
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


def passes(shape: Shape, solver: str) -> tuple[int, int]:
    """Times the rows are read, the fewest and the most: a look, the summary, and what a solver adds."""
    fewest = most = 2
    if solver in ("gram", "qr", *LOW_RANK) and shape.selection == "loo":
        fewest, most = fewest + shape.n_sizes, most + shape.n_sizes
    if solver in LOW_RANK:
        sketches = _sketches(shape, solver)
        # Without a rank the first sketch may tell that all of H is needed, and power iterations are not.
        return fewest + (1 if isinstance(shape.rank, str) else 1 + shape.power), most + sketches + shape.power
    held_out = int(shape.selection == "kfold")
    if solver == "lsqr":
        return fewest + 1 + held_out, most + min(shape.most_steps, shape.n_rows, shape.n_columns) + held_out
    if solver == "precondition" and not sketch_is_longer(shape):
        few, many = steps_of_precondition(shape)
        return 3 + held_out + few * (1 + held_out), 3 + held_out + many * (1 + held_out)
    return fewest, most


def _sketches(shape: Shape, solver: str) -> int:
    """The most passes with random vectors: at least twice as many each time, until the limit."""
    fast = solver.startswith("fast")
    if not fast and not isinstance(shape.rank, str):
        return 1
    smaller = min(shape.n_rows, shape.n_columns)
    limit = columns_of(shape, solver) - (OVERSAMPLING if shape.oversampling is None else shape.oversampling)
    first = min(max(int(FIRST * smaller), FEWEST), limit)
    return 1 + int(np.ceil(np.log2(limit / first)))


def sketch_is_longer(shape: Shape) -> bool:
    """Whether the sketch of `precondition` would be no shorter than the rows: it then is `qr`."""
    rows = SKETCH_ROWS if shape.oversampling is None else shape.oversampling
    return shape.n_rows <= 2 * rows * shape.n_columns


def steps_of_precondition(shape: Shape) -> tuple[int, int]:
    """Passes of one solution, the fewest and about the most.

    Whitened by a sketch of s rows a column, the condition number is ((1 + δ)/(1 − δ))² with δ = 1/√s, and
    each step of conjugate gradients divides the error by 1/δ. Two rounds, each with a residual of its own.
    """
    rows = SKETCH_ROWS if shape.oversampling is None else shape.oversampling
    steps = int(np.ceil(np.log(shape.tol) / np.log(1 / np.sqrt(rows))))
    return 2 + steps // 3, 2 + steps + 8


def flops(shape: Shape, solver: str) -> float:
    """Floating-point operations of the whole fit."""
    n, L, k = float(shape.n_rows), float(shape.n_columns), float(columns_of(shape, solver))
    few, most = passes(shape, solver)
    read = min(few + TYPICAL_STEPS - 1, most) if solver == "lsqr" else (few + most) / 2
    mapping = 2 * n * (shape.n_inputs + 1) * shape.n_hidden
    square = n * shape.width**2
    low_rank = 4 * n * L * k * (1 + shape.power) + 2 * n * L * k + n * k * k
    iterated = 4 * n * L * shape.n_targets
    folds = shape.n_folds * shape.n_alphas if shape.selection == "kfold" else 0
    summary = {"gram": square, "qr": 2.7 * square, "dual": 0.0, "svd": 0.0}
    summary |= dict.fromkeys(LOW_RANK, low_rank)
    summary |= {"lsqr": (read - 2) * iterated * shape.training_sets}
    summary |= {"precondition": (read - 3) / (1 + (folds > 0)) * iterated * (1 + folds) + 36 * L**3}
    each = {"gram": L**3 / 3, "qr": 2 * L**3, "svd": 6 * n * min(n, L) * L}
    each |= {"dual": n * n * L + n**3 / 3, "lsqr": 0.0, "precondition": 0.0}
    total = read * mapping + summary[solver] + (1 + folds) * each.get(solver, k**3 / 3)
    if shape.selection == "loo":
        size = k if solver in LOW_RANK else L
        total += shape.n_sizes * (9 * size**3 + 2 * n * size**2)
    return float(total)


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
