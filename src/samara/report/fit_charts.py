"""Charts of the fit itself: columns by permutation, memory over time."""

from __future__ import annotations

from typing import Any

from samara.costs import format_bytes
from samara.report.charts import BLUE, GREEN, GREY, RED, Chart, axis, curve, label, level, numbers
from samara.report.drawing import with_error
from samara.report.run import Importance, Run
from samara.report.trace import MemoryTrace, Pass

MOST_COLUMNS = 20  # bars of the permutation chart


def importance_chart(importances: tuple[Importance, ...], score: str) -> Chart:
    """How much the score falls when a column is shuffled."""
    top = importances[:MOST_COLUMNS][::-1]
    first = importances[0]
    fall = f"{score} falls by {with_error(first.drop, first.error)}"
    some = (
        f" The {MOST_COLUMNS} largest of {len(importances)} columns."
        if len(importances) > MOST_COLUMNS
        else ""
    )
    return Chart(
        "importances",
        f"Without {first.name}, {fall}"
        if first.drop > 0
        else "No column alone is missed when it is shuffled",
        f"Fall of {score} when the column is shuffled among the rows; bars are one standard error over five "
        f"shuffles. Columns that stand for one another share their loss.{some}",
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": list(range(len(top))),
                "x": numbers([each.drop for each in top]),
                "error_x": {"type": "data", "array": numbers([each.error for each in top]), "color": GREY},
                "marker": {"color": BLUE},
                "text": [label(each.name, 200) for each in top],
                "textposition": "none",
                "hovertemplate": "%{text}: %{x}<extra></extra>",
            }
        ],
        {
            "xaxis": axis(f"fall of {score}", zeroline=True),
            "yaxis": {
                "tickvals": list(range(len(top))),
                "ticktext": [label(each.name, 24) for each in top],
                "showgrid": False,
            },
            "bargap": 0.35,
        },
        height=130 + 26 * len(top),
    )


def memory_chart(run: Run, trace: MemoryTrace) -> Chart:
    """Memory over time, with the passes, the prediction and the budget."""
    unit, scale = ("GB", 1e9) if max(trace.peak, run.limit or 0) >= 2e9 else ("MB", 1e6)
    peak = run.peak or trace.peak
    lines = [(run.expected_peak, "predicted peak", GREEN), (run.limit, "budget", RED)]
    shapes = [level(at / scale, f"{name} {format_bytes(at)}", colour) for at, name, colour in lines if at]
    shapes += [_pass_field(k, each) for k, each in enumerate(trace.passes)]
    high = max([peak, *(at for at, _, _ in lines if at)]) / scale
    against = [f"of the {format_bytes(at)} {word}" for at, word in ((run.expected_peak, "predicted"),) if at]
    share = f", {peak / run.expected_peak:.0%} {against[0]}" if run.expected_peak else ""
    kept = ""
    if run.limit:
        kept = "; the budget was kept" if peak <= run.limit else "; the budget was exceeded"
    return Chart(
        "memory",
        f"Peak {format_bytes(peak)}{share}{kept}",
        "Resident memory of the whole process, looked at every 20 ms at first; shaded fields are passes over "
        "the rows.",
        [
            curve(
                trace.seconds,
                trace.resident / scale,
                BLUE,
                fill="tozeroy",
                fillcolor="rgba(63,124,196,0.12)",
                hovertemplate=f"%{{x}} s: %{{y}} {unit}<extra></extra>",
            )
        ],
        {
            "xaxis": axis("time (s)", range=[0, max(trace.duration, 1e-3)]),
            "yaxis": axis(f"resident memory ({unit})", range=[0, high * 1.18]),
            "shapes": shapes,
            "showlegend": False,
        },
    )


def _pass_field(number: int, each: Pass) -> dict[str, Any]:
    return {
        "type": "rect",
        "layer": "below",
        "yref": "paper",
        "x0": each.start,
        "x1": each.stop,
        "y0": 0,
        "y1": 1,
        "line": {"width": 0},
        "fillcolor": f"rgba(138,148,163,{0.12 if number % 2 else 0.05})",
        "label": {
            "text": label(each.name, 18),
            "textposition": "bottom left",
            "font": {"size": 11},
            "padding": 4,
        },
    }
