"""Results in words: numbers as a reader wants them."""

from __future__ import annotations

from typing import Any

import numpy as np


def number(value: float | None) -> str:
    """Four digits, or a dash where nothing is known."""
    if value is None or not np.isfinite(value):
        return "–"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.4g}"


def duration(seconds: float | None) -> str:
    """Seconds, minutes or hours, or a dash where nothing is known."""
    from samara.costs import format_seconds

    return "–" if seconds is None else format_seconds(seconds)


def size(n_bytes: float | None) -> str:
    """Bytes as MB or GB."""
    from samara.costs import format_bytes

    return "–" if n_bytes is None else format_bytes(int(n_bytes))


def scores(found: dict[str, Any]) -> str:
    """Scores of one table in one line."""
    names = {
        "r2": "R²",
        "rmse": "RMSE",
        "mae": "MAE",
        "accuracy": "accuracy",
        "balanced_accuracy": "balanced accuracy",
    }
    told = [f"{names[name]} {number(found[name])}" for name in names if name in found]
    return f"{', '.join(told)} on {found['rows']:,} rows"


def selected(found: dict[str, Any] | None) -> str:
    """How well the chosen model did on rows that were held out."""
    if found is None:
        return "none: ridge and size were given"
    sure = "" if found["error"] is None else f" ± {number(found['error'])}"
    return f"{found['what']} {number(found['score'])}{sure}, by {found['method']}, best of {found['tried']}"
