"""The face of estimators whose targets are classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from samara.calibration import Calibration, learned
from samara.core import Array
from samara.errors import InputError
from samara.estimators.common import ClosedForm
from samara.estimators.given import GivenTable
from samara.estimators.inputs import check_inputs, check_weights, distinct
from samara.estimators.missing import with_gaps
from samara.estimators.parameters import read_calibration
from samara.estimators.progress import reporting
from samara.estimators.scores import largest, probabilities, scored
from samara.estimators.tables import as_scan, given_scan, is_table, labelled_frame, labelled_table
from samara.left_out import LeftOut
from samara.maps import ClassCodes
from samara.model import Model
from samara.sources import ArraySource, Scan
from samara.tables import class_factors


class Classification(ClassifierMixin, ClosedForm):
    """Fit to ±1 codes of the classes, and predict the class with the largest output."""

    class_weight: Any
    calibration: Any

    @reporting
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None, every: Any = "30s"
    ) -> Self:
        """Fit to labelled rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Inputs: numbers of any type; the columns of a frame, or of what :func:`samara.scan` gives, may
            also hold texts, dates and missing values.
        y : array-like of shape (n_samples,), optional
            Labels; a scan has them in it.
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
        X, y, sample_weight = as_scan(X, y, sample_weight)
        with self._all_or_nothing():
            read_calibration(self.calibration)
            X = with_gaps(self, X, y)
            if isinstance(X, Scan):
                given = given_scan(X, y, sample_weight, classes=True, class_weight=self.class_weight)
                self._fit_table(given, (checkpoint, every))
                assert given.looked is not None
                assert given.looked.labels is not None
                self.classes_ = given.looked.labels
            elif is_table(X):
                rows, y, weight = labelled_frame(X, y, sample_weight)
                classes = self._classes_in(y, weight)
                table = labelled_table(rows, y, weight, classes)
                given = GivenTable(table, class_weight=self.class_weight, named=rows.named)
                self._fit_table(given, (checkpoint, every))
                self.classes_ = classes
            else:
                X, y = check_inputs(self, X, y, fitting=True)
                check_classification_targets(y)
                y = column_or_1d(y, warn=True)
                source, classes = self._coded(X, y, check_weights(sample_weight, X))
                self._fit_arrays(source, (checkpoint, every))
                self.classes_ = classes
        return self

    def _learn_left_out(self, left_out: Callable[[], LeftOut] | None) -> None:
        method = read_calibration(self.calibration)
        self.calibration_: Calibration | None = None
        rows = left_out() if method is not None and left_out is not None else None
        if method is not None and rows is not None and len(rows.outputs):
            self.calibration_ = learned(method, rows.outputs, largest(rows.targets), rows.weight)

    def _coded(self, X: Any, y: Array, weight: Array | None) -> tuple[ArraySource, Array]:
        """Rows whose targets are codes of their classes, and these."""
        classes = self._classes_in(y, weight)
        if self.class_weight is not None:
            weight = _weigh_classes(self.class_weight, classes, y, weight)
        return ArraySource(X, y.reshape(-1, 1), weight).with_targets(ClassCodes(classes)), classes

    def _classes_in(self, y: Array, weight: Array | None) -> Array:
        """The classes of the rows that count."""
        classes = distinct(y if weight is None else y[weight > 0])
        if len(classes) < 2:
            only, name = classes.tolist()[0], type(self).__name__
            raise InputError(f"{name} needs two classes or more; y holds one class only: {only!r}.")
        return classes

    def decision_function(self, X: Any) -> Array:
        """Outputs of the network: near +1 for the class, near −1 for the others.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        scores : ndarray of shape (n_samples,) or (n_samples, n_classes)
            One column a class; for two classes, that of the second.
        """
        outputs = self._scored(X)[0]
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def _scored(self, X: Any) -> tuple[Array, Array]:
        """Outputs, and the classes that they are of."""
        model, classes, _ = self._learned_classes()
        return self._outputs(X, model), classes

    def _learned_classes(self) -> tuple[Model, Array, Calibration | None]:
        """The model, its classes and what makes probabilities; another thread may be learning a new one."""
        check_is_fitted(self, "model_")
        with self._together():
            return self.model_, self.classes_, getattr(self, "calibration_", None)

    def predict(self, X: Any) -> Array:
        """Predict labels.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,)
            The class with the largest output.
        """
        outputs, classes = self._scored(X)
        return np.asarray(classes[largest(outputs)])

    def predict_proba(self, X: Any) -> Array:
        """Estimate class probabilities.

        By the ``calibration_`` that the fit has learned from rows left out. Without one, least squares on ±1
        codes estimates 2p − 1; the estimates are moved to the nearest point whose coordinates are
        non-negative and add up to 1.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        p : ndarray of shape (n_samples, n_classes)
            Probabilities, in the order of ``classes_``.
        """
        model, _, calibration = self._learned_classes()
        return probabilities(self._outputs(X, model), calibration)

    def predict_batches(self, X: Scan, proba: bool = False) -> Iterator[Array]:
        """Predict the classes of files, some rows at a time, in their order.

        Parameters
        ----------
        X : scan
            Rows, as :func:`samara.scan` gives them.
        proba : bool, default=False
            Probabilities instead of labels.

        Yields
        ------
        y : ndarray of shape (some rows,) or (some rows, n_classes)
            Labels or probabilities of the next rows.
        """
        model, classes, calibration = self._learned_classes()
        for _, outputs in self._streamed(X, model):
            yield probabilities(outputs, calibration) if proba else np.asarray(classes[largest(outputs)])

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Share of the rows whose class is predicted.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,), optional
            Labels; a scan has them in it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        score : float
            Accuracy.
        """
        return scored(self, X, y, sample_weight).results()["accuracy"]


def _weigh_classes(class_weight: Any, classes: Array, y: Array, weight: Array | None) -> Array:
    """Rows' weights times their classes' weights."""
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    weight = np.ones(len(y)) if weight is None else weight
    factors = class_factors(class_weight, classes, np.bincount(codes, weight, minlength=len(classes)))
    return np.asarray(weight * factors[codes])
