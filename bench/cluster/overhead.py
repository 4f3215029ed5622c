"""What an engine costs over threads: the same fit of the same rows, made where they are read."""

import argparse
from typing import Any

from bench.duels import Duel, Outcome, Part, found
from bench.harness import Contender, Target
from bench.ledger import Cell, Ledger

FUNCTION = "bench.cluster.contenders:fit"
WORKERS = 2
LIMITS = {"dask": 1.3, "spark": 2.0}
FITS: dict[str, dict[str, Any]] = {"one ridge": {"alpha": 1.0}, "ridge by K-fold": {"alpha": "auto"}}


def _duels(chosen: argparse.Namespace) -> list[Duel]:
    n_rows, n_hidden = (40_000, 300) if chosen.quick else (1_000_000, 1000)
    duels = []
    for name, asked in FITS.items():
        kwargs = {"workers": WORKERS, "n_rows": n_rows, "model": {"n_hidden": n_hidden, **asked}}
        sides = [Contender("threads", FUNCTION, {"engine": "threads", **kwargs})]
        sides += [
            Contender(engine, FUNCTION, {"engine": engine, **kwargs}, reference="threads")
            for engine in LIMITS
        ]
        duels.append(Duel(f"overhead/{name}", sides, rounds=3))
    return duels


def _targets(cells: dict[str, Cell]) -> list[Target]:
    return [
        Target(f"{engine}, {name}: times the threads' time", found(cell, engine, "median_ratio"), limit)
        for name, cell in cells.items()
        for engine, limit in LIMITS.items()
    ]


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Fit with two threads, two worker processes of Dask, and Spark with two workers."""
    title = "overhead: seconds of a fit by two threads, two Dask workers, two Spark workers"
    return Part(title, _duels, _targets).run(ledger, chosen)
