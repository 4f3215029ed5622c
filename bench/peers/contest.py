"""One method on one split of one set, as a trial; runs in the environment of the method, without samara."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import Trial
from bench.peers.methods import METHODS, Problem

WARM_ROWS, WARM_COLUMNS = 64, 5


def trial(folder: str, method: str, split: int) -> Trial:
    """Fit the rows to fit, predict those to test, and tell the error."""
    about = json.loads((Path(folder) / "about.json").read_text())
    X, X_test, y, y_test = (
        np.load(Path(folder) / f"{part}_{split}.npy") for part in ("X", "X_test", "y", "y_test")
    )
    make = METHODS[method].make
    problem = Problem(about["task"], len(X), X.shape[1], about["n_classes"], split)
    return Trial(
        run=lambda: make(problem).fit(X, y),
        predict=lambda model: model.predict(X_test),
        describe=lambda predicted: {"test_error": error_of(np.asarray(predicted), y_test, problem)},
        warm_up=lambda: warm_up(method, problem),
    )


def error_of(predicted: np.ndarray, truth: np.ndarray, problem: Problem) -> float:
    """Root mean square error in deviations of the target, or the share of wrong classes."""
    predicted = predicted.reshape(truth.shape)
    if problem.regression:
        return float(np.sqrt(np.mean((predicted - truth) ** 2)))
    return float(np.mean(predicted != truth))


def warm_up(method: str, problem: Problem) -> Any:
    """Fit and predict a few rows of noise, so that late imports are not timed."""
    n_rows = max(WARM_ROWS, 4 * problem.n_classes)
    X = np.random.default_rng(0).standard_normal((n_rows, WARM_COLUMNS))
    y = X[:, 0].copy() if problem.regression else np.arange(n_rows) % problem.n_classes
    small = Problem(problem.task, n_rows, WARM_COLUMNS, problem.n_classes, 0)
    return METHODS[method].make(small).fit(X, y).predict(X[:2])
