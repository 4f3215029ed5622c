"""Charts of predicted classes beside the true ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.core import Array
from samara.report import scores
from samara.report.charts import (
    BLUE,
    BLUES,
    GREY,
    RED,
    REDS,
    Chart,
    Trace,
    axis,
    curve,
    label,
    matrix,
    numbers,
    points,
    texts,
)
from samara.report.drawing import short
from samara.report.run import Evaluation

MOST_CLASSES = 40  # that a matrix shows
COUNTED_CLASSES = 15  # whose cells have room for a number
PAIRS = 20
LEAST_SCALE = 20.0  # percent: below, the deepest red would cry over small mistakes


def mistake_charts(evaluation: Evaluation, classes: Array) -> list[Chart]:
    """The confusion matrix, or the most frequent mistakes where there are too many classes."""
    table = scores.confusion(np.asarray(evaluation.y_true), np.asarray(evaluation.predicted), classes)
    worst = scores.mistakes(table, PAIRS)
    wrong = int(table.sum() - np.trace(table))
    if not worst:
        title = f"All {table.sum():,} rows are in the right class"
    else:
        first = worst[0]
        title = (
            f"{wrong:,} of {table.sum():,} rows are in the wrong class; most often {classes[first.true]} is "
            f"taken for {classes[first.predicted]} ({first.count:,} rows, {first.share:.1%})"
        )
    if len(classes) <= MOST_CLASSES:
        return [_matrix(table, classes, title)]
    return [_worst_pairs(worst, classes, title)] if worst else []


def _matrix(table: Array, classes: Array, title: str) -> Chart:
    shares = 100 * table / np.maximum(table.sum(axis=1, keepdims=True), 1)
    right = np.eye(len(classes), dtype=bool)
    names = texts(classes.tolist())
    reddest = max(LEAST_SCALE, float(np.max(shares, where=~right, initial=0.0)))
    few = len(classes) <= COUNTED_CLASSES
    places = {
        "tickvals": list(range(len(names))),
        "ticktext": names if few else [label(name, 12) for name in classes.tolist()],
        "showgrid": False,
    }
    shared = {
        "texttemplate": "%{text}" if few else "",
        "customdata": [[f"{true} → {predicted}" for predicted in names] for true in names],
    }
    return Chart(
        "confusion",
        title,
        "Rows are true classes, columns what was predicted. Blue: right; red: mistakes. Stronger colour is a "
        "larger share of the true class; each colour has its own scale.",
        [
            _cells(table, shares, right) | shared | {"zmax": 100, "colorscale": BLUES},
            _cells(table, shares, ~right) | shared | {"zmax": reddest, "colorscale": REDS},
        ],
        {
            "xaxis": axis("predicted class", **places),
            "yaxis": axis("true class", autorange="reversed", **places),
        },
        height=max(340, min(760, 190 + 26 * len(classes))),
    )


def _cells(table: Array, shares: Array, held: Array) -> Trace:
    """Some cells of the matrix, those without rows left open."""
    seen = held & (table > 0)
    counts = np.where(seen, np.array([[f"{count:,}" for count in row] for row in table.tolist()]), "")
    return {
        "type": "heatmap",
        "x": list(range(len(table))),
        "y": list(range(len(table))),
        "z": matrix(np.where(seen, shares, np.nan)),
        "text": counts.tolist(),
        "zmin": 0,
        "showscale": False,
        "hoverongaps": False,
        "xgap": 1,
        "ygap": 1,
        "hovertemplate": "%{customdata}: %{text} rows, %{z:.3g} % of the true class<extra></extra>",
    }


def _worst_pairs(worst: list[scores.Mistake], classes: Array, title: str) -> Chart:
    shown = worst[::-1]
    names = [f"{label(classes[each.true], 18)} → {label(classes[each.predicted], 18)}" for each in shown]
    return Chart(
        "confusion",
        title,
        f"The {len(shown)} most frequent mistakes among {len(classes)} classes: true → predicted class.",
        [
            {
                "type": "bar",
                "orientation": "h",
                "x": [each.count for each in shown],
                "y": list(range(len(shown))),
                "marker": {"color": RED},
                "hovertemplate": "%{x} rows<extra></extra>",
            }
        ],
        {
            "xaxis": axis("rows"),
            "yaxis": {"tickvals": list(range(len(shown))), "ticktext": names, "showgrid": False},
            "bargap": 0.35,
        },
        height=130 + 24 * len(shown),
    )


def _intervals(found: scores.Reliability) -> dict[str, Any]:
    """Bars around the points of a calibration chart."""
    return {
        "type": "data",
        "symmetric": False,
        "array": numbers(100 * (found.high - found.came)),
        "arrayminus": numbers(100 * (found.came - found.low)),
        "color": GREY,
    }


def calibration_chart(evaluation: Evaluation, probabilities: Array, classes: Array) -> Chart:
    """Stated probabilities beside how often they came true."""
    places = scores.places(np.asarray(evaluation.y_true), classes)
    two = len(classes) == 2
    stated = probabilities[:, 1] if two else probabilities.max(axis=1)
    came = places == (1 if two else probabilities.argmax(axis=1))
    found = scores.reliability(stated, came.astype(float))
    value = scores.brier(probabilities, places)
    what = f"class {label(classes[1])}" if two else "the predicted class"
    return Chart(
        "calibration",
        f"Stated probabilities are {_finding(found, two)} (Brier score {short(value)})",
        "Points on the line are well calibrated; bars are 95 % intervals, larger points hold more rows. "
        f"The Brier score is the mean squared error of the probabilities, from 0 to {1 if two else 2}.",
        [
            curve(
                np.array([0, 100]),
                np.array([0, 100]),
                GREY,
                line={"width": 1.5, "dash": "dot"},
                hoverinfo="skip",
            ),
            points(
                100 * found.stated,
                100 * found.came,
                mode="lines+markers",
                line={"color": BLUE, "width": 1.5},
                marker={"color": BLUE, "size": numbers(6 + 14 * np.sqrt(found.counts / found.counts.max()))},
                error_y=_intervals(found),
                text=[f"{count:,}" for count in found.counts.tolist()],
                hovertemplate="stated %{x:.1f} %, came true %{y:.1f} % (%{text} rows)<extra></extra>",
            ),
        ],
        {
            "xaxis": axis(f"stated probability of {what} (%)", range=[-3, 103]),
            "yaxis": axis("came true (% of rows)", range=[-3, 103]),
            "showlegend": False,
        },
        height=420,
    )


def _finding(found: scores.Reliability, two: bool) -> str:
    """How far the probabilities are off and, of a predicted class, on which side."""
    if found.gap < 0.02:
        return "close to the truth"
    off = f"{100 * found.gap:.1f} points off on average"
    if two:
        return off
    lean = float(np.average(found.came - found.stated, weights=found.counts))
    return off + (", too cautious" if lean > 0 else ", too sure")
