"""The spine of the automatic estimators: sample, try, blend, fit to all rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Crew, Progress, Source
from samara.errors import BudgetError, ConditionWarning
from samara.left_out import LeftOut
from samara.linalg.workers import available_cores
from samara.model import Model
from samara.plans import Budget, Plan
from samara.search.blend import blended, cross_blended, weighed
from samara.search.board import Leaderboard
from samara.search.candidates import RIDGE, Choice, Tried
from samara.search.clock import Clock
from samara.search.finals import Means, fitted, summed
from samara.search.kernel_path import kernel_bytes
from samara.search.layer_path import LayerCandidate
from samara.search.left_rows import learned_from, left_out_of
from samara.search.rows import FIT_ROWS, SCORED_ROWS, SearchRows, gathered
from samara.search.trials import Trials
from samara.summaries import Profile

FULL_SEARCH = 20.0  # seconds from which on the search has all its rows
FEWEST_ROWS = 300
LEAST_ROWS = 50  # where memory is short


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


@dataclass(frozen=True)
class Members:
    """The candidates that were fitted to all rows, by their numbers, and why others were not."""

    numbers: list[int]
    models: list[Model]
    plans: list[Plan]
    refused: list[str]
    left_out: list[LeftOut | None]


def auto_fit(source: Source, settings: AutoSettings, profile: Profile, clock: Clock) -> AutoFitted:
    """Search on some rows, then fit the members of the blend to all."""
    _plain(settings).settings(source.n_features, 1, None, settings.budget).plan(
        source, (source.n_features,)
    )  # what holds no ridge regression holds nothing: refused before the search draws its rows
    rows = _drawn(source, settings)
    means = Means(settings.budget, settings.crew, settings.entropy, clock, rows.n_all, settings.progress)
    trials = Trials(rows, source, settings.entropy, clock, settings.progress)
    if rows.folds:  # of copies of one row there are none: nothing can be scored
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConditionWarning)  # told of the fits that are kept
            trials.run(settings.rounds)
    if not trials.tried:
        return _unscored(source, settings, profile, means, trials.refused)
    members = _fitted_to_all(trials, blended(trials.tried, rows)[0], source, profile, means)
    if not members.models:
        return _unscored(source, settings, profile, means, members.refused)
    return _blend(trials, rows, members, profile)


def _drawn(source: Source, settings: AutoSettings) -> SearchRows:
    """The rows of the search, and what it may use: threads of this process, half of what memory is left."""
    budget = settings.budget
    engine = settings.crew.planned(budget.workers, budget.block_rows or 4096, settings.progress)
    rows = gathered(source, engine, most_rows(settings, source), settings.classes)
    left = budget.left(budget.workers)
    return replace(rows, workers=_workers(budget), memory=None if left is None else left // 2)


def _workers(budget: Budget) -> int:
    """Threads as asked for; of a cluster these are others than the ones of this process."""
    return available_cores() if budget.processes else budget.workers


def _blend(trials: Trials, rows: SearchRows, members: Members, profile: Profile) -> AutoFitted:
    """The weighted sum of the members, and how it fares on rows that were not seen."""
    numbers = members.numbers
    weights = weighed(trials.tried, numbers, rows)
    exact = left_out_of(members.left_out, weights, profile.targets.mean)
    names = {trials.tried[i].candidate.name: w for i, w in zip(numbers, weights.tolist(), strict=True)}
    board = trials.board(names)
    return AutoFitted(
        model=summed(members.models, weights, profile.targets.mean),
        plan=_told(members, trials.refused, board, rows),
        board=board,
        weights=weights,
        score=rows.score(cross_blended(_kept(trials, members), rows)),
        left_out=learned_from(trials.tried, rows, (numbers, weights), exact),
    )


def _kept(trials: Trials, members: Members) -> list[Tried]:
    """What the score of the blend is made of: without the families that the model has to do without."""
    if not members.refused:
        return trials.tried
    families = {trials.tried[i].candidate.family for i in members.numbers}
    return [one for one in trials.tried if one.candidate.family in families]


def _fitted_to_all(
    trials: Trials, numbers: list[int], source: Source, profile: Profile, means: Means
) -> Members:
    """The members that the memory holds."""
    members = Members([], [], [], [], [])
    for place, i in enumerate(numbers):
        seconds = 0.9 * means.clock.left / (len(numbers) - place)
        candidate, choice = trials.tried[i].candidate, trials.tried[i].choice
        try:
            made = fitted((candidate, choice), source, profile, means, seconds)
        except BudgetError as error:
            members.refused.append(f"not in the blend: {candidate.name}: {error}")
            continue
        members.numbers.append(i)
        members.models.append(made.model)
        members.plans.append(made.plan)
        members.left_out.append(made.left_out() if made.left_out is not None else None)
        del made  # its factor would lie beside that of the next
    return members


def most_rows(settings: AutoSettings, source: Source) -> tuple[int, int]:
    """Rows to fit and to score: fewer where time or memory is short."""
    fit, scored = FIT_ROWS, SCORED_ROWS
    if settings.seconds is not None and settings.seconds < FULL_SEARCH:
        fit = max(FEWEST_ROWS, int(fit * np.sqrt(settings.seconds / FULL_SEARCH)))
    scored = min(scored, max(fit, FEWEST_ROWS) * 2)
    left = settings.budget.left(settings.budget.workers)
    if left is None:
        return fit, scored
    n, d, workers = source.n_rows, source.n_features, _workers(settings.budget)
    d = 0 if source.is_sparse else d  # of which no kernel is tried
    while fit > LEAST_ROWS and kernel_bytes(n, (fit, scored), d, workers) > left // 2:
        fit = max(LEAST_ROWS, int(0.9 * fit))
        scored = min(scored, 2 * fit)
    return fit, scored


def _unscored(
    source: Source, settings: AutoSettings, profile: Profile, means: Means, refused: list[str]
) -> AutoFitted:
    """A ridge regression, where no row can be held out, or the memory holds nothing else."""
    made = fitted((_plain(settings), Choice(0, None, None)), source, profile, means, float("inf"))
    why = "ridge alone: no row could be held out, or no other model fits into the memory"
    plan = replace(made.plan, reasons=(*made.plan.reasons, why, *refused))
    return AutoFitted(made.model, plan, Leaderboard(()), np.ones(1), float("nan"), None)


def _plain(settings: AutoSettings) -> LayerCandidate:
    return LayerCandidate(RIDGE, "standard", 0, settings.entropy)


def _told(members: Members, refused: list[str], board: Leaderboard, rows: SearchRows) -> Plan:
    """The plans of the members as one: the largest of them, with what all take together."""
    plans = members.plans
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
        reasons=(why, blend, *members.refused, *refused, *largest.reasons),
    )
