"""``samara bench papers``: measure what is not measured yet, show the verdicts, write results and pages.

Cells are kept as they are measured (bench/results/papers/), so a killed run goes on where it was: one that
measures afresh, too, when it is called again without being told to.
"""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from bench.harness import CHECKOUT, RESULTS
from bench.ledger import Cell, Ledger
from bench.measure import available_cores
from bench.papers import pages as page_maker
from bench.papers.running import Run
from bench.papers.tables import Figure, Paper, Table
from samara.errors import unknown_name

PAPERS = {
    "men-wang": "men_wang",
    "jankowski": "jankowski",
    "liu": "liu",
    "schindler": "schindler",
    "bi": "bi",
}
PAGES = CHECKOUT / "docs" / "papers"


def load(key: str) -> Paper:
    """The paper of this key."""
    paper: Paper = import_module(f"bench.papers.{PAPERS[key]}").PAPER
    return paper


class TablesFailedError(Exception):
    """Some tables ended in an error, told above; all others are measured."""


@dataclass(frozen=True)
class How:
    """The flags of the command.

    With ``quick`` nothing is kept and no page written, unless ``pages`` names a folder for them.
    ``minutes=0`` measures nothing and writes the pages again.
    """

    quick: bool = False
    data: Path | None = None
    minutes: float | None = None
    fresh: bool = False
    threads: int | None = None
    pages: Path | None = None


def run(papers: Sequence[str] | None = None, tables: Sequence[str] | None = None, **flags: Any) -> Cell:
    """All tables of all papers, or those named ("3", "Fig. 2"): how many figures have which verdict."""
    how = How(**flags)
    ends = None if how.minutes is None else time.monotonic() + 60 * how.minutes
    folder = how.pages or (None if how.quick else PAGES)
    threads = how.threads or available_cores()
    chosen = {key: load(key) for key in papers or PAPERS}
    refuse_unknown(tables or (), [table for one in chosen.values() for table in one.tables])
    failures, reports = list[str](), {}
    with threadpool_limits(threads):
        for key, known in chosen.items():
            left = None if ends is None else max(0.0, (ends - time.monotonic()) / 60)
            ledger = Ledger(None if how.quick else file_of(key), left)
            one = PaperRun(known, Run(ledger, how.data, how.quick, threads))
            if how.fresh:
                one.renew(tables)
            failures += one.go(tables, folder)
            reports[key] = ledger.report
    if folder and how.quick:
        page_maker.write_index(folder, reports)
    elif folder:
        write_front_page(folder)
    if failures:
        raise TablesFailedError(f"{len(failures)} tables could not be measured: {', '.join(failures)}")
    return {key: counted(report) for key, report in reports.items()}


def write_front_page(folder: Path) -> Path:
    """The page that sums up all papers and comparisons, from what is kept of each."""
    return page_maker.write_index(folder, {key: Ledger(file_of(key), 0).report for key in PAPERS})


def counted(report: Cell) -> Cell:
    """{table: {verdict: figures}}."""
    return {
        name: dict(Counter(one["verdict"] for one in table["figures"]))
        for name, table in report["tables"].items()
    }


def file_of(key: str) -> Path:
    """Where the results of a paper are kept."""
    return RESULTS / "papers" / f"{key}.json"


