"""Tables 3 and 4: how many columns Q needs, as a fraction of the kernels."""

from collections.abc import Iterable
from pathlib import Path
from statistics import mean
from typing import Any

from bench.harness import Target
from bench.ledger import Cell, Ledger
from bench.randomized.paper_tables import FRACTIONS, SIZES
from bench.randomized.sets import FOLDS, fold, hidden, load
from samara.linalg import ErrorStop, GradientStop, range_finder

DRAWS = {100: 10, 200: 10, 1000: 5, 2000: 2}
WITHIN, SETS_WANTED = 0.1, 11
HALF = "gradient, τ = 0.01"  # beside the paper's 0.02: see the notes in bench/README.md


def measure(name: str, folder: Path | None, kernels: int, number: int) -> Cell:
    """One draw. A stop is a function of the watched values, so one search to the error stop serves all."""
    inputs = load(name, folder)
    rows = fold(inputs.y, number, kernels)
    centres = inputs.X[rows.centres]
    found = range_finder(
        hidden(inputs.X[rows.train], centres), ErrorStop(), random_state=number, max_rank=len(centres)
    )
    counts = {"fast": found.rank}
    for label, stop in (("gradient", GradientStop()), (HALF, GradientStop(tau=0.01))):
        stopped = stop.stopped_at(found.history)
        counts[label] = found.rank if stopped is None else stopped
    return {label: round(count / len(centres), 4) for label, count in counts.items()}


def run(
    names: Iterable[str],
    ledger: Ledger,
    folder: Path | None,
    sizes: Iterable[int] = SIZES,
    most: int = FOLDS,
) -> Cell:
    """Means over the draws: {size: {set: {stop: fraction}}}."""
    names, means = list(names), {}
    for kernels in sizes:
        by_set = means[kernels] = {}
        for name in names:
            draws = [
                ledger.cell(
                    f"columns/{name}/{kernels}/{number}",
                    lambda name=name, kernels=kernels, number=number: measure(name, folder, kernels, number),
                )
                for number in range(min(most, DRAWS[kernels]))
            ]
            if done := [draw for draw in draws if draw]:
                by_set[name] = {stop: mean(draw[stop] for draw in done) for stop in done[0]}
    return means


def within(means: Cell, kernels: int, stop: str, column: str | None = None) -> int:
    """Sets whose fraction is within ±0.1 of the paper's."""
    return sum(
        abs(fractions[stop] - FRACTIONS[name][column or stop, kernels]) <= WITHIN
        for name, fractions in means[kernels].items()
    )


def targets(means: Cell) -> list[Target]:
    """At least 11 sets in each of the eight columns."""
    return [
        Target(
            f"columns, {stop} stop, {kernels} kernels: sets within {WITHIN}",
            within(means, kernels, stop) if means[kernels] else None,
            SETS_WANTED,
            at_least=True,
        )
        for kernels in means
        for stop in ("fast", "gradient")
    ]


def report(means: Cell) -> str:
    """Measured beside published, the ones that are off marked."""
    lines = ["", "columns of Q as a fraction of the kernels: measured (paper), * = more than 0.1 apart"]
    for kernels, by_set in means.items():
        lines.append(f"  {kernels} kernels")
        lines += [f"    {name:<29}{_row(name, kernels, fractions)}" for name, fractions in by_set.items()]
        if by_set:
            counts = [within(means, kernels, stop) for stop in ("fast", "gradient")]
            halved = within(means, kernels, HALF, "gradient")
            lines.append(f"    within 0.1: fast {counts[0]}, gradient {counts[1]}, with τ = 0.01 {halved}")
    return "\n".join(lines)


def _row(name: str, kernels: int, fractions: dict[str, Any]) -> str:
    cells = []
    for stop, column in (("fast", "fast"), ("gradient", "gradient"), (HALF, "gradient")):
        paper = FRACTIONS[name][column, kernels]
        mark = "*" if abs(fractions[stop] - paper) > WITHIN else " "
        cells.append(f"{stop} {fractions[stop]:.3f} ({paper:.3f}){mark}")
    return "  ".join(cells)
