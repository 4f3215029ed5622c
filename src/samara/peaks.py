"""The peak of memory that a fit adds to the process: pure functions of the shape of a problem and a solver.

Each term is an array that is alive at the peak, counted in the code that makes it and checked against the
resident memory of a few hundred random fits. What is counted is what is touched: room that is asked for and
never written to takes no memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from samara.core import TILE_ROWS
from samara.shapes import LOW_RANK, SKETCH_ROWS, Shape, columns_of, exact_solver, needs_whole

KEY_ROWS = 131_072  # rows whose folds are worked out at a time
# Modules loaded late, the first call of each routine, and what the allocator keeps of small arrays: fits of
# 50 nodes added 3 to 5 MB. Which arrays are alive together is a matter of timing: a few more MB keep the
# prediction above the peak on a busy machine too.
BASE = 11 << 20


def peak_bytes(shape: Shape, solver: str, block: int, workers: int) -> int:
    """Predicted peak above what is resident before the fit: the largest of look, passes and solve."""
    each = -(-shape.n_rows // workers)
    # A block holds rows of one fold: no more than twice its share, so uneven are the folds of a small table.
    rows = min(block, each if shape.n_folds == 1 else -(-2 * each // shape.n_folds))
    # The weights in their precision, and in float64 what drawing them leaves in the heap.
    hidden = (shape.itemsize + 8) * (shape.n_inputs + 1) * shape.n_columns + shape.layer_bytes
    sample = 8 * shape.sample_rows * shape.n_inputs * 3
    profile = workers * (24 * min(block, each) * (shape.n_inputs + shape.n_targets) + sample)
    return int(overhead(shape.width, workers) + hidden + max(profile, _BYTES[solver](shape, rows, workers)))


def overhead(columns: int, workers: int) -> int:
    """What a fit takes whatever its solver: the base, and for each worker its stack and buffers of BLAS.

    OpenBLAS packs 384 rows of as many columns as it is given, up to 4096, and 512 of the other factor.
    """
    return BASE + workers * ((1 << 20) + 8 * 384 * (min(columns, 4096) + min(columns, 512)))


def _gram_bytes(shape: Shape, rows: int, workers: int) -> int:
    square, folds = 8 * shape.width**2, shape.n_folds
    single = 4 * shape.width**2 if shape.itemsize == 4 else 0
    summarize = workers * (folds * square + single + lane_bytes(shape, rows, workers))
    solve = 3 * square  # moments, the system made of them, its triangle
    if shape.selection == "kfold":
        # Folds and total; the system of a fold and of the next, each with its last triangle; a triangle for
        # each worker, and one spare: which of them are alive together is a matter of timing.
        systems = 2 if workers > 1 else 1
        solve = (folds + 1 + 2 * systems + workers + (workers > 1)) * square + 4 * workers * _cases(shape)
    if shape.grows:  # the moments of the smaller model stay until they are put into the larger one's
        summarize, solve = summarize + folds * square // 4, solve + folds * square
    # Moments, system and triangle; what `eigh` reads and what it gives, and its work space.
    return max(summarize, solve, _spectrum_bytes(shape, rows, workers, 6))


def _qr_bytes(shape: Shape, rows: int, workers: int) -> int:
    width, folds = shape.width, shape.n_folds
    square, single = 8 * width**2, shape.itemsize * width**2
    # A block is put below its triangle; NumPy copies the stack twice to decompose it.
    each = -(-shape.n_rows // workers)
    stacked = shape.itemsize * width * min(rows + width, each if folds == 1 else -(-2 * each // folds))
    summarize = workers * (folds * single + lane_bytes(shape, rows, workers) + 3 * stacked + single)
    # One system: the triangle, a copy to be decomposed, U, Vᵀ, and four of work space.
    solve = 9 * square
    if shape.selection == "kfold":
        # The folds; all but one stacked, in three copies; for each worker a triangle and its ridge.
        solve = max(solve, (folds + 3 * (folds - 1) + 1 + 6 * workers) * square + 4 * workers * _cases(shape))
    return max(summarize, solve, _spectrum_bytes(shape, rows, workers, 9))


def _spectrum_bytes(shape: Shape, rows: int, workers: int, squares: int) -> int:
    """Scores from a decomposition: GCV, the L-curve, and leave-one-out, which reads the rows again."""
    if shape.selection in (None, "kfold"):
        return 0
    L, square = shape.n_columns, 8 * shape.width**2
    decomposed = (shape.n_folds + squares) * square
    if shape.selection != "loo":
        return decomposed
    # Each worker turns its rows; in float32 with directions of its own, and back to float64.
    turned = shape.itemsize * rows * L + (4 * L * L + 8 * rows * L if shape.itemsize == 4 else 0)
    errors = 40 * rows * shape.n_alphas * shape.n_targets
    weights = 16 * L * shape.n_alphas * shape.n_targets
    passing = workers * (lane_bytes(shape, rows, workers) + turned + errors) + weights
    return max(decomposed, (shape.n_folds + 5) * square + passing)


def _rows_bytes(shape: Shape, rows: int, workers: int, dual: bool) -> int:
    n, folded = shape.n_rows, shape.selection == "kfold"
    kept = 8 * n * shape.width
    small = 8 * n * min(n, shape.width)
    # HHᵀ, a copy in LAPACK's order and its factor or eigenvectors; leave-one-out squares those. Or an SVD of
    # the rows. With folds a decomposition for each worker.
    squares = 4 if shape.selection else 3
    decomposed = (workers if folded else 1) * (squares * 8 * n * n if dual else 2 * kept + 3 * small)
    # All rows, those of a system centred, and one more for a moment. With folds those of a training set,
    # twice; where rows are few those of the next one too: 400 of 3,000 nodes peaked at 78 to 114 MB.
    held = (10 if n < shape.width else 5) if folded else 3
    errors = 32 * n * shape.n_alphas * shape.n_targets if shape.selection == "loo" else 0
    solve = held * kept + decomposed + errors + 4 * _cases(shape)
    # Rows left out of the fit: beside all rows and the system an SVD of these, its Vᵀ and its work space.
    left_out = 4 * kept + 6 * small
    return max(2 * kept + workers * lane_bytes(shape, rows, workers), solve, left_out)


def _low_rank_bytes(shape: Shape, rows: int, workers: int, solver: str) -> int:
    width, t = shape.width, shape.n_targets
    k = columns_of(shape, solver) + (shape.training_sets * t if solver == "sketch" else 0)
    # Ω, HᵀHΩ and their like; the rows of Y, up to 9k of them in three copies where a stop reads their
    # triangle; then the moments of the coordinates.
    probes = 232 if isinstance(shape.rank, str) or solver.startswith("fast") else 96
    lane = lane_bytes(shape, rows, workers) + 24 * width * k + 40 * rows * k + probes * k * k
    moments = (workers * shape.n_folds + 6) * 8 * (k + 1 + t) ** 2
    found = 40 * width * k + workers * lane + moments
    if not needs_whole(shape, solver):
        return found
    exact = exact_solver(shape.n_rows, shape.n_columns, shape.tiny_ridge)
    whole = _BYTES[exact](shape, rows, workers)
    if solver.startswith("fast") and shape.n_rows >= shape.n_columns:
        # The folds' moments; a root of them, Ω, their product and its triangle; the directions.
        squares = 3 * shape.n_folds + (30 if shape.tiny_ridge else 14)
        whole = max(whole, squares * 8 * width**2)
    return max(found, whole)


def _lsqr_bytes(shape: Shape, rows: int, workers: int) -> int:
    width, m = shape.width, shape.training_sets * shape.n_targets
    steps = min(shape.most_steps, shape.n_rows, width)
    if shape.likely_steps is not None:
        steps = min(steps, shape.likely_steps)
    # A direction a step, room for them 32 steps at a time; a dozen vectors beside them.
    directions = 8 * width * m * (steps + 44)
    lane = lane_bytes(shape, rows, workers) + 16 * rows * m + 24 * width * m
    return directions + workers * lane + 3 * _held_out_bytes(shape)


def _precondition_bytes(shape: Shape, rows: int, workers: int) -> int:
    width, lane = shape.width, lane_bytes(shape, rows, workers)
    m = max(1, (shape.training_sets - 1) * shape.n_alphas) * shape.n_targets
    each = SKETCH_ROWS if shape.oversampling is None else shape.oversampling
    sketch = (workers + 2) * 8 * each * width * width + workers * (2 * lane + 96 * rows)
    steps = 96 * width * m + workers * (lane + 16 * rows * m + 24 * width * m)
    iterate = 48 * width * width + steps + 3 * _held_out_bytes(shape)
    return max(sketch, iterate, _qr_bytes(shape, rows, workers) if shape.n_rows <= 2 * each * width else 0)


def _tiles_bytes(shape: Shape, rows: int, workers: int) -> int:
    """Tiles of the upper triangle, shared out among processes; vectors where the steps are taken."""
    groups, L, m = shape.groups, shape.n_columns, shape.training_sets * shape.n_targets
    group = -(-L // groups)
    tiles = groups * (groups + 1) // 2
    share = -(-tiles // shape.processes) / tiles
    off_diagonal = 8 * group**2 * (tiles - groups)
    held = int(shape.training_sets * share * (groups * _square_of(shape, group) + off_diagonal))
    making = workers * _making_bytes(shape, rows, workers, min(2, groups) * group)
    steps = min(shape.most_steps, shape.n_rows, L)
    if shape.likely_steps is not None:
        steps = min(steps, shape.likely_steps)
    # A direction a step, as in `lsqr`; sums of all training sets, vectors and products of the workers.
    home = 8 * L * m * (steps + 44) + 3 * _held_out_bytes(shape) // shape.n_folds
    stepping = workers * 24 * L * m
    if shape.processes == 1:
        return held + max(making, home + stepping)
    return max(held + max(making, stepping), home)


def _submodels_bytes(shape: Shape, rows: int, workers: int) -> int:
    groups = shape.groups
    group = -(-shape.n_columns // groups)
    share = -(-groups // shape.processes) / groups
    held = int(shape.training_sets * share * groups * _square_of(shape, group))
    making = workers * _making_bytes(shape, rows, workers, group)
    solving = workers * 4 * _square_of(shape, group) + 32 * shape.n_columns * shape.n_alphas * shape.n_targets
    scoring = 0
    if shape.selection == "kfold":  # a pass over whole rows of H
        scoring = workers * lane_bytes(shape, rows, workers) + 3 * _held_out_bytes(shape)
    return held + max(making, solving, scoring)


def _square_of(shape: Shape, group: int) -> int:
    """The moments of one group of nodes."""
    return 8 * (group + 1 + shape.n_targets) ** 2


def _making_bytes(shape: Shape, rows: int, workers: int, columns: int) -> int:
    """What a worker holds beside the tile it makes, which sees so many columns of H."""
    single = _square_of(shape, -(-shape.n_columns // shape.groups)) // 2 if shape.itemsize == 4 else 0
    weights = 2 * shape.itemsize * (shape.n_inputs + 2) * columns
    return lane_bytes(replace(shape, n_hidden=columns, n_link=0), rows, workers) + single + weights


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
    "tiles": _tiles_bytes,
    "submodels": _submodels_bytes,
    **{name: partial(_low_rank_bytes, solver=name) for name in LOW_RANK},
}


def lane_bytes(shape: Shape, rows: int, workers: int) -> int:
    """What one worker holds beside its summary."""
    workspace = shape.itemsize * rows * (shape.width + 15)
    # Copies of a tile of inputs on their way through the maps, and what the allocator keeps of them.
    tile = TILE_ROWS * 64 * (shape.n_inputs + 2)
    # A block gathered by index, and the one before it; the tile that the maps work on.
    gathered = 16 * rows * shape.n_inputs if shape.n_folds > 1 else 0
    tile += TILE_ROWS * shape.itemsize * shape.width
    keys = 48 * min(KEY_ROWS, -(-shape.n_rows // workers)) if shape.n_folds > 1 else 0
    return workspace + tile + gathered + keys + 32 * rows * (shape.n_targets + 2)
