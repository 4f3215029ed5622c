"""What a command prints: tables and results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from samara.cli.endings import Ending, leave
from samara.cli.options import Shown

WIDTH = 120  # of tables that go to a file or a pipe


class Output:
    """The voice of a command, as loud as asked for."""

    def __init__(self, shown: Shown) -> None:
        self.shown = shown
        self.warnings: list[str] = []
        self.errors = _console(sys.stderr)
        self._tables = not (shown.json or shown.quiet)

    @property
    def quiet(self) -> bool:
        """Whether progress and remarks are left out."""
        return self.shown.quiet

    def note(self, text: str) -> None:
        """A remark while the command works."""
        if not self.quiet:
            self.errors.print(text, soft_wrap=True)

    def warning(self, message: Any, *_: Any, **__: Any) -> None:
        """Show a warning without the line of code that it came from (takes the place of Python's own)."""
        self.warnings.append(str(message))
        self.errors.print(f"warning: {message}", soft_wrap=True)

    def facts(self, facts: Iterable[tuple[str, str]], title: str | None = None) -> None:
        """Two columns: what it is, and how much."""
        table = _table(title, show_header=False)
        table.add_column(style="bold")
        table.add_column(overflow="fold")
        for name, told in facts:
            table.add_row(Text(name), Text(told))
        self._print(table)

    def rows(self, heads: Sequence[str], rows: Iterable[Sequence[str]], marked: int | None = None) -> None:
        """A table whose first column names the rows; the marked row is set off."""
        table = _table(None, show_header=True)
        for number, head in enumerate(heads):
            table.add_column(
                head, justify="right" if 0 < number < len(heads) - 1 else "left", overflow="fold"
            )
        for number, row in enumerate(rows):
            table.add_row(*map(Text, row), style="bold" if number == marked else None)
        self._print(table)

    def text(self, text: str) -> None:
        """Plain lines among the tables."""
        if self._tables:
            _console(sys.stdout).print(Text(text), soft_wrap=True)

    def result(self, result: dict[str, Any]) -> None:
        """The one object of ``--json``."""
        if self.shown.json:
            _dump({**result, "warnings": self.warnings})
        sys.stdout.flush()

    def failed(self, ending: Ending) -> typer.Exit:
        """The last line of a command that failed, and its exit."""
        if ending.message:
            self.errors.print(f"samara: {ending.message}", soft_wrap=True)
            if self.shown.json:
                _dump({"error": {"kind": ending.kind, "message": ending.message, "exit_code": ending.code}})
        return leave(ending.code)

    def _print(self, table: Table) -> None:
        if not self._tables:
            return
        console = _console(sys.stdout)
        if console.is_terminal:
            console.print(table)
            return
        with console.capture() as captured:  # a file needs no blanks at the ends of its lines
            console.print(table)
        sys.stdout.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


def plain(value: Any) -> Any:
    """The same value in JSON's terms: arrays as lists, what is not finite as null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def _dump(value: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=False, allow_nan=False) + "\n")
    sys.stdout.flush()


class _Console(Console):
    """A console that leaves it to the command how to end when nobody reads any more."""

    def on_broken_pipe(self) -> None:
        """Raise the error, where rich would exit with code 1."""
        raise BrokenPipeError


def _console(stream: TextIO) -> Console:
    width = None if stream.isatty() else WIDTH
    return _Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def _table(title: str | None, show_header: bool) -> Table:
    return Table(
        title=title,
        box=None,
        show_header=show_header,
        title_justify="left",
        title_style="bold",
        header_style="dim",
        padding=(0, 2, 0, 0),
    )
