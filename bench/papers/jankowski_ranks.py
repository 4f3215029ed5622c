"""The ranks and wins of Tables 7 and 8, as section 3 of Jankowski and Linowiecki defines them."""

from collections.abc import Mapping, Sequence
from statistics import mean, stdev
from typing import NamedTuple

LEVEL = 0.05  # of the paired t-test; the paper does not give its own


def different(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether the paired t-test tells two machines apart that were tested on the same folds."""
    from scipy.stats import t

    gaps = [x - y for x, y in zip(a, b, strict=True)]
    if len(gaps) < 2:
        return False
    spread, middle = stdev(gaps), mean(gaps)
    if spread == 0:
        return middle != 0
    statistic = abs(middle) / spread * len(gaps) ** 0.5
    return bool(2 * t.sf(statistic, len(gaps) - 1) < LEVEL)


def ranks(accuracies: Mapping[str, Sequence[float]]) -> dict[str, int]:
    """By machine, from its accuracies on the folds that all machines were tested on.

    In the order of their means, a machine that can't be told from the first of its group is of its rank; the
    first one that can starts the next group.
    """
    ordered = sorted(accuracies, key=lambda machine: -mean(accuracies[machine]))
    made: dict[str, int] = {}
    leader, rank = ordered[0], 1
    for machine in ordered:
        if different(accuracies[leader], accuracies[machine]):
            leader, rank = machine, rank + 1
        made[machine] = rank
    return made


class Standing(NamedTuple):
    """One machine over all sets: a row of ``Mean Rank`` and ``Wins[unique]``."""

    rank: float
    deviation: float  # of the mean: the paper's own are those of the ranks by √(sets − 1)
    wins: int
    unique: int


def standings(by_set: Sequence[Mapping[str, int]]) -> dict[str, Standing]:
    """How each machine ranks over the sets, how often it is among the first and how often it is so alone."""
    made = {}
    for machine in by_set[0] if by_set else ():
        own = [one[machine] for one in by_set]
        alone = [one for one in by_set if one[machine] == 1 and list(one.values()).count(1) == 1]
        spread = stdev(own) / (len(own) - 1) ** 0.5 if len(own) > 1 else 0.0
        made[machine] = Standing(mean(own), spread, own.count(1), len(alone))
    return made
