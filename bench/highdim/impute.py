"""Gaps: a fifth of the entries of real tables removed, and how far each imputer is from them."""

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from bench.duels import Outcome
from bench.harness import Target
from bench.highdim.tables import made_up, numbers
from bench.ledger import Cell, Ledger

SETS = ("satimage", "optdigits", "waveform", "cpu_act", "pendigits")
GONE = 0.2
MOST_ROWS = 10_000  # KNNImputer takes the square of them
FASTER, NO_WORSE, BETTER_SETS = 10.0, 1.0, 3.0
PEERS = ("KNNImputer", "IterativeImputer")


def contenders() -> dict[str, Callable[[], Any]]:
    """Who is measured, with the settings they come with."""
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401  # as scikit-learn wants it
    from sklearn.impute import IterativeImputer, KNNImputer

    from samara import LowRankImputer

    return {
        "LowRankImputer": lambda: LowRankImputer(random_state=0),
        "KNNImputer": KNNImputer,
        "IterativeImputer": lambda: IterativeImputer(random_state=0),
    }


def standardised(X: np.ndarray) -> np.ndarray:
    """Columns that vary, each with mean 0 and deviation 1, of some rows in random order."""
    X = X[np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]].astype(np.float64)
    X = X[:, X.std(axis=0) > 0]
    return (X - X.mean(axis=0)) / X.std(axis=0)


def measured(X: np.ndarray, make: Callable[[], Any], rounds: int) -> Cell:
    """Root mean square error on what was removed, in deviations, and the least seconds of fit_transform."""
    gone = np.random.default_rng(1).random(X.shape) < GONE
    rows = np.where(gone, np.nan, X)
    seconds = []
    for _ in range(rounds):
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore"
            )  # of IterativeImputer, which says that its ten rounds were too few
            started = time.perf_counter()
            made = make().fit_transform(rows)
            seconds.append(time.perf_counter() - started)
    error = float(np.sqrt(np.mean((made - X)[gone] ** 2)))
    return {"error": round(error, 5), "seconds": round(min(seconds), 4)}


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """All sets, all contenders."""
    cells: Cell = {}
    for name in ("made up",) if chosen.quick else SETS:
        X = made_up(1500, 20, 6) if chosen.quick else numbers(name, chosen.data)
        if X is None:
            cells[name] = {"missing": f"{name} is not in the folder of data sets"}
            continue
        X, cells[name] = standardised(X), {}
        for who, make in contenders().items():
            rounds = chosen.rounds or (1 if chosen.quick or who == "KNNImputer" else 3)
            key = f"impute/{name}/{who}"
            cell = ledger.cell(key, lambda X=X, make=make, rounds=rounds: measured(X, make, rounds))
            cells[name][who] = cell or {}
    return cells, report(cells), targets(cells)


def against(cell: Cell, peer: str, figure: str) -> float | None:
    """Our figure, as a share of a peer's."""
    ours, theirs = cell.get("LowRankImputer", {}).get(figure), cell.get(peer, {}).get(figure)
    return ours / theirs if ours and theirs else None


def targets(cells: Cell) -> list[Target]:
    """No worse than neighbours anywhere, than regressions on three sets, and ten times faster than both."""
    made = [
        Target(f"{n}: error / KNNImputer's", against(c, PEERS[0], "error"), NO_WORSE)
        for n, c in cells.items()
    ]
    errors = [against(cell, PEERS[1], "error") for cell in cells.values()]
    known = [one for one in errors if one is not None]
    better = float(sum(one <= 1 for one in known)) if known else None
    made.append(
        Target("sets no worse than IterativeImputer", better, min(BETTER_SETS, len(cells)), at_least=True)
    )
    for name, cell in cells.items():
        for peer in PEERS:
            share = against(cell, peer, "seconds")
            faster = None if share is None else 1 / share
            made.append(Target(f"{name}: times faster than {peer}", faster, FASTER, at_least=True))
    return made


def report(cells: Cell) -> str:
    """Errors and seconds."""
    lines = ["", f"Gaps: {GONE:.0%} of the entries removed, error in standard deviations"]
    for name, cell in cells.items():
        if "missing" in cell:
            lines.append(f"  {name:<11}{cell['missing']}")
            continue
        for who, one in cell.items():
            shown = f"{one['error']:9.4f}{one['seconds']:10.3f} s" if one else "  not yet measured"
            lines.append(f"  {name:<11}{who:<18}{shown}")
    return "\n".join(lines)
