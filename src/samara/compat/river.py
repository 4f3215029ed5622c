"""Samara's online models as learners of river: one row at a time, or frames of rows.

Needs the package ``river``: ``pip install samara[river]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from samara.compat.rows import Learner
from samara.core import Array
from samara.errors import InputError, NonFiniteError

try:
    from river import base
except ImportError as error:
    raise ImportError('samara.compat.river needs river: pip install "samara[river]"') from error


class RiverRegressor(Learner, base.MiniBatchRegressor):
    """A Samara regressor that learns as river's do.

    Parameters
    ----------
    estimator : ELMRegressor
        What learns. A copy of it does, from nothing; the one given stays as it is.
    warm_up : int, default=100
        Rows kept at first and learned together: they fix the scaling of the inputs. Until then the mean of
        the targets is predicted.
    lag : int, default=0
        Rows that a prediction may leave out. 0: it counts every row given, and the model is solved anew for
        each prediction that follows a row. 99: it is solved for every hundredth row only.

    Notes
    -----
    Features go by name, in any order. Each row needs those of the first, and no others: which one is missing
    or new, or is not a finite number, is said when the row is given. Rows are learned in batches of 32, or
    before the next prediction; the predictions are the same as if they were learned one by one.

    Examples
    --------
    >>> from samara import ELMRegressor
    >>> from samara.compat.river import RiverRegressor
    >>> model = RiverRegressor(ELMRegressor(20, alpha=0.001, random_state=0), warm_up=50)
    >>> for i in range(200):
    ...     model.learn_one({"x": i / 100}, 3.0 * i / 100)
    >>> round(model.predict_one({"x": 1.0}), 1)
    3.0
    """

    def __init__(self, estimator: Any, warm_up: int = 100, lag: int = 0) -> None:
        self.estimator, self.warm_up, self.lag = estimator, warm_up, lag
        self._begin()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from samara.estimators import ELMRegressor

        yield {"estimator": ELMRegressor(20, alpha=1.0, random_state=0), "warm_up": 20}

    def learn_one(self, x: dict[Any, Any], y: float) -> None:
        """Learn one row.

        Parameters
        ----------
        x : dict
            Features by name.
        y : float
            Target.
        """
        self._take(self._columns.row(x), [_finite(y)])

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a frame.

        Parameters
        ----------
        X : pandas.DataFrame
            Features by name.
        y : pandas.Series
            Targets.
        """
        self._take(self._columns.rows(X), [_finite(value) for value in np.asarray(y).tolist()])

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Predict the target of one row.

        Parameters
        ----------
        x : dict
            Features by name.

        Returns
        -------
        y : float
            The prediction; in the warm-up the mean of the targets so far, or 0.
        """
        return float(self._predictions(self._columns.row(x))[0])

    def predict_many(self, X: Any) -> Any:
        """Predict the targets of a frame.

        Parameters
        ----------
        X : pandas.DataFrame
            Features by name.

        Returns
        -------
        y : pandas.Series
            Predictions, with the index of X.
        """
        from pandas import Series

        return Series(self._predictions(self._columns.rows(X)), index=X.index)

    def _predictions(self, X: Array) -> Array:
        if self._ready():
            return np.asarray(self._learned.predict(X))
        return np.full(len(X), np.mean(self._waiting.y) if len(self._waiting) else 0.0)


class RiverClassifier(Learner, base.MiniBatchClassifier):
    """A Samara classifier that learns as river's do.

    Parameters
    ----------
    estimator : ELMClassifier
        What learns. A copy of it does, from nothing; the one given stays as it is.
    warm_up : int, default=100
        Rows kept at first and learned together: they fix the scaling of the inputs. Until then, and as long
        as only one class was seen, the shares of the classes are predicted.
    lag : int, default=0
        Rows that a prediction may leave out. 0: it counts every row given, and the model is solved anew for
        each prediction that follows a row. 99: it is solved for every hundredth row only.

    Notes
    -----
    Classes need not be announced. For features see :class:`RiverRegressor`.
    """

    def __init__(self, estimator: Any, warm_up: int = 100, lag: int = 0) -> None:
        self.estimator, self.warm_up, self.lag = estimator, warm_up, lag
        self._begin()

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        from samara.estimators import ELMClassifier

        yield {"estimator": ELMClassifier(20, alpha=1.0, random_state=0), "warm_up": 20}

    @property
    def _multiclass(self) -> bool:
        return True

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Learn one row.

        Parameters
        ----------
        x : dict
            Features by name.
        y : bool, int or str
            Label.
        """
        self._take(self._columns.row(x), _labels([y]))

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a frame.

        Parameters
        ----------
        X : pandas.DataFrame
            Features by name.
        y : pandas.Series
            Labels.
        """
        self._take(self._columns.rows(X), _labels(y))

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """Estimate the probabilities of the classes for one row.

        Parameters
        ----------
        x : dict
            Features by name.

        Returns
        -------
        p : dict
            Probabilities by label, of the classes seen so far.
        """
        labels, P = self._probabilities(self._columns.row(x))
        return dict(zip(labels, P[0].tolist(), strict=True))

    def predict_proba_many(self, X: Any) -> Any:
        """Estimate the probabilities of the classes for the rows of a frame.

        Parameters
        ----------
        X : pandas.DataFrame
            Features by name.

        Returns
        -------
        P : pandas.DataFrame
            A column for each class seen so far, with the index of X.
        """
        from pandas import DataFrame

        labels, P = self._probabilities(self._columns.rows(X))
        return DataFrame(P, index=X.index, columns=labels)

    def predict_many(self, X: Any) -> Any:
        """Predict the labels of a frame.

        Parameters
        ----------
        X : pandas.DataFrame
            Features by name.

        Returns
        -------
        y : pandas.Series
            The most probable classes, with the index of X; None before there is a first row.
        """
        from pandas import Series

        labels, P = self._probabilities(self._columns.rows(X))
        chosen = [labels[k] for k in P.argmax(axis=1)] if labels else [None] * len(P)
        return Series(chosen, index=X.index)

    def _probabilities(self, X: Array) -> tuple[list[Any], Array]:
        """Labels in order, and a row of probabilities for each row."""
        if self._ready():
            labels = self._learned.classes_.tolist()
            return labels, self._learned.predict_proba(X) if len(labels) > 1 else np.ones((len(X), 1))
        counts = Counter(self._waiting.y)
        labels, total = sorted(counts), max(1, len(self._waiting))
        return labels, np.tile([counts[label] / total for label in labels], (len(X), 1))


def _finite(y: Any) -> float:
    """A target that can be learned."""
    if isinstance(y, str) or not np.isfinite(y):
        kind = InputError if isinstance(y, str) else NonFiniteError
        raise kind(f"The target must be a finite number, got {y!r}.")
    return float(y)


def _labels(y: Any) -> list[Any]:
    """Labels as plain Python objects."""
    labels = np.asarray(y).tolist()
    if any(label is None or label != label for label in labels):
        raise InputError("A label is missing: None or NaN.")
    return list(labels)
