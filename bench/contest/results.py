"""What the cells of a comparison hold: by set and method, as matrices, and ranked."""

from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, stdev

import numpy as np

from bench.ledger import Cell
from bench.statistics import critical_difference, friedman, ranks

Results = dict[str, dict[str, Cell]]  # set -> method -> cell


def results_of(cells: Mapping[str, Cell], methods: Collection[str]) -> tuple[dict[str, Cell], Results]:
    """What is known of each set, and its methods' cells; sets without a single result are left out."""
    abouts: dict[str, Cell] = {}
    results: Results = {}
    for key, cell in cells.items():
        kind, _, rest = key.partition("/")
        name, _, method = rest.rpartition("/")
        if kind == "sets" and method == "about":
            abouts[name] = cell
        elif kind == "sets" and method in methods:
            results.setdefault(name, {})[method] = cell
    return {name: abouts[name] for name in results}, results


def measured(cell: Cell | None) -> bool:
    """Whether it ended in time, with predictions."""
    return cell is not None and "errors" in cell


def deviation(cell: Cell) -> float:
    """Of the error over the splits; 0 where there is one."""
    return stdev(cell["errors"]) if len(cell["errors"]) > 1 else 0.0


def matrices(
    results: Results, methods: Collection[str]
) -> tuple[list[str], list[str], np.ndarray, np.ndarray]:
    """Sets, methods, mean errors and deviations; only sets that every method with a result was tried on."""
    tried = [name for name in methods if any(measured(cells.get(name)) for cells in results.values())]
    sets = [name for name, cells in results.items() if all(method in cells for method in tried)]
    errors = np.full((len(sets), len(tried)), np.nan)
    deviations = np.zeros(errors.shape)
    for row, name in enumerate(sets):
        for column, method in enumerate(tried):
            cell = results[name][method]
            if measured(cell):
                errors[row, column], deviations[row, column] = fmean(cell["errors"]), deviation(cell)
    return sets, tried, errors, deviations


def ranking(sets: Sequence[str], methods: Sequence[str], errors: np.ndarray) -> Cell:
    """Mean ranks, Friedman's test and the critical difference; nothing of one set or two methods."""
    if len(sets) < 2 or len(methods) < 3:
        return {}
    statistic, p = friedman(errors)
    return {
        "sets": len(sets),
        "mean_ranks": dict(zip(methods, ranks(errors).mean(axis=0).round(3).tolist(), strict=True)),
        "friedman": {"statistic": statistic, "p": p},
        "critical_difference": critical_difference(len(methods), len(sets)),
    }
