"""What the cells say of AutoELM: ranks, where it is worse, probabilities, intervals, time; its promises."""

from collections.abc import Mapping
from statistics import fmean, median
from typing import Any

from bench.accuracy.methods import BOOSTED, METHODS, OURS, RANKED, TUNED
from bench.accuracy.scores import COVERAGE
from bench.contest.results import Results, matrices, measured, ranking, results_of
from bench.harness import Target
from bench.ledger import Cell

TASKS = ("regression", "classification")
WORSE = 1.1  # times LightGBM's error
WORSE_SHARE = 0.2
POINTS = 2.0


def findings_of(cells: Mapping[str, Cell]) -> Cell:
    """Everything that the page and the promises need beside the cells."""
    abouts, results = results_of(cells, METHODS)
    by_task = {
        task: {name: one for name, one in results.items() if abouts[name]["task"] == task} for task in TASKS
    }
    return {
        "sets": {task: len(by_task[task]) for task in TASKS},
        "ranks": {task: ranking(*matrices(by_task[task], RANKED)[:3]) for task in TASKS},
        "ratios": ratios(results),
        "probabilities": {
            figure: means_of(by_task["classification"], figure)
            for figure in ("calibration_error", "log_loss")
        },
        "coverage": {
            name: fmean(one[OURS]["coverage"])
            for name, one in by_task["regression"].items()
            if "coverage" in one.get(OURS, {})
        },
        "seconds": seconds_of(results),
        "costs": {name: costs_of(results, name) for name in METHODS},
    }


def ratios(results: Results) -> dict[str, float | None]:
    """AutoELM's error by LightGBM's, set by set; None where LightGBM's alone is 0."""
    made: dict[str, float | None] = {}
    for name, cells in results.items():
        ours, theirs = cells.get(OURS), cells.get(BOOSTED)
        if ours and theirs and measured(ours) and measured(theirs):
            above, below = fmean(ours["errors"]), fmean(theirs["errors"])
            made[name] = above / below if below else 1.0 if above == 0 else None
    return made


def worse(found: Mapping[str, float | None]) -> list[str]:
    """Sets where AutoELM is more than a tenth worse."""
    return [name for name, ratio in found.items() if ratio is None or ratio > WORSE]


def means_of(results: Results, figure: str) -> dict[str, float]:
    """Means over the sets that all methods with such a figure have."""
    tried = [name for name in METHODS if any(figure in cells.get(name, {}) for cells in results.values())]
    sets = [cells for cells in results.values() if all(figure in cells.get(name, {}) for name in tried)]
    if not sets:
        return {}
    return {name: fmean(fmean(cells[name][figure]) for cells in sets) for name in tried}


def seconds_of(results: Results) -> dict[str, float]:
    """Sums over the sets that both have: fits of the first split, and all trials of the tuning."""
    names = (OURS, BOOSTED, TUNED)
    both = [cells for cells in results.values() if all(measured(cells.get(name)) for name in names)]
    if not both:
        return {}
    made = {name: sum(cells[name]["fit"][0] for cells in both) for name in (OURS, BOOSTED)}
    return {**made, TUNED: sum(cells[TUNED]["whole_seconds"][0] for cells in both)}


def costs_of(results: Results, method: str) -> dict[str, Any]:
    """Medians over the sets: seconds to fit and to predict, and the peak."""
    there = [cells[method] for cells in results.values() if measured(cells.get(method))]
    if not there:
        return {}
    return {
        "sets": len(there),
        "fit": median(median(cell["fit"]) for cell in there),
        "predict": median(median(cell["predict"]) for cell in there),
        "peak_mb": median(cell["peak_mb"] for cell in there),
    }


def targets_of(findings: Cell) -> list[Target]:
    """The promises of AutoELM."""
    regression, classes = (findings["ranks"][task].get("mean_ranks", {}) for task in TASKS)
    others = [rank for name, rank in regression.items() if name != OURS]
    found, seconds, coverage = findings["ratios"], findings["seconds"], findings["coverage"]
    error = findings["probabilities"]["calibration_error"]
    furthest = max((abs(share - COVERAGE) for share in coverage.values()), default=None)
    return [
        Target(
            "regression: mean rank by the best of the others'",
            by(regression.get(OURS), min(others, default=None)),
            1,
        ),
        Target("classes: mean rank by LightGBM's", by(classes.get(OURS), classes.get(BOOSTED)), 1),
        Target("time by that of tuning LightGBM", by(seconds.get(OURS), seconds.get(TUNED)), 1),
        Target(
            f"share of sets with {WORSE:g} times LightGBM's error and more",
            len(worse(found)) / len(found) if found else None,
            WORSE_SHARE,
        ),
        Target("calibration error by LightGBM's", by(error.get(OURS), error.get(BOOSTED)), 1),
        Target(
            f"coverage: furthest from {COVERAGE:.0%}, in points",
            None if furthest is None else 100 * furthest,
            POINTS,
        ),
    ]


def by(ours: float | None, theirs: float | None) -> float | None:
    """The ratio of two figures that may be missing."""
    return None if ours is None or not theirs else ours / theirs
