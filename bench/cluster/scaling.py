"""Sizeup and speedup (Bi et al. 2014, Figures 1 and 3): measured on one and two workers, modelled beyond.

A fit takes

    t(n, p) = start + n · row / p + p · part + ⌈log₂ p⌉ · (merge + network)

seconds on p workers of one thread: rows are summarized by all of them at the same time, client and scheduler
have a few tasks for each part, summaries are merged as a tree, one comes home and is solved there. ``start``
and ``row`` come from fits on one and two workers, ``part`` from the processor time of client and scheduler
for a table in a few and in many parts, and ``merge`` is the time that two packed summaries take to be added
up. ``network`` is assumed: the bytes of a summary over the bandwidth, and a delay.
"""

import argparse
import time
from itertools import product
from math import ceil, log2
from typing import Any

import numpy as np

from bench.cluster.contenders import SMALL, dask, drawn
from bench.duels import Outcome
from bench.harness import Target
from bench.ledger import Cell, Ledger
from bench.measure import Trial

MEASURED = (1, 2)  # workers
MODELLED = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
MOST_ROWS = 10**9
PARTS = 128  # in which a table is cut to see what a part costs
BANDWIDTH = 1.25e9  # bytes a second, of a network of 10 Gbit/s
LATENCY = 5e-3  # seconds that a task of Dask waits for the scheduler and a connection, about


