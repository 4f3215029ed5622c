"""Every solver that could fit a table: what it would take, which one the fit takes, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, cast

from samara.core import Source
from samara.costs import SMALLEST_BLOCK, TYPICAL_STEPS, flops, format_bytes
from samara.errors import BudgetError
from samara.kernel_settings import KernelSettings, Nystroem
from samara.plans import Budget, Plan, of_what
from samara.settings import Settings
from samara.shapes import LOW_RANK
from samara.solvers import SOLVERS
from samara.solvers.kernel import KERNEL_SOLVERS
from samara.speed import Speed, measured_speed
from samara.traffic import Traffic
from samara.weighing import when_low_rank_pays

EXACT = ("gram", "qr", "svd", "dual")
# Share of the speed of HᵀH that each solver's arithmetic runs at, measured at 3,000 to 50,000 rows of 300 to
# 1,000 nodes. Reflections, eigenvectors and products with a few columns wait for memory.
_SHARES = {"gram": 1.0, "qr": 0.25, "svd": 0.2, "dual": 0.4, "lsqr": 0.2, "precondition": 0.2}
_SHARES |= {"tiles": 0.7, "submodels": 0.9} | dict.fromkeys(LOW_RANK, 0.5)
_SHARES |= {"exact": 0.4, "ssvd": 0.5, "pcg": 0.3, "divide": 0.4, "leaves": 0.4, "nystroem": 0.6}
_SOLVING = {"gram": 0.36, "qr": 0.15}  # the same, of the systems of all folds and ridges


@dataclass(frozen=True)
class Described:
    """What a plan needs to know of a table, without its rows."""

    n_rows: int
    n_features: int
    n_targets: int
    is_sparse: bool = False
    sent_bytes: int = 0  # of rows in memory, which a cluster has to be sent


@dataclass(frozen=True)
class Candidate:
    """One solver for one table.

    Attributes
    ----------
    solver : str
        Its name.
    passes, most_passes : int
        Times the rows are read, the fewest and the most.
    flops, seconds : float
        Operations of the whole fit, and about how long it takes on this machine.
    peak_bytes : int
        Predicted peak of memory.
    fits : bool
        Whether the budget holds it.
    why : str
        Why it was chosen, or was not.
    chosen : bool
        Whether the fit would take it.
    """

    solver: str
    passes: int
    most_passes: int
    flops: float
    seconds: float
    peak_bytes: int
    fits: bool
    why: str
    chosen: bool = False


@dataclass(frozen=True)
class Strategies:
    """The candidates for a fit, the fastest that fits first; what `samara.plan` gives.

    Attributes
    ----------
    candidates : tuple of Candidate
        Every solver that could do it.
    table : Described
        The table they were planned for.
    memory : int or None
        The budget.
    resident : int
        What of the peaks the process holds already; 0 where only what the fit adds is counted.
    refusal : str
        Why the fit would be refused; empty where it would not.
    traffic : :class:`samara.traffic.Traffic` or None
        On a cluster what the fit would send, and the memory of a worker.
    """

    candidates: tuple[Candidate, ...]
    table: Described
    memory: int | None
    resident: int = 0
    refusal: str = ""
    traffic: Traffic | None = None

    @property
    def chosen(self) -> Candidate | None:
        """The one that the fit would take; None where it would be refused."""
        return next((candidate for candidate in self.candidates if candidate.chosen), None)

    def to_dict(self) -> dict[str, Any]:
        """Numbers, texts and lists only, for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        table = self.table
        limit = "no limit" if self.memory is None else f"limit {format_bytes(self.memory)}"
        targets = f"{table.n_targets} target{'s' * (table.n_targets > 1)}"
        head = (
            f"{table.n_rows:,} rows × {table.n_features:,} columns, {targets}; "
            f"peak of memory {of_what(self.resident)}, {limit}"
        )
        lines: list[tuple[str, ...]] = [("", "solver", "passes", "seconds", "peak", "")]
        lines += [_line(candidate) for candidate in self.candidates]
        widths = [max(len(line[j]) for line in lines) for j in range(5)]
        rows = [
            "  ".join([*map(str.ljust, line[:2], widths), *_right(line, widths), line[5]]) for line in lines
        ]
        more = [str(one) for one in (self.refusal, self.traffic) if one]
        return "\n".join([head, *(row.rstrip() for row in rows), *more])


