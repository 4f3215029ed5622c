"""Progress on standard error: bars on a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import RLock
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

LINE_SECONDS = 5.0  # between two lines of one pass


@dataclass
class Pass:
    """One reading of the rows."""

    name: str
    rows: int = 0
    began: float = 0.0
    ended: float = 0.0

    @property
    def seconds(self) -> float:
        """How long it took, so far."""
        return max(self.ended - self.began, 1e-9)

    @property
    def pace(self) -> float:
        """Rows a second."""
        return self.rows / self.seconds


class PassProgress:
    """What the engine calls with the name of the pass, the rows just done and the rows in all.

    Keeps what each pass took, whether or not anything is shown.
    """

    def __init__(self, console: Console, quiet: bool, limit: int | None) -> None:
        self.passes: list[Pass] = []
        self._lock, self._console = RLock(), console
        self._lines = not quiet and not console.is_terminal
        self._bars = _bars(console, limit) if not quiet and console.is_terminal else None
        self._limit = limit
        self._bar: TaskID | None = None
        self._since = self._said = time.monotonic()

    def started(self) -> None:
        """The rows are read from now on: the time before belongs to no pass."""
        self._since = time.monotonic()

    def __enter__(self) -> Self:
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars:
            self._bars.stop()

    def __call__(self, name: str, rows: int, total: int | None) -> None:
        """Take note of some rows; what follows a semicolon in the name is a remark on a step."""
        name = name.partition("; ")[0]
        with self._lock:
            now = time.monotonic()
            last = self.passes[-1] if self.passes else None
            if last is None or last.name != name or (total and last.rows >= total):
                last = Pass(name, 0, self._since, now)  # rows are told of when they are done
                self.passes.append(last)
                self._begin(last, total)
            last.rows, last.ended, self._since = last.rows + rows, now, now
            if self._bars and self._bar is not None:
                self._bars.advance(self._bar, rows)
            ended = bool(total) and last.rows >= (total or 0) and self._times(name) == 1
            if self._lines and (ended or now - self._said >= LINE_SECONDS):
                self._said = now
                self._console.print(self._line(last, total), soft_wrap=True)

    def _begin(self, one: Pass, total: int | None) -> None:
        if not self._bars:
            return
        again = self._times(one.name)
        if again > 1 and self._bar is not None:  # steps of one solver share a bar
            self._bars.reset(self._bar, total=total, description=f"{one.name} {again}")
        else:
            self._bar = self._bars.add_task(one.name, total=total)

    def _times(self, name: str) -> int:
        """How often a pass of this name has begun: an iterative solver makes hundreds."""
        return sum(one.name == name for one in self.passes)

    def _line(self, one: Pass, total: int | None) -> str:
        share = f"{100 * min(one.rows / total, 1):.0f} %" if total else f"{one.rows:,} rows"
        left = f", {max(total - one.rows, 0) / one.pace:.1f} s left" if total and one.rows < total else ""
        return f"{one.name}: {share}, {one.pace:,.0f} rows/s{left}, {memory_text(self._limit)}"


def memory_text(limit: int | None) -> str:
    """The memory that the process holds now, beside its limit."""
    from samara.costs import format_bytes
    from samara.resident import resident_bytes

    now = resident_bytes()
    held = "memory unknown" if now is None else format_bytes(now)
    return held if limit is None else f"{held} of {format_bytes(limit)}"


def _bars(console: Console, limit: int | None) -> Progress:
    return Progress(
        TextColumn("{task.description}", style="bold"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        _Pace(),
        TimeRemainingColumn(compact=True),
        _Memory(limit),
        console=console,
        transient=True,
    )


class _Pace(ProgressColumn):
    """Rows a second."""

    def render(self, task: Task) -> Text:
        """The pace of a pass."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{speed:,.0f} rows/s", style="dim")


class _Memory(ProgressColumn):
    """What the process holds now, beside the pass that is under way."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        super().__init__()

    def render(self, task: Task) -> Text:
        """The memory, for the pass under way only."""
        return Text("" if task.finished else memory_text(self._limit), style="dim")


def pass_table(passes: list[Pass]) -> list[dict[str, Any]]:
    """What each pass took, steps of one name together."""
    merged: dict[str, dict[str, Any]] = {}
    for one in passes:
        entry = merged.setdefault(one.name, {"name": one.name, "times": 0, "rows": 0, "seconds": 0.0})
        entry["times"] += 1
        entry["rows"] += one.rows
        entry["seconds"] += one.seconds
    return list(merged.values())
