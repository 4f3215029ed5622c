"""A part of the benchmark: contenders in processes of their own, what they took, and what was promised."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.harness import Comparison, Contender, Target, table
from bench.ledger import Cell, Ledger

Outcome = tuple[Cell, str, list[Target]]  # what was found, as text, and what was promised of it


@dataclass(frozen=True)
class Duel:
    """Contenders measured in turn: one cell of the results."""

    key: str
    sides: Sequence[Contender]
    rounds: int = 5
    threads: int | None = None  # None: as the command line says
    missing: str | None = None  # why it can't be run

    def play(self, chosen: argparse.Namespace) -> Cell:
        """All contenders' figures."""
        rounds = chosen.rounds or (1 if chosen.quick else self.rounds)
        comparison = Comparison(self.sides, self.threads or chosen.threads).play(rounds)
        return {side.name: comparison.summary(side) for side in self.sides}


@dataclass(frozen=True)
class Part:
    """Duels and the promises about them."""

    title: str
    duels: Callable[[argparse.Namespace], list[Duel]]
    targets: Callable[[dict[str, Cell]], list[Target]]

    def run(self, ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
        """Play what is not in the ledger."""
        cells: dict[str, Cell] = {}
        lines = ["", self.title]
        for duel in self.duels(chosen):
            made = None if duel.missing else ledger.cell(duel.key, lambda duel=duel: duel.play(chosen))
            cells[duel.key.rpartition("/")[2]] = made or {}
            lines += [f"-- {duel.key}", table(made) if made else f"  {duel.missing or 'not yet measured'}"]
        return cells, "\n".join(lines), self.targets(cells)


def found(cell: Cell, name: str, key: str) -> Any:
    """A figure of a contender, of its own account or the clock's; None where there is none."""
    summary = cell.get(name, {})
    return summary.get(key, summary.get("results", {}).get(key))


def faster(cell: Cell, name: str) -> float | None:
    """How many times faster than its reference a contender is."""
    ratio = found(cell, name, "median_ratio")
    return 1 / ratio if ratio else None
