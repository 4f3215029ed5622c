"""A benchmark in parts: modules of a folder, each with a `run`, and one file of results for their cells."""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from threadpoolctl import threadpool_limits

from bench.duels import Outcome
from bench.harness import RESULTS, Target, options, target_lines
from bench.ledger import Ledger, summary


def listed(known: list[str]) -> Callable[[str], list[str]]:
    """Names with commas between them, all of them known."""

    def names(text: str) -> list[str]:
        asked = text.split(",")
        if unknown := [name for name in asked if name not in known]:
            raise argparse.ArgumentTypeError(f"unknown: {', '.join(unknown)}; known: {', '.join(known)}")
        return asked

    return names


@dataclass(frozen=True)
class Parts:
    """The parts of ``bench.NAME``, in their order."""

    name: str
    about: str
    names: Sequence[str]

    def main(self) -> None:
        """Measure what the command line asks for and the file does not have yet."""
        chosen = self._arguments()
        path = chosen.json or (None if chosen.quick else RESULTS / f"{self.name}.json")
        ledger = Ledger(path, chosen.minutes)
        if chosen.fresh:
            for part in chosen.parts:
                ledger.renew_part(f"{part}/")
        with threadpool_limits(chosen.threads):
            self._run(ledger, chosen)

    def _arguments(self) -> argparse.Namespace:
        """The shared command line, and which pieces to run."""
        parser, parts = options(self.about), list(self.names)
        parser.add_argument("--parts", type=listed(parts), default=parts, help=f"of {','.join(parts)}")
        parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
        parser.add_argument("--fresh", action="store_true", help="measure these parts again")
        chosen = parser.parse_args()
        chosen.data = Path(chosen.data).resolve() if chosen.data else None
        return chosen

    def _played(self, part: str) -> Callable[[Ledger, argparse.Namespace], Outcome]:
        """What measures a part: findings, their text and the targets."""
        run: Callable[[Ledger, argparse.Namespace], Outcome] = import_module(f"bench.{self.name}.{part}").run
        return run

    def _run(self, ledger: Ledger, chosen: argparse.Namespace) -> None:
        """Measure and show the parts asked for; the file also tells of the others, as far as it has cells."""
        findings, targets, shown = {}, list[Target](), list[Target]()
        for part in self.names:
            ledger.closed = part not in chosen.parts
            findings[part], text, found = self._played(part)(ledger, chosen)
            targets += found
            if not ledger.closed:
                print(text, flush=True)
                shown += found
        print(target_lines(shown, chosen.quick))
        if ledger.missing:
            print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
        ledger.save(summary(ledger, self.name, chosen, targets, findings))
