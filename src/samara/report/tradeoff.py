"""Error against time against memory: what each solver gives for what it costs."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.costs import format_bytes
from samara.errors import InputError, SamaraError
from samara.report.charts import GREY, RED, Chart, axis, label, log_axis, numbers
from samara.report.drawing import ACCENT, INK, short
from samara.report.html import write_page
from samara.report.scores import pareto_front
from samara.report.tables import Section, duration
from samara.store.files import Path, replace_file, write_all

PICTURES = (".png", ".svg", ".pdf")
PANELS = (("seconds", "time (s)"), ("megabytes", "peak memory (MB)"))
WHERE = ("top center", "bottom center")  # of names: neighbours differ


@dataclass(frozen=True)
class Tried:
    """What one solver gave, and what it cost."""

    solver: str
    seconds: float
    peak_bytes: float
    error: float

    @property
    def megabytes(self) -> float:
        """The peak of memory in units of the chart."""
        return self.peak_bytes / 1e6


def front_of(results: Sequence[Tried]) -> Array:
    """Which results no other beats in error, time and memory at once."""
    return pareto_front(np.array([[each.error, each.seconds, each.peak_bytes] for each in results]))


def draw_tradeoff(results: Sequence[Tried], path: Path, error_name: str = "error") -> None:
    """Draw error against time and against memory, with the Pareto front.

    A result is on the front when no other has as low an error in as little time and memory, and is better
    in one of them.

    Parameters
    ----------
    results : sequence of Tried
        One or more, with positive times and memory.
    path : str or path-like
        The file to write: ``.png``, ``.svg`` or ``.pdf`` by Matplotlib, ``.html`` as a page that needs no
        network.
    error_name : str, default="error"
        What the error is, such as ``"held-out RMSE"``.

    Examples
    --------
    >>> from samara.report import Tried, draw_tradeoff
    >>> results = [Tried("gram", 1.0, 5e8, 0.20), Tried("lsqr", 4.0, 1e8, 0.20)]
    >>> draw_tradeoff(results, "tradeoff.html", "held-out RMSE")  # doctest: +SKIP
    """
    if not results:
        raise InputError("A trade-off needs the results of one solver at least; none were given.")
    wrong = [each for each in results if not (each.seconds > 0 and each.peak_bytes > 0)]
    if wrong:
        raise InputError(
            f"Times and memory must be above 0; those of {wrong[0].solver} are {wrong[0].seconds} s and "
            f"{wrong[0].peak_bytes} bytes."
        )
    ending = os.path.splitext(os.fspath(path))[1].lower()
    if ending in PICTURES:
        picture = _picture(results, error_name, ending[1:])
        replace_file(path, lambda fd: write_all(fd, picture))
    elif ending in (".html", ".htm"):
        charts = [tradeoff_chart(results, error_name)]
        part = Section("tradeoff", "Error against time and memory", _words(results), charts)
        write_page(path, "What each solver costs", [part])
    else:
        raise InputError(
            f"The name of the file must end in {', '.join(PICTURES)} or .html; {os.fspath(path)!r} does not."
        )


def _words(results: Sequence[Tried]) -> str:
    front = front_of(results)
    on = [each.solver for each, held in zip(results, front, strict=True) if held]
    best = min(results, key=lambda each: each.error)
    return (
        f"{len(on)} of {len(results)} solvers are on the front: {', '.join(on)}. The lowest error, "
        f"{short(best.error)}, is that of {best.solver}: {duration(best.seconds)}, {format_bytes(best.peak_bytes)}."
    )


def tradeoff_chart(results: Sequence[Tried], error_name: str) -> Chart:
    """Two panels, error against time and error against memory."""
    front = front_of(results)
    best = min(results, key=lambda each: each.error)
    traces = []
    for panel, (attribute, _) in enumerate(PANELS, 1):
        x = np.array([getattr(each, attribute) for each in results])
        y = np.array([each.error for each in results])
        for held, colour, name in ((front, RED, "on the front"), (~front, GREY, "beaten by another")):
            shown = [each for each, seen in zip(results, held, strict=True) if seen]
            traces.append(
                {
                    "type": "scatter",
                    "mode": "markers+text",
                    "x": numbers(x[held]),
                    "y": numbers(y[held]),
                    "text": [label(each.solver) for each in shown],
                    "textposition": [WHERE[k % 2] for k in np.argsort(np.argsort(x[held])).tolist()],
                    "marker": {"color": colour, "size": 11},
                    "name": name,
                    "legendgroup": name,
                    "showlegend": panel == 1,
                    "xaxis": f"x{panel}",
                    "yaxis": f"y{panel}",
                    "cliponaxis": False,
                    "hovertemplate": "%{text}: %{x}, error %{y}<extra></extra>",
                }
            )
    times, sizes = (
        _padded(title, np.array([getattr(each, attribute) for each in results]))
        for attribute, title in PANELS
    )
    errors = np.array([each.error for each in results])
    return Chart(
        "tradeoff",
        f"Lowest {error_name} {short(best.error)} by {best.solver}; no other beats {int(front.sum())} of "
        f"{len(results)} solvers",
        "Lower left is better. A solver is on the front when no other has as low an error in as little time "
        "and memory, and is better in one of them.",
        traces,
        {
            "xaxis": times | {"domain": [0, 0.46], "anchor": "y"},
            "xaxis2": sizes | {"domain": [0.54, 1], "anchor": "y2"},
            "yaxis": axis(error_name) | _room(errors),
            "yaxis2": {"matches": "y", "anchor": "x2", "showticklabels": False},
        },
        height=460,
    )


def _padded(title: str, values: Array) -> dict[str, Any]:
    """A logarithmic axis with room for names beside the outermost points."""
    low, high = np.log10([values.min(), values.max()])
    room = 0.18 * (high - low) + 0.12
    ends = [float(low - room), float(high + room)]
    return log_axis(title, 10.0 ** np.array(ends), range=ends)


def _room(errors: Array) -> dict[str, Any]:
    """Room for names above and below the points."""
    known = errors[np.isfinite(errors)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    room = 0.15 * (high - low) or 0.05 * abs(high) or 1.0
    return {"range": [low - room, high + room]}


def _picture(results: Sequence[Tried], error_name: str, form: str) -> bytes:
    """The same two panels by Matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SamaraError("Plots need Matplotlib: pip install samara[plot].") from error
    figure = Figure(figsize=(9, 4), layout="constrained")
    front = front_of(results)
    panels = figure.subplots(1, 2, sharey=True)
    for ax, (attribute, title) in zip(panels, PANELS, strict=True):
        x = np.array([getattr(each, attribute) for each in results])
        y = np.array([each.error for each in results])
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
        ax.set_xscale("log")
        ax.scatter(x[~front], y[~front], s=50, color="0.65", label="beaten by another")
        ax.scatter(x[front], y[front], s=60, color=ACCENT, label="on the front", zorder=3)
        for k, each in enumerate(results):
            ax.annotate(
                each.solver,
                (x[k], y[k]),
                xytext=(0, 7),
                textcoords="offset points",
                ha="center",
                color=INK if front[k] else "0.45",
                fontsize=9,
                parse_math=False,
            )
        ax.margins(0.18, 0.18)
        ax.set_xlabel(title)
    panels[0].set_ylabel(error_name)
    panels[1].legend(frameon=False, loc="best")
    held = io.BytesIO()
    figure.savefig(held, format=form, dpi=150)
    return held.getvalue()
