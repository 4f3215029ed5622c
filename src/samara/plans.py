"""From the shape of a problem to a plan: which solver, how many workers, how large a block, and why."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samara.costs import (
    DEFAULT_BLOCK,
    SMALLEST_BLOCK,
    flops,
    format_bytes,
    passes,
    peak_bytes,
)
from samara.errors import BudgetError
from samara.linalg.workers import available_cores
from samara.shapes import LOW_RANK, Shape
from samara.traffic import Cluster, Traffic, traffic
from samara.weighing import choose_solver, largest, weighed

LARGEST_GROUP, MOST_GROUPS = 4096, 256  # nodes of a tile (134 MB a fold), and groups, unless they are given


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
    why: str = ""  # where the memory comes from, unless it was given
    sampled: int = 0  # rows that the look at a raw table draws
    processes: int = 0  # of a cluster, with ``workers`` threads each; 0: threads of this process

    def reasons(self) -> tuple[str, ...]:
        """Why the memory is what it is, where there is something to say."""
        return (self.why,) if self.why else ()

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
        ``lsqr``, ``precondition``, ``tiles`` or ``submodels``. After a fit the one that gave the model; where
        that is not the one asked for, a reason says why.
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
        What of the peak the process held before the fit; 0 where only what the fit adds is counted, as in a
        saved model.
    whole_process : bool
        Whether the budget is that of the whole process.
    group : int or None
        Nodes of a tile, or of a sub-model, at most.
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
    whole_process: bool = False
    group: int | None = None
    traffic: Traffic | None = None

    @property
    def solving(self) -> int:
        """Threads that solve between passes: those planned, or all cores here while a cluster waits."""
        free = self.traffic is not None and self.memory is None
        return max(self.workers, available_cores()) if free else self.workers

    def after(self, passes: int) -> Plan:
        """The same with the passes that were taken; itself where they were planned."""
        if self.passes == self.most_passes == passes:
            return self
        return replace(self, passes=passes, most_passes=passes)

    def __str__(self) -> str:
        budget = "no limit" if self.memory is None else f"limit {format_bytes(self.memory)}"
        counted = of_what(self.resident)
        if self.whole_process and not self.resident:  # of a saved model
            counted = "above what the process held before the fit"
            budget += " of the whole process" * (self.memory is not None)
        several = "" if self.most_passes == self.passes else f" to {self.most_passes}"
        word = "pass" if self.most_passes == 1 else "passes"
        cut = f" × {self.block_rows} rows" if self.block_rows else ""
        head = (
            f"solver {self.solver}, selection {self.selection or 'none'}, {self.passes}{several} {word}, "
            f"{self.flops / 1e9:.3g} Gflop, peak {format_bytes(self.peak_bytes)} {counted} "
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
    if solver == "auto":
        name, why = _in_its_place(shape, name, why, budget)
    if name == "tiles":
        shape = _grouped(shape, budget)
    full = budget.block_rows or full_block(shape, name)
    block, lanes = _fit_in(shape, name, budget, full)
    peak = peak_bytes(shape, name, block, lanes) + budget.beside(lanes)
    if memory is not None and peak > memory:
        raise _refusal(shape, name, budget, peak)
    cut = (block, lanes) != (full, budget.workers)
    why_block = f"what {format_bytes(memory or 0)} of memory holds" if cut else "products at full speed"
    cutting = f"{lanes} workers × {block} rows: {why_block}"
    few, most = passes(shape, name)
    reasons = (f"solver {name}: {why}", *weighed(shape, name), *budget.reasons(), selection_why, cutting)
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
        whole_process=budget.resident > 0,
        group=shape.group if name in ("tiles", "submodels") else None,
        traffic=_traffic(shape, name, budget, (block, lanes)),
    )


def _traffic(shape: Shape, solver: str, budget: Budget, cut: tuple[int, int]) -> Traffic | None:
    """What is sent, where there is a cluster to send it over."""
    block, threads = cut
    if not budget.processes or solver in ("tiles", "submodels"):  # what is held is not sent
        return None
    sampled = min(max(shape.sample_rows, budget.sampled), shape.n_rows)
    found = traffic(replace(shape, sample_rows=sampled), solver, block, Cluster(budget.processes, threads))
    return replace(found, worker_bytes=found.worker_bytes + threads * budget.reading)


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


def _in_its_place(shape: Shape, name: str, why: str, budget: Budget) -> tuple[str, str]:
    """The solver, or what takes its place where the budget does not hold it, and why."""
    left = budget.left(1)
    several = shape.n_sizes > 1 or shape.grows or shape.selection not in (None, "kfold")
    if left is None or several or name not in ("gram", "dual"):
        return name, why

    def fits(shape: Shape, solver: str) -> bool:
        return peak_bytes(shape, solver, SMALLEST_BLOCK, 1) <= left

    if fits(shape, name):
        return name, why
    if shape.processes > 1 and fits(_grouped(shape, budget), "tiles"):
        return "tiles", (
            f"{name} with {shape.n_hidden:,} nodes is too large for one worker; tiles of the Gram matrix on "
            f"{shape.processes} are not, and read the rows in one pass, where lsqr takes one a step"
        )
    if name == "gram" and fits(shape, "lsqr"):
        return (
            "lsqr",
            f"the Gram matrix of {shape.n_hidden:,} nodes is too large; a few vectors a step are not",
        )
    return name, why


def _grouped(shape: Shape, budget: Budget) -> Shape:
    """With the nodes of a tile: tiles for everyone to work on, and smaller ones where memory is short."""
    if shape.group is not None:
        return shape
    L, groups = shape.n_columns, -(-shape.n_columns // LARGEST_GROUP)
    while groups * (groups + 1) < 6 * budget.workers * shape.processes and groups < L:
        groups += 1  # three tiles for each thread: those on the diagonal are done sooner
    left = budget.left(1)
    while True:
        made = replace(shape, group=-(-L // groups))
        if (
            left is None
            or 2 * groups > min(L, MOST_GROUPS)
            or peak_bytes(made, "tiles", SMALLEST_BLOCK, 1) <= left
        ):
            return made
        groups *= 2


def _refusal(shape: Shape, solver: str, budget: Budget, peak: int) -> BudgetError:
    """What was needed, what was given, what would fit."""
    memory = budget.left(1) or 0

    def needs(n_hidden: int) -> int:
        return peak_bytes(replace(shape, n_hidden=n_hidden), solver, SMALLEST_BLOCK, 1)

    most = largest(lambda size: needs(size) <= memory, shape.n_hidden)
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


def what_ran(plan: Plan, ran: str, shape: Shape) -> Plan:
    """A solver may have found that another does it cheaper: the plan names that one, and why."""
    asked = plan.solver
    why = "a sketch would be no shorter than the rows"
    if asked in LOW_RANK:
        why = f"by {asked} what is left lies above the ridge until every direction is used"
        if asked.startswith("fast"):
            why = f"the stop of {asked} was not met before every direction was used"
    reasons = (*plan.reasons, f"solver {ran} in the end: {why}")
    return replace(plan, solver=ran, flops=plan.flops + flops(shape, ran), reasons=reasons)
