"""The metric of a fitted estimator."""

from __future__ import annotations

from typing import Any

from samara.metric_fit import Learned


def set_metric(estimator: Any, learned: Learned | None) -> None:
    """Set what a fit learned of a metric; without one, none of an earlier fit is left."""
    for name in ("metric_", "rounds_", "rounds_scores_"):
        estimator.__dict__.pop(name, None)
    if learned is not None:
        estimator.metric_, estimator.rounds_ = learned.metric, learned.rounds
        estimator.rounds_scores_ = learned.scores
