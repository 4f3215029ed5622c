"""Tables 3 and 4: how many columns Q needs, as a fraction of the kernels."""

from collections.abc import Mapping
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from bench.ledger import Cell
from bench.papers.jankowski_sets import asked, cell_name, fold, hidden, load, missing
from bench.papers.jankowski_tables import METHODS, Column, Printed
from bench.papers.running import Run
from bench.papers.tables import Figure

DRAWS = {100: 10, 200: 10, 1000: 5, 2000: 2}
HALF = "gradient, τ = 0.01"  # beside the paper's 0.02
OF_KERNELS: dict[str, Any] = {"unit": "of the kernels", "better": "same", "rounding": 0.0005, "counts": False}


def measure(name: str, folder: Path | None, kernels: int, number: int) -> Cell:
    """One draw. A stop is a function of the watched values, so one search to the error stop serves all."""
    from samara.linalg import ErrorStop, GradientStop, range_finder

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


def draws(run: Run, name: str, kernels: int) -> list[Cell]:
    """The fractions of every draw there was time for."""
    if not asked(run, name, kernels):
        return []
    return run.cells(
        f"columns/{cell_name(name)}/{kernels}",
        run.repeats(DRAWS[kernels]),
        lambda number: measure(name, run.data, kernels, number),
    )


def shown(method: str, kernels: int) -> str:
    """A column as the paper calls it; with our τ behind it."""
    stop, *tau = method.split(", ")
    return ", ".join([f"{METHODS[stop]}-{kernels}", *tau])


def figures(run: Run, printed: Mapping[str, Mapping[Column, Printed]]) -> list[Figure]:
    """Set by set, and the mean over all sets once every set is there."""
    made: list[Figure] = []
    kernels = sorted({size for _, size in next(iter(printed.values()))})
    for size in kernels:
        of_size: list[Figure] = []
        for name in printed:
            if name != "mean":
                of_size += _row(run, name, size, printed[name])
        made += [*of_size, *_means(of_size, size, printed["mean"])]
    return made


def _row(run: Run, name: str, kernels: int, printed: Mapping[Column, Printed]) -> list[Figure]:
    done = draws(run, name, kernels)
    return [
        Figure(
            row=name,
            column=shown(method, kernels),
            paper=printed[method.split(",")[0], kernels].value,
            paper_deviation=printed[method.split(",")[0], kernels].deviation,
            ours=mean(values) if values else None,
            deviation=stdev(values) if len(values) > 1 else 0.0,
            repeats=len(values),
            missing=missing(run, name),
            **OF_KERNELS,
        )
        for method in ("fast", "gradient", HALF)
        for values in [[one[method] for one in done]]
    ]


def _means(of_size: list[Figure], kernels: int, printed: Mapping[Column, Printed]) -> list[Figure]:
    made = []
    for method in ("fast", "gradient", HALF):
        column, paper = shown(method, kernels), printed[method.split(",")[0], kernels]
        ours = [figure for figure in of_size if figure.column == column]
        complete = all(figure.ours is not None for figure in ours)
        made.append(
            Figure(
                row="mean",
                column=column,
                paper=paper.value,
                paper_deviation=paper.deviation,
                ours=mean(figure.ours or 0.0 for figure in ours) if complete else None,
                deviation=mean(figure.deviation for figure in ours) if complete else 0.0,
                repeats=min(figure.repeats for figure in ours),
                **OF_KERNELS,
            )
        )
    return made
