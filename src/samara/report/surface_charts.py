"""The scores of all ridges and sizes that a fit tried, as charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array
from samara.report.charts import (
    BLUE,
    BLUES,
    RED,
    SIZES,
    Chart,
    axis,
    curve,
    log_axis,
    matrix,
    numbers,
    points,
)
from samara.report.drawing import interval, short, with_error
from samara.report.run import Run
from samara.selection import Selection

MOST_LINES = len(SIZES)
METHODS = {
    "kfold": "held-out RMSE",
    "loo": "leave-one-out RMSE",
    "gcv": "RMSE by GCV",
    "lcurve": "minus the curvature of the L-curve",
    "held_out": "RMSE on rows held out",
}


def heights(tried: Selection, scores: Array) -> Array:
    """What is drawn for scores: their roots, but for the L-curve; NaN where not finite."""
    known = np.where(np.isfinite(scores), scores, np.nan)
    return known if tried.method == "lcurve" else np.sqrt(known)


def chosen(tried: Selection) -> tuple[int, int, float, float]:
    """Row and column of the chosen point, its height and its standard error."""
    row = int(np.flatnonzero(tried.sizes == tried.best_size)[0])
    ridges, counts = np.unique(np.atleast_1d(tried.best_alpha), return_counts=True)
    column = int(np.argmin(np.abs(tried.alphas - ridges[np.argmax(counts)])))
    height = float(heights(tried, tried.scores[row, column]))
    error = float(tried.errors[row, column])
    return row, column, height, error if tried.method == "lcurve" else error / (2 * max(height, 1e-300))


@dataclass(frozen=True)
class Words:
    """What sizes and scores are called."""

    size: str
    score: str


def words_for(tried: Selection, estimator: Any) -> Words:
    """What this estimator's sizes and scores are called."""
    size = "hidden nodes" if hasattr(estimator, "n_hidden_") else "centres"
    if tried.ranks is not None and size == "hidden nodes":
        size = "directions"
    unit = "±1 codes" if hasattr(estimator, "classes_") else "units of the target"
    score = METHODS[tried.method] + ("" if tried.method == "lcurve" else f" ({unit})")
    return Words(size, score)


def surface_charts(run: Run) -> list[Chart]:
    """The score of every ridge and size that was tried."""
    tried: Selection | None = getattr(run.estimator, "selection_", None)
    if tried is None or tried.scores.size < 2 or not np.isfinite(tried.scores).any():
        return []
    words = words_for(tried, run.estimator)
    charts = [_against_ridge(tried, words) if len(tried.alphas) > 1 else _against_size(tried, words)]
    if len(tried.alphas) > 1 and len(tried.sizes) > 1:
        charts.append(_surface(tried, words))
    return charts


def _finding(tried: Selection, words: Words) -> str:
    _, column, height, error = chosen(tried)
    ridge = f"α = {interval(np.atleast_1d(tried.best_alpha))}"
    size = f" with {tried.best_size:,} {words.size}" if len(tried.sizes) > 1 else ""
    edge = ""
    if len(tried.alphas) > 2 and column in (0, len(tried.alphas) - 1):
        edge = f", the {'smallest' if column == 0 else 'largest'} ridge tried"
    score = f"curvature {short(-height)}" if tried.method == "lcurve" else f"RMSE {with_error(height, error)}"
    return f"Chosen: {ridge}{size}{edge} ({score})"


