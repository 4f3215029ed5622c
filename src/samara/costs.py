"""Passes and operations of a fit: pure functions of the shape of a problem and a solver."""

from __future__ import annotations

import re

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.peaks import peak_bytes
from samara.shapes import (
    FEWEST,
    FIRST,
    LOW_RANK,
    OVERSAMPLING,
    SKETCH_ROWS,
    Shape,
    columns_of,
)

# Four times the 384 rows that OpenBLAS takes at a time. Between 1024 and 4096 rows of 1000 nodes no
# difference was found that a second series of runs confirmed.
DEFAULT_BLOCK = 1536
SMALLEST_BLOCK = 128
TYPICAL_STEPS = 40  # of `lsqr`: it depends on ridge and rows, which a plan does not know
__all__ = [
    "DEFAULT_BLOCK",
    "SMALLEST_BLOCK",
    "Shape",
    "flops",
    "format_bytes",
    "likely_steps",
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
    if solver == "submodels":
        return fewest + held_out, most + held_out
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


def likely_steps(values: Array, alpha: float, tol: float) -> int | None:
    """Steps of `lsqr` on a Gram matrix that begins with these eigenvalues; None where they are too few.

    The first j directions are found in about j steps; then the error falls as if the largest eigenvalue were
    the next one. Of all j the cheapest: at most twice the steps taken with ridges from 1 to 10⁴.
    """
    left = (values + alpha) / alpha if alpha > 0 else np.full(len(values), np.inf)
    steps = np.arange(len(values)) + 0.5 * np.sqrt(left) * np.log(2 / tol)
    best = int(np.argmin(steps))
    tells = best <= 0.8 * len(values) and np.isfinite(steps[best])  # without a ridge nothing ends the steps
    return int(np.ceil(steps[best])) if tells else None


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
    steps = TYPICAL_STEPS * 4 * L**2 * shape.n_targets * shape.training_sets
    summary |= {"tiles": square + steps, "submodels": square / shape.groups}
    if solver == "tiles":  # every tile makes the columns of its own two groups
        mapping *= (read - 1 + shape.groups) / read
    each = {"gram": L**3 / 3, "qr": 2 * L**3, "svd": 6 * n * min(n, L) * L}
    each |= {"dual": n * n * L + n**3 / 3, "lsqr": 0.0, "precondition": 0.0, "tiles": 0.0}
    each |= {"submodels": L**3 / 3 / shape.groups**2}
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


def format_seconds(seconds: float) -> str:
    """``0.0123`` → ``12 ms``; also seconds, minutes and hours."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.2g} ms"
    if seconds < 120:
        return f"{seconds:.2g} s" if seconds < 9.95 else f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def format_bytes(count: int | float) -> str:
    """``1234567`` → ``1.2 MB``."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.3g} {unit}"
        count /= 1000
    raise AssertionError
