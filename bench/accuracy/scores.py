"""What is told of a fitted model beside its error: are its probabilities and intervals right?"""

from typing import Any

import numpy as np

from bench.contest.trial import Figures, Game

BINS = 15
LEAST = 1e-7  # a probability; a model that rules out what happens would lose without end
COVERAGE = 0.9


def figures_of(model: Any, game: Game) -> Figures:
    """Log loss and calibration error of classes, coverage of intervals, and what the model tells itself."""
    figures: Figures = dict(getattr(model, "told", {}))
    if game.problem.regression and hasattr(model, "predict_interval"):
        low, high = model.predict_interval(game.X_test, coverage=COVERAGE)
        figures["coverage"] = covered(np.ravel(low), np.ravel(high), game.y_test)
    elif not game.problem.regression and hasattr(model, "predict_proba"):
        known = np.zeros((len(game.y_test), game.problem.n_classes))
        known[:, np.asarray(model.classes_, int)] = model.predict_proba(game.X_test)
        figures["log_loss"] = log_loss(known, game.y_test)
        figures["calibration_error"] = calibration_error(known, game.y_test)
    return figures


def log_loss(probabilities: np.ndarray, truth: np.ndarray) -> float:
    """Mean of -log of the probability of what happened."""
    happened = probabilities[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(happened, LEAST, 1)).mean())


def calibration_error(probabilities: np.ndarray, truth: np.ndarray, bins: int = BINS) -> float:
    """How far the share of hits is from the probability of the class predicted, over equal bins of that."""
    confidence = probabilities.max(axis=1)
    surplus = confidence - (probabilities.argmax(axis=1) == truth)
    number = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    return float(np.abs(np.bincount(number, surplus, minlength=bins)).sum() / len(truth))


def covered(low: np.ndarray, high: np.ndarray, truth: np.ndarray) -> float:
    """Share of the values within their intervals."""
    return float(np.mean((low <= truth) & (truth <= high)))
