"""What a solver is given by a fit, and the same written out densely: for tests that look inside."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import seen_through
from samara.estimators.settings import make_settings
from samara.maps import fused
from samara.prepare import draw_maps, first_look, look
from samara.solvers import Task
from samara.sources import ArraySource
from tests.oracles import centred_rows


@dataclass(frozen=True)
class Dense:
    """The matrices that no solver ever holds."""

    H: np.ndarray  # features of the rows
    A: np.ndarray  # √w·(H − μ)
    B: np.ndarray  # √w·(Y − ȳ)
    shifted: np.ndarray  # √w·(H − shift): what probes are multiplied by


def task_of(problem, estimator):
    """The task that a fit of the estimator hands to its solver."""
    settings = make_settings(estimator, None)
    Y = problem.y.reshape(len(problem.y), -1)
    source = ArraySource(problem.X, Y, problem.weight)
    profile = look(source, settings)
    maps = draw_maps(source, settings, profile, settings.sizes[-1])
    mapped = seen_through(source, fused(maps, False))
    layout, trace = first_look(mapped, settings, profile)
    plan = settings.plan(source, settings.sizes, trace)
    return Task(
        source=mapped,
        engine=settings.engine(plan),
        layout=layout,
        n_folds=settings.n_folds,
        fit_intercept=settings.fit_intercept,
        alphas=settings.alphas,
        trace=trace,
        rank=settings.rank,
        entropy=settings.entropy,
    )


def dense_of(problem, estimator):
    """H of a fitted estimator, centred and weighted."""
    H = estimator.model_.features(problem.X).astype(float)
    task = task_of(problem, estimator)
    A, B, _, _ = centred_rows(H, problem.y, problem.weight, estimator.fit_intercept)
    root = 1.0 if problem.weight is None else np.sqrt(problem.weight)[:, None]
    return Dense(H, A, B, root * (H - task.layout.shift))


def directions_of(problem, estimator):
    """The directions V (L, k) that a low-rank fit of the estimator works with, in their order."""
    task = task_of(problem, estimator)
    solver = make_settings(estimator, None).solver
    return solver(task).directions
