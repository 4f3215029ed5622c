"""From the shape of a problem to a plan: which solver, how many workers, how large a block, and why."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from samara.costs import (
    DEFAULT_BLOCK,
    SMALLEST_BLOCK,
    flops,
    format_bytes,
    passes,
    peak_bytes,
    sketch_is_longer,
)
from samara.errors import BudgetError
from samara.linalg.blas import available_cores
from samara.shapes import LOW_RANK, Shape, exact_solver
from samara.traffic import Cluster, Traffic, traffic


@dataclass(frozen=True)
class Budget:
    """What a fit may use.

    For rows in memory that is what it adds to the process; for rows in files it is the whole process.
    """

    memory: int | None = None  # bytes
    workers: int = 1
    block_rows: int = 0  # 0: as planned
    resident: int = 0  # bytes that the process holds already, where they count
    reading: int = 0  # bytes that each worker takes to read its rows from files
    sampled: int = 0  # rows that the look at a raw table draws
    processes: int = 0  # of a cluster, with ``workers`` threads each; 0: threads of this process

    def beside(self, workers: int) -> int:
        """What counts beside what the fit itself takes."""
        return self.resident + workers * self.reading

    def left(self, workers: int) -> int | None:
        """What is left for the fit itself, not below 0; None: no limit."""
        return None if self.memory is None else max(0, self.memory - self.beside(workers))


@dataclass(frozen=True)
class Plan:
    """How a fit will run, and why.

    Attributes
    ----------
    solver : str
        ``gram``, ``qr``, ``svd``, ``dual``, ``rsvd``, ``fast_svd``, ``fast_svd_gradient``, ``sketch``,
        ``lsqr`` or ``precondition``. After a fit the one that gave the model; where that is not the one
        asked for, a reason says why.
    selection : str or None
        How ridge and size are chosen.
    workers, block_rows : int
        Threads, and rows a thread holds at a time.
    passes : int
        Times the rows are read, at least; after a fit, how often they were.
    most_passes : int
        Times they are read at most; after a fit the same as ``passes``.
    flops : float
        Floating-point operations of the whole fit.
    peak_bytes : int
        Predicted peak of memory: above the input for rows in memory, of the whole process for files.
    memory : int or None
        The budget given.
    reasons : tuple of str
        The reason for each choice.
    resident : int
        What of the peak the process held before the fit; 0 where only what the fit adds is counted.
    traffic : :class:`samara.traffic.Traffic` or None
        On a cluster what each pass sends, and the memory of a worker.
    """

    solver: str
    selection: str | None
    workers: int
    block_rows: int
    passes: int
    most_passes: int
    flops: float
    peak_bytes: int
    memory: int | None
    reasons: tuple[str, ...]
    resident: int = 0
    traffic: Traffic | None = None

    @property
    def solving(self) -> int:
        """Threads that solve between passes: those planned, or all cores here while a cluster waits."""
        free = self.traffic is not None and self.memory is None
        return max(self.workers, available_cores()) if free else self.workers

    def __str__(self) -> str:
        budget = "no limit" if self.memory is None else f"limit {format_bytes(self.memory)}"
        several = "" if self.most_passes == self.passes else f" to {self.most_passes}"
        word = "pass" if self.most_passes == 1 else "passes"
        cut = f" × {self.block_rows} rows" if self.block_rows else ""
        head = (
            f"solver {self.solver}, selection {self.selection or 'none'}, {self.passes}{several} {word}, "
            f"{self.flops / 1e9:.3g} Gflop, peak {format_bytes(self.peak_bytes)} {of_what(self.resident)} "
            f"({budget}), {self.workers} workers{cut}"
        )
        sent = [str(self.traffic)] if self.traffic else []
        return "\n".join([head, *(f"- {reason}" for reason in self.reasons), *sent])


def of_what(resident: int) -> str:
    """What a peak is counted from."""
    return "of the whole process" if resident else "above the input"


def make_plan(shape: Shape, solver: str, budget: Budget, selection_why: str) -> Plan:
    """Choose solver, block and workers inside the budget, or refuse, saying what would fit."""
    memory = budget.memory
    name, why = choose_solver(shape, solver)
    if solver == "auto" and name == "gram" and memory is not None and _only_lsqr(shape, budget.left(1) or 0):
        name, why = (
            "lsqr",
            f"the Gram matrix of {shape.n_hidden:,} nodes is too large; a few vectors a step are not",
        )
    full = budget.block_rows or full_block(shape, name)
    block, lanes = _fit_in(shape, name, budget, full)
    peak = peak_bytes(shape, name, block, lanes) + budget.beside(lanes)
    if memory is not None and peak > memory:
        raise _refusal(shape, name, budget, peak)
    cut = (block, lanes) != (full, budget.workers)
    why_block = f"what {format_bytes(memory or 0)} of memory holds" if cut else "products at full speed"
    cutting = f"{lanes} workers × {block} rows: {why_block}"
    weighed = _weighed(shape, name)
    few, most = passes(shape, name)
    reasons = (f"solver {name}: {why}", *weighed, selection_why, cutting)
    return Plan(
        solver=name,
        selection=shape.selection,
        workers=lanes,
        block_rows=block,
        passes=few,
        most_passes=most,
        flops=flops(shape, name),
        peak_bytes=peak,
        memory=memory,
        reasons=reasons,
        resident=budget.resident,
        traffic=_traffic(shape, name, budget, (block, lanes)),
    )


def _traffic(shape: Shape, solver: str, budget: Budget, cut: tuple[int, int]) -> Traffic | None:
    """What is sent, where there is a cluster to send it over."""
    block, threads = cut
    if not budget.processes:
        return None
    sampled = min(max(shape.sample_rows, budget.sampled), shape.n_rows)
    found = traffic(replace(shape, sample_rows=sampled), solver, block, Cluster(budget.processes, threads))
    return replace(found, worker_bytes=found.worker_bytes + threads * budget.reading)


def choose_solver(shape: Shape, asked: str) -> tuple[str, str]:
    """The solver, and why."""
    if asked != "auto":
        return asked, "as asked"
    L, n = shape.n_columns, shape.n_rows if shape.n_sizes == 1 else math.inf
    fewer = f"{shape.n_rows:,} rows < {L:,} columns"
    tiny = f"ridge {shape.smallest_alpha or 0:.1e} is too small for the rounding of HᵀH"
    name = exact_solver(n, L, shape.tiny_ridge)
    why = {
        "svd": f"{fewer}, and {tiny}",
        "dual": f"{fewer}: an n×n system is the smaller one",
        "qr": f"{tiny}; a triangle does not square the condition number",
        "gram": f"normal equations of {L:,} columns in one pass; no ridge drowns in their rounding",
    }
    return name, why[name]


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
            left = budget.left(lanes)
            if left is None or peak_bytes(shape, solver, block, lanes) <= left:
                return block, lanes
            block //= 2
    return smallest, 1


def _only_lsqr(shape: Shape, memory: int) -> bool:
    """Whether the budget holds no Gram matrix, but what `lsqr` keeps."""
    if shape.n_sizes > 1 or shape.grows or shape.selection not in (None, "kfold"):
        return False
    gram, few = (peak_bytes(shape, solver, SMALLEST_BLOCK, 1) for solver in ("gram", "lsqr"))
    return few <= memory < gram


def _weighed(shape: Shape, solver: str) -> tuple[str, ...]:
    """How the solver compares with the streamed Gram, where there is something to compare."""
    if solver in LOW_RANK or solver == "gram":
        return (when_low_rank_pays(shape),)
    if solver == "precondition" and sketch_is_longer(shape):
        return ("precondition: a sketch would be no shorter than the rows, so it will be qr",)
    if solver in ("lsqr", "precondition"):
        several = shape.n_alphas * shape.n_folds if solver == "precondition" else shape.training_sets
        columns = shape.n_targets * (several if shape.selection == "kfold" else 1)
        return (
            f"{solver}: 4nL flops a pass for each of {columns:,} columns (targets × training sets"
            f"{' × ridges' if solver == 'precondition' else ''}), as much as nL² after about "
            f"{max(1, round(shape.n_columns / 4 / columns)):,} passes",
        )
    return ()


def when_low_rank_pays(shape: Shape) -> str:
    """The rank up to which randomized solvers cost less than the exact one, passes and systems counted."""
    exact = exact_solver(shape.n_rows if shape.n_sizes == 1 else math.inf, shape.n_columns, False)
    whole = flops(shape, exact)
    smaller = min(shape.n_rows, shape.n_columns)
    most = _largest(lambda rank: flops(replace(shape, rank=rank, power=0), "rsvd") < whole, smaller)
    pays = f"only with rank below about {most:,}" if most > 0 else "at no rank"
    systems = 1 + shape.n_folds * shape.n_alphas if shape.selection == "kfold" else 1
    small, large, one = ("n²L", "n³", "a pass") if exact == "dual" else ("nL²", "L³", "one")
    solved = f", {systems} systems of k³/3 against {large}/3" if systems > 1 else ""
    compared = f"6nLk flops in two passes (sketch: 10nLk in three) against {small} in {one}{solved}"
    return f"rsvd, fast_svd, sketch: {compared}, so they pay {pays}"


def _refusal(shape: Shape, solver: str, budget: Budget, peak: int) -> BudgetError:
    """What was needed, what was given, what would fit."""
    memory = budget.left(1) or 0

    def needs(n_hidden: int) -> int:
        return peak_bytes(replace(shape, n_hidden=n_hidden), solver, SMALLEST_BLOCK, 1)

    most = _largest(lambda size: needs(size) <= memory, shape.n_hidden)
    advice = f"Use at most {most:,} nodes" if most else "Give more memory"
    if solver in ("svd", "qr"):
        advice += ' or solver="gram"'
    elif solver == "gram" and shape.n_sizes == 1 and peak_bytes(shape, "lsqr", SMALLEST_BLOCK, 1) <= memory:
        advice += ' or solver="lsqr"'
    return BudgetError(
        f"{shape.n_hidden:,} nodes by {solver} need {format_bytes(peak)} {of_what(budget.resident)}; "
        f"memory allows {format_bytes(budget.memory or 0)}{already(budget)}. {advice}."
    )


def already(budget: Budget) -> str:
    """What of the memory is taken before the fit begins, where that counts."""
    if not budget.resident:
        return ""
    return f", of which {format_bytes(budget.beside(1))} are in use before the fit or for reading"


def _largest(holds: Callable[[int], bool], below: int) -> int:
    """The largest number below a bound for which a monotone condition holds, 0 where there is none."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
