"""Liu et al.'s Tables 4 to 8 and Fig. 2: ELM, SRELM and two-stage ELM on 30 random splits.

Ridges and numbers of nodes are chosen by Samara from the training rows, inside the time that is measured; the
paper took the best of a grid, outside of it. ``pie32`` is JPEG-coded: its pixels are off by 3.6 grey levels.
"""

import argparse
import time
from functools import lru_cache
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import numpy as np

from bench.duels import Outcome
from bench.harness import Target
from bench.highdim.liu_tables import (
    PIE_RATES,
    PIE_SECONDS,
    RATES,
    SECONDS,
    SPLITS,
    YALE_SIZES,
)
from bench.kernel.data import missing
from bench.ledger import Cell, Ledger
from bench.papers.splits import Split

MODELS = ("elm", "srelm", "tselm")
WIDE = 3000  # columns from which on both stages have to be faster than one
QUICK = ("iris/half", "ionosphere/half", "tox171/half")
EXTRA = ("arcene/half",)  # not in the paper: 200 rows of 10,000 columns

PUBLISHED = {
    **{f"{name}/half": (rates, SECONDS.get(name)) for name, rates in RATES.items()},
    **{f"pie32/{size}": (PIE_RATES[size], PIE_SECONDS[size]) for size in PIE_RATES},
    **{f"yaleb32/{size}": (None, None) for size in YALE_SIZES},
    **dict.fromkeys(EXTRA, (None, None)),
}


@lru_cache(maxsize=1)
def rows_of(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """All labelled rows of a set, and their classes."""
    import pyarrow.parquet as pq

    table = pq.read_table(folder / f"{name}.parquet")
    inputs = [column for column in table.column_names if column not in ("target", "split")]
    X = np.column_stack([table[column].to_numpy() for column in inputs]).astype(np.float64)
    y = np.unique(table["target"].to_numpy(zero_copy_only=False), return_inverse=True)[1]
    if name == "satimage":
        X, y = X[y < 2], y[y < 2]
    return X, y


def split(case: str, folder: Path, seed: int) -> Split:
    """Half of the rows, or so many of each class; the rest to test on."""
    name, size = case.split("/")
    X, y = rows_of(name, folder)
    order = np.random.default_rng(seed).permutation(len(y))
    if size == "half":
        train = order[: len(y) // 2]
    else:
        train = np.concatenate([order[y[order] == one][: int(size)] for one in np.unique(y)])
    test = np.setdiff1d(order, train)
    return X[train], X[test], y[train], y[test]


def model_of(name: str, seed: int) -> Any:
    """Ridge and number of nodes are found by the fit."""
    from sklearn.pipeline import make_pipeline

    from samara import ELMClassifier, SpectralRegression, TwoStageELMClassifier

    if name == "tselm":
        return TwoStageELMClassifier(n_hidden="auto", random_state=seed)
    plain = ELMClassifier("auto", random_state=seed)
    return plain if name == "elm" else make_pipeline(SpectralRegression(), plain)


def measured(case: str, folder: Path, seed: int) -> Cell:
    """Rate in per cent and seconds to train, of each model on one split."""
    X, X_test, y, y_test = split(case, folder, seed)
    cell: Cell = {}
    for name in MODELS:
        model = model_of(name, seed)
        started = time.perf_counter()
        model.fit(X, y)
        cell[f"{name}_seconds"] = round(time.perf_counter() - started, 4)
        cell[name] = round(100 * float(np.mean(model.predict(X_test) == y_test)), 3)
        if name == "tselm":
            cell["embedding"] = model.embedding_
    return cell


def figures(case: str, ledger: Ledger, chosen: argparse.Namespace) -> Cell:
    """Means over the splits that were measured."""
    cells = []
    for seed in range(2 if chosen.quick else SPLITS):
        cell = ledger.cell(f"liu/{case}/{seed}", lambda seed=seed: measured(case, chosen.data, seed))
        if cell is None:
            break
        cells.append(cell)
    if not cells:
        return {}
    made: Cell = {"splits": len(cells), "columns": rows_of(case.split("/")[0], chosen.data)[0].shape[1]}
    for name in MODELS:
        rates = [cell[name] for cell in cells]
        made[name] = round(mean(rates), 2)
        made[f"{name}_deviation"] = round(stdev(rates), 2) if len(rates) > 1 else 0.0
        made[f"{name}_seconds"] = round(median(cell[f"{name}_seconds"] for cell in cells), 4)
    ratios = [cell["tselm_seconds"] / cell["elm_seconds"] for cell in cells]
    made["ratio"] = round(median(ratios), 3)
    return made


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Every set and size."""
    cells: Cell = {}
    for case in QUICK if chosen.quick else PUBLISHED:
        why = missing(case.split("/")[0], chosen.data)
        cells[case] = {"missing": why} if why else figures(case, ledger, chosen)
    return cells, report(cells), targets(cells)


def targets(cells: Cell) -> list[Target]:
    """No rate below the paper's two stages; less time than one stage where columns are many."""
    made = []
    for case, one in cells.items():
        rates, _ = PUBLISHED[case]
        if rates is not None:
            made.append(Target(f"{case}: two-stage rate, %", one.get("tselm"), rates[2][0], at_least=True))
        if one.get("columns", 0) > WIDE:
            made.append(Target(f"{case}: seconds of two stages to one", one.get("ratio"), 1.0))
    return made


def report(cells: Cell) -> str:
    """Measured beside published."""
    lines = ["", "Liu et al., Tables 4 to 8: rates in per cent, seconds to train (here with all choices)"]
    lines.append(
        f"  {'set':<16}" + "".join(f"{name:>9}{'paper':>7}{'sec':>8}{'paper':>7}" for name in MODELS)
    )
    for case, one in cells.items():
        if "elm" not in one:
            lines.append(f"  {case:<16}{one.get('missing', 'not yet measured')}")
            continue
        rates, seconds = PUBLISHED[case]
        line = f"  {case:<16}"
        for place, name in enumerate(MODELS):
            paper = f"{rates[place][0]:.1f}" if rates else "–"
            took = f"{seconds[place]:.2f}" if seconds else "–"
            line += f"{one[name]:9.2f}{paper:>7}{one[f'{name}_seconds']:8.3f}{took:>7}"
        lines.append(line)
    return "\n".join(lines)
