"""What a comparison is told from outside: where the data are, how much is measured, and of whom."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.contest.compete import Rules
from bench.measure import available_cores


@dataclass(frozen=True)
class Means:
    """Where the data are, and how much is measured."""

    data: Path | None = None  # None: the folder of SAMARA_DATA
    quick: bool = False  # a few rows of a few sets, nothing written
    minutes: float | None = None  # begin nothing new after; another run goes on there
    fresh: bool = False  # measure the sets and methods again
    threads: int | None = None  # cores for every method; None: all

    @property
    def folder(self) -> Path | None:
        """The folder of data sets, where there is one."""
        given = self.data or os.environ.get("SAMARA_DATA")
        return Path(given).resolve() if given else None

    @property
    def cores(self) -> int:
        """Cores for every method."""
        return self.threads or available_cores()


def of_methods(rules: Rules, names: Sequence[str] | None) -> Rules:
    """The rules for these methods alone, in their order (None: all)."""
    if unknown := sorted(set(names or ()) - set(rules.methods)):
        raise SystemExit(f"No method is named {unknown[0]}; there are {', '.join(rules.methods)}.")
    kept = {name: method for name, method in rules.methods.items() if names is None or name in names}
    return replace(rules, methods=kept)


def parser(about: str) -> argparse.ArgumentParser:
    """The command line of a comparison: sets, methods and means."""
    made = argparse.ArgumentParser(description=about)
    for what in ("sets", "methods"):
        only = f"only these {what}, names with commas (default all)"
        made.add_argument(f"--{what}", type=lambda text: text.split(","), help=only)
    made.add_argument("--quick", action="store_true", help="a few rows of a few sets, nothing written")
    made.add_argument("--data", type=Path, help="folder of data sets (default: the variable SAMARA_DATA)")
    made.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    made.add_argument("--fresh", action="store_true", help="measure these sets and methods again")
    made.add_argument("--threads", type=int, help="cores for every method (default all)")
    return made
