"""Bi et al.'s Figures 1 to 3: DK-ELM on more rows and workers; measured on one and two, modelled beyond."""

from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from bench.ledger import Cell
from bench.papers.running import Run
from bench.papers.tables import Figure

SIZES = (10_000, 15_000, 20_000, 25_000)  # rows of their generated sets
QUICK_SIZES = (500, 1_000)
FEATURES = 100  # theirs have 5000; most of the work, they say, does not depend on it
RANK, PASSES = 100, 3  # directions of SSVD; passes over K in which sums of n×k numbers are merged
WORKERS = (1, 2)
MODELLED = (1, 2, 3, 4, 5, 6, 7, 8)
ROUNDS = 2
BEST_SPEEDUP = (8, 6.66)  # on eight slave nodes "the maximal speedup value reaches about 6.66"
COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#8172b3")


def sizes(run: Run) -> tuple[int, ...]:
    """Rows."""
    return QUICK_SIZES if run.quick else SIZES


def missing() -> str:
    """Why no cluster can be started; empty where one can."""
    return "" if find_spec("distributed") else "no package distributed: pip install samara[dask]"


def measure(workers: int, n_rows: Sequence[int]) -> Cell:
    """Seconds of a fit by so many worker processes of one thread, for every number of rows."""
    import time

    from distributed import Client

    from bench.cluster.contenders import local_cluster
    from samara import KernelELMClassifier
    from samara.solvers.kernel import Ssvd

    rng = np.random.default_rng(0)
    X = rng.standard_normal((max(n_rows), FEATURES))
    y = (np.sin(X[:, :5]).sum(axis=1) > 0).astype(int)
    found = {}
    with local_cluster(workers) as cluster, Client(cluster) as client:
        settings = {"gamma": 0.5 / FEATURES, "alpha": 1.0, "solver": Ssvd(), "rank": RANK, "random_state": 0}
        model = KernelELMClassifier("rbf", engine=client, **settings)
        model.fit(X[:400], y[:400])  # the workers import
        for n in n_rows:
            started = time.perf_counter()
            model.fit(X[:n], y[:n])
            found[str(n)] = round(time.perf_counter() - started, 3)
    return found


def seconds(run: Run) -> dict[int, dict[int, float]]:
    """{workers: {rows: seconds}} of the faster of two runs, as far as it was measured."""
    found: dict[int, dict[int, float]] = {}
    for workers in () if missing() else WORKERS:
        rounds = 1 if run.quick else ROUNDS
        cells = run.cells(
            f"figs/{workers} workers", rounds, lambda _, workers=workers: measure(workers, sizes(run))
        )
        if cells:
            found[workers] = {n: min(cell[str(n)] for cell in cells) for n in sizes(run)}
    return found


def speedups(found: dict[int, dict[int, float]], n: int) -> list[float]:
    """t(1)/t(p) by the model of bench.cluster.scaling, in which pairs of rows stand for rows."""
    from bench.cluster.scaling import BANDWIDTH, LATENCY, model, modelled

    lengths = tuple(found[1])
    cells = {p: {"seconds": list(found[p].values()), "merge": 0.0, "part": 0.0} for p in found}
    fitted = model(cells, tuple(length**2 for length in lengths), 0)
    fitted["network"] = PASSES * (8 * n * RANK / BANDWIDTH + LATENCY)
    return [modelled(fitted, n**2, 1) / modelled(fitted, n**2, p) for p in MODELLED]


def figure_1(run: Run) -> list[Figure]:
    """Sizeup: t(m·n)/t(n), which the paper finds below its baseline m²."""
    found, (first, *others) = seconds(run), sizes(run)
    return [
        Figure(
            row=named(workers),
            column=f"{n:,} rows by {first:,}",
            paper=(n / first) ** 2,
            ours=found[workers][n] / found[workers][first] if workers in found else None,
            unit="×",
            better="lower",
            rounding=0.05,
            repeats=ROUNDS,
            missing=missing(),
            counts=False,
        )
        for workers in WORKERS
        for n in others
    ]


