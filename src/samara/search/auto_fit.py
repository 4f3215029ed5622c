"""The spine of the automatic estimators: sample, try, blend, fit to all rows."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Crew, Progress, Source
from samara.errors import BudgetError, ConditionWarning
from samara.left_out import LeftOut
from samara.model import Model
from samara.plans import Budget, Plan
from samara.search.blend import blended, combined, cross_blended, weighed
from samara.search.board import Leaderboard
from samara.search.candidates import RIDGE, Choice
from samara.search.clock import Clock
from samara.search.finals import Means, fitted, summed
from samara.search.layer_path import LayerCandidate
from samara.search.rows import FIT_ROWS, SCORED_ROWS, SearchRows, gathered
from samara.search.trials import Trials
from samara.summaries import Profile

FULL_SEARCH = 20.0  # seconds from which on the search has all its rows
FEWEST_ROWS = 300
LEAST_SHRINKING = 0.5


@dataclass(frozen=True)
class AutoSettings:
    """What the user asked for, checked."""

    seconds: float | None
    rounds: int | None  # candidates at most
    classes: bool
    budget: Budget
    crew: Crew
    entropy: int
    progress: Progress | None = None


@dataclass(frozen=True)
class AutoFitted:
    """A blended model, and how it came about."""

    model: Model
    plan: Plan
    board: Leaderboard
    weights: Array
    score: float  # of blends chosen and weighed by other rows than those they are scored on
    left_out: LeftOut | None


def auto_fit(source: Source, settings: AutoSettings, profile: Profile, clock: Clock) -> AutoFitted:
    """Search on some rows, then fit the members of the blend to all."""
    engine = settings.crew.planned(
        settings.budget.workers, settings.budget.block_rows or 4096, settings.progress
    )
    _plain(settings).settings(source.n_features, 1, None, settings.budget).plan(
        source, (source.n_features,)
    )  # what holds no ridge regression holds nothing: refused before any row is read
    rows = gathered(source, engine, most_rows(settings), settings.classes)
    means = Means(settings.budget, settings.crew, settings.entropy, clock, rows.n_all, settings.progress)
    if not rows.folds:  # copies of one row: nothing can be scored
        return _unscored(source, settings, profile, means)
    trials = Trials(rows, source, settings.entropy, clock, settings.progress)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditionWarning)  # told of the fits that are kept
        trials.run(settings.rounds)
        members, _ = blended(trials.tried, rows)
    models, plans, members = _fitted_to_all(trials, members, source, profile, means)
    if not models:
        return _unscored(source, settings, profile, means)
    weights = weighed(trials.tried, members, rows)
    worth = min(_worth(model, plan, rows.n_all) for model, plan in zip(models, plans, strict=True))
    names = {trials.tried[i].candidate.name: w for i, w in zip(members, weights.tolist(), strict=True)}
    board = trials.board(names)
    return AutoFitted(
        model=summed(models, weights, profile.targets.mean),
        plan=_told(plans, board, rows),
        board=board,
        weights=weights,
        score=rows.score(cross_blended(trials.tried, rows)),
        left_out=_left_out(trials, rows, (members, weights), worth),
    )


def _fitted_to_all(
    trials: Trials, members: list[int], source: Source, profile: Profile, means: Means
) -> tuple[list[Model], list[Plan], list[int]]:
    """The members that the memory holds, and their numbers."""
    done = []
    for number, i in enumerate(members):
        seconds = 0.9 * means.clock.left / (len(members) - number)
        member = trials.tried[i].candidate, trials.tried[i].choice
        with suppress(BudgetError):
            done.append((i, *fitted(member, source, profile, means, seconds)))
    return [model for _, model, _ in done], [plan for *_, plan in done], [i for i, *_ in done]


def most_rows(settings: AutoSettings) -> tuple[int, int]:
    """Rows to fit and to score: fewer where time or memory is short."""
    fit, scored = FIT_ROWS, SCORED_ROWS
    if settings.seconds is not None and settings.seconds < FULL_SEARCH:
        fit = max(FEWEST_ROWS, int(fit * np.sqrt(settings.seconds / FULL_SEARCH)))
    left = settings.budget.left(settings.budget.workers)
    if left is not None:  # three matrices of the rows fitted, one of them with the rows scored
        fit = min(fit, max(50, int(np.sqrt(left / 2 / 32))))
    return fit, min(scored, max(fit, FEWEST_ROWS) * 2)


def _worth(model: Model, plan: Plan, n_rows: int) -> float:
    """Rows that an exact model of as small an error would take: with centres, between these and all."""
    return float(np.sqrt(n_rows * len(model.coef))) if plan.solver == "nystroem" else float(n_rows)


def _left_out(trials: Trials, rows: SearchRows, blend: tuple[list[int], Array], worth: float) -> LeftOut:
    """The scored rows as the blend says them, with the errors that fits to all rows would make.

    Fits of the search see fewer rows than the model. What twice as many are worth is measured, with the
    same metric and the same ridge, and taken to hold on.
    """
    members, weights = blend
    said = combined(trials.tried, members, weights)
    Y, weight = rows.Y[rows.scored], rows.weight[rows.scored]
    halved, half = rows.halved(), np.zeros_like(said)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConditionWarning)
        for i, w in zip(members, weights.tolist(), strict=True):
            one = trials.tried[i]
            half = half + w * one.candidate.outputs(halved, one.choice)
    shares = max(rows.n_fit / max(halved.n_fit, 1), 1.0 + 1e-9), max(worth / max(rows.n_fit, 1), 1.0)
    errors = [float(np.average(np.abs(P - Y).mean(axis=1), weights=weight)) for P in (said, half)]
    rate = np.log(max(errors[0], 1e-300) / max(errors[1], 1e-300)) / np.log(shares[0])
    shrinking = float(np.clip(shares[1] ** min(rate, 0.0), LEAST_SHRINKING, 1.0))
    outputs = Y - shrinking * (Y - said)
    return LeftOut(
        outputs=outputs * rows.spread + rows.mean,
        targets=Y * rows.spread + rows.mean,
        weight=None if (weight == 1).all() else weight,
        spread=np.ones(len(Y)),
    )


def _unscored(source: Source, settings: AutoSettings, profile: Profile, means: Means) -> AutoFitted:
    """A ridge regression, where no row can be held out, or the memory holds nothing else."""
    model, plan = fitted((_plain(settings), Choice(0, None, None)), source, profile, means, float("inf"))
    plan = replace(
        plan,
        reasons=(
            *plan.reasons,
            "ridge alone: no row could be held out, or no other model fits into the memory",
        ),
    )
    return AutoFitted(model, plan, Leaderboard(()), np.ones(1), float("nan"), None)


def _plain(settings: AutoSettings) -> LayerCandidate:
    return LayerCandidate(RIDGE, "standard", 0, settings.entropy)


def _told(plans: list[Plan], board: Leaderboard, rows: SearchRows) -> Plan:
    """The plans of the members as one: the largest of them, with what all take together."""
    largest = max(plans, key=lambda plan: plan.peak_bytes)
    seconds = sum(entry.seconds for entry in board)
    why = (
        f"search: {len(board)} candidates in {seconds:.1f} s, fitted to {rows.n_fit:,} rows and scored by "
        f"{len(rows.scored):,} others"
    )
    kinds = ", ".join(plan.solver for plan in plans)
    several = "members" if len(plans) > 1 else "member"
    blend = f"blend: {len(plans)} {several}, fitted to all rows by {kinds}"
    return replace(
        largest,
        passes=sum(plan.passes for plan in plans) + 2,
        most_passes=sum(plan.passes for plan in plans) + 2,
        flops=sum(plan.flops for plan in plans),
        reasons=(why, blend, *largest.reasons),
    )
