"""The bytes of a fit on two workers: predicted by its plan, and moved."""

import argparse

from bench.duels import Duel, Outcome, Part, found
from bench.harness import Contender, Target
from bench.ledger import Cell, Ledger

FUNCTION = "bench.cluster.contenders:moved"
LIMIT = 0.1  # of the prediction


def _duels(chosen: argparse.Namespace) -> list[Duel]:
    n_rows, widths = (20_000, (300,)) if chosen.quick else (50_000, (300, 600, 1000))
    fits = {
        "one ridge": {"alpha": 1.0},
        "K-fold": {},
        "leave-one-out": {"selection": "loo"},
        "qr": {"solver": "qr"},
    }
    duels = []
    for n_hidden in widths:
        kwargs = {"workers": 2, "n_rows": n_rows}
        sides = [
            Contender(name, FUNCTION, {**kwargs, "model": {"n_hidden": n_hidden, **asked}})
            for name, asked in fits.items()
        ]
        duels.append(Duel(f"bytes/{n_hidden} nodes", sides, rounds=1))
    return duels


def _off(cell: Cell, name: str, moved: str, predicted: str) -> float | None:
    """How far the prediction is off, as a share of it."""
    count, expected = found(cell, name, moved), found(cell, name, predicted)
    return None if count is None or not expected else abs(count / expected - 1)


def _targets(cells: dict[str, Cell]) -> list[Target]:
    pairs = {"by the workers' count": ("handed_out", "predicted"), "on the wire": ("wire", "predicted_wire")}
    return [
        Target(f"bytes of {key}, {name}, {how}: off by", _off(cell, name, *pair), LIMIT)
        for key, cell in cells.items()
        for name in cell
        for how, pair in pairs.items()
    ]


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Fit on two Dask workers; what else uses the loopback device is counted too, so leave it alone."""
    title = "bytes: of a fit on two Dask workers, predicted and moved; and the memory of a worker"
    return Part(title, _duels, _targets).run(ledger, chosen)
