"""``python -m bench.accuracy``: measure what is missing, judge, write the page."""

import argparse
import os
from pathlib import Path
from typing import Any

from bench.accuracy.findings import findings_of, targets_of
from bench.accuracy.pages import write_pages
from bench.accuracy.rules import CUT, NOT_TABLES, RULES
from bench.contest import environments
from bench.contest.compete import Contest
from bench.contest.means import Means, of_methods
from bench.contest.rows import Known, known, named
from bench.harness import RESULTS, figure, target_lines, waiting
from bench.ledger import Cell, Ledger, summary

QUICK_SETS = 3
COLUMNS = ("rank, numbers", "rank, classes", "calibration", "log loss", "fit s", "predict s", "peak MB")


def run(sets: list[str] | None = None, methods: list[str] | None = None, **means: Any) -> Cell:
    """Compare AutoELM with what a user would choose instead.

    ``sets`` and ``methods`` are names (None: all). The others are those of `Means`.
    """
    chosen = Means(**means)
    picked = picked_of(chosen.folder, sets, chosen.quick)
    rules = of_methods(RULES, methods)
    environments.set_up({one.environment for one in rules.methods.values() if one.environment})
    absent = environments.said_missing(rules.methods.values())
    ledger = Ledger(None if chosen.quick else RESULTS / f"{RULES.name}.json", chosen.minutes)
    with waiting(chosen.cores) as forks:
        contest = Contest(rules, ledger, chosen.folder, chosen.quick, forks)
        for one in picked:
            contest.play(one, chosen.fresh)
    return finish(ledger, argparse.Namespace(quick=chosen.quick, threads=chosen.cores), absent)


def picked_of(folder: Path | None, names: list[str] | None, quick: bool) -> list[Known]:
    """The sets asked for, from small to large; what is left out is said."""
    there = known(folder, CUT)
    if names is not None:
        return named(there, names)
    for one in there:
        if one.name in NOT_TABLES:
            print(f"left out: {one.name} ({NOT_TABLES[one.name]})")
    kept = [one for one in there if one.name not in NOT_TABLES]
    return kept[:QUICK_SETS] if quick else kept


def finish(ledger: Ledger, chosen: argparse.Namespace, absent: dict[str, str]) -> Cell:
    """Judge, print and save; then the page, from what was saved."""
    findings = {"missing": absent, **findings_of(ledger.cells)}
    targets = targets_of(findings)
    print(overview(findings))
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    report = summary(ledger, RULES.name, chosen, targets, findings)
    ledger.save(report)
    if not chosen.quick:
        for path in write_pages({**report, "cells": ledger.cells}):
            print(f"written: {os.path.relpath(path)}")
    return report


def overview(findings: Cell) -> str:
    """One line a method."""
    ranks, chances = findings["ranks"], findings["probabilities"]
    lines = ["", f"  {'':<22}" + "".join(f"{name:>14}" for name in COLUMNS)]
    for method, costs in findings["costs"].items():
        figures = (
            *(ranks[task].get("mean_ranks", {}).get(method) for task in ranks),
            *(chances[name].get(method) for name in chances),
            *(costs.get(name) for name in ("fit", "predict", "peak_mb")),
        )
        lines.append(f"  {method:<22}" + "".join(f"{figure(one):>14}" for one in figures))
    return "\n".join(lines)
