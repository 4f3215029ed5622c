"""Results cell by cell in a JSON file, so that a long benchmark can be run in pieces."""

import argparse
import json
import os
import time
from collections.abc import Callable, Sequence
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
        self.missing: list[str] = []
        self.closed = False  # nothing new is measured
        self.asked: list[str] = []  # every key that was asked for
        self.tell: Callable[[str], object] = partial(print, flush=True)

    @property
    def is_open(self) -> bool:
        """Whether there is time to measure something new."""
        return not self.closed and (self._ends is None or time.monotonic() <= self._ends)

    def cell(self, key: str, measure: Callable[[], Cell]) -> Cell | None:
        """The stored result, a new one, or None when time is up."""
        self.asked.append(key)
        if key in self.cells:
            return self.cells[key]
        if self.closed:
            return None
        if not self.is_open:
            self.missing.append(key)
            return None
        started = time.perf_counter()
        made = measure()
        shown = "  ".join(f"{name} {value}" for name, value in made.items() if not isinstance(value, dict))
        self.tell(f"{key}: {shown}  ({time.perf_counter() - started:.1f} s)")
        if not failed(made):  # what failed is tried again by the next run
            self.cells[key] = made
            self.save()
        return made

    def forget(self, start: str) -> None:
        """Measure again what begins so."""
        self.cells = {key: cell for key, cell in self.cells.items() if not key.startswith(start)}

    def forget_if_open(self, key: str) -> None:
        """Measure one cell again, where there is time for it."""
        if self.is_open:
            self.cells.pop(key, None)

    def save(self, report: Cell | None = None) -> None:
        """Write all cells, with this report or the last one; a run killed meanwhile leaves the old file."""
        self.report = self.report if report is None else report
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(cell)}" for key, cell in self.cells.items())
            head = json.dumps(self.report, indent=1)[1:-1].strip()
            unfinished = self._path.with_suffix(".unfinished")
            unfinished.write_text(
                "{" + (f"\n {head}," if head else "") + f'\n "cells": {{\n{lines}\n }}\n}}\n'
            )
            os.replace(unfinished, self._path)


def summary(name: str, chosen: argparse.Namespace, targets: Sequence[Target], findings: Cell) -> Cell:
    """What goes into the JSON file beside the cells."""
    return {
        "benchmark": name,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "quick": chosen.quick,
        "machine": machine(chosen.threads),
        "versions": installed_versions(),
        "blas": loaded_blas(),
        "targets": [{**asdict(target), "verdict": target.verdict()} for target in targets],
        "findings": findings,
    }
