"""Learning as rows arrive, against OS-ELM: ``python -m bench.online``.

Part ``stream`` times a stream of 10⁶ rows and watches its memory, ``torture`` compares fitted values of
ill-conditioned streams. Results are kept cell by cell: a run goes on where the last one stopped;
``--minutes 3`` begins nothing new after three minutes.
"""

import argparse
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench.contest.environments import python_of, set_up
from bench.harness import RESULTS, Contender, Target, machine, options, target_lines
from bench.ledger import Cell, Ledger
from bench.online import stream, torture

Outcome = tuple[str, list[Target]]
PROMISED = 5.0  # times the rows per second of each
FLAT_MB = 10.0


def do_stream(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Every contender in its own process, rounds interleaved."""
    set_up(["pyoselm"])
    rounds = chosen.rounds or (1 if chosen.quick else 3)
    found: dict[str, Cell] = {}
    for number in range(1, rounds + 1):
        for name, (function, kwargs) in stream.sides(chosen.quick).items():
            python = {"python": python_of("pyoselm")} if function == "pyoselm" else {}
            side = Contender(name, f"bench.online.stream:{function}", kwargs, **python)
            cell = ledger.cell(
                f"stream {name}, round {number}", lambda side=side: measured(side, chosen.threads)
            )
            if cell is not None and better(cell, found.get(name)):
                found[name] = cell
    return stream.report(found), stream_targets(found)


def measured(side: Contender, threads: int) -> Cell:
    """What a contender reported, or why it failed."""
    run = side.run(threads)
    return {"error": run["error"]} if "error" in run else run["results"]


def better(cell: Cell, best: Cell | None) -> bool:
    """Everyone's fastest round counts; a failure counts where there is nothing else."""
    if best is None or "error" in best:
        return True
    return "error" not in cell and cell["rows_per_second"] > best["rows_per_second"]


def stream_targets(found: dict[str, Cell]) -> list[Target]:
    """How many times the others' rows per second, and how flat the memory stays."""
    made = []
    for ours, how in (("samara, one solve", ""), ("samara, a solve per batch", ", solved after each batch")):
        rate = found.get(ours, {}).get("rows_per_second")
        for name in ("pyoselm", "pyoselm, use_woodbury", "literal OS-ELM"):
            theirs = found.get(name, {}).get("rows_per_second")
            times = rate / theirs if rate and theirs else None
            made.append(Target(f"times the rows per second of {name}{how}", times, PROMISED, at_least=True))
        growth = found.get(ours, {}).get("growth_mb")
        made.append(Target(f"growth of memory from a hundredth of the rows on, MB{how}", growth, FLAT_MB))
    return made


def do_torture(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    cells = {}
    for key in torture.keys(chosen.quick):
        dtype, alpha, condition = key
        name = f"torture {dtype} ridge {alpha:g} condition {condition:g}"
        cell = ledger.cell(name, lambda key=key: torture.cell(key[2], key[1], key[0]))
        if cell is not None:
            cells[key] = cell
    return torture.report(cells), torture.targets(cells)


PARTS: dict[str, Callable[[Ledger, argparse.Namespace], Outcome]] = {
    "stream": do_stream,
    "torture": do_torture,
}


def arguments() -> argparse.Namespace:
    """The shared command line, and which parts to run."""
    parser = options("Time and test learning as rows arrive.")
    parser.add_argument("--parts", default=",".join(PARTS), help="which, with commas (default all)")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="forget what the JSON file holds")
    chosen = parser.parse_args()
    chosen.parts = chosen.parts.split(",")
    if unknown := [part for part in chosen.parts if part not in PARTS]:
        parser.error(f"unknown part {unknown[0]!r}; there are {', '.join(PARTS)}")
    return chosen


def main() -> None:
    chosen = arguments()
    path: Path | None = chosen.json or (None if chosen.quick else RESULTS / "online.json")
    ledger, targets = Ledger(path, chosen.minutes, chosen.fresh), []
    for part in chosen.parts:
        text, promised = PARTS[part](ledger, chosen)
        print(text, flush=True)
        targets += promised
    print(target_lines(targets, chosen.quick))
    if ledger.missing:
        print(f"\nnot yet measured: {len(ledger.missing)} cells; run again to go on")
    ledger.save(
        {
            "benchmark": "online",
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": machine(chosen.threads),
            "targets": [{**asdict(target), "verdict": target.verdict()} for target in targets],
        }
    )


if __name__ == "__main__":
    main()
