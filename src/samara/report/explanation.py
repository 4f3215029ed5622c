"""What a fitted model leans on: exact gradients, their mean outer product, and shuffled columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from samara.core import Array, dense
from samara.estimators.inputs import refuse_non_finite
from samara.estimators.meanings import Meaning
from samara.estimators.scores import NumberScore, class_places
from samara.estimators.tables import as_scan, encoded, raw_rows
from samara.gradients import input_gradients
from samara.links import Unlinked
from samara.maps import Columns, Number
from samara.report.drawing import INK, axes, fitted
from samara.report.importance import permutation_importance
from samara.report.run import Importance
from samara.sources import ArraySource, Scan, is_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Explanation:
    """What :func:`samara.explain` found.

    Attributes
    ----------
    names : tuple of str
        The columns, as the model was given them.
    gradients : ndarray of shape (n, n_columns) or (n, n_outputs, n_columns)
        ∂f/∂x of every row, in the units of output and column; NaN where the value is a text or missing, for
        there is no such derivative; 0 for a column that the model has left out. With ``link`` the output is
        the linked one, such as the log of the target; so it is in ``importance`` and ``agop``.
    importance : ndarray of shape (n_columns,)
        How much the outputs change when a column alone changes by its spread: the root of the mean square of
        gradient times spread, over rows and outputs. A text counts with all columns that it became.
    agop : ndarray of shape (d, d)
        The mean outer product of the gradients, inputs in units of their spread. Its diagonal makes up
        the square of ``importance``, its leading eigenvectors are the combinations of inputs that matter.
    inputs : tuple of str
        The rows and columns of ``agop``: numbers as they are, of a text one for each category.
    permutation : tuple of Importance
        How much worse the score is when a column is shuffled, the largest drop first; empty without y. With
        ``link`` the score is that of the targets themselves.
    """

    names: tuple[str, ...]
    gradients: Array
    importance: Array
    agop: Array
    inputs: tuple[str, ...]
    permutation: tuple[Importance, ...] = ()

    def plot(self, ax: Axes | None = None, most: int = 20) -> Axes:
        """Draw the importance of the columns as bars, the largest on top.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure unless given.
        most : int, default=20
            Columns shown at most.

        Returns
        -------
        ax : matplotlib Axes
            With the bars drawn.
        """
        ax, _ = axes(ax)
        order = np.argsort(-self.importance, kind="stable")[:most][::-1]
        ax.barh([self.names[j] for j in order.tolist()], self.importance[order], color=INK)
        ax.set_xlabel("change of the output, for a column's spread")
        return ax


def explain(estimator: Any, X: Any, y: Any = None) -> Explanation:
    """Explain a fitted model by rows: exact gradients, and which columns matter.

    Parameters
    ----------
    estimator : estimator
        A fitted regressor or classifier of Samara.
    X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
        Rows; a few thousand say enough about the columns.
    y : array-like, optional
        Their targets, for the importance by shuffled columns: R² lost, or accuracy. Rows that the model has
        not seen are best.

    Returns
    -------
    Explanation
        Gradients of every row, the importance of every column, and the matrix behind it; it can be plotted.

    Raises
    ------
    InputError
        If a map of the model is a function of your own, whose derivative is not known.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import samara
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> found = samara.explain(samara.ELMRegressor(n_hidden=50, random_state=0).fit(X, y), X)
    >>> found.names[found.importance.argmax()] in ("bmi", "s5", "s1")
    True
    """
    model, raw = fitted(estimator, "model_"), _raw(estimator, X)
    columns: Columns | None = estimator.__dict__.get("columns_")
    rows = raw if columns is None else np.asarray(columns(raw), np.float64)
    spread = rows.std(axis=0)
    gradients = input_gradients(model, rows)
    scaled = (gradients * spread).reshape(-1, rows.shape[1])
    agop = scaled.T @ scaled / len(rows)
    names = tuple(map(str, getattr(estimator, "feature_names_in_", range(raw.shape[1]))))
    ends = list(range(len(names) + 1)) if columns is None else columns.starts
    squares = np.concatenate([[0.0], np.cumsum(np.diagonal(agop))])
    return Explanation(
        names=names,
        gradients=_of_columns(gradients, raw, columns),
        importance=np.sqrt(np.maximum(squares[ends[1:]] - squares[ends[:-1]], 0.0)),
        agop=agop,
        inputs=names if columns is None else tuple(columns.names_out),
        permutation=() if y is None else _shuffled(estimator, names, raw, np.asarray(y)),
    )


def _raw(estimator: Any, X: Any) -> Array:
    """The rows as they were read: numbers, texts as their codes, gaps as NaN."""
    X, _, _ = as_scan(X)
    if isinstance(X, Scan):
        return np.concatenate([dense(chunk.X) for chunk, _ in estimator._read(X)])
    columns: Columns | None = estimator.__dict__.get("columns_")
    if columns is not None:
        return raw_rows(X, columns) if is_frame(X) else estimator._unnamed(X, columns)
    rows = dense(estimator._source(X).X).astype(np.float64, copy=False)
    refuse_non_finite(rows, getattr(estimator, "feature_names_in_", None))
    return rows


def _of_columns(gradients: Array, raw: Array, columns: Columns | None) -> Array:
    """Derivatives with respect to the raw columns; of one output without its axis."""
    made = gradients
    if columns is not None:
        made = np.zeros((*gradients.shape[:2], raw.shape[1]))
        for j, coding in enumerate(columns.codings):
            if isinstance(coding, Number):
                made[:, :, j] = gradients[:, :, columns.starts[j]]
            elif coding is not None:
                made[:, :, j] = np.nan
        made = np.where(np.isnan(raw)[:, None, :], np.nan, made)
    return made[:, 0] if made.shape[1] == 1 else made


def _source(rows: Array) -> ArraySource:
    return ArraySource(rows, np.empty((len(rows), 0)))


def _shuffled(estimator: Any, names: tuple[str, ...], raw: Array, y: Array) -> tuple[Importance, ...]:
    """Importance by shuffled raw columns: of R², or of accuracy."""
    columns: Columns | None = estimator.__dict__.get("columns_")
    classes = getattr(estimator, "classes_", None)
    several = getattr(estimator, "_several", None)
    true = y if classes is None or several else class_places(classes, y)

    def outputs(given: dict[str, Array]) -> Array:
        source = _source(np.column_stack([given[name] for name in names]))
        made: Array = estimator._of_rows(source if columns is None else encoded(source, columns), None)
        return made

    def score(true: Array, found: Array) -> float:
        if classes is not None:
            return float(np.mean(true == Meaning.of(estimator).places(found)))
        scores = NumberScore()
        scores.update(true.reshape(len(true), -1).astype(float), Unlinked.of(estimator)(found), None)
        return scores.results()["r2"]

    return permutation_importance(outputs, dict(zip(names, raw.T, strict=True)), true, score)
