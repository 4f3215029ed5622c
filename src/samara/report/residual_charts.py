"""Charts of predicted numbers beside the true ones."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from samara.core import Array
from samara.report import scores
from samara.report.charts import BLUE, GREY, RED, Chart, axis, curve, drawn_rows, label, numbers, points
from samara.report.drawing import short
from samara.report.run import Evaluation

QUANTILES = 200
BINS = 48


def target_name(evaluation: Evaluation, k: int = 0) -> str:
    """What a target is called."""
    return evaluation.targets[k] if k < len(evaluation.targets) else "target"


def first_target(evaluation: Evaluation) -> tuple[Array, Array]:
    """True and predicted values of the first target."""
    count = len(evaluation.y_true)
    true, predicted = (
        np.asarray(each, dtype=float).reshape(count, -1)[:, 0]
        for each in (evaluation.y_true, evaluation.predicted)
    )
    return true, predicted


def residual_charts(evaluation: Evaluation) -> list[Chart]:
    """Predicted against true, the residuals, and their quantiles; for the first target."""
    true, predicted = first_target(evaluation)
    name = target_name(evaluation)
    return [
        _against_truth(true, predicted, name),
        _residual_histogram(true - predicted, name),
        _quantile_plot(true - predicted),
    ]


def _against_truth(true: Array, predicted: Array, name: str) -> Chart:
    r2, rmse = scores.r2_and_rmse(true, predicted)
    rows, said = drawn_rows(len(true))
    ends = np.array([min(true.min(), predicted.min()), max(true.max(), predicted.max())])
    opacity = 0.7 if len(rows) < 500 else 0.35
    return Chart(
        "truth",
        f"R² {short(r2)}: predictions are {short(rmse)} from the truth (RMSE)",
        f"Points on the line are predicted exactly. {said}",
        [
            points(true[rows], predicted[rows], marker={"color": BLUE, "size": 5, "opacity": opacity}),
            curve(ends, ends, GREY, line={"width": 1.5, "dash": "dot"}, hoverinfo="skip"),
        ],
        {
            "xaxis": axis(f"true {label(name)}"),
            "yaxis": axis(f"predicted {label(name)}"),
            "showlegend": False,
        },
        height=440,
    )


def _residual_histogram(residuals: Array, name: str) -> Chart:
    low, high = np.quantile(residuals, [0.001, 0.999])
    reach = max(abs(low), abs(high)) or 1.0
    edges = np.linspace(-reach, reach, BINS + 1)
    counts, _ = np.histogram(residuals, edges)
    outside = int(np.count_nonzero(np.abs(residuals) > reach))
    bias, spread = float(residuals.mean()), float(residuals.std())
    lean = "no lean" if abs(bias) <= 0.05 * spread else f"{'too low' if bias > 0 else 'too high'} on average"
    beyond = f" {outside:,} residuals lie outside the picture." if outside else ""
    return Chart(
        "residuals",
        f"Half of the residuals are within ±{short(float(np.median(np.abs(residuals))), 2)}; {lean}",
        f"Residual = true − predicted; their mean is {short(bias, 2)}.{beyond}",
        [
            {
                "type": "bar",
                "x": numbers((edges[:-1] + edges[1:]) / 2),
                "y": counts.tolist(),
                "marker": {"color": BLUE},
                "hovertemplate": "%{x}: %{y} rows<extra></extra>",
            }
        ],
        {
            "xaxis": axis(f"residual of {label(name)}", range=[-reach, reach], zeroline=True),
            "yaxis": axis("rows"),
            "bargap": 0.04,
        },
        narrow=True,
    )


def _quantile_plot(residuals: Array) -> Chart:
    count = min(QUANTILES, len(residuals))
    normal = scores.normal_quantiles(count)
    spread = float(residuals.std()) or 1.0
    own = np.quantile((residuals - residuals.mean()) / spread, (np.arange(count) + 0.5) / count)
    tail = float(np.abs(own[[0, -1]]).mean() / np.abs(normal[[0, -1]]).mean()) if count > 1 else 1.0
    finding = "much as a normal distribution's"
    if tail > 1.2 or tail < 0.8:
        finding = f"{'heavier' if tail > 1 else 'lighter'} than a normal distribution's"
    return Chart(
        "quantiles",
        f"The tails of the residuals are {finding}",
        f"{count} quantiles of the residuals in standard deviations; normal residuals would follow the line.",
        [
            points(normal, own, marker={"color": BLUE, "size": 5}),
            curve(
                normal[[0, -1]], normal[[0, -1]], GREY, line={"width": 1.5, "dash": "dot"}, hoverinfo="skip"
            ),
        ],
        {
            "xaxis": axis("normal quantile (standard deviations)"),
            "yaxis": axis("quantile of the residuals"),
            "showlegend": False,
        },
        narrow=True,
    )


def coverage_chart(evaluation: Evaluation, rmse: float, origin: str) -> Chart:
    """How many residuals lie within multiples of the RMSE, beside a normal distribution."""
    residuals = np.subtract(*first_target(evaluation))
    own, normal = scores.coverage(residuals, rmse), 2 * ndtr(scores.COVERED) - 1
    at = int(np.flatnonzero(scores.COVERED == 2.0)[0])
    names = [f"±{k:g}" for k in scores.COVERED]
    return Chart(
        "coverage",
        f"{own[at]:.1%} of the true values lie within ±2 RMSE of the prediction; normal would be 95.4%",
        f"RMSE = {short(rmse, 4)}, {origin}. Bars that reach the marks mean that ±k·RMSE is a fair interval.",
        [
            {
                "type": "bar",
                "x": names,
                "y": numbers(100 * own),
                "marker": {"color": BLUE},
                "name": "observed",
            },
            {
                "type": "scatter",
                "mode": "markers",
                "x": names,
                "y": numbers(100 * normal),
                "name": "normal distribution",
                "marker": {"symbol": "line-ew", "size": 34, "line": {"color": RED, "width": 3}},
            },
        ],
        {
            "xaxis": axis("multiple of the RMSE", type="category"),
            "yaxis": axis("rows within (%)", range=[0, 104]),
            "bargap": 0.4,
        },
    )