def fit(workers: int, n_rows: tuple[int, ...], n_hidden: int) -> Trial:
    """Seconds of the same fit of more and more rows on one cluster, and of adding up two summaries."""
    from samara import ELMRegressor
    from samara.engines import DaskEngine
    from samara.sources.arrays import SMALLEST_PART

    client = dask(workers)

    def seconds(rows: int) -> float:
        start = time.perf_counter()
        ELMRegressor(n_hidden, alpha=1.0, engine=client, random_state=0).fit(drawn(rows))
        return time.perf_counter() - start

    def here(threads: int) -> float:
        """Processor seconds of this process, in which client and scheduler are, for a small fit."""
        rows, engine = drawn(SMALLEST_PART * PARTS), DaskEngine(client, workers=threads)
        start = time.process_time()
        ELMRegressor(20, alpha=1.0, engine=engine, random_state=0).fit(rows)
        return time.process_time() - start

    def part() -> float:
        """What one more part adds to that: its tasks are sent and followed, in both passes."""
        few, many = (min(here(count // workers) for _ in range(3)) for count in (workers, PARTS))
        return max(0.0, many - few) / (PARTS - workers)

    return Trial(
        run=lambda: {
            "seconds": [seconds(rows) for rows in n_rows],
            "merge": merge_seconds(n_hidden),
            "part": part(),
        },
        describe=lambda found: found,
        warm_up=lambda: seconds(SMALL),
    )


def merge_seconds(n_hidden: int, rounds: int = 9) -> float:
    """What a task spends on one merge of packed moments: opened, added up, packed. The best of some."""
    from samara.core import Block
    from samara.engines.parcels import copied, opened, wrapped
    from samara.summaries import Layout, Moments

    rng = np.random.default_rng(0)
    moments = Moments(Layout(np.zeros(n_hidden), np.zeros(1), np.ones(1), np.dtype(float)), 1, 256)
    moments.update(Block(rng.normal(size=(256, n_hidden)), rng.normal(size=(256, 1)), None, 0))
    parcel, taken = wrapped(moments.finish()), []
    for _ in range(rounds):
        start = time.perf_counter()
        total = copied(parcel)
        total.merge(opened(parcel))
        wrapped(total)
        taken.append(time.perf_counter() - start)
    return min(taken)


def model(cells: dict[int, Cell], n_rows: tuple[int, ...], n_hidden: int) -> Cell:
    """Start and seconds a row by least squares over all fits; a merge as measured, and over the network."""
    design, seconds = [], []
    for workers, rows in product(cells, range(len(n_rows))):
        design.append([1.0, n_rows[rows] / workers])
        seconds.append(cells[workers]["seconds"][rows])
    weights = 1 / np.array(seconds)  # relative errors: a short fit tells of the start, a long one of the rows
    (start, row), *_ = np.linalg.lstsq(np.array(design) * weights[:, None], np.ones(len(seconds)), rcond=None)
    fitted = np.array(design) @ [start, row] / np.array(seconds) - 1
    sent = 4 * (n_hidden + 2) * (n_hidden + 3)
    merge, part = (float(np.median([cell[name] for cell in cells.values()])) for name in ("merge", "part"))
    return {
        "start": float(start),
        "row": float(row),
        "part": part,
        "merge": merge,
        "network": sent / BANDWIDTH + LATENCY,
        "bandwidth": BANDWIDTH,
        "latency": LATENCY,
        "largest_gap": float(np.abs(fitted).max()),
    }


def modelled(found: Cell, n_rows: float, workers: int) -> float:
    """Seconds of a fit; one worker merges nothing."""
    rounds = ceil(log2(workers))
    merging = rounds * (found["merge"] + found["network"]) + (workers - 1) * found["part"]
    return float(found["start"] + n_rows * found["row"] / workers + merging)


def curves(found: Cell, n_rows: tuple[int, ...]) -> Cell:
    """Sizeup t(m·n)/t(n) and speedup t(1)/t(p), by the model."""
    sizes = [int(n) for n in np.geomspace(n_rows[0], MOST_ROWS, 25)]
    seconds = {str(p): [modelled(found, n, p) for n in sizes] for p in (1, 2, 8, 64, 1000)}
    lengths = (n_rows[-1], 10**7, 10**8, MOST_ROWS)
    speedup = {str(n): [modelled(found, n, 1) / modelled(found, n, p) for p in MODELLED] for n in lengths}
    return {"rows": sizes, "seconds": seconds, "workers": list(MODELLED), "speedup": speedup}


def run(ledger: Ledger, chosen: argparse.Namespace) -> Outcome:
    """Measure, fit the model, and draw; the picture is made anew from the cells that there are."""
    from bench.cluster.figure import draw
    from bench.harness import Contender

    n_rows = (5_000, 10_000, 20_000, 40_000) if chosen.quick else (62_500, 125_000, 250_000, 500_000)
    n_hidden = 300 if chosen.quick else 1000
    cells: dict[int, Cell] = {}
    for workers in MEASURED:
        kwargs: dict[str, Any] = {"workers": workers, "n_rows": n_rows, "n_hidden": n_hidden}
        side = Contender("dask", "bench.cluster.scaling:fit", kwargs)
        cell = ledger.cell(f"scaling/{workers}", lambda side=side: _best(side, chosen))
        if cell and "error" not in cell:
            cells[workers] = cell
    if len(cells) < len(MEASURED):
        return {}, "\nscaling: not yet measured", [_target(None)]
    found = model(cells, n_rows, n_hidden)
    measured = {str(workers): cell["seconds"] for workers, cell in cells.items()}
    findings = {"n_hidden": n_hidden, "n_rows": n_rows, "measured": measured, "model": found}
    findings |= curves(found, n_rows)
    if not ledger.closed:
        draw(findings, chosen.quick)
    return findings, _told(findings), [_target(found["largest_gap"])]


def _best(side: Any, chosen: argparse.Namespace) -> Cell:
    """The fastest of some runs, for each length: what else the machine does only adds."""
    runs = [side.run(chosen.threads) for _ in range(chosen.rounds or (1 if chosen.quick else 3))]
    if errors := [run for run in runs if "error" in run]:
        return errors[0]
    told = [run["results"] for run in runs]
    seconds = np.min([one["seconds"] for one in told], axis=0).round(4).tolist()
    return {"seconds": seconds, **{name: min(one[name] for one in told) for name in ("merge", "part")}}


def _target(gap: float | None) -> Target:
    return Target("scaling: the model is off what was measured by at most", gap, 0.15)


def _told(findings: Cell) -> str:
    found, measured = findings["model"], findings["measured"]
    lines = ["", f"scaling: seconds of a fit of {findings['n_hidden']} nodes, one ridge"]
    lines.append(f"  {'rows':>13}  " + "  ".join(f"{p:>4} workers" for p in (*MEASURED, 8, 64, 1000)))
    for place, n in enumerate(findings["n_rows"]):
        lines.append(f"  {n:>13,}  " + "  ".join(f"{measured[str(p)][place]:>12.3f}" for p in MEASURED))
    for n in (10**7, 10**8, MOST_ROWS):
        seconds = "  ".join(f"{modelled(found, n, p):>12,.1f}" for p in (*MEASURED, 8, 64, 1000))
        lines.append(f"  {n:>13,}  {seconds}  by the model")
    speed = f"{1 / found['row']:,.0f} rows a second and worker"
    lines.append(
        f"  model: {found['start']:.3f} s and {speed}; a part {1e3 * found['part']:.1f} ms, "
        f"a merge {1e3 * found['merge']:.1f} ms, and {1e3 * found['network']:.1f} ms over a network of "
        "10 Gbit/s, which is assumed"
    )
    return "\n".join(lines)
