"""How the ridge meets the spectrum of the hidden matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.linalg import svdvals

from samara.core import Array, Source, seen_through
from samara.costs import DEFAULT_BLOCK
from samara.engines import Threads
from samara.errors import InputError
from samara.estimators.inputs import check_inputs, refuse_non_finite
from samara.report.drawing import ACCENT, INK, axes, fitted, interval, short
from samara.solvers import Qr, Task, numerical_rank
from samara.sources import ArraySource
from samara.summaries import Layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

LEGEND_STARTS = 0.64  # of the height of the axes
LOOK_ROWS = 1024  # rows whose mean hidden values are taken off before the triangle is made


class SpectrumDisplay:
    """The singular values of the hidden matrix H, and where the ridge cuts them.

    A direction with singular value s keeps the share s²/(s² + α) of its least-squares solution: those above
    √α are kept, those below are damped. The shares add up to the effective degrees of freedom. H is centred
    if the model has an intercept. It is reduced to a triangle block by block and never held as a whole.

    Parameters
    ----------
    singular_values : ndarray of shape (min(n_rows, n_columns),)
        Largest first.
    alpha : float or ndarray of shape (n_targets,)
        Ridge, or one a target.
    shape : tuple of int
        Rows and columns of H.

    Attributes
    ----------
    rank : int
        Singular values that are not zero up to rounding.
    condition : float
        Largest by smallest singular value; infinite where the rank is not full.
    n_above : ndarray of int
        Singular values above √α, for each distinct ridge.
    freedom : ndarray of float
        Effective degrees of freedom Σ s²/(s² + α), for each distinct ridge.
    ax_ : matplotlib Axes
        Where it was drawn.
    figure_ : matplotlib Figure
        The figure around it.
    line_ : matplotlib Line2D
        The singular values.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import ELMRegressor, SpectrumDisplay
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ELMRegressor(n_hidden=100, random_state=0).fit(X, y)
    >>> display = SpectrumDisplay.from_estimator(model, X)
    """

    ax_: Axes
    figure_: Figure
    line_: Line2D

    def __init__(self, singular_values: Array, alpha: float | Array, shape: tuple[int, int]) -> None:
        self.singular_values = singular_values
        self.alphas = np.unique(np.atleast_1d(alpha))
        self.shape = shape
        self.rank = numerical_rank(singular_values, shape)
        full = self.rank == shape[1]
        self.condition = float(singular_values[0] / singular_values[-1]) if full else float("inf")
        squares = singular_values[: self.rank] ** 2
        self.n_above = np.array([int(np.sum(squares > alpha)) for alpha in self.alphas])
        self.freedom = np.array([float(np.sum(squares / (squares + alpha))) for alpha in self.alphas])

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the spectrum of a fitted estimator's hidden layer.

        Parameters
        ----------
        estimator : ELMRegressor or ELMClassifier
            Fitted.
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows: those of the fit, for α is not divided by their number and belongs to it.
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.
        **kwargs
            Passed on to the curve, as to ``Axes.plot``.

        Returns
        -------
        display : SpectrumDisplay
            With the spectrum drawn.
        """
        model = fitted(estimator, "model_")
        X = check_inputs(estimator, X, fitting=False)
        refuse_non_finite(X, getattr(estimator, "feature_names_in_", None))
        if X.shape[0] < 2:
            raise InputError("A spectrum needs at least two rows; X has 1.")
        source = seen_through(ArraySource(X, np.empty((X.shape[0], 0))), model.maps)
        values = hidden_spectrum(source, model.coef.dtype, estimator.fit_intercept, estimator.plan_.workers)
        return cls(values, estimator.alpha_, (X.shape[0], len(model.coef))).plot(ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the spectrum.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.
        **kwargs
            Passed on to the curve, as to ``Axes.plot``.

        Returns
        -------
        self : SpectrumDisplay
            With ``ax_`` and ``figure_`` set.
        """
        self.ax_, self.figure_ = axes(ax)
        from matplotlib.ticker import MaxNLocator

        values = self.singular_values
        style: dict[str, Any] = {"color": INK, "linewidth": 2, "label": self._spectrum_text()} | kwargs
        if len(values) <= 50:
            style = {"marker": "o", "markersize": 4} | style
        numbers = np.arange(1, len(values) + 1)
        (self.line_,) = self.ax_.plot(numbers, np.where(values > 0, values, np.nan), **style)
        self._draw_ridges(numbers)
        if self.rank:
            self.ax_.set_yscale("log")
            self.ax_.set_ylim(*self._limits())
        self.ax_.xaxis.set_major_locator(MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10]))
        self.ax_.set_xlabel("number")
        self.ax_.set_ylabel("singular value of H")
        self.ax_.legend(loc="upper right", frameon=False, labelspacing=1)
        return self

    def _limits(self) -> tuple[float, float]:
        """From below everything of interest to where the legend, at the upper right, covers nothing."""
        values, ridges = self.singular_values, np.sqrt(self.alphas[self.alphas > 0])
        low = min([values[self.rank - 1], values[0] / 10, *ridges]) / 2
        under_legend = max([values[len(values) // 3], *ridges])
        return float(low), float(max(2 * values[0], low * (under_legend / low) ** (1 / LEGEND_STARTS)))

    def _draw_ridges(self, numbers: Array) -> None:
        """A line at √α, or one for every distinct ridge, and a tint on what lies above the lowest."""
        texts = ["_"] * len(self.alphas)
        texts[0] = self._ridge_text()
        for alpha, text in zip(self.alphas, texts, strict=True):
            if alpha > 0:
                self.ax_.axhline(np.sqrt(alpha), color=ACCENT, linestyle="--", linewidth=1.3, label=text)
            else:
                self.ax_.plot([], [], " ", label=text)
        kept = slice(0, self.n_above[0])
        if self.alphas[0] > 0 and self.n_above[0]:
            floor = np.sqrt(self.alphas[0])
            self.ax_.fill_between(
                numbers[kept], floor, self.singular_values[kept], color=INK, alpha=0.1, linewidth=0
            )

    def _spectrum_text(self) -> str:
        n_rows, n_columns = self.shape
        rank = "" if self.rank == n_columns else f"rank {self.rank:,}, "
        return f"H: {n_rows:,} rows × {n_columns:,} columns\n{rank}condition number {short(self.condition)}"

    def _ridge_text(self) -> str:
        top, low = self.singular_values[0] ** 2, 0.0
        if self.rank == self.shape[1]:
            low = self.singular_values[-1] ** 2
        if self.alphas[0] == 0 and len(self.alphas) == 1:
            return f"α = 0: all {self.rank:,} directions are kept"
        smallest = self.alphas[0]
        condition = np.sqrt((top + smallest) / (low + smallest)) if low + smallest > 0 else np.inf
        lines = [
            f"√α = {interval(np.sqrt(self.alphas))}, {interval(self.n_above)} lie above",
            f"{interval(self.freedom)} effective degrees of freedom",
            f"condition number {short(float(condition))} with the ridge",
        ]
        return "\n".join(lines)


def hidden_spectrum(source: Source, dtype: np.dtype[Any], fit_intercept: bool, workers: int) -> Array:
    """Singular values of the (centred) features of a source, by way of a triangle: never n×L."""
    block = next(block for part in source.parts(1) for block in part.blocks(LOOK_ROWS))
    look = block.features(out=np.empty((len(block), source.n_features), dtype))
    none = np.empty(0)
    layout = Layout(look.mean(axis=0, dtype=float).astype(dtype) * fit_intercept, none, none, dtype)
    block_rows = min(source.n_rows, max(DEFAULT_BLOCK, 2 * layout.width))
    task = Task(source, Threads(workers, block_rows), layout, fit_intercept=fit_intercept)
    factor = Qr()(task)
    return np.asarray(svdvals(factor.system().rows, check_finite=False))
