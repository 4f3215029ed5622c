"""The solvers of the estimators: ``rsvd`` on Schindler's sets, ``sketch`` on those of Men and Wang."""

import argparse
from statistics import mean
from typing import Any

import numpy as np

from bench.harness import Comparison, Contender, Target, figure
from bench.ledger import Cell, Ledger
from bench.measure import Trial
from bench.papers import schindler_sets as schindler
from bench.papers.schindler_models import ALPHA
from bench.papers.schindler_printed import N_HIDDEN as SCHINDLER_NODES
from bench.papers.schindler_printed import RESULTS
from bench.randomized.paper_tables import MEN_WANG
from bench.randomized.sets import Split, absent, men_wang_split

SOLVERS: dict[str, dict[str, Any]] = {"svd": {}, "rsvd": {"rank": "auto"}, "gram": {}}
SAME_ERROR, TIMES_FASTER = 1.01, 5.0

SHARES = (0.01, 0.05, 0.1)  # of the training rows: the rank k
N_HIDDEN = 1000
ALPHAS = [2.0**-exponent for exponent in range(-15, 16)]  # 1/C
TRIALS = 5  # Men and Wang ran thirty
ONE_POINT = 1.0


def elm(name: str, solver: str, n_hidden: int) -> Trial:
    """A regressor at Schindler's settings, its linear system solved this way."""
    from samara import ELMRegressor

    fixed = {"hidden": "sigmoid", "alpha": ALPHA, "scale": None, "dtype": "float64"}
    chosen = {**fixed, "solver": solver, "random_state": 0, **SOLVERS[solver]}
    made = schindler.trial(
        name, ELMRegressor(n_hidden=n_hidden, **chosen), ELMRegressor(n_hidden=10, **chosen)
    )

    def describe(fitted: Any) -> dict[str, Any]:
        rank = getattr(fitted, "rank_", None)
        return {**made.describe(fitted), "rank": None if rank is None else int(rank)}

    return Trial(run=made.run, describe=describe, warm_up=made.warm_up)


def rsvd_on_schindler(ledger: Ledger, chosen: argparse.Namespace) -> Cell:
    """{set: {solver: figures}}: every solver in processes of its own, in turn."""
    found = {}
    for name in ["DS1"] if chosen.quick else list(RESULTS):
        cell = ledger.cell(f"rsvd/{name}", lambda name=name: _compared(name, chosen))
        if cell:
            found[name] = cell
    return found


def _compared(name: str, chosen: argparse.Namespace) -> Cell:
    schindler.generate(name)
    given = {"name": name, "n_hidden": 100 if chosen.quick else SCHINDLER_NODES}
    sides = [
        Contender(f"{name} {solver}", "bench.randomized.solvers:elm", {**given, "solver": solver})
        for solver in SOLVERS
    ]
    rounds = chosen.rounds or (1 if chosen.quick else 3)
    comparison = Comparison(sides, chosen.threads).play(rounds)
    return {solver: _figures(comparison, f"{name} {solver}", f"{name} rsvd") for solver in SOLVERS}


def _figures(comparison: Comparison, name: str, rsvd: str) -> dict[str, Any]:
    if why := comparison.error(name):
        return {"error": why}
    return {
        "seconds": comparison.seconds(name),
        "by_rsvd": comparison.ratio(name, rsvd),
        "peak_mb": comparison.peak_mb(name),
        **comparison.results(name),
    }


def rsvd_targets(found: Cell) -> list[Target]:
    """The error of the exact solver, in a fifth of the time."""
    targets = []
    for name in found:
        exact, fast = (found[name].get(solver, {}) for solver in ("svd", "rsvd"))
        error, reference = fast.get("test_rmse"), exact.get("test_rmse")
        share = error / reference if error and reference else None
        targets += [
            Target(f"{name}: testing RMSE of rsvd / svd", share, SAME_ERROR),
            Target(
                f"{name}: times rsvd is faster than svd", exact.get("by_rsvd"), TIMES_FASTER, at_least=True
            ),
        ]
    return targets