def _right(line: tuple[str, ...], widths: list[int]) -> list[str]:
    return [text.rjust(width) for text, width in zip(line[2:5], widths[2:], strict=True)]


def _line(candidate: Candidate) -> tuple[str, ...]:
    few, most = candidate.passes, candidate.most_passes
    several = str(few) if few == most else f"{few} to {most}"
    mark = "→" if candidate.chosen else " " if candidate.fits else "×"
    short = candidate.seconds < 10
    seconds = f"{candidate.seconds:.2g}" if short else f"{candidate.seconds:,.0f}"
    return mark, candidate.solver, several, seconds, format_bytes(candidate.peak_bytes), candidate.why


def candidates(
    settings: Settings | KernelSettings, table: Described, row_seconds: float = 0.0
) -> tuple[tuple[Candidate, ...], str, Plan | None]:
    """Every solver that could do it, why the fit would be refused ("" where it would not), and its plan.

    ``row_seconds`` is what it takes to read a row from its file, once.
    """
    source, speed = cast(Source, table), measured_speed()
    kernel = isinstance(settings, KernelSettings)
    names = (*KERNEL_SOLVERS, "nystroem") if kernel else _possible(cast(Settings, settings))
    planned: Callable[[Any, Source, str | None], Plan] = _kernel_plan if kernel else _plan
    refusal, taken = "", None
    try:
        taken = planned(settings, source, None)
    except BudgetError as error:
        refusal = str(error)
    found = []
    for name in names:
        plan, fits, why = _tried(planned, settings, source, name)
        if plan is None:
            continue
        seconds = _seconds(plan, settings, table, speed) + plan.passes * table.n_rows * row_seconds
        facts = (name, plan.passes, plan.most_passes, plan.flops, seconds, plan.peak_bytes, fits, why)
        found.append(Candidate(*facts))
    chosen = taken.solver if taken else ""
    said = [_explained(one, settings, table, (chosen, taken)) for one in found]
    return tuple(sorted(said, key=lambda one: (not one.fits, one.seconds))), refusal, taken


def strategies(settings: Settings | KernelSettings, table: Described, row_seconds: float = 0.0) -> Strategies:
    """The candidates for a table under checked settings."""
    found, refusal, taken = candidates(settings, table, row_seconds)
    budget, sent = settings.budget, taken.traffic if taken else None
    return Strategies(found, table, budget.memory, budget.resident, refusal, sent)


def _possible(settings: Settings) -> list[str]:
    """The solvers that can choose what is to be chosen."""
    one_size = settings.sizes is not None and len(settings.sizes) == 1
    by_folds = settings.selector is None or settings.selector.name == "kfold"
    names = [name for name in SOLVERS if name in EXACT or one_size]
    if settings.rank != "auto":
        names = [name for name in names if name in LOW_RANK]
    zero = settings.alphas is not None and min(settings.alphas) <= 0
    names = [
        name
        for name in names
        if by_folds or name not in ("sketch", "lsqr", "precondition", "tiles", "submodels")
    ]
    names = [name for name in names if not (zero and name in ("sketch", "tiles"))]
    # Tiles are for several processes; sub-models are another model, and only for those who ask.
    asked, several = (
        settings.solver.name if settings.solver else "",
        getattr(settings.crew, "processes", 1) > 1,
    )
    return [n for n in names if n not in ("tiles", "submodels") or n == asked or (n == "tiles" and several)]


def _plan(settings: Settings, source: Source, solver: str | None) -> Plan:
    """The plan of the fit, or of the same fit by another solver."""
    if solver is not None and (settings.solver is None or settings.solver.name != solver):
        settings = replace(settings, solver=SOLVERS[solver]())
    return settings.plan(source, settings.first_sizes())


def _kernel_plan(settings: KernelSettings, source: Source, solver: str | None) -> Plan:
    """The plan of the fit, or of the same fit by another solver; of centres that of their pass."""
    if solver is not None:
        settings = replace(settings, solver=Nystroem() if solver == "nystroem" else KERNEL_SOLVERS[solver]())
    plan = settings.plan(source)
    if plan.solver != "nystroem":
        return plan
    asked = settings.of_centres(settings.kernel, settings.n_centres(source.n_rows), "rows")
    passed = asked.plan(source, asked.first_sizes())
    passed = passed if settings.metric is None else settings.metric.planned(passed)
    return replace(passed, solver="nystroem", reasons=(plan.reasons[0], *passed.reasons[1:]))


