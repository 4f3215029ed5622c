"""All methods on one set after the other, in turn, every cell kept."""

import math
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.harness import Contender, Run
from bench.ledger import Cell, Ledger
from bench.peers.data import SPLITS, About, Known, prepare
from bench.peers.environments import missing, python_of
from bench.peers.methods import METHODS, Method

LIMIT = 60.0  # seconds a fit may take
GRACE = 30.0  # and what starting, warming up and predicting may take on top
ENOUGH = 5.0  # a split that takes longer is not followed by another
BRIEF = 0.1  # a fit that takes less is repeated, and the median of three counts
DIGITS = 6


@dataclass(frozen=True)
class Contest:
    """What is the same for all sets."""

    ledger: Ledger
    data: Path | None
    quick: bool
    threads: int

    def play(self, known: Known) -> None:
        """Measure what the ledger does not have; the set's files are made when the first cell needs them."""
        with TemporaryDirectory(prefix="samara-peers-") as folder:

            @cache
            def prepared() -> About:
                return prepare(known, self.data, Path(folder), self.quick)

            about = self.ledger.cell(f"sets/{known.name}/about", lambda: asdict(prepared()))
            if about is None:
                return
            for method in METHODS.values():
                if not (method.environment and missing(method.environment)):
                    key = f"sets/{known.name}/{method.name}"
                    self.ledger.cell(
                        key,
                        lambda method=method: (
                            self.hopeless(method.name, about)
                            or (prepared() and self.measured(method, folder))
                        ),
                    )

    def hopeless(self, method: str, about: Cell) -> Cell | None:
        """Late without a try: so it was on a set of the same task with no more rows, columns and classes."""
        for key, cell in self.ledger.cells.items():
            if key.startswith("sets/") and key.endswith(f"/{method}") and "late" in cell:
                smaller = self.ledger.cells[f"{key.removesuffix(method)}about"]
                sizes = ("n_fit", "n_features", "n_classes")
                if smaller["task"] == about["task"] and all(smaller[one] <= about[one] for one in sizes):
                    return {"late": LIMIT, "as_on": key.split("/")[1]}
        return None

    def measured(self, method: Method, folder: str) -> Cell:
        """Errors, seconds and peaks of the splits there was time for, or why there are none."""
        python = {"python": python_of(method.environment)} if method.environment else {}
        kwargs = {"folder": folder, "method": method.name}
        side = Contender(method.name, "bench.peers.contest:trial", kwargs, **python)
        splits = [{"split": split} for split in range(1 if self.quick else SPLITS)]
        runs = side.run_each(self.threads, splits, LIMIT + GRACE, ENOUGH, BRIEF)
        if isinstance(runs, dict):
            return {"late": LIMIT} if runs.get("late") else {"failed": runs["error"]}
        self.ledger.cells[f"environments/{method.environment or 'samara'}"] = runs[-1]["versions"]
        return summed_up(runs)


def summed_up(runs: list[Run]) -> Cell:
    """One cell from the runs of a method on a set."""
    if max(run["seconds"] for run in runs) > LIMIT:
        return {"late": LIMIT}
    errors = [run["results"]["test_error"] for run in runs]
    if not all(map(math.isfinite, errors)):
        return {"failed": "its predictions are not finite"}
    return {
        "errors": short(errors),
        "fit": short([run["seconds"] for run in runs]),
        "predict": short([run["predict_seconds"] for run in runs]),
        "peak_mb": short([max(run["peak_mb"] for run in runs)])[0],
        "predict_peak_mb": short([max(run["predict_peak_mb"] for run in runs)])[0],
    }


def short(values: list[float]) -> list[float]:
    """Enough digits for anything that is done with them."""
    return [float(f"{value:.{DIGITS}g}") for value in values]
