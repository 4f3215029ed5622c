"""Results cell by cell in a JSON file, so that a long benchmark can be run in pieces."""

import argparse
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from bench.harness import Target, machine
from bench.measure import installed_versions, loaded_blas

Cell = dict[str, Any]


def failed(cell: Cell) -> bool:
    """Whether it, or a part of it, is an error."""
    return "error" in cell or any(isinstance(part, dict) and failed(part) for part in cell.values())


class Ledger:
    """What has been measured; what has not is measured while there is time for it."""

    def __init__(self, path: Path | None, minutes: float | None, fresh: bool = False) -> None:
        self._path = path
        self._ends = None if minutes is None else time.monotonic() + 60 * minutes
        self.report: Cell = json.loads(path.read_text()) if path and path.exists() and not fresh else {}
        self.cells: dict[str, Cell] = self.report.pop("cells", {})
        self.took: dict[str, float] = self.report.pop("took", {})  # seconds each cell took to measure
        # Stored cells that are measured again when they are asked for, by this run or the next.
        self.stale: set[str] = set(self.report.pop("stale", ()))
        self.missing: list[str] = []  # keys there was no time for
        self.closed = False  # nothing new is measured
        self.grown = False  # something has been measured by this run
        self.asked: list[str] = []  # every key that was asked for
        self.tell: Callable[[str], object] = partial(print, flush=True)

    @property
    def is_open(self) -> bool:
        """Whether there is time to measure something new."""
        return not self.closed and (self._ends is None or time.monotonic() <= self._ends)

    def cell(self, key: str, measure: Callable[[], Cell]) -> Cell | None:
        """The stored result, a new one, or None when time is up."""
        self.asked.append(key)
        if key not in self.cells or key in self.stale:
            if self.is_open:
                return self._measured(key, measure)
            if not self.closed:
                self.missing.append(key)
        return self.cells.get(key)

    def _measured(self, key: str, measure: Callable[[], Cell]) -> Cell:
        """A new result, which is kept."""
        self.stale.discard(key)
        self.cells.pop(key, None)
        started = time.perf_counter()
        made = measure()
        took = time.perf_counter() - started
        shown = "  ".join(f"{name} {value}" for name, value in made.items() if not isinstance(value, dict))
        self.tell(f"{key}: {shown}  ({took:.1f} s)")
        self.grown = True
        if not failed(made):  # what failed is tried again by the next run
            self.cells[key], self.took[key] = made, round(took, 3)
            self.save()
        return made

    def renew(self, keys: Iterable[str]) -> None:
        """Measure these again, once: in this run while there is time, what is left of them in the next."""
        self.stale |= {*keys} & {*self.cells}

    def renew_part(self, start: str) -> None:
        """The same for all that begin so."""
        self.renew(key for key in self.cells if key.startswith(start))

    @property
    def seconds(self) -> float | None:
        """What all cells took to measure; None where that was not written down of each."""
        known = [self.took.get(key) for key in self.cells]
        return None if None in known else round(sum(filter(None, known)), 1)

    def measured_with(self, threads: int) -> Cell:
        """Day, machine and versions of the last run that measured anything: this one, or one before it."""
        now = {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine(threads),
            "versions": installed_versions(),
            "blas": loaded_blas(),
        }
        return now if self.grown else {name: self.report.get(name, value) for name, value in now.items()}

    def save(self, report: Cell | None = None) -> None:
        """Write all cells, with this report or the last one; a run killed meanwhile leaves the old file."""
        self.report = self.report if report is None else report
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(cell)}" for key, cell in self.cells.items())
            took = {key: self.took[key] for key in self.cells if key in self.took}
            report = self.report | {"stale": sorted(self.stale), "took": took}
            head = json.dumps(report, indent=1)[1:-1].strip()
            unfinished = self._path.with_suffix(".unfinished")
            unfinished.write_text(f'{{\n {head},\n "cells": {{\n{lines}\n }}\n}}\n')
            os.replace(unfinished, self._path)


def summary(
    ledger: Ledger, name: str, chosen: argparse.Namespace, targets: Sequence[Target], findings: Cell
) -> Cell:
    """What goes into the JSON file beside the cells."""
    return {
        "benchmark": name,
        "quick": chosen.quick,
        **ledger.measured_with(chosen.threads),
        "targets": [{**asdict(target), "verdict": target.verdict()} for target in targets],
        "findings": findings,
    }
