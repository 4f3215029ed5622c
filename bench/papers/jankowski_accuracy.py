"""Tables 7 and 8: accuracy of the network of Algorithm 5, by either stop and by the full SVD."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np

from bench.ledger import Cell
from bench.papers.jankowski_ranks import ranks, standings
from bench.papers.jankowski_sets import FOLDS, REPETITIONS, asked, cell_name, fold, hidden, load, missing
from bench.papers.jankowski_tables import METHODS, SHAPES, Column, Printed, Summary
from bench.papers.running import Run
from bench.papers.tables import Figure

UNCUT = "svd, uncut"
# Equation (12) inverts what is "not 0" and does not say from where on. With all that is above rounding, the
# square H of cardiotocography (1913 rows, 1913 kernels) classifies 26 % right; the paper has 83. Singular
# values below a millionth of the largest dropped, its SVD columns come out.
CUT = 1e-6
WORK = 3e11  # rows × kernels² over all folds of a cell: what does not fit gets fewer folds, at least two
ONCE = 1000  # kernels from which on the ten folds are run once
COUNTED: dict[str, Any] = {"unit": "", "better": "same", "counts": False}

Tested = dict[Column, list[float]]  # by method and kernels: per cent of each fold


def folds(run: Run, name: str, kernels: int) -> int:
    """Of the 10 × 10 folds, how many are run."""
    rows = SHAPES[name][1]
    if kernels < ONCE:
        return run.repeats(FOLDS * REPETITIONS, rows)
    return run.repeats(int(np.clip(round(WORK / (rows * kernels**2)), 2, FOLDS)))


def stop_weights(H: np.ndarray, Y: np.ndarray, number: int) -> dict[str, np.ndarray]:
    """Algorithm 5 with either stop, and with no more columns than kernels."""
    from samara.linalg import ErrorStop, GradientStop, pinv

    return {
        label: pinv(H, stop, random_state=number, max_rank=H.shape[1] - 1) @ Y
        for label, stop in (("fast", ErrorStop()), ("gradient", GradientStop()))
    }


def svd_weights(H: np.ndarray, Y: np.ndarray) -> dict[str, np.ndarray]:
    """A⁺Y by the full SVD, equation (12), with and without the small singular values."""
    U, s, Vt = np.linalg.svd(H, full_matrices=False)
    cuts = {"svd": CUT, UNCUT: max(H.shape) * np.finfo(s.dtype).eps}
    kept = {label: np.count_nonzero(s > cut * s[0]) for label, cut in cuts.items()}
    outputs = (U.T @ Y) / s[:, None]
    return {label: Vt[:count].T @ outputs[:count] for label, count in kept.items()}


def measure(name: str, folder: Path | None, kernels: int, number: int) -> Cell:
    """Per cent of the fold's test rows whose largest output is their class."""
    inputs = load(name, folder)
    rows = fold(inputs.y, number, kernels)
    centres = inputs.X[rows.centres]
    H, Y = hidden(inputs.X[rows.train], centres), inputs.targets[rows.train]
    H_test, y_test = hidden(inputs.X[rows.test], centres), inputs.y[rows.test]
    weights = {**stop_weights(H, Y, number), **svd_weights(H, Y)}
    return {
        method: round(100 * float(np.mean(np.argmax(H_test @ W, axis=1) == y_test)), 3)
        for method, W in weights.items()
    }


def tested(run: Run, name: str, columns: Sequence[Column]) -> Tested:
    """The accuracies of every fold there was time for."""
    made: Tested = {column: [] for column in columns}
    for kernels in sorted({size for _, size in columns}):
        if not asked(run, name, kernels):
            continue
        cells = run.cells(
            f"accuracy/{cell_name(name)}/{kernels}",
            folds(run, name, kernels),
            lambda number, kernels=kernels: measure(name, run.data, kernels, number),
        )
        for method in METHODS:
            made[method, kernels] = [cell[method] for cell in cells]
    return made


def label(column: Column) -> str:
    """As the paper calls it."""
    return f"{METHODS[column[0]]}-{column[1]}"


def figures(
    run: Run, printed: Mapping[str, Mapping[Column, Printed]], summary: Mapping[Column, Summary]
) -> list[Figure]:
    """Accuracies and ranks set by set, then the three last rows, over the sets that were measured."""
    made, ranked = list[Figure](), list[Mapping[str, int]]()
    for name, row in printed.items():
        found = tested(run, name, list(row))
        standing = ranked_folds(found)
        if standing:
            ranked.append(standing)
        for column, paper in row.items():
            made += _pair(name, column, paper, found[column], standing)
    made = [replace(figure, missing=missing(run, figure.row)) for figure in made]
    return [*made, *_summaries(made, ranked, summary, len(printed))]


def ranked_folds(found: Tested) -> dict[str, int]:
    """The ranks on the folds that every machine was tested on; nothing where one was not tested."""
    shared = min(map(len, found.values()))
    return ranks({label(column): values[:shared] for column, values in found.items()}) if shared else {}


def _pair(
    name: str, column: Column, paper: Printed, values: list[float], standing: Mapping[str, int]
) -> list[Figure]:
    """Accuracy and rank of one machine on one set."""
    shown = label(column)
    accuracy = Figure(
        row=name,
        column=shown,
        paper=paper.value,
        paper_deviation=paper.deviation,
        ours=mean(values) if values else None,
        deviation=stdev(values) if len(values) > 1 else 0.0,
        rounding=0.05,
        repeats=len(values),
    )
    return [accuracy, _count(name, f"{shown}, rank", paper.rank, standing.get(shown), len(values))]


def _count(row: str, column: str, paper: float, ours: float | None, repeats: int) -> Figure:
    return Figure(row=row, column=column, paper=paper, ours=ours, rounding=0.5, repeats=repeats, **COUNTED)


def _summaries(
    made: Sequence[Figure], ranked: Sequence[Mapping[str, int]], summary: Mapping[Column, Summary], sets: int
) -> list[Figure]:
    """Only where all sets were measured: means over fewer are of something else."""
    complete = len(ranked) == sets
    standing, last = standings(ranked) if complete else {}, list[Figure]()
    for column, paper in summary.items():
        shown = label(column)
        own = [figure for figure in made if figure.column == shown]
        fewest = min(figure.repeats for figure in own)
        last.append(
            Figure(
                row="mean accuracy",
                column=shown,
                paper=paper.accuracy.value,
                paper_deviation=paper.accuracy.deviation,
                ours=mean(figure.ours or 0.0 for figure in own) if complete else None,
                deviation=mean(figure.deviation for figure in own) if complete else 0.0,
                rounding=0.05,
                repeats=fewest,
            )
        )
        one = standing.get(shown)
        last += [
            Figure(
                row="mean rank",
                column=shown,
                paper=paper.rank.value,
                paper_deviation=paper.rank.deviation,
                ours=one and one.rank,
                deviation=one.deviation if one else 0.0,
                rounding=0.005,
                repeats=fewest,
                **COUNTED,
            ),
            _count("wins", shown, paper.wins, one and one.wins, fewest),
            _count("unique wins", shown, paper.unique, one and one.unique, fewest),
        ]
    return last
