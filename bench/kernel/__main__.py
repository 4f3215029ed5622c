"""Kernel models: the numbers promised of them.

``python -m bench.kernel --data DIR``. Results are kept cell by cell: a run goes on where the last one ended;
``--parts exact,pcg`` narrows, ``--fresh`` measures those parts again.
"""

import argparse
from collections.abc import Callable
from pathlib import Path

from threadpoolctl import threadpool_limits

from bench.duels import Outcome
from bench.harness import RESULTS, Target, options, target_lines
from bench.kernel import blocks, centres, full, leaves
from bench.ledger import Ledger, summary
from bench.parts import listed

PARTS: dict[str, Callable[[Ledger, argparse.Namespace], Outcome]] = {
    "primitive": blocks.PRIMITIVE.run,
    "exact": full.EXACT.run,
    "pcg": full.PCG.run,
    "friedman": full.FRIEDMAN_1.run,
    "sets": centres.REAL_SETS.run,
    "large": centres.LARGE.run,
    "sklearn": centres.SKLEARN.run,
    "leaves": leaves.LEAVES.run,
}


def arguments() -> argparse.Namespace:
    """The shared command line, and which pieces to run."""
    parser = options("Measure what was promised of the kernel models.")
    parts, sets = list(PARTS), sorted(centres.SETS)
    parser.add_argument("--parts", type=listed(parts), default=parts, help=f"of {','.join(parts)}")
    parser.add_argument("--sets", type=listed(sets), help=f"of part sets: {','.join(sets)}")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="measure these parts again")
    chosen = parser.parse_args()
    chosen.data = Path(chosen.data).resolve() if chosen.data else None
    return chosen


def run(ledger: Ledger, chosen: argparse.Namespace) -> None:
    """Measure and show the parts asked for; the file also tells of the others, as far as it has cells."""
    everything: list[Target] = []
    shown: list[Target] = []
    asked, chosen.sets = chosen.sets, None
    for part, play in PARTS.items():
        ledger.closed = part not in chosen.parts
        if not ledger.closed:
            chosen.sets = asked
            _, text, targets = play(ledger, chosen)
            print(text, flush=True)
            shown += targets
            ledger.closed, chosen.sets = True, None
        _, _, targets = play(ledger, chosen)
        everything += targets
    print(target_lines(shown, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    ledger.save(summary(ledger, "kernel", chosen, everything, {}))


def main() -> None:
    chosen = arguments()
    path = chosen.json or (None if chosen.quick else RESULTS / "kernel.json")
    ledger = Ledger(path, chosen.minutes)
    if chosen.fresh:
        for part in chosen.parts:
            ledger.renew_part(f"{part}/")
    with threadpool_limits(chosen.threads):
        run(ledger, chosen)


if __name__ == "__main__":
    main()
