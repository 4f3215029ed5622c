"""One method on one split of one set, as a trial; runs in the environment of the method, without samara."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bench.contest.methods import Method, Problem
from bench.measure import Trial

WARM_ROWS, WARM_COLUMNS, WARM_SECONDS = 64, 5, 0.2
Figures = dict[str, Any]


@dataclass(frozen=True)
class Game:
    """The rows of a split, and who plays."""

    method: Method
    problem: Problem
    X: np.ndarray
    X_test: np.ndarray
    y: np.ndarray
    y_test: np.ndarray

    def trial(self, more: Callable[[Any, "Game"], Figures] | None = None) -> Trial:
        """Fit the rows to fit, predict those to test, tell the error and what ``more`` says of the model."""

        def described(made: tuple[Any, Any]) -> Figures:
            model, predicted = made
            figures = {"test_error": error_of(np.asarray(predicted), self.y_test, self.problem)}
            return figures | (more(model, self) if more else {})

        return Trial(
            run=lambda: self.method.make(self.problem).fit(self.X, self.y),
            predict=lambda model: (model, model.predict(self.X_test)),
            describe=described,
            warm_up=lambda: warm_up(self.method, self.problem),
        )


def opened(folder: str, method: Method, split: int, seconds: float | None = None) -> Game:
    """The rows as the method takes them."""
    about = json.loads((Path(folder) / "about.json").read_text())
    inputs = "coded" if method.coded else "X"
    names = (inputs, f"{inputs}_test", "y", "y_test")
    X, X_test, y, y_test = (np.load(Path(folder) / f"{name}_{split}.npy") for name in names)
    categories = tuple(about["categories"]) if method.coded else ()
    problem = Problem(about["task"], len(X), X.shape[1], about["n_classes"], split, categories, seconds)
    return Game(method, problem, X, X_test, y, y_test)


def error_of(predicted: np.ndarray, truth: np.ndarray, problem: Problem) -> float:
    """Root mean square error in deviations of the target, or the share of wrong classes."""
    predicted = predicted.reshape(truth.shape)
    if problem.regression:
        return float(np.sqrt(np.mean((predicted - truth) ** 2)))
    return float(np.mean(predicted != truth))


def warm_up(method: Method, problem: Problem) -> Any:
    """Fit and predict a few rows of noise, so that late imports are not timed."""
    n_rows = max(WARM_ROWS, 4 * problem.n_classes)
    X = np.random.default_rng(0).standard_normal((n_rows, WARM_COLUMNS))
    y = X[:, 0].copy() if problem.regression else np.arange(n_rows) % problem.n_classes
    small = replace(
        problem, n_rows=n_rows, n_features=WARM_COLUMNS, seed=0, categories=(), seconds=WARM_SECONDS
    )
    return method.make(small).fit(X, y).predict(X[:2])
