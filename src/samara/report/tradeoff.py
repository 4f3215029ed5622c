"""Error against time against memory: what each solver gives for what it costs."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samara.core import Array
from samara.costs import format_bytes, format_seconds
from samara.errors import InputError, SamaraError
from samara.report.charts import GREY, RED, Chart, Trace, axis, curve, label, log_axis, points
from samara.report.drawing import ACCENT, INK, short
from samara.report.html import write_page
from samara.report.scores import pareto_front
from samara.report.tables import Section
from samara.store.files import Path, replace_file, write_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PICTURES = (".png", ".svg", ".pdf")
PANELS = (("seconds", "time (s)"), ("megabytes", "peak memory (MB)"))
SIDES = {"above": "top center", "below": "bottom center", "right": "middle right", "left": "middle left"}
OFFSETS = {
    "above": (0, 6, "center", "bottom"),
    "below": (0, -6, "center", "top"),
    "right": (7, 0, "left", "center"),
    "left": (-7, 0, "right", "center"),
}


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
        f"{len(on)} of {len(results)} solvers are on the front: {', '.join(on)}. The lowest error is "
        f"{short(best.error)}, by {best.solver} in {format_seconds(best.seconds)} and "
        f"{format_bytes(best.peak_bytes)}."
    )


@dataclass(frozen=True)
class Panel:
    """Error against one cost: where points, their names and the front of the two are."""

    title: str
    x: Array
    y: Array
    x_ends: tuple[float, float]  # of the axis, as powers of ten
    y_ends: tuple[float, float]
    names: tuple[str, ...]

    @property
    def sides(self) -> list[str]:
        """On which side of its point each name stands."""
        across = (np.log10(self.x) - self.x_ends[0]) / (self.x_ends[1] - self.x_ends[0])
        up = (self.y - self.y_ends[0]) / (self.y_ends[1] - self.y_ends[0])
        return name_sides(across, up, self.names)

    @property
    def front(self) -> tuple[Array, Array]:
        """The front of error and this cost alone, from cheap to dear."""
        held = np.flatnonzero(pareto_front(np.stack([self.x, self.y], axis=1)))
        held = held[np.argsort(self.x[held], kind="stable")]
        return self.x[held], self.y[held]


def _panels(results: Sequence[Tried]) -> list[Panel]:
    errors = np.array([each.error for each in results])
    y_ends = _roomy(errors[np.isfinite(errors)], 0.15)
    names = tuple(each.solver for each in results)
    panels = []
    for attribute, title in PANELS:
        x = np.array([getattr(each, attribute) for each in results])
        panels.append(Panel(title, x, errors, _roomy(np.log10(x), 0.2, 0.1), y_ends, names))
    return panels


def _roomy(values: Array, share: float, least: float = 0.0) -> tuple[float, float]:
    """The range of the values with room for names beside the outermost."""
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = share * (high - low) + least or 0.1 * abs(high) or 1.0
    return low - room, high + room


def name_sides(across: Array, up: Array, names: Sequence[str]) -> list[str]:
    """A side for each name, such that few meet another name or point; places are shares of a panel."""
    taken = [(x - 0.015, x + 0.015, y - 0.02, y + 0.02) for x, y in zip(across, up, strict=True)]
    sides = []
    for x, y, name in zip(across, up, names, strict=True):
        wide, tall, gap = 0.02 * len(name), 0.05, 0.03
        boxes = {  # the line of the front comes from above
            "below": (x - wide / 2, x + wide / 2, y - gap - tall, y - gap),
            "above": (x - wide / 2, x + wide / 2, y + gap, y + gap + tall),
            "right": (x + gap, x + gap + wide, y - tall / 2, y + tall / 2),
            "left": (x - gap - wide, x - gap, y - tall / 2, y + tall / 2),
        }
        side = min(boxes, key=lambda each: sum(_meet(boxes[each], other) for other in taken))
        taken.append(boxes[side])
        sides.append(side)
    return sides


def _meet(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[1] and b[0] < a[1] and a[2] < b[3] and b[2] < a[3]


def tradeoff_chart(results: Sequence[Tried], error_name: str) -> Chart:
    """Two panels, error against time and error against memory."""
    front = front_of(results)
    best = min(results, key=lambda each: each.error)
    traces: list[Trace] = []
    layout: dict[str, Any] = {}
    for number, panel in enumerate(_panels(results), 1):
        place = {"xaxis": f"x{number}", "yaxis": f"y{number}"}
        step = {"shape": "hv", "dash": "dot", "width": 1.5}
        x, y = panel.front
        traces.append(curve(x, y, RED, line=step, hoverinfo="skip", showlegend=False) | place)
        for held, colour, name in ((front, RED, "on the front"), (~front, GREY, "beaten by another")):
            picks = np.flatnonzero(held)
            style = {"marker": {"color": colour, "size": 11}, "name": name, "legendgroup": name}
            words = {
                "text": [label(panel.names[k]) for k in picks],
                "textposition": [SIDES[panel.sides[k]] for k in picks],
                "hovertemplate": "%{text}: %{x}, error %{y}<extra></extra>",
            }
            shown = {"mode": "markers+text", "showlegend": number == 1 and len(picks) > 0}
            traces.append(points(panel.x[held], panel.y[held], **style, **words, **shown, **place))
        domain = [0, 0.47] if number == 1 else [0.53, 1]
        powers = 10.0 ** np.array(panel.x_ends)
        layout[f"xaxis{number}"] = log_axis(panel.title, powers, range=panel.x_ends, domain=domain)
        layout[f"yaxis{number}"] = {"range": panel.y_ends, "anchor": f"x{number}"}
    layout["xaxis2"]["anchor"] = "y2"
    layout["yaxis2"] |= {"matches": "y", "showticklabels": False}
    layout = layout | {"xaxis": layout.pop("xaxis1"), "yaxis": axis(error_name, **layout.pop("yaxis1"))}
    return Chart(
        "tradeoff",
        f"Lowest {error_name} {short(best.error)} by {best.solver}; {int(front.sum())} of {len(results)} "
        "solvers are on the front",
        "Lower left is better. A solver is on the front when no other has as low an error in as little time "
        "and memory, and is better in one of them; the dotted line is the front of the two axes alone.",
        traces,
        layout,
        height=460,
    )


def _picture(results: Sequence[Tried], error_name: str, form: str) -> bytes:
    """The same two panels by Matplotlib."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise SamaraError("Plots need Matplotlib: pip install samara[plot].") from error
    figure = Figure(figsize=(9, 4.2), layout="constrained")
    front = front_of(results)
    axes = figure.subplots(1, 2, sharey=True)
    for ax, panel in zip(axes, _panels(results), strict=True):
        _draw_panel(ax, panel, front)
    axes[0].set_ylabel(error_name)
    figure.legend(*axes[0].get_legend_handles_labels(), frameon=False, loc="outside upper left", ncols=2)
    held = io.BytesIO()
    figure.savefig(held, format=form, dpi=150)
    return held.getvalue()


def _draw_panel(ax: Axes, panel: Panel, front: Array) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(color="0.92", linewidth=0.8)
    ax.set_axisbelow(True)
    ax.set_xscale("log")
    ax.step(*panel.front, where="post", color=ACCENT, linewidth=1, linestyle=":")
    for held, colour, name in ((front, ACCENT, "on the front"), (~front, "0.65", "beaten by another")):
        if held.any():
            ax.scatter(panel.x[held], panel.y[held], s=55, color=colour, label=name, zorder=3)
    for k, (name, side) in enumerate(zip(panel.names, panel.sides, strict=True)):
        x, y, ha, va = OFFSETS[side]
        place: dict[str, Any] = {
            "xytext": (x, y),
            "textcoords": "offset points",
            "ha": ha,
            "va": va,
            "parse_math": False,
        }
        colour = INK if front[k] else "0.45"
        ax.annotate(name, (panel.x[k], panel.y[k]), color=colour, fontsize=9, **place)
    ax.set_xlim(*(10.0**end for end in panel.x_ends))
    ax.set_ylim(*panel.y_ends)
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel(panel.title)
