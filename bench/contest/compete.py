"""All methods on one set after the other, in turn, every cell kept."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.contest.environments import missing, python_of
from bench.contest.methods import Method
from bench.contest.rows import About, Cut, Known, prepare
from bench.forked import Forks
from bench.harness import Contender, Run
from bench.ledger import Cell, Ledger

BRIEF = 0.15  # seconds; a fit that takes less is repeated, and the fastest counts
SHORT = 0.02  # seconds; fits that take less are measured again in every further round
DIGITS = 6


def every_split(about: Cell, method: Method, cells: Mapping[str, Cell]) -> list[dict[str, Any]]:
    """Keywords of the trials of a method on a set: one for each split."""
    return [{"split": split} for split in range(about["splits"])]


@dataclass(frozen=True)
class Rules:
    """What is the same for all sets of a comparison."""

    name: str
    trial: str  # "module:name" of the trial of a method on a split
    methods: Mapping[str, Method]
    cut: Cut
    limit: float  # seconds a fit may take
    grace: float  # and what starting, warming up and predicting may take on top
    enough: float  # a split that takes longer is not followed by another
    # Keywords of each trial, from what is known of the set, the method, and the cells of the set so far.
    orders: Callable[[Cell, Method, Mapping[str, Cell]], list[dict[str, Any]]] = every_split
    rounds: int = 1  # through the methods of a set; what is short is measured in each, and the fastest counts


@dataclass(frozen=True)
class Contest:
    """A comparison and where its cells are kept."""

    rules: Rules
    ledger: Ledger
    data: Path | None
    quick: bool
    forks: Forks

    def play(self, known: Known, fresh: bool = False) -> None:
        """Measure what the ledger does not have; the set's files are made when the first cell needs them.

        ``fresh`` measures all anew; what there is no time for, the next run does.
        """
        with TemporaryDirectory(prefix=f"samara-{self.rules.name}-") as folder:

            @cache
            def prepared() -> About:
                return prepare(known, self.data, Path(folder), self.rules.cut, self.quick)

            start = f"sets/{known.name}/"
            if fresh:
                self.ledger.renew(f"{start}{name}" for name in ("about", *self.rules.methods))
            about = self.ledger.cell(f"{start}about", lambda: asdict(prepared()))
            if about is None:
                return
            new: list[Method] = []

            def made(method: Method) -> Cell:
                if late := self.hopeless(method.name, about):
                    return late
                prepared()
                new.append(method)
                return self.measured(method, known.name, folder)

            for method in self.rules.methods.values():
                if method.environment and missing(method.environment):
                    continue
                self.ledger.cell(f"{start}{method.name}", partial(made, method))
            for _ in range(0 if self.quick else self.rules.rounds - 1):
                self.again(new, known.name, folder)

    def again(self, methods: list[Method], name: str, folder: str) -> None:
        """One more round: a core that others slow down for some seconds is not slow in each."""
        for method in methods:
            key = f"sets/{name}/{method.name}"
            cell = self.ledger.cells.get(key, {})
            if "fit" in cell and max(cell["fit"]) < SHORT:
                self.ledger.cells[key] = faster(cell, self.measured(method, name, folder))
        self.ledger.save()

    def hopeless(self, method: str, about: Cell) -> Cell | None:
        """Late without a try: so it was on a set of the same task with no more rows, columns and classes."""
        for key, cell in self.ledger.cells.items():
            if key.startswith("sets/") and key.endswith(f"/{method}") and "late" in cell:
                smaller = self.ledger.cells[f"{key.removesuffix(method)}about"]
                sizes = ("n_fit", "n_features", "n_classes")
                if smaller["task"] == about["task"] and all(smaller[one] <= about[one] for one in sizes):
                    return {"late": self.rules.limit, "as_on": key.split("/")[1]}
        return None

    def measured(self, method: Method, name: str, folder: str) -> Cell:
        """Errors, seconds and peaks of the splits there was time for, or why there are none."""
        rules = self.rules
        start = f"sets/{name}/"
        there = {
            key.removeprefix(start): cell for key, cell in self.ledger.cells.items() if key.startswith(start)
        }
        orders = rules.orders(there["about"], method, there)
        python = {"python": python_of(method.environment)} if method.environment else {}
        side = Contender(method.name, rules.trial, {"folder": folder, "method": method.name}, **python)
        limit = rules.limit + rules.enough * (len(orders) - 1) + rules.grace
        clock = {"limit": limit, "enough": rules.enough, "brief": BRIEF}
        runs = side.run_each(self.forks, orders, clock)
        if isinstance(runs, dict):
            return {"late": rules.limit} if runs.get("late") else {"failed": runs["error"]}
        self.ledger.cells[f"environments/{method.environment or 'samara'}"] = runs[-1]["versions"]
        return summed_up(runs, rules.limit)


def summed_up(runs: list[Run], limit: float) -> Cell:
    """One cell from the runs of a method on a set: times, peaks and what else the trials told."""
    if max(run["seconds"] for run in runs) > limit:
        return {"late": limit}
    told = [run["results"] for run in runs]
    errors = [results["test_error"] for results in told]
    if not all(map(math.isfinite, errors)):
        return {"failed": "its predictions are not finite"}
    return {
        "errors": short(errors),
        "fit": short([run["seconds"] for run in runs]),
        "predict": short([run["predict_seconds"] for run in runs]),
        "peak_mb": short([max(run["peak_mb"] for run in runs)])[0],
        "predict_peak_mb": short([max(run["predict_peak_mb"] for run in runs)])[0],
        **{name: short([one[name] for one in told]) for name in told[0] if name != "test_error"},
    }


def faster(first: Cell, second: Cell) -> Cell:
    """The first, with the shorter times of both."""
    if len(second.get("fit", ())) != len(first["fit"]):  # it went wrong this time
        return first
    return first | {
        name: [min(pair) for pair in zip(first[name], second[name], strict=True)]
        for name in ("fit", "predict")
    }


def short(values: list[float]) -> list[float]:
    """Enough digits for anything that is done with them."""
    return [float(f"{value:.{DIGITS}g}") for value in values]