def figure_2(run: Run) -> list[Figure]:
    """Seconds by the number of workers; the paper's can only be seen in its picture."""
    found = seconds(run)
    return [
        Figure(
            row=f"{n:,} rows",
            column=named(workers),
            paper=None,
            ours=found[workers][n] if workers in found else None,
            unit="s",
            better="lower",
            repeats=ROUNDS,
            missing=missing(),
            counts=False,
        )
        for n in sizes(run)
        for workers in WORKERS
    ]


def figure_3(run: Run) -> list[Figure]:
    """Speedup t(1)/t(p): measured for two workers, modelled for eight, where the paper names its best."""
    found = seconds(run)
    whole = len(found) == len(WORKERS)
    shared: dict[str, Any] = {"unit": "×", "counts": False, "missing": missing(), "repeats": ROUNDS}
    figures = [
        Figure(
            row=f"{n:,} rows",
            column=named(2),
            paper=None,
            ours=found[1][n] / found[2][n] if whole else None,
            **shared,
        )
        for n in sizes(run)
    ]
    workers, paper = BEST_SPEEDUP
    best = max(speedups(found, n)[workers - 1] for n in sizes(run)) if whole else None
    column = f"{named(workers)}, modelled"
    figures.append(
        Figure(row="the best of all", column=column, paper=paper, ours=best, rounding=0.005, **shared)
    )
    return figures


def named(workers: int) -> str:
    """One worker, two workers."""
    return f"{workers} worker{'s' * (workers > 1)}"


def _axes(**labels: str) -> tuple[Any, Any]:
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(5.4, 4.0), layout="constrained")
    ax = picture.subplots()
    ax.set(**labels)
    return picture, ax


def chart_1(run: Run, _: Sequence[Figure]) -> Any:
    """Sizeup over the rows, and the paper's baseline."""
    picture, ax = _axes(xlabel="rows", ylabel="times as long as the smallest")
    lengths = sizes(run)
    ax.plot(
        lengths,
        [(n / lengths[0]) ** 2 for n in lengths],
        "--",
        color="0.6",
        label="baseline of the paper, n²",
    )
    for colour, (workers, taken) in zip(COLOURS, seconds(run).items(), strict=False):
        sizeup = [taken[n] / taken[lengths[0]] for n in lengths]
        ax.plot(lengths, sizeup, "o-", color=colour, label=named(workers))
    ax.legend(frameon=False, fontsize=8)
    return picture


def chart_2(run: Run, _: Sequence[Figure]) -> Any:
    """Seconds over the workers."""
    picture, ax = _axes(xlabel="workers", ylabel="seconds")
    found = seconds(run)
    for colour, n in zip(COLOURS, sizes(run) if found else (), strict=False):
        ax.plot(list(found), [found[p][n] for p in found], "o-", color=colour, label=f"{n:,} rows")
    if found:
        ax.set(xticks=list(found), ylim=(0, None))
        ax.legend(frameon=False, fontsize=8)
    return picture


def chart_3(run: Run, _: Sequence[Figure]) -> Any:
    """Speedup over the workers: points measured, dashes modelled, and the paper's best."""
    picture, ax = _axes(xlabel="workers (of the paper: nodes of four cores)", ylabel="times faster than one")
    ax.plot(MODELLED, MODELLED, color="0.8", lw=1, label="as many times as workers")
    found = seconds(run)
    if len(found) == len(WORKERS):
        for colour, n in zip(COLOURS, sizes(run), strict=False):
            ax.plot(MODELLED, speedups(found, n), "--", color=colour, lw=1.2, label=f"{n:,} rows, modelled")
            ax.plot([2], [found[1][n] / found[2][n]], "o", color=colour)
    ax.plot(*([value] for value in BEST_SPEEDUP), "*", color="0.2", ms=11, label="the paper's best")
    ax.legend(frameon=False, fontsize=8)
    return picture
