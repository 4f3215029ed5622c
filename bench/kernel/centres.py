"""``nystroem`` and ``sketch``: against exact on real sets, at 300,000 rows, against scikit-learn's."""

import argparse
from typing import Any

import numpy as np

from bench import pipeline
from bench.duels import Duel, Part, faster, found
from bench.harness import Contender, Target
from bench.kernel.data import missing
from bench.kernel.full import FITS, GAMMA, MEGABYTES
from bench.ledger import Cell
from bench.measure import Trial

SETS = ("satimage", "usps", "letter", "shuttle")
MOST = 20_000  # rows that exact holds, 3.2 GB: only shuttle has more
SHARE = 0.1
# One list and leave-one-out for all three: else they would differ in what they choose from, and how.
ALPHAS = [float(alpha) for alpha in np.logspace(-8, 1, 10)]
SOLVERS: dict[str, dict[str, Any]] = {
    "exact": {"solver": "exact"},
    "sketch": {"solver": "sketch", "rank": SHARE, "dtype": "float32"},
    "nystroem": {"centres": "rows", "rank": SHARE},
    "nystroem, k-means": {"centres": "kmeans", "rank": SHARE},
}
HALF_A_POINT, SETS_FASTER = 0.5, 10.0
TABLES, SKLEARN_FASTER, NO_WORSE = pipeline.TABLES, 3.0, 1.01


def sets_duels(chosen: argparse.Namespace) -> list[Duel]:
    """Each set with its official rows, standardised, gamma 1/d."""
    asked = chosen.sets or (["satimage"] if chosen.quick else SETS)
    most = 800 if chosen.quick else MOST
    given = {"folder": str(chosen.data) if chosen.data else None, "most": most}
    duels = []
    for name in (one for one in SETS if one in asked):
        sides = [
            Contender(
                solver,
                f"{FITS}classifier",
                {"name": name, **given, "model": {"alpha": ALPHAS, "selection": "loo", **model}},
                reference=None if solver == "exact" else "exact",
            )
            for solver, model in SOLVERS.items()
        ]
        duels.append(Duel(f"sets/{name}", sides, rounds=1, missing=missing(name, chosen.data)))
    return duels


def sets_targets(cells: dict[str, Cell]) -> list[Target]:
    made = []
    for name, cell in cells.items():
        exact = found(cell, "exact", "accuracy")
        for solver in ("sketch", "nystroem", "nystroem, k-means"):
            right = found(cell, solver, "accuracy")
            lost = None if exact is None or right is None else exact - right
            made.append(Target(f"{name}, {solver}: points below exact", lost, HALF_A_POINT))
            made.append(
                Target(f"{name}, {solver}: times faster", faster(cell, solver), SETS_FASTER, at_least=True)
            )
    return made


def large_duels(chosen: argparse.Namespace) -> list[Duel]:
    """5000 centres in 2 GB, one ridge to be chosen."""
    rows, centres = (10_000, 300) if chosen.quick else (300_000, 5_000)
    model = {"gamma": GAMMA, "solver": "nystroem", "rank": centres, "memory": "2GB"}
    sides = [
        Contender(
            dtype, f"{FITS}regressor", {"data": "arm", "n_rows": rows, "model": {**model, "dtype": dtype}}
        )
        for dtype in ("float32", "float64")
    ]
    return [Duel("large/arm", sides, rounds=1)]


def large_targets(cells: dict[str, Cell]) -> list[Target]:
    cell = cells["arm"]
    return [
        Target(
            f"300,000 rows, 5000 centres, {dtype}: peak above input, MB",
            found(cell, dtype, "peak_mb"),
            MEGABYTES,
        )
        for dtype in ("float32", "float64")
    ]


def centred(name: str, n_hidden: int, n_rows: int | None) -> Trial:
    """What the pipeline of scikit-learn does, by one estimator: same gamma, centres and ridges."""
    from samara import KernelELMClassifier, KernelELMRegressor

    kind = KernelELMClassifier if name == "letter" else KernelELMRegressor

    def make(size: int | None) -> Any:
        return kind(
            solver="nystroem",
            rank=size or n_hidden,
            scale="standard",
            alpha=pipeline.ALPHAS,
            random_state=0,
        )

    return pipeline.trial(make, name, n_rows)


def sklearn_duels(chosen: argparse.Namespace) -> list[Duel]:
    """The tables of bench.pipeline, and its pipeline."""
    given = {"n_hidden": 100, "n_rows": 2_000} if chosen.quick else {"n_hidden": 1_000, "n_rows": None}
    return [
        Duel(
            f"sklearn/{name}",
            [
                Contender("Nystroem", "bench.pipeline:nystroem", {"name": name, **given}),
                Contender(
                    "samara", "bench.kernel.centres:centred", {"name": name, **given}, reference="Nystroem"
                ),
            ],
            rounds=3,
        )
        for name in TABLES
    ]


def sklearn_targets(cells: dict[str, Cell]) -> list[Target]:
    made = []
    for name, cell in cells.items():
        score = "accuracy" if name == "letter" else "r2"
        ours, theirs = (found(cell, side, score) for side in ("samara", "Nystroem"))
        share = None if ours is None or theirs is None else (1 - ours) / (1 - theirs)
        made.append(Target(f"{name}: times faster", faster(cell, "samara"), SKLEARN_FASTER, at_least=True))
        made.append(Target(f"{name}: error / Nystroem's", share, NO_WORSE))
    return made


REAL_SETS = Part("exact, sketch and nystroem at k = 0.1n", sets_duels, sets_targets)
LARGE = Part("nystroem: 300,000 rows of the arm, 5000 centres, memory 2GB", large_duels, large_targets)
SKLEARN = Part(
    "scikit-learn's StandardScaler, Nystroem and RidgeCV against one estimator, 1000 centres",
    sklearn_duels,
    sklearn_targets,
)
