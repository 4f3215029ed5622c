"""``samara bench peers`` and ``python -m bench.peers``: measure what is missing, judge, write pages."""

import argparse
import os
from pathlib import Path

from bench.harness import RESULTS, Target, target_lines
from bench.ledger import Cell, Ledger, summary
from bench.measure import available_cores
from bench.peers import environments, promises
from bench.peers.compete import Contest
from bench.peers.data import Known, known, left_out
from bench.peers.findings import findings_of, targets_of
from bench.peers.methods import METHODS

NAME = "peers"
QUICK_SETS = 3


def run(
    sets: list[str] | None = None,
    quick: bool = False,
    data: Path | None = None,
    minutes: float | None = None,
    fresh: bool = False,
    threads: int | None = None,
) -> None:
    """Compare samara with its peers.

    ``sets`` are the names of data sets (None: all in the folder ``data``, else in that of SAMARA_DATA, and
    what was promised of one size and ridge). ``quick`` takes a few rows of a few sets and writes nothing.
    Nothing new is begun after ``minutes``; another run goes on there. ``fresh`` forgets the cells of these
    sets first.
    """
    folder = data or os.environ.get("SAMARA_DATA")
    chosen = argparse.Namespace(quick=quick, rounds=None, threads=threads or available_cores())
    chosen.data = Path(folder).resolve() if folder else None
    ledger = Ledger(None if quick else RESULTS / f"{NAME}.json", minutes, fresh and sets is None)
    picked = picked_of(chosen.data, sets, quick)
    environments.set_up(environments.known())
    absent = said_missing()
    ledger.closed = sets is not None
    found, text, targets = promises.PART.run(ledger, chosen)
    if not ledger.closed:
        print(text, flush=True)
    ledger.closed = False
    contest = Contest(ledger, chosen.data, quick, chosen.threads)
    for one in picked:
        if fresh:
            ledger.forget(f"sets/{one.name}/")
        contest.play(one)
    finish(ledger, chosen, {"promises": found, "missing": absent}, targets)


def picked_of(folder: Path | None, names: list[str] | None, quick: bool) -> list[Known]:
    """The sets asked for, from small to large; what is left out is said."""
    there = known(folder)
    if names is not None:
        if unknown := sorted(set(names) - {one.name for one in there}):
            listed = ", ".join(one.name for one in there)
            raise SystemExit(f"No data set named {unknown[0]} is there; there are {listed}.")
        return [one for one in there if one.name in names]
    for one in left_out(there):
        print(f"left out: {one.name}, {one.n_fit:,} rows of {one.n_features:,} columns are too many")
    kept = [one for one in there if one not in left_out(there)]
    return kept[:QUICK_SETS] if quick else kept


def said_missing() -> dict[str, str]:
    """Which peers can't be run, and why; also printed."""
    wanted = {method.environment for method in METHODS.values() if method.environment}
    absent = {name: why for name in sorted(wanted) if (why := environments.missing(name))}
    for name, why in absent.items():
        print(f"skipped: {name} {why}")
    return absent


def finish(ledger: Ledger, chosen: argparse.Namespace, findings: Cell, targets: list[Target]) -> None:
    """Judge, print and save; then the pages, from what was saved."""
    from bench.peers.pages import write_pages

    findings |= findings_of(ledger.cells)
    targets = [*targets, *targets_of(findings)]
    print(overview(findings))
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    report = summary(NAME, chosen, targets, findings)
    ledger.save(report)
    if not chosen.quick:
        for path in write_pages({**report, "cells": ledger.cells}):
            print(f"written: {os.path.relpath(path)}")


def overview(findings: Cell) -> str:
    """One line a peer."""
    lines = ["", f"samara at the peer's error or below, over {findings['sets']} sets"]
    columns = list(next(iter(findings["against"].values())))
    lines.append(f"  {'':<22}" + "".join(f"{name.replace('_', ' '):>15}" for name in columns))
    for peer, one in findings["against"].items():
        figures = ["-" if one[name] is None else f"{one[name]:.3g}" for name in columns]
        lines.append(f"  {peer:<22}" + "".join(f"{figure:>15}" for figure in figures))
    return "\n".join(lines)
