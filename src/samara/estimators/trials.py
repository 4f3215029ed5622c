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
from samara.estimators.kernel import BaseKernelELM
from samara.estimators.kernel_settings import SOLVER_NAMES
from samara.estimators.scores import evaluate
from samara.estimators.tables import stream_of
from samara.kernel_settings import KernelSettings
from samara.plan import Plan
from samara.resident import peak_resident_bytes, reset_peak
from samara.solvers import SOLVERS
from samara.sources import Scan

MOST_WORK = 50  # times that of the cheapest solver: more is hours where another takes minutes


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
        Makes an unfitted estimator of the solver named; may refuse with `InputError`.
    table, test : scan
        Rows to fit, and rows to score or None.

    Yields
    ------
    Trial
        One for every solver, those that were not tried first.
    """
    plans = {}
    for name, plan in solver_plans(make, table).items():
        if isinstance(plan, Plan):
            plans[name] = plan
        else:
            yield Trial(name, why_not=plan)
    least = min((plan.flops for plan in plans.values()), default=0.0)
    for name, plan in plans.items():
        if plan.flops > MOST_WORK * least:
            yield Trial(name, why_not=f"{plan.flops / least:,.0f} times the work of the cheapest")
            continue
        try:
            yield _tried(name, make(name), table, test)
        except (BudgetError, InputError) as error:  # what only the rows tell
            yield Trial(name, why_not=str(error))


def solver_plans(make: Callable[[str], Any], table: Scan) -> dict[str, Plan | str]:
    """How every solver would run, or why it can't; no row is read."""
    plans: dict[str, Plan | str] = {}
    for name in SOLVER_NAMES if isinstance(make("auto"), BaseKernelELM) else tuple(SOLVERS):
        try:
            plans[name] = planned(make(name), table)
        except (BudgetError, InputError) as error:
            plans[name] = str(error)
    return plans


def planned(estimator: Any, table: Scan) -> Plan:
    """How a fit would run; refuses what can't be done or kept, before a row is read."""
    settings, rows = estimator._settings(), stream_of(table)
    if isinstance(settings, KernelSettings):
        plan = settings.plan(rows)
    else:
        settings.refuse(rows)
        plan = settings.plan(rows, settings.first_sizes())
    free = _free_bytes()
    if plan.memory is None and plan.peak_bytes > free:
        raise BudgetError(f"it needs {format_bytes(plan.peak_bytes)}, and {format_bytes(free)} are free.")
    return plan


def _free_bytes() -> float:
    """Memory that nobody uses, as far as the system tells."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):  # not told everywhere
        return math.inf


def _tried(name: str, estimator: Any, table: Scan, test: Scan | None) -> Trial:
    reset_peak()
    began = time.perf_counter()
    estimator.fit(table)
    seconds, peak = time.perf_counter() - began, peak_resident_bytes() or 0
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
