"""Tables of the report: the columns of the data, and the plan beside what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from samara.core import Array
from samara.costs import format_bytes, format_seconds
from samara.report.charts import Chart
from samara.report.drawing import short
from samara.report.facts import BINS, histogram
from samara.report.run import ColumnFacts, Run

MOST_ROWS = 200  # columns in the table
BAR_WIDTH, BAR_HEIGHT = 120, 28
TOP_SHOWN, NAME_LETTERS = 3, 22  # categories of a column, and letters of their names


@dataclass(frozen=True)
class Section:
    """A part of the page: charts, tables, or a sentence that says why there are none."""

    name: str
    title: str
    lead: str = ""
    charts: list[Chart] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    kind: str = "charts"  # or "columns", "plan"
    notes: list[str] = field(default_factory=list)


def columns_section(run: Run) -> Section:
    """One row a column, with a small picture of its values."""
    if not run.profile:
        return Section(
            "data", "Data", "The columns were not profiled, so there is nothing to show about them."
        )
    holes = sum(each.missing > 0 for each in run.profile)
    constant = [each.name for each in run.profile if each.distinct == 1 or each.low == each.high]
    words = f"{len(run.profile):,} columns, {holes or 'none'} with missing values."
    if constant:
        words += f" Constant: {', '.join(constant[:5])}{' …' if len(constant) > 5 else ''}."
    notes = [f"The first {MOST_ROWS} columns are shown."] if len(run.profile) > MOST_ROWS else []
    rows = [_column(each) for each in run.profile[:MOST_ROWS]]
    return Section("data", "Data", words, rows=rows, kind="columns", notes=notes)


def _column(facts: ColumnFacts) -> dict[str, Any]:
    """A row of the table: what has no meaning for its kind stays empty."""
    row: dict[str, Any] = {"name": facts.name, "kind": facts.kind, "bars": [], "missing": ""}
    if facts.missing > 0:
        row["missing"] = f"{facts.missing:.1%}" if facts.missing >= 1e-3 else "< 0.1%"
    row["distinct"] = "" if facts.distinct is None else f"{facts.distinct:,}"
    row["top"] = [(_cut(name), f"{share:.0%}", 100 * share) for name, share in facts.top[:TOP_SHOWN]]
    shown = _date if facts.kind == "date" else _number
    if facts.kind != "text" and np.isfinite(facts.mean):
        row |= {name: shown(getattr(facts, name)) for name in ("mean", "low", "high")}
        row["spread"] = f"{facts.spread:,.0f} days" if facts.kind == "date" else _number(facts.spread)
    if facts.quantiles:
        shares, low, high = histogram(facts.quantiles)
        row["bars"], row["range"] = _bars(shares), f"{shown(low)} to {shown(high)}"
    return row


def _bars(shares: Array) -> list[tuple[float, ...]]:
    """Left, top, width and height of each bar of a small histogram."""
    width = BAR_WIDTH / BINS
    first = (BAR_WIDTH - width * len(shares)) / 2  # one bar alone stands in the middle
    tall = (np.sqrt(shares / shares.max()) * BAR_HEIGHT).round(2)  # roots: rare values stay visible
    left = (first + width * np.arange(len(shares))).round(2)
    return [(x, BAR_HEIGHT - h, width - 0.6, h) for x, h in zip(left.tolist(), tall.tolist(), strict=True)]


def _cut(name: str) -> str:
    return name if len(name) <= NAME_LETTERS else name[: NAME_LETTERS - 1] + "…"


def _number(value: float) -> str:
    return short(value).replace("-", "−")


def _date(days: float) -> str:
    try:
        return (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    except OverflowError:
        return f"day {days:,.0f}"


def plan_section(run: Run) -> Section:
    """What was planned beside what happened, and the reasons."""
    plan, took, peak = run.plan, run.took, run.peak
    measured = format_bytes(peak) if peak else ""
    cut = f" × {plan.block_rows:,} rows a block" if plan.block_rows else ""
    rate = f"{plan.flops / 1e9 / took:,.3g} Gflop/s" if took else ""
    rows = [
        _row("solver", plan.solver),
        _row("selection", plan.selection or "none"),
        _row("passes over the rows", str(plan.passes)),
        _row("workers", f"{plan.workers}{cut}"),
        _row("arithmetic", f"{plan.flops / 1e9:,.3g} Gflop", rate),
        _row("time", "", format_seconds(took) if took is not None else ""),
        *(_row(f"— {name}", "", format_seconds(seconds)) for name, seconds in run.passes),
    ]
    if run.expected_peak is None:
        rows.append(_row("peak memory", f"{format_bytes(plan.peak_bytes)} above the input", measured))
    else:
        ratio = f" ({run.expected_peak / peak:.2f} × measured)" if peak else ""
        rows.append(_row("peak memory", f"{format_bytes(run.expected_peak)}{ratio}", measured))
    rows.append(_row("memory allowed", format_bytes(run.limit) if run.limit else "no limit", _kept(run)))
    return Section("plan", "Plan, and what happened", rows=rows, kind="plan", notes=list(plan.reasons))


def _row(what: str, planned: str, happened: str | None = None) -> dict[str, Any]:
    """A line of the plan; without a second text the first is of both columns."""
    return {"what": what, "planned": planned, "happened": happened}


def _kept(run: Run) -> str:
    if run.limit is None or run.peak is None:
        return ""
    return "kept" if run.peak <= run.limit else "exceeded"
