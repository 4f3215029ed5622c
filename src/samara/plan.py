"""Memory and time arithmetic: pure functions from the shape of a problem to a plan."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from samara.core import TILE_ROWS
from samara.errors import BudgetError, InputError
from samara.solvers import safe_ridge

# Four times the 384 rows that OpenBLAS takes at a time, and still near the core: 1024 and 4096 rows of 1000
# nodes took 3 to 5 % longer.
DEFAULT_BLOCK = 1536
SMALLEST_BLOCK = 128
KEY_ROWS = 131_072  # rows whose folds are worked out at a time
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
    sample_rows: int = 0
    grows: bool = False  # nodes may be appended to a model half as large

    @property
    def width(self) -> int:
        """Columns of an augmented row [1, H, Y]."""
        return 1 + self.n_link + self.n_hidden + self.n_targets

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize


@dataclass(frozen=True)
class Budget:
    """What a fit may use."""

    memory: int | None = None  # bytes above the input
    workers: int = 1
    block_rows: int = 0  # 0: as planned


@dataclass(frozen=True)
class Plan:
    """How a fit will run, and why.

    Attributes
    ----------
    solver : str
        ``gram``, ``qr``, ``svd`` or ``dual``.
    selection : str or None
        How ridge and size are chosen.
    workers, block_rows : int
        Threads, and rows a thread holds at a time.
    passes : int
        Times the rows are read.
    flops : float
        Floating-point operations of the whole fit.
    peak_bytes : int
        Predicted peak of memory above the input.
    memory : int or None
        The budget given.
    reasons : tuple of str
        The reason for each choice.
    """

    solver: str
    selection: str | None
    workers: int
    block_rows: int
    passes: int
    flops: float
    peak_bytes: int
    memory: int | None
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        budget = "no limit" if self.memory is None else f"limit {format_bytes(self.memory)}"
        head = (
            f"solver {self.solver}, selection {self.selection or 'none'}, {self.passes} passes, "
            f"{self.flops / 1e9:.3g} Gflop, peak {format_bytes(self.peak_bytes)} above the input ({budget}), "
            f"{self.workers} workers × {self.block_rows} rows"
        )
        return "\n".join([head, *(f"- {reason}" for reason in self.reasons)])


def make_plan(shape: Shape, solver: str, budget: Budget, selection_why: str) -> Plan:
    """Choose solver, block and workers inside the budget, or refuse, saying what would fit."""
    name, why = choose_solver(shape, solver)
    memory = budget.memory
    full = budget.block_rows or full_block(shape, name)
    block, lanes = _fit_in(shape, name, budget, full)
    peak = peak_bytes(shape, name, block, lanes)
    if memory is not None and peak > memory:
        raise _refusal(shape, name, memory, peak)
    cut = (block, lanes) != (full, budget.workers)
    why_block = f"what {format_bytes(memory or 0)} of memory holds" if cut else "products at full speed"
    reasons = (f"solver {name}: {why}", selection_why, f"{lanes} workers × {block} rows: {why_block}")
    return Plan(
        solver=name,
        selection=shape.selection,
        workers=lanes,
        block_rows=block,
        passes=passes(shape, name),
        flops=flops(shape, name),
        peak_bytes=peak,
        memory=memory,
        reasons=reasons,
    )


def choose_solver(shape: Shape, asked: str) -> tuple[str, str]:
    """The solver, and why."""
    if asked != "auto":
        return asked, "as asked"
    L, n = shape.n_hidden + shape.n_link, shape.n_rows
    limit = safe_ridge(shape.trace or 0.0, shape.dtype)
    too_small = shape.smallest_alpha is not None and shape.smallest_alpha < limit
    tiny = f"ridge {shape.smallest_alpha or 0:.1e} is too small for the rounding of HᵀH"
    if n < L and shape.n_sizes == 1:
        if too_small or shape.smallest_alpha == 0:
            return "svd", f"{n:,} rows < {L:,} columns, and {tiny}"
        return "dual", f"{n:,} rows < {L:,} columns: an n×n system is the smaller one"
    if too_small or shape.smallest_alpha == 0:
        return "qr", f"{tiny}; a triangle does not square the condition number"
    return "gram", f"normal equations of {L:,} columns in one pass; no ridge drowns in their rounding"


def full_block(shape: Shape, solver: str) -> int:
    """Rows a worker takes at a time where memory is no concern; no more than there are."""
    rows = max(DEFAULT_BLOCK, 2 * shape.width) if solver == "qr" else DEFAULT_BLOCK
    return max(1, min(rows, shape.n_rows))


def _fit_in(shape: Shape, solver: str, budget: Budget, full: int) -> tuple[int, int]:
    """The most workers, and then the largest block, that the budget holds."""
    smallest = min(SMALLEST_BLOCK, full)
    for lanes in range(budget.workers, 0, -1):
        block = full
        while block >= smallest:
            if budget.memory is None or peak_bytes(shape, solver, block, lanes) <= budget.memory:
                return block, lanes
            block //= 2
    return smallest, 1


def peak_bytes(shape: Shape, solver: str, block: int, workers: int) -> int:
    """Predicted peak above the input: the largest of the passes and of the solve."""
    square = 8 * shape.width**2
    folds = shape.n_folds
    cases = 8 * shape.width * shape.n_targets * shape.n_sizes
    hidden = shape.itemsize * (shape.n_inputs + 1) * (shape.n_hidden + shape.n_link)
    lane = _lane_bytes(shape, block)
    sample = 8 * shape.sample_rows * shape.n_inputs * 3
    profile = workers * (24 * block * (shape.n_inputs + shape.n_targets) + sample)
    if solver == "gram":
        single = 4 * shape.width**2 if shape.itemsize == 4 else 0
        summarize = workers * (folds * square + single + lane)
        # Folds and total; the system of a fold and of the next; a triangle for each worker, and one spare.
        systems = 2 if folds > 1 and workers > 1 else 1
        solve = (folds + (folds > 1) + systems + systems + workers) * square + 4 * workers * cases
        if shape.grows:  # the moments of the smaller model stay until they are put into the larger one's
            summarize, solve = summarize + folds * square // 4, solve + folds * square
    elif solver == "qr":
        stacked = 8 * (shape.width + block) * shape.width
        summarize = workers * (folds * square + lane + 3 * stacked)
        solve = folds * square + 2 * folds * square + 6 * square + 4 * cases
    else:
        kept = 8 * shape.n_rows * shape.width
        summarize = 2 * kept + workers * lane
        small = 8 * shape.n_rows * min(shape.n_rows, shape.width)
        # A decomposition for each worker, of n×n numbers or of n×L.
        solve = 5 * kept + workers * (4 * small if solver == "dual" else 2 * kept + 3 * small) + 4 * cases
    if shape.selection == "loo" and solver in ("gram", "qr"):
        solve = max(solve, (folds + 6) * square)
        extra = (
            shape.itemsize * block * (shape.n_hidden + shape.n_link)
            + 40 * block * shape.n_alphas * shape.n_targets
        )
        summarize = max(summarize, (folds + 6) * square + workers * (lane + extra))
    if shape.selection in ("gcv", "lcurve"):
        solve = max(solve, (folds + 6) * square)
    return int(BASE + hidden + max(profile, summarize, solve))


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
    again = shape.n_sizes if shape.selection == "loo" and solver in ("gram", "qr") else 0
    return 2 + again


def flops(shape: Shape, solver: str) -> float:
    """Floating-point operations of the whole fit."""
    n, L, t = float(shape.n_rows), float(shape.n_hidden + shape.n_link), shape.n_targets
    mapping = 2 * n * (shape.n_inputs + 1) * shape.n_hidden
    per_system = {
        "gram": L**3 / 3,
        "qr": 2 * L**3,
        "dual": n**3 / 3 + 2 * n * L * t,
        "svd": 6 * n * min(n, L) * L,
    }
    summary = {"gram": n * shape.width**2, "qr": 2.7 * n * shape.width**2, "dual": n * n * L, "svd": 0.0}[
        solver
    ]
    systems = 1 + (shape.n_folds * shape.n_alphas if shape.selection == "kfold" else 0)
    total = passes(shape, solver) * mapping + summary + systems * per_system[solver]
    if shape.selection == "loo":
        total += shape.n_sizes * (9 * L**3 + 2 * n * L**2)
    return total


def _refusal(shape: Shape, solver: str, memory: int, peak: int) -> BudgetError:
    """What was needed, what was given, what would fit."""

    def needs(n_hidden: int) -> int:
        return peak_bytes(replace(shape, n_hidden=n_hidden), solver, SMALLEST_BLOCK, 1)

    most = _largest(lambda size: needs(size) <= memory, shape.n_hidden)
    advice = f"Use at most {most:,} nodes" if most else "Give more memory"
    if solver in ("svd", "qr"):
        advice += ' or solver="gram"'
    return BudgetError(
        f"{shape.n_hidden:,} nodes by {solver} need {format_bytes(peak)} above the input; "
        f"memory allows {format_bytes(memory)}. {advice}."
    )


def _largest(holds: Callable[[int], bool], below: int) -> int:
    """The largest number below a bound for which a monotone condition holds, 0 where there is none."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


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
