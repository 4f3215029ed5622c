"""A trial of the comparison with other libraries."""

from bench.contest.trial import opened
from bench.measure import Trial
from bench.peers.methods import METHODS


def trial(folder: str, method: str, split: int) -> Trial:
    """Fit, predict, and tell the error."""
    return opened(folder, METHODS[method], split).trial()
