"""What a fit tried, how it scored, and what it chose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.report.drawing import (
    ACCENT,
    INK,
    axes,
    fitted,
    label_below,
    scale_ridges,
    scale_scores,
    short,
    size_bar,
    size_colours,
    thinned,
    with_error,
)
from samara.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

LEGEND_LINES = 6  # more sizes than these get a colour bar


class SelectionDisplay:
    """The score of every ridge and size that a fit tried, and the point it chose.

    One line a size, darker for more nodes; a band of one standard error around the line of the chosen
    size, where the method has one. The lines show root mean squared errors, held out or estimated, in the
    units of the targets (for a classifier, of the codes ±1); for the L-curve, minus the curvature.

    Parameters
    ----------
    selection : :class:`samara.selection.Selection`
        The ``selection_`` of a fitted estimator.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure around it.
    lines_ : list of matplotlib Line2D
        The curves, smallest size first.
    label_ : matplotlib Annotation
        The label of the chosen point.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import ELMRegressor, SelectionDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ELMRegressor(n_hidden=[25, 50, 100], random_state=0).fit(X, y)
    >>> display = SelectionDisplay.from_estimator(model)
    """

    ax_: Axes
    figure_: Figure
    lines_: list[Line2D]
    label_: Annotation

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    @classmethod
    def from_estimator(cls, estimator: Any, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the selection of a fitted estimator.

        Parameters
        ----------
        estimator : ELMRegressor or ELMClassifier
            Fitted with something to choose: ``alpha`` or ``n_hidden`` a list or ``"auto"``.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.
        **kwargs
            Passed on to every curve, as to ``Axes.plot``.

        Returns
        -------
        display : SelectionDisplay
            With the curves drawn.
        """
        selection = fitted(estimator, "selection_")
        if selection is None:
            raise InputError(
                "There is no selection to show: ridge and size were given, or too few rows could be held out."
            )
        return cls(selection).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.
        **kwargs
            Passed on to every curve, as to ``Axes.plot``.

        Returns
        -------
        self : SelectionDisplay
            With ``ax_`` and ``figure_`` set.
        """
        self.ax_, self.figure_ = axes(ax)
        tried = self.selection
        self._against_size = len(tried.alphas) == 1 and len(tried.sizes) > 1
        self._row = int(np.flatnonzero(tried.sizes == tried.best_size)[0])
        if self._against_size:
            self._draw_against_size(kwargs)
        else:
            self._draw_against_ridge(kwargs)
        self.ax_.set_ylabel(self._score_name())
        scale_scores(self.ax_, self._heights(tried.scores))
        self._mark_choice()
        return self

    def _draw_against_ridge(self, kwargs: dict[str, Any]) -> None:
        tried, ax = self.selection, self.ax_
        colours = size_colours(len(tried.sizes))
        faint = {"linewidth": 1.2, "markersize": 0, "zorder": 2}
        self.lines_ = []
        for row, size in enumerate(tried.sizes):
            style: dict[str, Any] = {"color": colours[row], "marker": "o", "label": f"{size:,} nodes"}
            style |= {"linewidth": 2.5, "markersize": 3.5, "zorder": 3} if row == self._row else faint
            self.lines_ += ax.plot(tried.alphas, self._heights(tried.scores[row]), **(style | kwargs))
        self._band(tried.alphas, tried.scores[self._row], tried.errors[self._row], colours[self._row])
        scale_ridges(ax, tried.alphas)
        if len(tried.sizes) > LEGEND_LINES:
            size_bar(self.figure_, ax, colours, tried.sizes)
        elif len(tried.sizes) > 1:
            ax.legend(frameon=False, reverse=True)

    def _draw_against_size(self, kwargs: dict[str, Any]) -> None:
        tried, ax = self.selection, self.ax_
        scores, errors = tried.scores[:, 0], tried.errors[:, 0]
        style: dict[str, Any] = {"color": INK, "linewidth": 2.5, "marker": "o", "markersize": 4, "zorder": 3}
        self.lines_ = ax.plot(tried.sizes, self._heights(scores), **(style | kwargs))
        self._band(tried.sizes, scores, errors, INK)
        if tried.sizes[-1] > 8 * tried.sizes[0]:
            ax.set_xscale("log")
        shown = tried.sizes[thinned(len(tried.sizes))]
        ax.set_xticks(shown, [f"{size:,}" for size in shown])
        ax.set_xticks([], minor=True)
        ax.set_xlabel("hidden nodes")

    def _band(self, x: Array, scores: Array, errors: Array, colour: Any) -> None:
        if np.isfinite(errors).any():
            low, high = (self._heights(np.maximum(scores + side * errors, 0)) for side in (-1, 1))
            self.ax_.fill_between(
                x, low, high, color=colour, alpha=0.2, linewidth=0, label="_± standard error"
            )

    def _mark_choice(self) -> None:
        """The chosen point (one a ridge where every target has its own), and its label in the room below."""
        tried, ax = self.selection, self.ax_
        alphas, counts = np.unique(np.atleast_1d(tried.best_alpha), return_counts=True)
        columns = np.searchsorted(tried.alphas, alphas)
        x = np.full(len(alphas), tried.best_size) if self._against_size else alphas
        y = self._heights(tried.scores[self._row, columns])
        areas = 90 * np.sqrt(counts / counts.max())
        ax.scatter(x, y, s=areas, color=ACCENT, edgecolors="white", linewidths=1.2, zorder=5)
        middle = float(x[np.argmax(counts)])
        self.label_ = label_below(ax, middle, float(y[np.argmax(counts)]), self._choice_text(columns))

    def _choice_text(self, columns: Array) -> str:
        tried = self.selection
        own = np.atleast_1d(tried.best_alpha)
        picks = np.searchsorted(tried.alphas, own)
        if len(own) == 1:
            score, error = tried.scores[self._row, picks[0]], tried.errors[self._row, picks[0]]
        else:
            score, error = tried.target_scores[self._row, picks, np.arange(len(own))].mean(), np.nan
        if len(columns) == 1:
            ridge = f"α = {short(own[0])}"
        else:
            ridge = f"α from {short(own.min())} to {short(own.max())}, one a target"
        return f"{ridge}\n{tried.best_size:,} nodes\n{self._score_text(float(score), float(error))}"

    def _score_text(self, score: float, error: float) -> str:
        if self.selection.method == "lcurve":
            return f"curvature {short(-score)}"
        root = float(np.sqrt(score))
        return f"RMSE {with_error(root, error / (2 * root) if root > 0 else np.nan)}"

    def _score_name(self) -> str:
        folds = self.selection.n_folds
        return {
            "kfold": f"held-out RMSE, {folds} folds",
            "loo": "leave-one-out RMSE",
            "gcv": "RMSE estimated by GCV",
            "lcurve": "minus the curvature of the L-curve",
            "held_out": "RMSE on rows held out",
        }[self.selection.method]

    def _heights(self, scores: Array) -> Array:
        """What is drawn for a score: its root, but for the L-curve; nothing where it is not finite."""
        known = np.where(np.isfinite(scores), scores, np.nan)
        return known if self.selection.method == "lcurve" else np.sqrt(known)
