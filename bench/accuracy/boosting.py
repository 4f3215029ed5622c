"""LightGBM three ways: as it comes, stopped early, and tuned. Runs in its own environment."""

import math
from collections.abc import Mapping
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from bench.contest.methods import Problem, lightgbm
from bench.contest.trial import error_of

ROUNDS, PATIENCE, HELD_OUT = 300, 30, 5  # a fifth of the rows says when to stop
TRIALS, FOLDS = 20, 5


class Boosted:
    """LightGBM that is told which columns are categories; with a patience it stops by rows held out."""

    def __init__(self, problem: Problem, patience: int | None = None, **settings: Any) -> None:
        self.problem, self.patience = problem, patience
        self.model = lightgbm(problem, **settings)

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Boosted":
        """All rows, or those that are left when some are held out."""
        more: dict[str, Any] = {}
        if self.problem.categories:
            more["categorical_feature"] = list(self.problem.categories)
        if self.patience:
            from lightgbm import early_stopping

            held = held_out(y, self.problem)
            more["eval_set"] = [(X[held], y[held])]
            more["callbacks"] = [early_stopping(self.patience, verbose=False)]
            X, y = X[~held], y[~held]
        self.model.fit(X, y, **more)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values or classes."""
        return np.asarray(self.model.predict(X))

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """One column a class of `classes_`."""
        return np.asarray(self.model.predict_proba(X))

    @property
    def classes_(self) -> np.ndarray:
        """Those that were fitted."""
        return np.asarray(self.model.classes_)


class Tuned(Boosted):
    """The best of some random settings by cross-validation, then fitted on all rows.

    The last trial is the one that begins before the problem's seconds are over. What all trials would take
    is told beside: their mean time, as often as there should have been trials.
    """

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Tuned":
        """Trials, then the best of them on all rows."""
        rng, started = np.random.default_rng(self.problem.seed), perf_counter()
        lowest, best, trials = math.inf, dict[str, Any](), 0
        while trials < TRIALS and not (trials and self.is_over(perf_counter() - started)):
            settings = drawn(rng)
            error = self.validated(X, y, settings)
            trials += 1
            if error < lowest:
                lowest, best = error, settings
        searched = perf_counter()
        self.model = Boosted(self.problem, **best).fit(X, y).model
        fitting, a_trial = perf_counter() - searched, (searched - started) / trials
        self.told = {"trials": trials, "whole_seconds": TRIALS * a_trial + fitting}
        return self

    def is_over(self, seconds: float) -> bool:
        """Whether no trial may begin any more."""
        return self.problem.seconds is not None and seconds > self.problem.seconds

    def validated(self, X: np.ndarray, y: np.ndarray, settings: Mapping[str, Any]) -> float:
        """Mean error of the folds."""
        fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
        errors = []
        for number in range(FOLDS):
            fit, test = fold != number, fold == number
            model = Boosted(self.problem, **settings).fit(X[fit], y[fit])
            errors.append(error_of(model.predict(X[test]), y[test], self.problem))
        return float(np.mean(errors))


def held_out(y: np.ndarray, problem: Problem) -> np.ndarray:
    """A random fifth of the rows; of a class that would be gone, none: LightGBM refuses unknown ones."""
    held = np.random.default_rng(problem.seed).permutation(len(y)) % HELD_OUT == 0
    return held if problem.regression else held & np.isin(y, y[~held])


def drawn(rng: np.random.Generator) -> dict[str, Any]:
    """Random settings."""

    def between(low: float, high: float) -> float:
        """Evenly spread over the orders of magnitude."""
        return float(np.exp(rng.uniform(np.log(low), np.log(high))))

    return {
        "n_estimators": round(between(50, 500)),
        "learning_rate": between(0.02, 0.3),
        "num_leaves": round(between(8, 128)),
        "min_child_samples": round(between(3, 60)),
        "reg_lambda": between(1e-3, 10),
        "subsample": float(rng.uniform(0.5, 1)),
        "subsample_freq": 1,
        "colsample_bytree": float(rng.uniform(0.4, 1)),
    }


stopped_early = partial(Boosted, patience=PATIENCE, n_estimators=ROUNDS)
