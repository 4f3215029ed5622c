"""From the shape of a kernel problem to a plan: which solver, how much memory, and why."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np

from samara.costs import format_bytes
from samara.errors import BudgetError
from samara.maps.leaves import even_leaves
from samara.peaks import overhead
from samara.plans import Budget, Plan, already, of_what
from samara.shapes import OVERSAMPLING
from samara.solvers.kernel import Divide, Leaves

FIRST_RANK = 64  # that `sketch` and `ssvd` try first, and double
ONE_RIDGE_ROWS, PATH_ROWS = 10_000, 5_000  # that `auto` solves exactly: 3 s and 4 s of arithmetic
PCG_ROWS = 200_000  # beyond, a product with the whole kernel matrix takes half a minute
PCG_RANK = 2_000
TILE_BYTES = 3 * (1 << 20)  # cells: a tile, its product and what the allocator keeps


@dataclass(frozen=True)
class KernelShape:
    """What a plan is made from."""

    n_rows: int
    n_inputs: int
    n_targets: int
    n_alphas: int = 1
    selection: str | None = None
    rank: int | float | str = "auto"
    max_rank: int | None = None  # of the kernel matrix, where it is known to be low
    dtype: str = "float64"
    definite: bool = True  # with a ridge above 0: else eigenvectors are needed
    n_parts: int | None = None  # of `divide`
    leaf_rows: int = Leaves.rows  # at most
    power: int | None = None  # of `sketch` and `ssvd`; None: as they have it
    away: bool = False  # a cluster multiplies with the matrix

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    def products(self, solver: str) -> int:
        """Products with the matrix of `sketch` or `ssvd`."""
        return 2 + ((solver == "ssvd") if self.power is None else self.power)

    def directions(self) -> int:
        """Columns of these products."""
        most = self.n_rows if self.max_rank is None else self.max_rank
        return self.columns(most) + OVERSAMPLING

    def columns(self, auto: int) -> int:
        """The rank as a number, ``auto`` where it is to be found."""
        n = self.n_rows
        if isinstance(self.rank, str):
            return min(n, auto)
        return min(n, max(1, round(self.rank * n) if isinstance(self.rank, float) else self.rank))

    @property
    def few(self) -> bool:
        """Whether the kernel matrix has far fewer columns than rows behind it."""
        return self.max_rank is not None and self.max_rank < self.n_rows / 2


def make_kernel_plan(shape: KernelShape, asked: str, budget: Budget, selection_why: str) -> Plan:
    """Choose the solver inside the budget, or refuse, saying what would fit. Not for `nystroem`."""
    name, why = choose(shape, asked, budget.left(budget.workers))
    if name == "pcg" and isinstance(shape.rank, str):
        shape = replace(shape, rank=pcg_rank(shape, budget))
    peak = peak_bytes(shape, name, budget.workers)
    kept = spare_bytes(shape, budget) if name == "pcg" else 0
    left = budget.left(budget.workers)
    if name != "nystroem" and left is not None and peak > left:
        raise _refusal(shape, name, budget, peak)
    few, most = passes(shape, name)
    return Plan(
        solver=name,
        selection=shape.selection,
        workers=budget.workers,
        block_rows=budget.block_rows,
        passes=few,
        most_passes=most,
        flops=flops(shape, name),
        peak_bytes=peak + kept + budget.beside(budget.workers),
        memory=budget.memory,
        reasons=(
            f"solver {name}: {why}",
            *budget.reasons(),
            selection_why,
            _where(shape, name, budget.workers),
        ),
        resident=budget.resident,
        whole_process=budget.resident > 0,
    )


def _where(shape: KernelShape, solver: str, workers: int) -> str:
    """Who does the work, and what travels."""
    if not shape.away:
        return f"{workers} workers, tiles of kernel rows"
    if solver not in ("sketch", "ssvd", "pcg"):
        return f"{solver} works in this process: the cluster reads the rows"
    k = shape.n_targets + 1 if solver == "pcg" else shape.directions() + OVERSAMPLING
    rows, sums = 8 * shape.n_rows * shape.n_inputs, 8 * shape.n_rows * k
    held = rows + 2 * shape.itemsize * shape.n_rows * shape.n_inputs + 2 * sums + TILE_BYTES * shape.itemsize
    return (
        f"tiles of the kernel matrix on the cluster: a thread there holds {format_bytes(held)}; the rows, "
        f"{format_bytes(rows)}, go to each once, {format_bytes(sums)} each way in every pass and merge"
    )


def choose(shape: KernelShape, asked: str, memory: int | None) -> tuple[str, str]:
    """The solver, and why."""
    if asked != "auto":
        return asked, "as asked"
    n, many = shape.n_rows, shape.n_alphas > 1
    holds = memory is None or peak_bytes(shape, "exact", 1) <= memory
    if not isinstance(shape.rank, str):
        return "nystroem", "a rank was given: as many centres, every ridge in one pass"
    if shape.few and holds:
        return "exact", f"the kernel's matrix has rank {shape.max_rank:,} at most: its {n:,} rows never meet"
    limit = PATH_ROWS if many else ONE_RIDGE_ROWS
    if n <= limit and holds:
        what = "one reduction serves every ridge" if many else "one Cholesky factor"
        return "exact", f"{n:,} rows: {what}, {format_bytes(8.0 * n * n)}"
    size = f"{n:,} rows" if n > limit else f"the matrix of {n:,} rows does not fit"
    if many or n > PCG_ROWS:
        return "nystroem", f"{size}: every ridge and number of centres from one pass"
    if not shape.definite:
        return "nystroem", f"{size}, and conjugate gradients need a positive definite kernel"
    return "pcg", f"{size} and one ridge: the full system, without its matrix"


def peak_bytes(shape: KernelShape, solver: str, workers: int) -> int:
    """Predicted peak above the input."""
    n, t, item = shape.n_rows, shape.n_targets, shape.itemsize
    rows = (3 * item + 16) * n * shape.n_inputs + 8 * n * t * (8 + (shape.n_alphas > 1) * shape.n_alphas)
    # BLAS packs the columns of the matrix that is factorized: of a part or a leaf, where there are some.
    columns = _part(shape) if solver == "divide" else _leaf(shape) if solver == "leaves" else n
    return int(overhead(columns, workers) + rows + _SOLVERS[solver](shape, workers))


def _exact_bytes(shape: KernelShape, workers: int) -> int:
    n = shape.n_rows
    if shape.few:
        return 8 * n * 4 * (shape.max_rank or 1)
    square = 8 * n * n
    if not shape.definite:
        return 5 * square  # eigenvectors, and the work space of `eigh`
    if shape.n_alphas == 1:
        return square + workers * 256 * n * shape.itemsize
    folds = 3 * 8 * (n // 4) ** 2 if shape.selection == "kfold" else 0
    return square + 8 * n * 96 * 6 + workers * 256 * n * 16 + folds


def _sketch_bytes(shape: KernelShape, workers: int) -> int:
    k = shape.directions() + OVERSAMPLING
    sums = 8 * shape.n_rows * k
    return sums * (6 + workers) + workers * (TILE_BYTES * shape.itemsize + 16 * 1024 * k) + 48 * k * k


def pcg_rank(shape: KernelShape, budget: Budget) -> int:
    """Columns that the preconditioner of `pcg` may have: half the budget is left for tiles of the matrix."""
    most = min(shape.n_rows, PCG_RANK)
    left = budget.left(budget.workers)
    if left is None:
        return most
    without = peak_bytes(replace(shape, rank=1), "pcg", budget.workers)
    free = max(0, left - without)
    return max(1, min(most, free // (2 * _pcg_column(shape))))


def _pcg_column(shape: KernelShape) -> int:
    """Bytes of a column of the preconditioner: its factor and its directions (one in float64)."""
    factor = shape.itemsize if shape.itemsize == 8 else shape.itemsize + 8
    scores = 8 if shape.n_alphas > 1 else 0
    return (factor + scores) * shape.n_rows


def _pcg_bytes(shape: KernelShape, workers: int) -> int:
    n, k = shape.n_rows, shape.columns(PCG_RANK)
    return _pcg_column(shape) * k + 8 * n * shape.n_targets * 12 + _tile_bytes(shape, workers)


def _tile_bytes(shape: KernelShape, workers: int) -> int:
    return workers * (TILE_BYTES * shape.itemsize + 16 * shape.n_rows * (shape.n_targets + 1))


def _divide_bytes(shape: KernelShape, workers: int) -> int:
    n, part = shape.n_rows, _part(shape)
    return 8 * n * part + 8 * part * (part if not shape.definite else 96 * 6) + workers * 256 * n * 16


def _leaves_bytes(shape: KernelShape, workers: int) -> int:
    """Of one ridge a leaf a worker; of several what each leaf is decomposed into."""
    leaf = _leaf(shape)
    alone = replace(shape, n_rows=leaf)
    if shape.definite and shape.n_alphas == 1:
        return workers * _exact_bytes(alone, 1)
    return (shape.n_rows // leaf) * _exact_bytes(alone, 0) + workers * _exact_bytes(alone, 1)


def _leaf(shape: KernelShape) -> int:
    """Rows of a leaf of `leaves`."""
    return -(-shape.n_rows // even_leaves(shape.n_rows, shape.leaf_rows))


def _part(shape: KernelShape) -> int:
    """Rows of a part of `divide`."""
    return -(-shape.n_rows // Divide(shape.n_parts).count(shape.n_rows))


def _nystroem_bytes(shape: KernelShape, workers: int) -> int:
    return 0  # the plan of the pass counts it


_SOLVERS = {
    "exact": _exact_bytes,
    "sketch": _sketch_bytes,
    "ssvd": _sketch_bytes,
    "pcg": _pcg_bytes,
    "divide": _divide_bytes,
    "leaves": _leaves_bytes,
    "nystroem": _nystroem_bytes,
}


def spare_bytes(shape: KernelShape, budget: Budget) -> int:
    """What `pcg` may keep of the kernel matrix: half of it at most is of use, the rest is its mirror."""
    if shape.away:
        return 0
    whole = shape.itemsize * shape.n_rows * (shape.n_rows + 2048) // 2
    left = budget.left(budget.workers)
    if left is None:
        return min(whole, 2 << 30)
    used = replace(shape, rank=pcg_rank(shape, budget)) if isinstance(shape.rank, str) else shape
    return max(0, min(whole, left - peak_bytes(used, "pcg", budget.workers)))


def passes(shape: KernelShape, solver: str) -> tuple[int, int]:
    """Times that all entries of the kernel matrix are worked out, at least and at most; of `pcg` a guess."""
    if solver in ("sketch", "ssvd"):
        each, most = shape.products(solver), shape.columns(shape.max_rank or shape.n_rows)
        doublings = max(0, ceil(log2(most / FIRST_RANK))) if isinstance(shape.rank, str) else 0
        return each, each * (1 + doublings)
    return {"exact": (1, 1), "pcg": (2, 40), "divide": (1, 1), "leaves": (1, 1), "nystroem": (1, 1)}[solver]


def flops(shape: KernelShape, solver: str) -> float:
    """Floating-point operations of the whole fit."""
    n, t, entry = float(shape.n_rows), shape.n_targets, 2.0 * shape.n_inputs + 20
    if solver == "exact" and shape.few:
        return 6 * n * float(shape.max_rank or 1) ** 2
    if solver == "exact":
        return n * n * entry / 2 + (
            n**3 / 3 if shape.n_alphas == 1 else 8 * n**3 / 3 + shape.n_alphas * 400 * n * n
        )
    if solver == "leaves":
        return n / _leaf(shape) * flops(replace(shape, n_rows=_leaf(shape), max_rank=None), "exact")
    if solver in ("sketch", "ssvd"):
        k = shape.directions()
        return shape.products(solver) * n * n * (entry / 2 + 2 * k) + 8 * n * k * k
    if solver == "pcg":
        k = shape.columns(PCG_RANK)
        return 40 * n * (n * (entry / 2 + 2 * t) + 4 * k * t) + 4 * n * k * k
    part = n / Divide(shape.n_parts).count(shape.n_rows)
    return n * part**2 * (1 / 3 if shape.n_alphas == 1 else 8 / 3) + n * n * (entry + 2 * t) * (
        shape.n_alphas > 1
    )


def _refusal(shape: KernelShape, solver: str, budget: Budget, peak: int) -> BudgetError:
    """What was needed, what was given, what would fit."""
    memory = budget.left(budget.workers) or 0
    others = [
        name
        for name in ("exact", "pcg", "leaves", "divide")
        if name != solver and peak_bytes(shape, name, budget.workers) <= memory
    ]
    advice = f'Use solver="nystroem" with fewer centres{f" or solver={others[0]!r}" if others else ""}'
    if solver in ("sketch", "ssvd") and not isinstance(shape.rank, str):
        most = bisect_right(
            range(1, shape.n_rows + 1),
            memory,
            key=lambda rank: peak_bytes(replace(shape, rank=rank), solver, budget.workers),
        )
        advice = f"Use a rank of at most {most:,}" if most > 0 else advice
    return BudgetError(
        f"{shape.n_rows:,} rows by {solver} need {format_bytes(peak + budget.beside(budget.workers))} "
        f"{of_what(budget.resident)}; memory allows {format_bytes(budget.memory or 0)}{already(budget)}. "
        f"{advice}."
    )