def _tried(
    planned: Callable[[Any, Source, str | None], Plan], settings: Any, source: Source, name: str
) -> tuple[Plan | None, bool, str]:
    """The plan of a solver, whether the budget holds it, and what would fit where it does not."""
    try:
        return planned(settings, source, name), True, ""
    except BudgetError as error:
        budget: Budget = replace(settings.budget, memory=None, workers=1, block_rows=SMALLEST_BLOCK)
        return planned(replace(settings, budget=budget), source, name), False, str(error)


def _seconds(plan: Plan, settings: Settings | KernelSettings, table: Described, speed: Speed) -> float:
    """About how long it takes: arithmetic, hidden nodes or kernel entries, and the rows read from memory."""
    dtype, cores, read = settings.dtype.name, settings.budget.workers, plan.passes
    solving, solved = 0.0, 0.0
    if isinstance(settings, KernelSettings):
        cells = float(table.n_rows) ** 2 * (plan.solver in ("exact", "pcg", "sketch", "ssvd", "divide")) / 2
    else:
        if plan.solver == "lsqr":
            read = min(plan.passes + TYPICAL_STEPS, plan.most_passes)
        shape = settings.shape(cast(Source, table), settings.first_sizes())
        cells = float(table.n_rows) * shape.n_hidden * max(1, read - 1)
        if plan.solver in _SOLVING:  # in float64 whatever the rows are in
            solved = flops(replace(shape, n_rows=0), plan.solver)
            solving = solved / (cores if shape.selection == "kfold" else 1) / _SOLVING[plan.solver]
            solving += 24 * float(shape.n_columns) ** 3 / 0.36 if plan.solver == "qr" else 0.0  # its SVD
    arithmetic = (plan.flops - solved) / (speed.flops[dtype] * cores * _SHARES[plan.solver])
    streamed = 8.0 * table.n_rows * table.n_features * read / speed.bandwidth
    mapped = cells / (speed.activations[dtype] * cores)
    return 0.01 + arithmetic + solving / speed.flops["float64"] + mapped + streamed


def _explained(
    one: Candidate, settings: Settings | KernelSettings, table: Described, taken: tuple[str, Plan | None]
) -> Candidate:
    """With the reason for taking it or not."""
    chosen, plan = taken
    if plan is not None and one.solver == chosen:
        return replace(one, chosen=True, why=plan.reasons[0].partition(": ")[2])
    if not one.fits:
        return one
    if settings.solver is not None:
        return replace(one, why=f"{settings.solver.name} was asked for")
    if one.solver in LOW_RANK and isinstance(settings, Settings):
        shape = settings.shape(cast(Source, table), settings.first_sizes())
        return replace(one, why=f"approximate, and pays{when_low_rank_pays(shape).rpartition('pay')[2]}")
    return replace(one, why=_REASONS[one.solver])


_REASONS = {
    "gram": "the ridge is too small for the rounding of HᵀH, or fewer rows than nodes make a smaller system",
    "qr": "as exact as gram unless the ridge is tiny; costs nearly three times as much",
    "svd": "the classical solution; keeps all rows of H",
    "dual": "keeps all rows of H; pays where they are fewer than the nodes",
    "lsqr": "for a Gram matrix that does not fit: reads the rows in every step",
    "precondition": "for a tiny ridge and many rows: reads the rows in every step",
    "tiles": "for a Gram matrix that no worker holds: its tiles stay where they are made",
    "submodels": "averages models of some nodes each: quick, and less accurate",
    "exact": "the whole kernel matrix: only up to some thousand rows",
    "pcg": "the whole system, one ridge: reads the kernel matrix in every step",
    "divide": "averages models of parts of the rows: quick, and less accurate",
    "leaves": "solves parts cut by a tree: a model of every row, with jumps between the parts",
    "nystroem": "approximates the kernel by centres: not needed where the exact solution is affordable",
    "sketch": "approximates the kernel matrix by a few directions",
    "ssvd": "inverts the kernel matrix along a few directions alone",
}
