"""``leaves`` against ``nystroem``: tables of more than 10,000 rows, the same kernel and ridge."""

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np

from bench.contest.rows import Cut, known, named, numbers, standardised
from bench.duels import Duel, Part, faster, found
from bench.harness import Contender, Target
from bench.kernel.data import missing
from bench.ledger import Cell
from bench.measure import Trial

SETS = ("bike_hour", "covtype_odds_2v4", "diamonds", "electricity", "house8l", "ijcnn1", "kin40k", "magic04")
CUT = Cut(fitted=0.8, most_rows=50_000, most_test_rows=10_000, splits=lambda n_fit: 1)
SETTINGS = {"kernel": "laplacian", "scale": "quantile", "alpha": 0.1, "random_state": 0}
CENTRES = 4000
WAYS: dict[str, dict[str, Any]] = {
    "nystroem": {"centres": CENTRES},
    "leaves of 2500": {"leaf": 2500},
    "leaves of 5000": {"leaf": 5000},
    "leaves of 10000": {"leaf": 10_000},
}
BETTER = "leaves of 5000"


def fitted(name: str, folder: str, most: int, centres: int | None = None, leaf: int = 0) -> Trial:
    """A kernel ELM of a random split; its error is that of new rows, in deviations of a numeric target."""
    from samara import KernelELMClassifier, KernelELMRegressor
    from samara.solvers.kernel import Leaves

    one = named(known(Path(folder), CUT), [name])[0]
    made = numbers(one, Path(folder))
    fit, test = (rows[:most] for rows in CUT.rows(len(made.X), 0))
    X, X_test = standardised(made.X[fit], made.X[test])
    y, y_test = made.y[fit], made.y[test]
    if not made.n_classes:
        y, y_test = standardised(y, y_test)
    how = {"solver": Leaves(leaf)} if leaf else {"solver": "nystroem", "rank": min(centres or CENTRES, most)}

    def model(**more: Any) -> Any:
        if made.n_classes:
            return KernelELMClassifier(**SETTINGS, calibration=None, **{**how, **more})
        return KernelELMRegressor(**SETTINGS, **{**how, **more})

    def error(predicted: np.ndarray) -> float:
        if made.n_classes:
            return float(np.mean(predicted != y_test))
        return float(np.sqrt(np.mean((predicted - y_test) ** 2)))

    return Trial(
        run=lambda: model().fit(X, y),
        predict=lambda fitted: fitted.predict(X_test),
        describe=lambda predicted: {"test_error": error(predicted)},
        warm_up=lambda: model(**({} if leaf else {"rank": 20})).fit(X[:200], y[:200]).predict(X[:2]),
    )


def duels(chosen: argparse.Namespace) -> list[Duel]:
    """One round each: the errors do not change, and the times differ by more than rounds do."""
    asked = SETS[:1] if chosen.quick else SETS
    given = {"folder": os.fspath(chosen.data or ""), "most": 3000 if chosen.quick else CUT.most_rows}
    return [
        Duel(
            f"leaves/{name}",
            [
                Contender(
                    way,
                    "bench.kernel.leaves:fitted",
                    {"name": name, **given, **how},
                    reference=None if way == "nystroem" else "nystroem",
                )
                for way, how in WAYS.items()
            ],
            rounds=1,
            missing=missing(name, chosen.data),
        )
        for name in asked
    ]


def targets(cells: dict[str, Cell]) -> list[Target]:
    """No worse than centres, in less time."""
    made = []
    for name, cell in cells.items():
        ours, theirs = (found(cell, way, "test_error") for way in (BETTER, "nystroem"))
        share = None if ours is None or not theirs else ours / theirs
        made.append(Target(f"{name}, {BETTER}: error / that of {CENTRES} centres", share, 1))
        made.append(Target(f"{name}, {BETTER}: times faster", faster(cell, BETTER), 1, at_least=True))
    return made


LEAVES = Part(
    f"Leaves against {CENTRES} centres: Laplacian kernel, columns as ranks, ridge 0.1", duels, targets
)