class PaperRun:
    """One paper's tables, in turn."""

    def __init__(self, paper: Paper, run: Run) -> None:
        self.paper = paper
        self.run = run

    def chosen(self, tables: Sequence[str] | None) -> list[Table]:
        """The tables asked for."""
        return [table for table in self.paper.tables if tables is None or named(table, tables)]

    def renew(self, tables: Sequence[str] | None) -> None:
        """Measure these tables again, whatever is known of them."""
        for table in self.chosen(tables):
            with suppress(Exception):  # a broken table is told of when its turn comes
                self.run.ledger.renew(self._cells_of(table))

    def go(self, tables: Sequence[str] | None, folder: Path | None) -> list[str]:
        """Measure and show the tables asked for, write what is known of the paper; names what failed."""
        failures = []
        kept = self.run.ledger.report.get("tables", {})
        for table in self.chosen(tables):
            try:
                figures = self._measured(table)
            except Exception as error:  # one broken table must not cost the others hours
                failures.append(f"{self.paper.authors}, {table.name}")
                print(f"{failures[-1]}: FAILED: {error!r}", flush=True)
                continue
            print(page_maker.console(self.paper, table, figures), flush=True)
            found = stored(table, figures)
            kept[table.name] = without_loss(found, kept.get(table.name, found))
            if folder and table.chart and kept[table.name] == found:
                page_maker.draw(folder, self.paper.key, table, self.run, figures)
        order = [table.name for table in self.paper.tables]
        report = self._report({name: kept[name] for name in order if name in kept})
        self.run.ledger.save(report)
        if folder and report["tables"]:
            page_maker.write_paper(folder, report)
        return failures

    def _measured(self, table: Table) -> list[Figure]:
        """Its figures; a first look without measuring finds how many cells are to be done."""
        ledger = self.run.ledger
        todo = len(self._cells_of(table) - ({*ledger.cells} - ledger.stale))
        with Counting(f"{self.paper.authors}, {table.name}", todo, ledger):
            return table.measure(self.run)

    def _cells_of(self, table: Table) -> set[str]:
        """What it asks the ledger for, found by asking without measuring."""
        ledger = self.run.ledger
        ledger.closed, ledger.asked = True, []
        try:
            table.measure(self.run)
        finally:
            ledger.closed = False
        return {*ledger.asked}

    def _report(self, tables: Cell) -> Cell:
        """Tables with the machine and day of the last run that has measured any of their cells."""
        about = ("key", "authors", "title", "source", "about")
        return {
            "paper": {name: getattr(self.paper, name) for name in about},
            **self.run.ledger.measured_with(self.run.threads),
            "seconds": self.run.ledger.seconds,
            "tables": tables,
        }


def named(table: Table, asked: Sequence[str]) -> bool:
    """Whether "3" (Table 3), "fig. 2" or "experiment 4" is asked for, and this is it."""
    parts = table.name.lower().rstrip(")").split(" (")  # "Experiment 2 (Fig. 3.1)" has two names
    wanted = {f"table {one}" if one[:1].isdigit() else one.lower() for one in asked}
    return not wanted.isdisjoint(parts)


def refuse_unknown(asked: Sequence[str], tables: Sequence[Table]) -> None:
    """A table that none of the papers has is a slip, and told before anything is measured."""
    for name in asked:
        if not any(named(table, [name]) for table in tables):
            raise SystemExit(str(unknown_name("table", name, {table.name for table in tables})))


def stored(table: Table, figures: Sequence[Figure]) -> Cell:
    """A table as it goes into the file, from which pages are made."""
    return {
        "title": table.title,
        "about": table.about,
        "chart": table.chart is not None,
        "figures": [
            {**asdict(one), "verdict": one.verdict, "difference": one.difference, "reason": table.reason(one)}
            for one in figures
        ],
    }


def without_loss(found: Cell, before: Cell) -> Cell:
    """A table in which figures whose data are not here today stay as they were measured before."""
    known = {(one["row"], one["column"]): one for one in before["figures"] if one["ours"] is not None}
    figures = [
        known.get((one["row"], one["column"]), one) if one["verdict"] == "missing" else one
        for one in found["figures"]
    ]
    return {**found, "figures": figures}


class Counting:
    """Cells done and to do, and the time left at the rate so far."""

    def __init__(self, title: str, todo: int, ledger: Ledger) -> None:
        self.title, self.todo, self.ledger = title, todo, ledger

    def __enter__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self.bar.start()
        task = self.bar.add_task(self.title, total=max(self.todo, 1), completed=0 if self.todo else 1)
        self.told, self.ledger.tell = self.ledger.tell, lambda text: self.bar.advance(task)

    def __exit__(self, *_: object) -> None:
        self.bar.stop()
        self.ledger.tell = self.told