def rsvd_report(found: Cell) -> str:
    """Solver by solver."""
    lines = ["", "rsvd on Schindler's sets (his RSVD-ELM's testing RMSE in brackets)"]
    for name, solvers in found.items():
        lines.append(f"  {name} ({RESULTS[name]['RSVD-ELM'][1]})")
        for solver, figures in solvers.items():
            shown = "  ".join(f"{key} {figure(value)}" for key, value in figures.items())
            lines.append(f"    {solver:<5} {shown}")
    return "\n".join(lines)


def classified(split: Split, seed: int, solver: dict[str, Any]) -> dict[str, Any]:
    """Testing rate of 1000 sigmoid nodes, the ridge chosen by cross-validation among Men and Wang's."""
    from samara import ELMClassifier

    X, X_test, y, y_test = split
    try:
        model = ELMClassifier(
            n_hidden=N_HIDDEN,
            hidden="sigmoid",
            alpha=ALPHAS,
            selection="kfold",
            random_state=seed,
            **solver,
        ).fit(X, y)
    except (TypeError, ValueError) as problem:
        return {"error": str(problem)}
    return {
        "rate": round(100 * float(np.mean(model.predict(X_test) == y_test)), 3),
        "alpha": float(model.alpha_),
    }


def sketch_on_men_wang(ledger: Ledger, chosen: argparse.Namespace) -> Cell:
    """{set: {"exact" or share: mean testing rate}}; a set that is not there is {"missing": why}."""
    found: Cell = {}
    for name in ["segment"] if chosen.quick else list(MEN_WANG):
        if men_wang_split(name, chosen.data, 0) is None:
            found[name] = {"missing": absent(name)}
            continue
        contestants: dict[str, dict[str, Any]] = {"exact": {"solver": "gram"}}
        for share in SHARES[-1:] if chosen.quick else SHARES:
            rank = min(N_HIDDEN, round(share * MEN_WANG[name][0]))
            contestants[f"{share:g}n"] = {"solver": "sketch", "rank": rank}
        found[name] = {}
        for label, solver in contestants.items():
            found[name][label] = _rate(f"sketch/{name}/{label}", ledger, chosen, solver)
    return found


def _rate(key: str, ledger: Ledger, chosen: argparse.Namespace, solver: dict[str, Any]) -> Any:
    """The mean over the trials, what went wrong, or None when time is up."""
    name = key.split("/")[1]
    cells = []
    for seed in range(1 if chosen.quick else TRIALS):
        cell = ledger.cell(
            f"{key}/{seed}",
            lambda seed=seed: classified(men_wang_split(name, chosen.data, seed), seed, solver),
        )
        if cell is None:
            break
        if "error" in cell:
            return cell["error"]
        cells.append(cell["rate"])
    return mean(cells) if cells else None


def sketch_targets(found: Cell) -> list[Target]:
    """At k = 0.1n no more than a point below the exact network."""
    targets = []
    for name, rates in found.items():
        exact, tenth = rates.get("exact"), rates.get("0.1n")
        known = isinstance(exact, float) and isinstance(tenth, float)
        targets.append(
            Target(f"{name}: points lost at k = 0.1n", exact - tenth if known else None, ONE_POINT)
        )
    return targets


def sketch_report(found: Cell) -> str:
    """Measured beside published."""
    lines = ["", "sketch on Men and Wang's sets, testing rates: measured (paper)"]
    for name, rates in found.items():
        paper = dict(zip(("exact", "0.01n", "0.05n", "0.1n"), MEN_WANG[name][2:], strict=True))
        cells = [
            f"{label} {figure(rate)}" + (f" ({paper[label]})" if label in paper else "")
            for label, rate in rates.items()
        ]
        lines.append(f"  {name:<10} {'  '.join(cells)}")
    return "\n".join(lines)
