"""The two faces of every estimator: targets that are numbers, and targets that are classes."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from samara.core import Array
from samara.errors import InputError
from samara.estimators.common import ClosedForm
from samara.estimators.inputs import check_inputs, check_weights, distinct
from samara.estimators.progress import reporting
from samara.maps import ClassCodes
from samara.sources import ArraySource


class Regression(RegressorMixin, ClosedForm):
    """Fit to numbers, one column or several, and predict them."""

    def _fit_source(self, source: ArraySource, where: tuple[Any, Any]) -> None:
        raise NotImplementedError

    @reporting
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, checkpoint: Any = None, every: Any = "30s"
    ) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Inputs: numbers of any type.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.
        checkpoint : str or path, optional
            File in which the fit is written down every so often. After a crash the same call goes on from
            there, and ends in the same model to the bit; another table or other parameters are refused with
            a `StoreError`, a file that another fit uses with a `LockedError`. Passes of ``gram``, ``qr`` and
            ``nystroem`` and that of leave-one-out go on where they were; other solvers begin theirs anew, and
            those of kernel models refuse a checkpoint.
        every : str or float, default="30s"
            How often, such as ``"30s"``, ``"5min"`` or a number of seconds.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with self._all_or_nothing():
            X, y = check_inputs(self, X, y, fitting=True, multi_output=True, y_numeric=True)
            weight = check_weights(sample_weight, X)
            self._fit_source(ArraySource(X, y.reshape(len(y), -1), weight), (checkpoint, every))
            self._one_target = y.ndim == 1
        return self

    def predict(self, X: Any) -> Array:
        """Predict targets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if self._one_target else outputs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class Classification(ClassifierMixin, ClosedForm):
    """Fit to ±1 codes of the classes, and predict the class with the largest output."""

    class_weight: Any

    def _fit_source(self, source: ArraySource, where: tuple[Any, Any]) -> None:
        raise NotImplementedError

    @reporting
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, checkpoint: Any = None, every: Any = "30s"
    ) -> Self:
        """Fit to labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Inputs: numbers of any type.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.
        checkpoint : str or path, optional
            File in which the fit is written down every so often. After a crash the same call goes on from
            there, and ends in the same model to the bit; another table or other parameters are refused with
            a `StoreError`, a file that another fit uses with a `LockedError`. Passes of ``gram``, ``qr`` and
            ``nystroem`` and that of leave-one-out go on where they were; other solvers begin theirs anew, and
            those of kernel models refuse a checkpoint.
        every : str or float, default="30s"
            How often, such as ``"30s"``, ``"5min"`` or a number of seconds.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        with self._all_or_nothing():
            X, y = check_inputs(self, X, y, fitting=True)
            check_classification_targets(y)
            y = column_or_1d(y, warn=True)
            weight = check_weights(sample_weight, X)
            classes = distinct(y if weight is None else y[weight > 0])
            if len(classes) < 2:
                only = classes.tolist()[0]
                name = type(self).__name__
                raise InputError(f"{name} needs two classes or more; y holds one class only: {only!r}.")
            if self.class_weight is not None:
                weight = _weigh_classes(self.class_weight, classes, y, weight)
            source = ArraySource(X, y.reshape(-1, 1), weight).with_targets(ClassCodes(classes))
            self._fit_source(source, (checkpoint, every))
            self.classes_ = classes
        return self

    def decision_function(self, X: Any) -> Array:
        """Outputs of the network: near +1 for the class, near −1 for the others.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column a class; for two classes, that of the second.
        """
        return self._scored(X)[0]

    def _scored(self, X: Any) -> tuple[Array, Array]:
        """Outputs, and the classes that they are of."""
        check_is_fitted(self, "model_")
        with self._together():
            model, classes = self.model_, self.classes_
        outputs = self._outputs(X, model)
        return outputs[:, 0] if len(classes) == 2 else outputs, classes

    def predict(self, X: Any) -> Array:
        """Predict labels.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class with the largest output.
        """
        scores, classes = self._scored(X)
        codes = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(classes[codes])

    def predict_proba(self, X: Any) -> Array:
        """Estimate class probabilities.

        Least squares on ±1 codes estimates 2p − 1; the estimates are moved to the nearest point whose
        coordinates are non-negative and add up to 1.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            p = np.clip((scores + 1) / 2, 0, 1)
            return np.stack([1 - p, p], axis=1)
        return project_to_simplex((scores + 1) / 2)


def project_to_simplex(P: Array) -> Array:
    """The nearest row of probabilities: subtract what makes the positive parts add up to 1."""
    ordered = -np.sort(-P, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, P.shape[1] + 1)
    last = np.sum(ordered > excess, axis=1) - 1
    return np.asarray(np.maximum(P - excess[np.arange(len(P)), last][:, None], 0))


def _weigh_classes(class_weight: Any, classes: Array, y: Array, weight: Array | None) -> Array:
    """Rows' weights times their classes' weights."""
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    weight = np.ones(len(y)) if weight is None else weight
    factors = class_factors(class_weight, classes, np.bincount(codes, weight, minlength=len(classes)))
    return np.asarray(weight * factors[codes])
