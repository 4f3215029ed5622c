"""Charts of the HTML report: traces and layout for plotly.js as plain data, with title and explanation.

Colours are chosen to be read on white and on black; text and grid get theirs in the page, which knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from samara.core import Array

BLUE, RED, GREY, GREEN = "#3f7cc4", "#d1495b", "#8a94a3", "#3a9a7c"
BLUES = [[0, "#eef4fb"], [0.5, "#8fb6e0"], [1, "#1f4e8c"]]
REDS = [[0, "#fbeff0"], [0.5, "#e8949f"], [1, "#a3213a"]]
MOST_POINTS = 5000
SIZES = ["#b9c8dc", "#93b1d6", "#6d9acd", "#3f7cc4", "#2f66a8", "#1f4e8c"]

Trace = dict[str, Any]


@dataclass(frozen=True)
class Chart:
    """One chart: what it found, how it is drawn, and how to read it."""

    name: str  # of its element
    title: str
    explanation: str
    traces: list[Trace]
    layout: dict[str, Any] = field(default_factory=dict)
    height: int = 360
    narrow: bool = False  # two of them share a row

    @property
    def figure(self) -> dict[str, Any]:
        """What plotly.js draws."""
        return {"data": self.traces, "layout": self.layout}


def numbers(values: Any, digits: int = 5) -> list[float | None]:
    """Plain numbers of a few digits; None where there is none."""
    flat = np.asarray(values, dtype=float).ravel()
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in flat.tolist()]


def label(text: object, most: int = 32) -> str:
    """A text from the data as plotly.js takes it: cut where it is long, and never read as a tag."""
    plain = str(text)
    return escape(plain if len(plain) <= most else plain[: most - 1] + "…")


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its title."""
    return {"title": {"text": title}} | more


def log_axis(title: str, values: Array, **more: Any) -> dict[str, Any]:
    """A logarithmic axis: powers of ten are numbered, or 2 and 5 as well where there are few of them."""
    positive = np.asarray(values)[np.asarray(values) > 0]
    decades = np.log10(positive.max() / positive.min()) if len(positive) else 0.0
    ticks = {"dtick": "D2"} if decades < 1 else {"dtick": 1 if decades <= 8 else 2}
    return axis(title, type="log", exponentformat="power", **(ticks | more))


def line(at: float, text: str, colour: str, vertical: bool = False, side: str = "") -> dict[str, Any]:
    """A dotted line across the chart, with its text at the end; for `layout` of `lines`."""
    ends = {"x0": at, "x1": at, "yref": "paper", "y0": 0, "y1": 1}
    across = {"y0": at, "y1": at, "xref": "paper", "x0": 0, "x1": 1}
    return {
        "type": "line",
        "line": {"color": colour, "width": 1.5, "dash": "dot"},
        "label": {
            "text": text,
            "font": {"color": colour, "size": 12},
            "textposition": side or ("end" if vertical else "start"),
            "textangle": 0,
            "padding": 4,
        },
        **(ends if vertical else across),
    }


def points(x: Array, y: Array, **more: Any) -> Trace:
    """A trace of points."""
    return {"type": "scatter", "mode": "markers", "x": numbers(x), "y": numbers(y), **more}


def curve(x: Array, y: Array, colour: str, **more: Any) -> Trace:
    """A trace of a line."""
    style = {"color": colour, "width": 2} | more.pop("line", {})
    return {"type": "scatter", "mode": "lines", "x": numbers(x), "y": numbers(y), "line": style, **more}


def drawn_rows(count: int) -> tuple[Array, str]:
    """Evenly spaced rows, 5,000 at most, and what the explanation says about it."""
    if count <= MOST_POINTS:
        return np.arange(count), f"All {count:,} rows are drawn." if count > 1 else "One row is drawn."
    rows = np.linspace(0, count - 1, MOST_POINTS).round().astype(int)
    return rows, f"{MOST_POINTS:,} of {count:,} rows are drawn, evenly spaced."


def matrix(values: Array, digits: int = 4) -> list[list[float | None]]:
    """Rows of numbers."""
    return [numbers(row, digits) for row in values]


def texts(values: Sequence[object]) -> list[str]:
    """Labels from the data."""
    return [label(value) for value in values]
