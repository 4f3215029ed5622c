"""Tables of the report: the columns of the data, and the plan beside what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from samara.costs import format_bytes
from samara.report.charts import Chart
from samara.report.drawing import short
from samara.report.facts import histogram
from samara.report.run import ColumnFacts, Run

MOST_ROWS = 200  # columns in the table
BAR_WIDTH, BAR_HEIGHT = 120, 28


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
    shown = _date if facts.kind == "date" else short
    texts = facts.kind == "text"
    known = np.isfinite(facts.mean)
    row: dict[str, Any] = {
        "name": facts.name,
        "kind": facts.kind,
        "missing": ""
        if facts.missing == 0
        else f"{facts.missing:.1%}"
        if facts.missing >= 1e-3
        else "< 0.1%",
        "distinct": "" if facts.distinct is None else f"{facts.distinct:,}",
        "mean": shown(facts.mean) if known and not texts else "",
        "spread": (f"{facts.spread:,.0f} days" if facts.kind == "date" else short(facts.spread))
        if known
        else "",
        "low": shown(facts.low) if known and not texts else "",
        "high": shown(facts.high) if known and not texts else "",
        "bars": [],
        "top": [
            (name if len(name) <= 22 else name[:21] + "…", f"{share:.0%}", 100 * share)
            for name, share in facts.top[:3]
        ],
    }
    if facts.quantiles:
        shares, low, high = histogram(facts.quantiles)
        width = BAR_WIDTH / len(shares)
        tops = np.sqrt(shares / shares.max()) * BAR_HEIGHT  # roots: rare values stay visible
        row["bars"] = [
            (round(k * width, 2), round(BAR_HEIGHT - top, 2), round(width - 0.6, 2), round(top, 2))
            for k, top in enumerate(tops.tolist())
        ]
        row["range"] = f"{shown(low)} to {shown(high)}"
    return row


def _date(days: float) -> str:
    try:
        return (date(1970, 1, 1) + timedelta(days=days)).isoformat()
    except OverflowError:
        return f"day {days:,.0f}"


def plan_section(run: Run) -> Section:
    """What was planned beside what happened, and the reasons."""
    plan, took = run.plan, run.took
    rows = [
        _row("solver", plan.solver, ""),
        _row("selection", plan.selection or "none", ""),
        _row("passes over the rows", str(plan.passes), str(len(run.passes)) if run.passes else ""),
        _row(
            "workers × rows a block",
            f"{plan.workers} × {plan.block_rows:,}" if plan.block_rows else f"{plan.workers}",
            "",
        ),
        _row(
            "floating-point operations",
            f"{plan.flops / 1e9:,.3g} Gflop",
            f"{plan.flops / 1e9 / took:,.3g} Gflop/s" if took else "",
        ),
        _row("time", "", duration(took) if took is not None else ""),
    ]
    rows += [_row(f"— {name}", "", duration(seconds)) for name, seconds in run.passes]
    if run.expected_peak is None:
        rows.append(
            _row(
                "peak memory",
                f"{format_bytes(plan.peak_bytes)} above the input",
                format_bytes(run.peak) if run.peak else "",
            )
        )
    else:
        ratio = f" ({run.expected_peak / run.peak:.2f} × measured)" if run.peak else ""
        rows.append(
            _row(
                "peak memory of the process",
                f"{format_bytes(run.expected_peak)}{ratio}",
                format_bytes(run.peak) if run.peak else "",
            )
        )
    rows.append(_row("memory allowed", format_bytes(run.limit) if run.limit else "no limit", _kept(run)))
    return Section("plan", "Plan, and what happened", rows=rows, kind="plan", notes=list(plan.reasons))


def _row(what: str, planned: str, happened: str) -> dict[str, Any]:
    return {"what": what, "planned": planned, "happened": happened}


def _kept(run: Run) -> str:
    if run.limit is None or run.peak is None:
        return ""
    return "kept" if run.peak <= run.limit else "exceeded"


def duration(value: float) -> str:
    """Seconds, minutes or hours."""
    if value < 120:
        return f"{value:.3g} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
