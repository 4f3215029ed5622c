"""The first screen of the report: what was fitted, and the figures that matter most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.costs import format_bytes, format_seconds
from samara.report import scores
from samara.report.drawing import interval, short, with_error
from samara.report.residual_charts import first_target
from samara.report.run import Run
from samara.report.surface_charts import chosen
from samara.search import Leaderboard
from samara.selection import Selection


@dataclass(frozen=True)
class Card:
    """A figure of the summary."""

    name: str
    value: str
    detail: str = ""
    bad: bool = False


def lead(run: Run) -> str:
    """What was fitted, in one or two sentences."""
    size, word = _size(run)
    what = f"{type(run.estimator).__name__} with " + (
        f"{word} {size:,}" if word == "rank" else f"{size:,} {word}"
    )
    rows = "" if run.n_rows is None else f" Fitted to {run.n_rows:,} rows × {_inputs(run):,} columns."
    where = f" {run.data}" if run.data else ""
    tested = f" {run.evaluation.what}" if run.evaluation else ""
    how = f" and ridge α = {_ridge(run)}" if _board(run) is None else _blend(run)
    return f"{what}{how}.{rows}{where}{tested}"


def cards(run: Run) -> list[Card]:
    """The figures that matter most."""
    tried = getattr(run.estimator, "selection_", None)
    found = _score_cards(run)
    size, word = _size(run)
    if _board(run) is None:
        found.append(Card(word.capitalize(), f"{size:,}", _tried(tried, "sizes")))
        found.append(Card("Ridge α", _ridge(run), _tried(tried, "ridges")))
    else:
        found.append(Card(word.capitalize(), f"{size:,}", "of all members of the blend"))
        found += _board_cards(run)
    if run.took is not None:
        pace = f"{run.n_rows / run.took:,.0f} rows a second" if run.n_rows and run.took > 0 else ""
        found.append(Card("Time", format_seconds(run.took), pace))
    if run.peak is not None:
        limit = run.limit
        detail = (
            f"{run.peak / limit:.0%} of the budget of {format_bytes(limit)}" if limit else "no budget given"
        )
        found.append(
            Card("Peak memory", format_bytes(run.peak), detail, bad=limit is not None and run.peak > limit)
        )
    return found


def _score_cards(run: Run) -> list[Card]:
    found = []
    evaluation, tried = run.evaluation, getattr(run.estimator, "selection_", None)
    if evaluation is not None and evaluation.classes is not None:
        right = np.mean(np.asarray(evaluation.y_true) == np.asarray(evaluation.predicted))
        error = float(np.sqrt(right * (1 - right) / len(evaluation.y_true)))
        found.append(Card("Accuracy", f"{right:.2%}", f"± {error:.2%}, {len(evaluation.y_true):,} rows"))
    elif evaluation is not None:
        r2, rmse = scores.r2_and_rmse(*first_target(evaluation))
        found.append(Card("R²", short(r2, 4), f"RMSE {short(rmse, 4)}, {len(evaluation.y_true):,} rows"))
    if tried is not None and tried.method != "lcurve":
        *_, height, error = chosen(tried)
        how = {"kfold": f"{tried.n_folds}-fold", "loo": "leave-one-out", "gcv": "estimated by GCV"}
        codes = " of the ±1 codes" if hasattr(run.estimator, "classes_") else ""
        value, _, spread = with_error(height, error).partition(" ± ")
        give = f"± {spread}, " if spread else ""
        found.append(Card("Selection RMSE", value, f"{give}{how[tried.method]}{codes}"))
    return found


def _board(run: Run) -> Leaderboard | None:
    """What an automatic estimator has tried; None for the others."""
    return getattr(run.estimator, "leaderboard_", None)


def _blend(run: Run) -> str:
    """How many of the candidates the model is made of."""
    tried, members = len(_board(run) or ()), len(run.estimator.weights_)
    return f", a blend of {members} of {tried} candidates" if tried else ", a ridge regression"


def _board_cards(run: Run) -> list[Card]:
    """The score of the blend, and the leaderboard down to its last member, the best first."""
    board = list(_board(run) or ())
    if not board:
        return []
    score = "accuracy" if hasattr(run.estimator, "classes_") else "R²"
    last = max((place for place, entry in enumerate(board) if entry.weight), default=0)
    found = [Card("Held-out score", short(run.estimator.held_out_score_, 4), f"{score} of the blend")]
    for entry in board[: last + 1]:
        weight = f"weight {entry.weight:.2f}" if entry.weight else "not in the blend"
        found.append(Card(entry.candidate.capitalize(), short(entry.score, 4), f"{score}, {weight}"))
    return found


def _tried(tried: Selection | None, what: str) -> str:
    """How many were compared."""
    count = 1 if tried is None else len(tried.sizes if what == "sizes" else tried.alphas)
    return f"of {count} {what} tried" if count > 1 else "as given"


def _size(run: Run) -> tuple[int, str]:
    """The size of the model, and what it counts."""
    model = run.estimator
    if _board(run) is not None:
        return len(model.model_.coef), "features"
    return (model.n_hidden_, "hidden nodes") if hasattr(model, "n_hidden_") else (model.rank_, "rank")


def _ridge(run: Run) -> str:
    return interval(np.atleast_1d(np.asarray(run.estimator.alpha_, dtype=float)))


def _inputs(run: Run) -> int:
    return len(run.profile) or int(run.estimator.n_features_in_)
