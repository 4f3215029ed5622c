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
REDS = [[0, "rgba(209,73,91,0.15)"], [0.5, "rgba(199,60,80,0.75)"], [1, "rgba(163,33,58,1)"]]
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
    """A text from the data as plotly.js takes it: without its middle if long, and never read as a tag."""
    plain, tail = str(text), most // 3  # names often differ at their end
    return escape(plain if len(plain) <= most else f"{plain[: most - tail - 1]}…{plain[-tail:]}")


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its title."""
    return {"title": {"text": title}} | more


def log_axis(title: str, values: Array, **more: Any) -> dict[str, Any]:
    """A logarithmic axis: powers of ten are numbered, and 2 and 5 times them where there are few."""
    known = np.asarray(values, dtype=float)
    known = known[np.isfinite(known) & (known > 0)]
    first, last = (np.log10([known.min(), known.max()]) if len(known) else np.zeros(2)).tolist()
    step = max(1, round((last - first) / 6))
    powers = np.arange(np.floor(first), np.ceil(last) + 1, step)
    mantissas = (1.0, 2.0, 5.0) if last - first < 2.5 else (1.0,)
    ticks = [float(m * 10.0**power) for power in powers for m in mantissas]
    places = {"tickvals": ticks, "ticktext": [tick(value) for value in ticks]}
    return axis(title, type="log", **(places | more))


def tick(value: float) -> str:
    """A short number: 0.02, 500, 10⁻⁶ or 2·10⁸."""
    if 1e-3 <= value < 1e5:
        return f"{value:,.10g}"
    mantissa, exponent = f"{value:.0e}".split("e")
    power = f"10<sup>{str(int(exponent)).replace('-', '−')}</sup>"
    return power if mantissa == "1" else f"{mantissa}·{power}"


def level(at: float, text: str, colour: str) -> dict[str, Any]:
    """A dotted line across the chart at one height, with its text above its left end."""
    return {
        "type": "line",
        "line": {"color": colour, "width": 1.5, "dash": "dot"},
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": at,
        "y1": at,
        "label": {
            "text": text,
            "font": {"color": colour, "size": 12},
            "textposition": "start",
            "xanchor": "left",
            "yanchor": "bottom",
            "padding": 4,
        },
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
