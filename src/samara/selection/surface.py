"""The score surface over model sizes and ridges, and how a point is chosen on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array


@dataclass(frozen=True)
class Surface:
    """Mean squared errors for every size, ridge and target, before anything is chosen."""

    sizes: Array  # (S,) numbers of columns
    alphas: Array  # (A,)
    scores: Array  # (S, A, t): lower is better
    errors: Array  # (S, A, t): standard errors; NaN where the method has none
    by_fold: Array | None = None  # (K, S, A, t)


@dataclass(frozen=True)
class Selection:
    """What was tried, how it scored, and what was chosen.

    Attributes
    ----------
    method : str
        ``"kfold"``, ``"loo"``, ``"gcv"`` or ``"lcurve"``; ``"held_out"``: rows that no tree has seen.
    n_hidden : ndarray of shape (S,)
        Model sizes tried.
    alphas : ndarray of shape (A,)
        Ridges tried.
    scores, errors : ndarray of shape (S, A)
        Held-out mean squared error, averaged over the targets, and its standard error. For the L-curve
        the score is minus the curvature and has no standard error.
    target_scores : ndarray of shape (S, A, t)
        The same for each target.
    best_n_hidden : int
        The size chosen.
    best_alpha : float or ndarray of shape (t,)
        The ridge chosen; one a target where asked for.
    n_folds : int
        Folds that held rows; 0 where the method has none.
    ranks : ndarray of shape (S,) or None
        Ranks tried, where the solver has one; ``n_hidden`` is then the same for all.
    best_rank : int or None
        The rank chosen.
    """

    method: str
    n_hidden: Array
    alphas: Array
    scores: Array
    errors: Array
    target_scores: Array
    best_n_hidden: int
    best_alpha: float | Array
    n_folds: int = 0
    ranks: Array | None = None
    best_rank: int | None = None

    @property
    def sizes(self) -> Array:
        """What was varied beside the ridge: numbers of nodes, or ranks."""
        return self.n_hidden if self.ranks is None else self.ranks

    @property
    def best_size(self) -> int:
        """The number of nodes or the rank chosen."""
        return self.best_n_hidden if self.best_rank is None else self.best_rank

    @property
    def best_score(self) -> float:
        """The smallest score at the chosen size."""
        row = int(np.flatnonzero(self.sizes == self.best_size)[0])
        return float(np.nanmin(self.scores[row]))

    def of_ranks(self, n_hidden: int) -> Selection:
        """The same selection where the sizes tried were ranks of one model."""
        ranks = self.n_hidden
        return replace(
            self,
            n_hidden=np.full(len(ranks), n_hidden),
            best_n_hidden=n_hidden,
            ranks=ranks,
            best_rank=self.best_n_hidden,
        )


def choose(surface: Surface, method: str, spread: Array, n_link: int, per_target: bool) -> Selection:
    """Pick size and ridge; ``spread`` gives back the units of the targets."""
    relative = (spread / spread.max()) ** 2 if spread.max() > 0 else np.ones_like(spread)
    # Scores are compared in units of the widest target: nothing overflows, and no target is favoured.
    pooled = (surface.scores * relative).mean(axis=-1)
    size = _smallest_adequate(surface, pooled, relative)
    alpha: float | Array = float(surface.alphas[_lowest(pooled[size])])
    if per_target:
        alpha = surface.alphas[[_lowest(column) for column in surface.scores[size].T]]
    with np.errstate(over="ignore", invalid="ignore"):
        units = 1.0 if method == "lcurve" else spread**2
        target_scores = surface.scores * units
        errors = (surface.errors * units).mean(axis=-1)  # without folds: at most that of the mean score
        if surface.by_fold is not None:
            pooled_folds = (surface.by_fold * units).mean(axis=-1)
            errors = pooled_folds.std(axis=0, ddof=1) / np.sqrt(len(pooled_folds))
    return Selection(
        method=method,
        n_hidden=surface.sizes - n_link,
        alphas=surface.alphas,
        scores=target_scores.mean(axis=-1),
        errors=errors,
        target_scores=target_scores,
        best_n_hidden=int(surface.sizes[size] - n_link),
        best_alpha=alpha,
        n_folds=0 if surface.by_fold is None else len(surface.by_fold),
    )


TIE = 1e-7  # of a score: a difference below it is rounding as likely as not


def _lowest(scores: Array) -> int:
    """Where the lowest finite score is, the last of equals (the largest ridge); the last place if none is."""
    finite = np.isfinite(scores)
    if not finite.any():
        return len(scores) - 1
    best = scores[finite].min()
    return int(np.flatnonzero(finite & (scores <= best + TIE * abs(best)))[-1])


def _smallest_adequate(surface: Surface, pooled: Array, relative: Array) -> int:
    """The smallest size whose excess over the best is within one standard error of that excess.

    The excess is taken fold by fold: a fold that is hard for all sizes then says nothing about them.
    Where there are no folds, the best size.
    """
    safe = np.where(np.isfinite(pooled), pooled, np.inf)
    best_size, best_alpha = np.unravel_index(int(np.argmin(safe)), safe.shape)
    if surface.by_fold is None or len(surface.by_fold) < 2:
        return int(best_size)
    folds = (surface.by_fold * relative).mean(axis=-1)  # (K, S, A)
    for size in range(int(best_size)):
        excess = folds[:, size, int(np.argmin(safe[size]))] - folds[:, best_size, best_alpha]
        if excess.mean() <= excess.std(ddof=1) / np.sqrt(len(excess)):
            return size
    return int(best_size)
