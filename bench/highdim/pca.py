"""Components: AdaptivePCA against scikit-learn's PCA, the same number of them, and what each leaves."""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np

from bench.duels import Outcome
from bench.harness import Target
from bench.highdim.tables import made_up, numbers
from bench.ledger import Cell, Ledger

SETS = ("mnist", "pie32")
COMPONENTS = 50
ROUNDS = 3
FASTER_THAN_FULL, FASTER_THAN_RANDOMIZED, SAME_ERROR = 5.0, 1.0, 1e-6


def contenders() -> dict[str, Callable[[], Any]]:
    """Who is measured, made anew each time."""
    from sklearn.decomposition import PCA

    from samara import AdaptivePCA

    return {
        "samara": lambda: AdaptivePCA(COMPONENTS),
        "full": lambda: PCA(COMPONENTS, svd_solver="full"),
        "randomized": lambda: PCA(COMPONENTS, svd_solver="randomized", random_state=0),
        "covariance_eigh": lambda: PCA(COMPONENTS, svd_solver="covariance_eigh"),
    }


def measured(X: np.ndarray, make: Callable[[], Any], rounds: int) -> Cell:
    """Median seconds of a fit, and the share of the variance that its components leave."""
    seconds = []
    for _ in range(rounds):
        started = time.perf_counter()
        fitted = make().fit(X)
        seconds.append(time.perf_counter() - started)
    total = X.var(axis=0, ddof=1).sum()
    V = np.linalg.qr(fitted.components_.T)[0]
    left = 1 - float(((X - X.mean(axis=0)) @ V).var(axis=0, ddof=1).sum() / total)
    return {"seconds": round(median(seconds), 4), "left": left}


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """All sets, all contenders."""
    cells: Cell = {}
    for name in ("made up",) if chosen.quick else SETS:
        X = made_up(4000, 200, 60) if chosen.quick else numbers(name, chosen.data)
        if X is None:
            cells[name] = {"missing": f"{name} is not in the folder of data sets"}
            continue
        X = X.astype(np.float64)  # all begin with the same numbers
        rounds = chosen.rounds or (1 if chosen.quick else ROUNDS)
        cells[name] = {}
        for who, make in contenders().items():
            key = f"pca/{name}/{who}"
            cell = ledger.cell(key, lambda X=X, make=make, rounds=rounds: measured(X, make, rounds))
            cells[name][who] = cell or {}
    return cells, report(cells), targets(cells)


def ratio(cell: Cell, who: str) -> float | None:
    """How many times faster than a contender."""
    ours, theirs = cell.get("samara", {}).get("seconds"), cell.get(who, {}).get("seconds")
    return theirs / ours if ours and theirs else None


def targets(cells: Cell) -> list[Target]:
    """What was promised."""
    made = []
    for name, cell in cells.items():
        full, ours = (cell.get(who, {}).get("left") for who in ("full", "samara"))
        excess = None if full is None or ours is None else abs(ours / full - 1)
        made += [
            Target(f"{name}: times faster than full", ratio(cell, "full"), FASTER_THAN_FULL, at_least=True),
            Target(
                f"{name}: times faster than randomized",
                ratio(cell, "randomized"),
                FASTER_THAN_RANDOMIZED,
                at_least=True,
            ),
            Target(f"{name}: variance left, relative to full's", excess, SAME_ERROR),
        ]
    return made


def report(cells: Cell) -> str:
    """Seconds and what is left."""
    lines = ["", f"Components: {COMPONENTS} of each set"]
    for name, cell in cells.items():
        if "missing" in cell:
            lines.append(f"  {name:<9}{cell['missing']}")
            continue
        for who, one in cell.items():
            shown = f"{one['seconds']:9.3f} s  left {one['left']:.8f}" if one else "  not yet measured"
            lines.append(f"  {name:<9}{who:<16}{shown}")
    return "\n".join(lines)
