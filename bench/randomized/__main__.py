"""Randomized solvers against the papers' tables.

``python -m bench.randomized --data DIR``: rsvd on Schindler's sets and sketch on those of Men and Wang.
Results are kept cell by cell: a run goes on where the last one stopped; with ``--minutes 3`` it begins
nothing new after three minutes.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from threadpoolctl import threadpool_limits

from bench.duels import Outcome
from bench.harness import RESULTS, options, target_lines
from bench.ledger import Ledger, summary
from bench.randomized import solvers


def do_rsvd(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    found = solvers.rsvd_on_schindler(ledger, chosen)
    return found, solvers.rsvd_report(found), solvers.rsvd_targets(found)


def do_sketch(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    found = solvers.sketch_on_men_wang(ledger, chosen)
    return found, solvers.sketch_report(found), solvers.sketch_targets(found)


PARTS: dict[str, Callable[[Ledger, argparse.Namespace], Outcome]] = {"rsvd": do_rsvd, "sketch": do_sketch}


def arguments() -> argparse.Namespace:
    """The shared command line, and which pieces to run."""
    parser = options("Repeat the tables of the papers behind the randomized solvers.")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS), help="which (default all)")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="forget what the JSON file holds")
    chosen = parser.parse_args()
    chosen.data = Path(chosen.data).resolve() if chosen.data else None
    return chosen


def main() -> None:
    chosen = arguments()
    path = chosen.json or (None if chosen.quick else RESULTS / "randomized.json")
    ledger = Ledger(path, chosen.minutes, chosen.fresh)
    findings, targets = {}, []
    with threadpool_limits(chosen.threads):
        for part in chosen.parts:
            findings[part], text, promised = PARTS[part](ledger, chosen)
            print(text, flush=True)
            targets += promised
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    ledger.save(summary("randomized", chosen, targets, findings))


if __name__ == "__main__":
    main()
