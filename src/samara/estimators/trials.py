"""The same model by every solver that can fit it: what each gives, and what it costs."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from samara.costs import format_bytes
from samara.errors import BudgetError, InputError
from samara.estimators.planning import plan
from samara.estimators.scores import evaluate
from samara.resident import peak_resident_bytes, reset_peak
from samara.sources.scanned import Scan
from samara.strategies import Candidate, Strategies

MOST_TIME = 50  # times that of the fastest solver: more is hours where another takes minutes


@dataclass(frozen=True)
class Trial:
    """What a solver gave, or why it was not tried."""

    solver: str
    seconds: float = 0.0
    peak_bytes: int = 0
    error: float = 0.0
    why_not: str = ""


def run_trials(make: Callable[[str], Any], table: Scan, test: Scan | None) -> Iterator[Trial]:
    """Fit a table by every solver that fits the budget, one after the other.

    The error is the root mean squared error, or the share of rows whose class is wrong, on the test rows;
    without these, the held-out squared error of the model chosen, of whose numbers the root is taken.

    Parameters
    ----------
    make : callable
        Makes an unfitted estimator of the solver named.
    table, test : scan
        Rows to fit, and rows to score or None.

    Yields
    ------
    Trial
        One for every solver, the one that should be fastest first.
    """
    found = plan(make("auto"), table)
    for one in found.candidates:
        why_not = _why_not(one, found)
        if why_not:
            yield Trial(one.solver, why_not=why_not)
            continue
        try:
            yield _tried(make(one.solver), one.solver, table, test)
        except (BudgetError, InputError) as error:  # what only the rows tell
            yield Trial(one.solver, why_not=str(error))


def _why_not(one: Candidate, found: Strategies) -> str:
    """Why a solver is not tried; empty where it is."""
    if not one.fits:
        return one.why
    free = _free_bytes() + found.resident
    if found.memory is None and one.peak_bytes > free:
        return f"it needs {format_bytes(one.peak_bytes)}, and {format_bytes(int(free))} are free."
    times = one.seconds / min(other.seconds for other in found.candidates if other.fits)
    return f"it would take about {times:,.0f} times as long as the fastest." if times > MOST_TIME else ""


def _free_bytes() -> float:
    """Memory that nobody uses, as far as the system tells."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # not told everywhere
        return math.inf


def _tried(estimator: Any, name: str, table: Scan, test: Scan | None) -> Trial:
    workers = estimator.engine if hasattr(estimator.engine, "peak_bytes") else None
    (reset_peak if workers is None else workers.reset_peak)()
    began = time.perf_counter()
    estimator.fit(table)
    seconds = time.perf_counter() - began
    peak = (peak_resident_bytes if workers is None else workers.peak_bytes)() or 0
    return Trial(name, seconds, peak, _error(estimator, test))


def _error(estimator: Any, test: Scan | None) -> float:
    classes = hasattr(estimator, "classes_")
    if test is not None:
        scores = evaluate(estimator, test)
        return 1 - scores["accuracy"] if classes else scores["rmse"]
    if estimator.selection_ is None:
        raise InputError("With one ridge and one size nothing is held out: give --test rows to score on.")
    held_out = float(estimator.selection_.best_score)
    return held_out if classes else float(held_out**0.5)