def _against_ridge(tried: Selection, words: Words) -> Chart:
    row, column, height, _ = chosen(tried)
    shown = np.unique(np.append(np.linspace(0, len(tried.sizes) - 1, MOST_LINES).round().astype(int), row))
    colours = dict(zip(shown.tolist(), _shades(len(shown)), strict=True))
    traces = []
    x, zero = _ridge_places(tried.alphas)
    for k in shown.tolist():
        name = f"{tried.sizes[k]:,} {words.size}"
        style = {"width": 3 if k == row else 1.5}
        traces.append(curve(x, heights(tried, tried.scores[k]), colours[k], name=name, line=style))
    low, high = (heights(tried, np.maximum(tried.scores[row] + s * tried.errors[row], 0)) for s in (-1, 1))
    if np.isfinite(tried.errors[row]).any() and tried.method != "lcurve":
        edge = {"line": {"width": 0}, "showlegend": False, "hoverinfo": "skip"}
        traces += [
            curve(x, low, BLUE, **edge),
            curve(x, high, BLUE, fill="tonexty", fillcolor="rgba(63,124,196,0.2)", **edge),
        ]
    mark = {"color": RED, "size": 11, "line": {"color": "white", "width": 1.5}}
    traces.append(points(x[[column]], np.array([height]), marker=mark, name="chosen"))
    known = np.concatenate([heights(tried, tried.scores[k]) for k in shown])
    known = known[np.isfinite(known)]
    wide = len(known) and known.min() > 0 and known.max() > 4 * known.min()
    y_axis = (log_axis if wide else lambda title, _: axis(title))(words.score, known)
    x_axis = log_axis("ridge α (the place at the left is 0)" if zero else "ridge α", x)
    band = " The band is one standard error around the chosen size." if len(traces) > len(shown) + 1 else ""
    lines = " One line for each size, darker for larger ones." if len(shown) > 1 else ""
    if 1 < len(shown) < len(tried.sizes):
        lines = f" {len(shown)} of {len(tried.sizes)} sizes are drawn, darker for larger ones."
    return Chart(
        "score-lines",
        _finding(tried, words),
        f"Lower is better.{lines}{band}",
        traces,
        {"xaxis": x_axis, "yaxis": y_axis, "showlegend": len(shown) > 1},
    )


def _shades(count: int) -> list[str]:
    picks = np.linspace(0, len(SIZES) - 1, count) if count > 1 else np.array([3])
    return [SIZES[round(float(pick))] for pick in picks]


def _ridge_places(alphas: Array) -> tuple[Array, bool]:
    """Where ridges stand on a logarithmic axis: 0 a decade left of the smallest other."""
    positive = alphas[alphas > 0]
    zero = len(positive) < len(alphas)
    least = float(positive.min()) if len(positive) else 1.0
    return np.where(alphas > 0, alphas, least / 10), zero


def _against_size(tried: Selection, words: Words) -> Chart:
    _, _, height, _ = chosen(tried)
    y = heights(tried, tried.scores[:, 0])
    errors = tried.errors[:, 0] / (2 * y) if tried.method != "lcurve" else tried.errors[:, 0]
    bars = {"type": "data", "array": numbers(errors), "visible": bool(np.isfinite(errors).any())}
    return Chart(
        "score-lines",
        _finding(tried, words),
        "Lower is better. Bars are one standard error.",
        [
            curve(tried.sizes, y, BLUE, error_y=bars, name="score"),
            points(
                np.array([tried.best_size]),
                np.array([height]),
                marker={"color": RED, "size": 11},
                name="chosen",
            ),
        ],
        {"xaxis": axis(words.size), "yaxis": axis(words.score), "showlegend": False},
    )


def _surface(tried: Selection, words: Words) -> Chart:
    row, column, _, _ = chosen(tried)
    Z = heights(tried, tried.scores)
    low, high = np.nanmin(Z), np.nanquantile(Z, 0.9)  # one bad corner must not wash out the rest
    hover = f"ridge %{{x}}<br>%{{y}} {words.size}<br>%{{z}}<extra></extra>"
    return Chart(
        "score-surface",
        f"{tried.scores.size:,} models were compared: {len(tried.alphas)} ridges × {len(tried.sizes)} sizes",
        "Darker is better; the ring is the model chosen: the smallest size within one standard error of the "
        "best."
        if tried.n_folds
        else "Darker is better; the ring is the model chosen.",
        [
            {
                "type": "heatmap",
                "z": matrix(Z),
                "x": [short(float(alpha), 2) for alpha in tried.alphas],
                "y": [f"{size:,}" for size in tried.sizes],
                "zmin": float(low),
                "zmax": float(max(high, low * (1 + 1e-9))),
                "colorscale": BLUES,
                "reversescale": True,
                "hovertemplate": hover,
                "colorbar": {"title": {"text": "RMSE" if tried.method != "lcurve" else ""}, "thickness": 12},
            },
            {
                "type": "scatter",
                "mode": "markers",
                "x": [short(float(tried.alphas[column]), 2)],
                "y": [f"{tried.sizes[row]:,}"],
                "marker": {"symbol": "circle-open", "size": 18, "color": RED, "line": {"width": 3}},
                "hoverinfo": "skip",
            },
        ],
        {
            "xaxis": axis("ridge α", type="category"),
            "yaxis": axis(words.size, type="category"),
            "showlegend": False,
        },
        height=max(280, min(520, 160 + 34 * len(tried.sizes))),
    )
