"""Randomized solvers against the papers' tables.

``python -m bench.randomized --data DIR``: the width rule of Jankowski and Linowiecki, then columns, accuracy
and times with it (their Tables 3 to 8) and rsvd on Schindler's sets. Results
are kept cell by cell: a run goes on where the last one stopped; with ``--minutes 3`` it begins nothing new
after three minutes.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from bench.harness import RESULTS, Target, options, target_lines
from bench.ledger import Ledger, summary
from bench.randomized import accuracy, columns, solvers, times, widths
from bench.randomized.paper_tables import SHAPES
from bench.randomized.sets import FILES, FOLDS, GAMMA, available, load

Outcome = tuple[Any, str, list[Target]]  # what was found, as text, and what was promised of it
QUICK_SETS = ("image", "waveform")


def do_shapes(names: list[str], ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Where a file differs from the paper's Table 2."""
    differing = {}
    for name in names:
        classes, rows, features, _ = SHAPES[name]
        inputs = load(name, chosen.data, "scaled codes")
        here = (len(set(inputs.y.tolist())), *inputs.X.shape)
        if here != (classes, rows, features):
            differing[name] = f"{here} here, {(classes, rows, features)} in the paper"
    lines = [f"  {name}: classes, rows, features {text}" for name, text in differing.items()]
    return differing, "\n".join(["", "data that differ from Table 2", *lines]), []


def do_widths(names: list[str], ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    scored = [] if chosen.quick else widths.search(names, ledger, chosen.data)
    return scored, widths.report(scored, len(names)), []


def do_columns(names: list[str], ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    means = columns.run(names, ledger, chosen.data, sizes(chosen, columns.SIZES), most(chosen))
    return means, columns.report(means), columns.targets(means)


def do_accuracy(names: list[str], ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    means = accuracy.run(names, ledger, chosen.data, sizes(chosen, accuracy.SIZES), most(chosen))
    return means, accuracy.report(means), accuracy.targets(means)


def do_times(names: list[str], ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    cells = times.run(names, ledger, chosen.data, sizes(chosen, times.SIZES))
    return cells, times.report(cells), times.targets(cells)


def do_rsvd(names: list[str], ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    found = solvers.rsvd_on_schindler(ledger, chosen)
    return found, solvers.rsvd_report(found), solvers.rsvd_targets(found)


PARTS: dict[str, Callable[[list[str], Ledger, argparse.Namespace], Outcome]] = {
    "shapes": do_shapes,
    "widths": do_widths,
    "columns": do_columns,
    "accuracy": do_accuracy,
    "times": do_times,
    "rsvd": do_rsvd,
}


def sizes(chosen: argparse.Namespace, offered: tuple[int, ...]) -> list[int]:
    """Numbers of kernels asked for; the smallest on offer with --quick."""
    if chosen.quick:
        return list(offered[:1])
    return [size for size in offered if not chosen.sizes or size in chosen.sizes]


def most(chosen: argparse.Namespace) -> int:
    """Folds at most."""
    return 2 if chosen.quick else FOLDS


def arguments() -> argparse.Namespace:
    """The shared command line, and which pieces to run."""
    parser = options("Repeat the tables of the papers behind the randomized solvers.")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="which (default all)")
    parser.add_argument("--sets", nargs="+", choices=FILES, help="which of the 15 (default all)")
    parser.add_argument("--sizes", nargs="+", type=int, help="numbers of kernels (default all of the tables)")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="forget what the JSON file holds")
    chosen = parser.parse_args()
    chosen.data = Path(chosen.data).resolve() if chosen.data else None
    return chosen


def main() -> None:
    chosen = arguments()
    there = available(chosen.data)
    names = [name for name in chosen.sets or (QUICK_SETS if chosen.quick else FILES) if name in there]
    if absent := [name for name in FILES if name not in there]:
        print(f"skipped, no file in the folder of --data or SAMARA_DATA: {', '.join(absent)}")
    path = chosen.json or (None if chosen.quick else RESULTS / "randomized.json")
    ledger = Ledger(path, chosen.minutes, chosen.fresh)
    findings, targets = {}, []
    with threadpool_limits(chosen.threads):
        for part in chosen.parts:
            findings[part], text, promised = PARTS[part](names, ledger, chosen)
            print(text, flush=True)
            targets += promised
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    ledger.save({**summary("randomized", chosen, targets, findings), "gamma": GAMMA})


if __name__ == "__main__":
    main()
