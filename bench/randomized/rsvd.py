"""``rsvd`` on Schindler's sets."""

import argparse
from typing import Any

from bench.duels import Outcome
from bench.harness import Comparison, Contender, Target, figure
from bench.ledger import Cell, Ledger
from bench.measure import Trial
from bench.papers import schindler_sets as schindler
from bench.papers.schindler_models import ALPHA
from bench.papers.schindler_printed import N_HIDDEN as SCHINDLER_NODES
from bench.papers.schindler_printed import RESULTS

SOLVERS: dict[str, dict[str, Any]] = {"svd": {}, "rsvd": {"rank": "auto"}, "gram": {}}
SAME_ERROR, TIMES_FASTER = 1.01, 5.0


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


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """{set: {solver: figures}}: every solver in processes of its own, in turn."""
    found: Cell = {}
    for name in ["DS1"] if chosen.quick else list(RESULTS):
        cell = ledger.cell(f"rsvd/{name}", lambda name=name: _compared(name, chosen))
        if cell:
            found[name] = cell
    return found, report(found), targets(found)


def _compared(name: str, chosen: argparse.Namespace) -> Cell:
    schindler.generate(name)
    given = {"name": name, "n_hidden": 100 if chosen.quick else SCHINDLER_NODES}
    sides = [
        Contender(f"{name} {solver}", "bench.randomized.rsvd:elm", {**given, "solver": solver})
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


def targets(found: Cell) -> list[Target]:
    """The error of the exact solver, in a fifth of the time."""
    made = []
    for name in found:
        exact, fast = (found[name].get(solver, {}) for solver in ("svd", "rsvd"))
        error, reference = fast.get("test_rmse"), exact.get("test_rmse")
        share = error / reference if error and reference else None
        made += [
            Target(f"{name}: testing RMSE of rsvd / svd", share, SAME_ERROR),
            Target(
                f"{name}: times rsvd is faster than svd", exact.get("by_rsvd"), TIMES_FASTER, at_least=True
            ),
        ]
    return made


def report(found: Cell) -> str:
    """Solver by solver."""
    lines = ["", "rsvd on Schindler's sets (his RSVD-ELM's testing RMSE in brackets)"]
    for name, solvers in found.items():
        lines.append(f"  {name} ({RESULTS[name]['RSVD-ELM'][1]})")
        for solver, figures in solvers.items():
            shown = "  ".join(f"{key} {figure(value)}" for key, value in figures.items())
            lines.append(f"    {solver:<5} {shown}")
    return "\n".join(lines)
