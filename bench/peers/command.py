"""``samara bench peers`` and ``python -m bench.peers``: measure what is missing, judge, write pages."""

import argparse
import os
from pathlib import Path
from typing import Any

from bench.contest import environments
from bench.contest.compete import Contest
from bench.contest.means import Means, of_methods
from bench.contest.rows import Known, known, named
from bench.harness import RESULTS, Target, target_lines, waiting
from bench.ledger import Cell, Ledger, summary
from bench.peers import promises
from bench.peers.findings import findings_of, targets_of
from bench.peers.rules import CUT, MOST_VALUES, RULES

NAME = "peers"
QUICK_SETS = 3


def run(sets: list[str] | None = None, methods: list[str] | None = None, **means: Any) -> None:
    """Compare samara with its peers.

    ``sets`` and ``methods`` are names (None: all, and what was promised of one size and ridge). The others
    are those of `Means`.
    """
    given = Means(**means)
    chosen = argparse.Namespace(quick=given.quick, rounds=None, threads=given.cores)
    chosen.data, everything = given.folder, sets is None and methods is None
    ledger = Ledger(None if chosen.quick else RESULTS / f"{NAME}.json", given.minutes)
    if given.fresh and everything:
        ledger.renew_part("promises/")
    picked, rules = picked_of(chosen.data, sets, chosen.quick), of_methods(RULES, methods)
    environments.set_up({one.environment for one in rules.methods.values() if one.environment})
    absent = environments.said_missing(RULES.methods.values())
    ledger.closed = not everything
    found, text, targets = promises.PART.run(ledger, chosen)
    if not ledger.closed:
        print(text, flush=True)
    ledger.closed = False
    with waiting(chosen.threads) as forks:
        contest = Contest(rules, ledger, chosen.data, chosen.quick, forks)
        for one in picked:
            contest.play(one, given.fresh)
    finish(ledger, chosen, {"promises": found, "missing": absent}, targets)


def picked_of(folder: Path | None, names: list[str] | None, quick: bool) -> list[Known]:
    """The sets asked for, from small to large; what is left out is said."""
    there = known(folder, CUT)
    if names is not None:
        return named(there, names)
    large = [one for one in there if CUT.values(one) > MOST_VALUES]
    for one in large:
        print(
            f"left out: {one.name}, {CUT.n_fit(one.n_rows):,} rows of {one.n_features:,} columns are too many"
        )
    kept = [one for one in there if one not in large]
    return kept[:QUICK_SETS] if quick else kept


def finish(ledger: Ledger, chosen: argparse.Namespace, findings: Cell, targets: list[Target]) -> None:
    """Judge, print and save; then the pages, from what was saved."""
    from bench.peers.pages import write_pages

    findings |= findings_of(ledger.cells)
    targets = [*targets, *targets_of(findings)]
    print(overview(findings))
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    report = summary(ledger, NAME, chosen, targets, findings)
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
