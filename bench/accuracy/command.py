"""``python -m bench.accuracy``: measure what is missing, judge, write the page."""

import argparse
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.accuracy.findings import findings_of, targets_of
from bench.accuracy.pages import write_pages
from bench.accuracy.rules import CUT, NOT_TABLES, RULES
from bench.contest import environments
from bench.contest.compete import Contest
from bench.contest.rows import Known, known, named
from bench.harness import RESULTS, figure, target_lines
from bench.ledger import Cell, Ledger, summary
from bench.measure import available_cores

QUICK_SETS = 3
COLUMNS = ("rank, numbers", "rank, classes", "calibration", "log loss", "fit s", "predict s", "peak MB")


@dataclass(frozen=True)
class Means:
    """Where the data are, and how much is measured."""

    data: Path | None = None  # None: the folder of SAMARA_DATA
    quick: bool = False  # a few rows of a few sets, nothing written
    minutes: float | None = None  # begin nothing new after; another run goes on there
    fresh: bool = False  # measure the sets and methods again
    threads: int | None = None  # cores for every method; None: all


def run(sets: list[str] | None = None, methods: list[str] | None = None, **means: Any) -> Cell:
    """Compare AutoELM with what a user would choose instead.

    ``sets`` and ``methods`` are names (None: all). The others are those of `Means`.
    """
    chosen = Means(**means)
    folder = chosen.data or os.environ.get("SAMARA_DATA")
    data = Path(folder).resolve() if folder else None
    picked = picked_of(data, sets, chosen.quick)
    rules = replace(RULES, methods={name: RULES.methods[name] for name in methods_of(methods)})
    environments.set_up({one.environment for one in rules.methods.values() if one.environment})
    absent = environments.said_missing(rules.methods.values())
    ledger = Ledger(None if chosen.quick else RESULTS / f"{RULES.name}.json", chosen.minutes)
    threads = chosen.threads or available_cores()
    contest = Contest(rules, ledger, data, chosen.quick, threads)
    for one in picked:
        if chosen.fresh:
            forget(ledger, one.name, methods)
        contest.play(one)
    return finish(ledger, argparse.Namespace(quick=chosen.quick, threads=threads), absent)


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


def methods_of(names: list[str] | None) -> list[str]:
    """The methods asked for, in their order: LightGBM's tuning gives AutoELM its time."""
    if unknown := sorted(set(names or ()) - set(RULES.methods)):
        raise SystemExit(f"No method is named {unknown[0]}; there are {', '.join(RULES.methods)}.")
    return [name for name in RULES.methods if names is None or name in names]


def forget(ledger: Ledger, name: str, methods: list[str] | None) -> None:
    """Drop the cells of a set, or those of some methods on it."""
    if methods is None:
        ledger.forget(f"sets/{name}/")
    for method in methods or ():
        ledger.cells.pop(f"sets/{name}/{method}", None)


def finish(ledger: Ledger, chosen: argparse.Namespace, absent: dict[str, str]) -> Cell:
    """Judge, print and save; then the page, from what was saved."""
    findings = {"missing": absent, **findings_of(ledger.cells)}
    targets = targets_of(findings)
    print(overview(findings))
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    report = summary(RULES.name, chosen, targets, findings)
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
