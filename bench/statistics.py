"""Methods compared over data sets (Demšar 2006): ranks, Friedman's test, Nemenyi's critical difference.

Everything takes a matrix of errors, a row a data set and a column a method; nan: the method gave no result.
The tests are SciPy's and scikit-posthocs'.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

LEVEL = 0.05


@dataclass(frozen=True)
class Tally:
    """How often the method of a row beats the one of a column, draws with it, and loses to it."""

    wins: np.ndarray
    ties: np.ndarray
    losses: np.ndarray


def ranks(errors: np.ndarray) -> np.ndarray:
    """Ranks within each data set: 1 is the lowest error, equals share, methods without result are last."""
    finite = np.where(np.isnan(errors), np.inf, errors)
    return np.asarray(stats.rankdata(finite, axis=1))


def friedman(errors: np.ndarray) -> tuple[float, float]:
    """Friedman's chi-squared, corrected for ties, and its p: are all methods alike? Needs three methods."""
    statistic, p = stats.friedmanchisquare(*ranks(errors).T)
    return float(statistic), float(p)


def critical_difference(n_methods: int, n_sets: int, level: float = LEVEL) -> float:
    """Nemenyi: mean ranks further apart than this differ at the level."""
    quantile = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / math.sqrt(2)
    return float(quantile * math.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def wins_ties_losses(errors: np.ndarray, deviations: np.ndarray) -> Tally:
    """Each method against each: a tie where the errors are within the larger of both deviations.

    A method without a result loses to one that has one; two without are not compared.
    """
    finite = np.where(np.isnan(errors), np.inf, errors)
    ours, theirs = finite[:, :, None], finite[:, None, :]
    spread = np.nan_to_num(deviations)
    allowed = np.maximum(spread[:, :, None], spread[:, None, :])
    compared = np.isfinite(ours) | np.isfinite(theirs)
    gap = np.subtract(ours, theirs, out=np.zeros(compared.shape), where=compared)
    wins, losses = compared & (gap < -allowed), compared & (gap > allowed)
    ties = compared & ~wins & ~losses
    return Tally(wins.sum(axis=0), ties.sum(axis=0), losses.sum(axis=0))


def diagram(errors: np.ndarray, names: Sequence[str], level: float = LEVEL) -> Any:
    """The critical-difference diagram as a matplotlib Figure: bars join methods that do not differ."""
    import pandas as pd
    from matplotlib.figure import Figure
    from scikit_posthocs import critical_difference_diagram, posthoc_nemenyi_friedman

    ranked = pd.DataFrame(ranks(errors), columns=list(names))
    differ = posthoc_nemenyi_friedman(ranked)
    figure = Figure(figsize=(9, 1.6 + 0.19 * len(names)), layout="constrained")
    ax = figure.subplots()
    critical_difference_diagram(
        ranked.mean(),
        differ,
        alpha=level,
        ax=ax,
        label_fmt_left="{label} ({rank:.1f})",
        label_fmt_right="({rank:.1f}) {label}",
    )
    apart = critical_difference(len(names), len(errors), level)
    ax.set_xlabel(f"mean rank of the error (1 is best); ranks less than {apart:.2f} apart do not differ")
    return figure
