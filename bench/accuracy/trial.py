"""A trial of the comparison of accuracy."""

from bench.accuracy.methods import METHODS
from bench.accuracy.scores import figures_of
from bench.contest.trial import opened
from bench.measure import Trial


def trial(folder: str, method: str, split: int, seconds: float | None = None) -> Trial:
    """Fit, predict, and tell the error, the quality of probabilities and the coverage of intervals."""
    return opened(folder, METHODS[method], split, seconds).trial(figures_of)
