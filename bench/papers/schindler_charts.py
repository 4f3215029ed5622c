"""Figs 3.1 to 3.5 of Schindler's thesis, drawn from the figures of his experiments."""

from collections.abc import Sequence
from typing import Any

from bench.papers.running import Run
from bench.papers.schindler_printed import CHUNK_PAIRS, RANKS, RIDGES
from bench.papers.tables import Figure

SIZE = (9.0, 3.8)
Found = dict[tuple[str, str], float]


def found(figures: Sequence[Figure]) -> Found:
    """What was measured, by row and column."""
    return {(one.row, one.column): one.ours for one in figures if one.ours is not None}


def panels() -> tuple[Any, Any, Any]:
    """Two of them side by side."""
    from matplotlib.figure import Figure as Canvas

    canvas = Canvas(figsize=SIZE, layout="constrained")
    left, right = canvas.subplots(1, 2)
    return canvas, left, right


def line(panel: Any, values: Found, keys: dict[Any, tuple[str, str]], label: str) -> None:
    """The points that were measured."""
    points = {place: values[key] for place, key in keys.items() if key in values}
    if points:
        panel.plot(list(points), list(points.values()), marker="o", label=label)


def finish(*drawn: Any, **settings: Any) -> None:
    """Labels, and a legend where there is something to tell apart."""
    for panel in drawn:
        panel.set(**settings)
        if panel.get_legend_handles_labels()[0]:
            panel.legend()


def costs(figures: Sequence[Figure], rows: dict[Any, str], ways: Sequence[str], xlabel: str) -> Any:
    """Seconds on the left, peaks on the right, against what names the rows."""
    canvas, left, right = panels()
    values = found(figures)
    for way in ways:
        for panel, unit in ((left, "s"), (right, "MB")):
            line(panel, values, {place: (row, f"{way}, {unit}") for place, row in rows.items()}, way)
    finish(left, xlabel=xlabel, ylabel="s", title="time")
    finish(right, xlabel=xlabel, ylabel="MB", title="peak of resident memory")
    return canvas


def ridge_chart(run: Run, figures: Sequence[Figure]) -> Any:
    """Experiment 1: RMSE against the ridge, of both algorithms."""
    canvas, *drawn = panels()
    cells = run.ledger.cells
    for panel, kind in zip(drawn, ("OS-RELM", "PR-ELM"), strict=True):
        for name in sorted({figure.row for figure in figures}):
            keys = {alpha: f"ridge/{name}/{kind}/{alpha:g}" for alpha in RIDGES}
            points = {alpha: cells[key]["test"] for alpha, key in keys.items() if key in cells}
            panel.plot(list(points), list(points.values()), marker="o", label=name)
        finish(panel, xlabel="ridge", ylabel="testing RMSE", title=kind, yscale="log")
    return canvas


def rank_chart(run: Run, figures: Sequence[Figure]) -> Any:
    """Fig. 3.1: RMSE against l, on DS3 and on DS2."""
    canvas, *drawn = panels()
    for panel, name in zip(drawn, ("DS3", "DS2"), strict=True):
        line(panel, found(figures), {rank: (name, f"RMSE at l = {rank}") for rank in RANKS}, "RSVD-ELM")
        finish(panel, xlabel="l", ylabel="testing RMSE", title=name)
    return canvas


def rank_cost_chart(run: Run, figures: Sequence[Figure]) -> Any:
    """Fig. 3.2: time and memory of RSVD-ELM against l."""
    return costs(figures, {rank: f"l = {rank}" for rank in RANKS}, ("to the letter", "samara"), "l")


def chunk_chart(run: Run, figures: Sequence[Figure]) -> Any:
    """Fig. 3.3: time and memory of OS-RELM against the pair of chunk sizes."""
    pairs = {f"{first},\n{others}": f"{first}, {others}" for first, others in CHUNK_PAIRS}
    return costs(figures, pairs, ("to the letter", "woodbury", "information"), "first chunk, others")


def partition_chart(run: Run, figures: Sequence[Figure]) -> Any:
    """Fig. 3.5: time and memory of PR-ELM against its partitions; Samara's own blocks as a line."""
    rows = {int(one.row.split()[0]): one.row for one in figures if one.row.endswith("partitions")}
    canvas = costs(figures, rows, ("to the letter",), "partitions")
    for panel, unit in zip(canvas.axes, ("s", "MB"), strict=True):
        ours = found(figures).get(("its own blocks", f"samara, {unit}"))
        if ours is not None:
            panel.axhline(ours, color="C1", linestyle="--", label="samara")
            panel.legend()
    return canvas


def part_chart(run: Run, figures: Sequence[Figure]) -> Any:
    """Fig. 3.4: shares of the parts of OS-RELM, the ridge chosen, in memory and in time."""
    canvas, *drawn = panels()
    cells = run.ledger.cells
    keys = ("parts/memory/chosen", "parts/seconds/to the letter/ridge chosen")
    for panel, key, title in zip(drawn, keys, ("(a) peaks of memory", "(b) time"), strict=True):
        cell = cells.get(key, {})
        parts = [part for part in ("H0", "first chunk", "rest of chunks", "beta") if part in cell]
        if parts:
            panel.pie([cell[part] for part in parts], labels=parts, autopct="%.0f %%")
        panel.set_title(title)
    return canvas
