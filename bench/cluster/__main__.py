"""Past one machine: overhead, bytes, scaling, and the tables of the paper on distributed kernel models.

``python -m bench.cluster --data DIR``. Results are kept cell by cell: a run goes on where the last one ended;
``--parts overhead,bytes`` narrows, ``--fresh`` measures those parts again.
"""

import argparse
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from bench.harness import RESULTS, Target, options, target_lines
from bench.kernel.__main__ import listed
from bench.kernel.duels import Outcome
from bench.randomized.ledger import Ledger, summary

PARTS = ("overhead", "bytes", "scaling", "dk_elm")  # each a module of this folder, whose `run` measures it


def played(part: str) -> Callable[[Ledger, argparse.Namespace], Outcome]:
    """What measures a part: findings, their text and the targets."""
    run: Callable[[Ledger, argparse.Namespace], Outcome] = import_module(f"bench.cluster.{part}").run
    return run


def arguments() -> argparse.Namespace:
    """The shared command line, and which pieces to run."""
    parser = options("Measure what was promised for clusters.")
    parts = list(PARTS)
    parser.add_argument("--parts", type=listed(parts), default=parts, help=f"of {','.join(parts)}")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="measure these parts again")
    chosen = parser.parse_args()
    chosen.data = Path(chosen.data).resolve() if chosen.data else None
    return chosen


def run(ledger: Ledger, chosen: argparse.Namespace) -> None:
    """Measure and show the parts asked for; the file also tells of the others, as far as it has cells."""
    findings, targets, shown = {}, [], list[Target]()
    for part in PARTS:
        ledger.closed = part not in chosen.parts
        findings[part], text, found = played(part)(ledger, chosen)
        targets += found
        if not ledger.closed:
            print(text, flush=True)
            shown += found
    print(target_lines(shown, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    ledger.save(summary("cluster", chosen, targets, findings))


def main() -> None:
    chosen = arguments()
    path = chosen.json or (None if chosen.quick else RESULTS / "cluster.json")
    ledger = Ledger(path, chosen.minutes)
    if chosen.fresh:
        for part in chosen.parts:
            ledger.forget(f"{part}/")
    with threadpool_limits(chosen.threads):
        run(ledger, chosen)


if __name__ == "__main__":
    main()
