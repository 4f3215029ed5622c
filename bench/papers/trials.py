"""What several papers do: fit a classifier in many trials, give the rate on new rows, compare times."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, median, pstdev
from typing import Any

import numpy as np

from bench.ledger import Cell
from bench.papers.splits import Split
from bench.papers.tables import Figure, standard_error

ROUNDS = 3  # of which the median time is taken


def rates(model: Any, split: Split) -> Cell:
    """Per cent that a classifier has right of new rows, and of those it learned from."""
    X, X_test, y, y_test = split
    model.fit(X, y)
    return {
        "rate": round(100 * float(np.mean(model.predict(X_test) == y_test)), 3),
        "training_rate": round(100 * float(np.mean(model.predict(X) == y)), 3),
    }


def averaged(numbers: Sequence[float]) -> dict[str, Any]:
    """Mean and deviation over the trials, as a Figure takes them."""
    if not numbers:
        return {"ours": None}
    return {"ours": mean(numbers), "deviation": pstdev(numbers), "repeats": len(numbers)}


def rate_figure(
    place: tuple[str, str],
    printed: tuple[float | None, float],
    numbers: Sequence[float],
    test_rows: int,
    **more: Any,
) -> Figure:
    """A testing rate beside the paper's and its deviation; what few test rows leave open is no difference."""
    row, column = place
    paper, deviation = printed
    near = paper if paper is not None else mean(numbers or [0.0])
    shown = {"paper": paper, "paper_deviation": deviation, "rounding": standard_error(near, test_rows)}
    return Figure(row=row, column=column, **shown, **averaged(numbers), **more)


def interleaved(fits: Mapping[str, Callable[[], Any]], once: bool = False) -> Cell:
    """Seconds of each, the median of some rounds in turn, or of one; a first round is not counted."""
    rounds = 1 if once else ROUNDS
    taken: dict[str, list[float]] = {name: [] for name in fits}
    for number in range(rounds + 1):
        for name, fit in fits.items():
            started = time.perf_counter()
            fit()
            if number:
                taken[name].append(time.perf_counter() - started)
    return {name: round(median(seconds), 4) for name, seconds in taken.items()}


def faster_figure(
    place: tuple[str, str], paper: float, cell: Cell | None, sides: tuple[str, str], **more: Any
) -> Figure:
    """How many times faster the second of two is than the first, each pair timed on one machine."""
    slow, fast = sides
    row, column = place
    ours = cell[slow] / cell[fast] if cell else None
    return Figure(
        row=row,
        column=column,
        paper=round(paper, 2),
        ours=ours,
        unit="×",
        rounding=0.005,
        counts=False,
        repeats=ROUNDS if cell else 0,
        **more,
    )
