"""Results cell by cell in a JSON file, so that a long benchmark can be run in pieces."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


def failed(cell: Cell) -> bool:
    """Whether it, or a part of it, is an error."""
    return "error" in cell or any(isinstance(part, dict) and failed(part) for part in cell.values())


class Ledger:
    """What has been measured; what has not is measured while there is time for it."""

    def __init__(self, path: Path | None, minutes: float | None, fresh: bool = False) -> None:
        self._path = path
        self._ends = None if minutes is None else time.monotonic() + 60 * minutes
        kept = json.loads(path.read_text()) if path and path.exists() and not fresh else {}
        self.cells: dict[str, Cell] = kept.get("cells", {})
        self.missing: list[str] = []

    def cell(self, key: str, measure: Callable[[], Cell]) -> Cell | None:
        """The stored result, a new one, or None when time is up."""
        if key in self.cells:
            return self.cells[key]
        if self._ends is not None and time.monotonic() > self._ends:
            self.missing.append(key)
            return None
        started = time.perf_counter()
        made = measure()
        shown = "  ".join(f"{name} {value}" for name, value in made.items())
        print(f"{key}: {shown}  ({time.perf_counter() - started:.1f} s)", flush=True)
        if not failed(made):  # what failed is tried again by the next run
            self.cells[key] = made
            self.save({})
        return made

    def save(self, report: Cell) -> None:
        """Write the report with all cells."""
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(cell)}" for key, cell in self.cells.items())
            head = json.dumps(report, indent=1)[1:-1].strip()
            self._path.write_text(
                "{" + (f"\n {head}," if head else "") + f'\n "cells": {{\n{lines}\n }}\n}}\n'
            )
