"""Tables 5 and 6: lines 7 to 9 of Algorithm 5 with either stop, against the full SVD of the same H."""

import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median, stdev
from typing import Any

from bench.ledger import Cell
from bench.papers.jankowski_accuracy import label, svd_weights
from bench.papers.jankowski_sets import asked, cell_name, fold, hidden, load, missing
from bench.papers.jankowski_tables import TABLES_5_6, Column
from bench.papers.running import Run
from bench.papers.tables import Figure

ONCE = 4e10  # rows × kernels²: above, the slow ones run once, below twice
ROUNDS = 3
DISTURBED, ATTEMPTS, PAUSE = 0.05, 2, 10.0  # share of the processor, tries, seconds between them


def seconds(call: Callable[[], Any]) -> float:
    """How long it takes."""
    started = time.perf_counter()
    call()
    return round(time.perf_counter() - started, 5)


def machine_seconds() -> float | None:
    """Processor time that everything on the machine has used, idling apart; None where that is not told."""
    try:
        ticks = [int(count) for count in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    except OSError:
        return None
    return float(sum(ticks[:3] + ticks[5:]) / os.sysconf("SC_CLK_TCK"))


def others(before: tuple[float | None, float, float]) -> float | None:
    """Share of the processor that other processes have had since ``before``."""
    everything, own, clock = machine_seconds(), time.process_time(), time.perf_counter()
    if before[0] is None or everything is None:
        return None
    used = everything - before[0] - (own - before[1])
    return round(max(0.0, used / ((clock - before[2]) * (os.cpu_count() or 1))), 3)


def measure(name: str, folder: Path | None, kernels: int, attempts: int = ATTEMPTS) -> Cell:
    """The less disturbed of two attempts: threaded BLAS sharing a core slows beyond measure.

    The attempt is chosen by what other processes used meanwhile, never by what was measured.
    """
    tried: list[Cell] = []
    for number in range(attempts):
        time.sleep(PAUSE if number else 0)
        before = machine_seconds(), time.process_time(), time.perf_counter()
        cell = attempt(name, folder, kernels)
        tried.append({**cell, "others": others(before)})
        if (tried[-1]["others"] or 0.0) <= DISTURBED:
            break
    return min(tried, key=lambda cell: float(cell["others"] or 0.0))


def attempt(name: str, folder: Path | None, kernels: int) -> Cell:
    """All three on the first fold, in turn; the quick one three times, after a call that is not counted."""
    from samara.linalg import ErrorStop, GradientStop, pinv

    inputs = load(name, folder)
    rows = fold(inputs.y, 0, kernels)
    H, Y = hidden(inputs.X[rows.train], inputs.X[rows.centres]), inputs.targets[rows.train]
    ways: dict[str, Callable[[int], Any]] = {
        "gradient": lambda number: pinv(H, GradientStop(), random_state=number) @ Y,
        "fast": lambda number: pinv(H, ErrorStop(), random_state=number, max_rank=H.shape[1] - 1) @ Y,
        "svd": lambda number: svd_weights(H, Y),
    }
    slow = 1 if H.shape[0] * kernels**2 > ONCE else 2
    taken: dict[str, list[float]] = {way: [] for way in ways}
    ways["gradient"](0)
    for number in range(ROUNDS):
        for way, call in ways.items():
            if way == "gradient" or number < slow:
                taken[way].append(seconds(lambda call=call, number=number: call(number)))
    return taken


def figures(run: Run, kernels: int) -> list[Figure]:
    """Either stop by the SVD."""
    made = list[Figure]()
    for name, row in TABLES_5_6.items():
        cell = None
        if asked(run, name, kernels):
            cell = run.cell(
                f"times/{cell_name(name)}/{kernels}",
                lambda name=name: measure(name, run.data, kernels, 1 if run.quick else ATTEMPTS),
            )
        made += [
            _figure(name, (stop, kernels), row[stop, kernels].value, cell) for stop in ("fast", "gradient")
        ]
    return [replace(figure, missing=missing(run, figure.row)) for figure in made]


def _figure(name: str, column: Column, paper: float, cell: Cell | None) -> Figure:
    stop = column[0]
    return Figure(
        row=name,
        column=label(column),
        paper=paper,
        ours=median(cell[stop]) / median(cell["svd"]) if cell else None,
        deviation=_spread(cell, stop) if cell else 0.0,
        unit="of the SVD's time",
        better="lower",
        rounding=0.00005,
        repeats=len(cell[stop]) if cell else 0,
        counts=False,
    )


def _spread(cell: Cell, stop: str) -> float:
    """The deviation of a ratio, by that of its parts."""
    parts = [cell[stop], cell["svd"]]
    shares = [stdev(times) / median(times) if len(times) > 1 else 0.0 for times in parts]
    return float(median(parts[0]) / median(parts[1]) * (shares[0] ** 2 + shares[1] ** 2) ** 0.5)
