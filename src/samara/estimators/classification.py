"""The face of estimators whose targets are classes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from samara.calibration import Calibration
from samara.core import Array
from samara.errors import InputError
from samara.estimators.common import ClosedForm
from samara.estimators.given import GivenTable
from samara.estimators.inputs import check_inputs, check_weights, distinct
from samara.estimators.labels import as_classes, as_labels, has_labels, refuse_beside_labels, zeros_and_ones
from samara.estimators.learned import Kind, chosen_threshold, found_calibration
from samara.estimators.meanings import Meaning, Threshold
from samara.estimators.missing import with_gaps
from samara.estimators.parameters import read_calibration, read_ordinal, read_threshold
from samara.estimators.progress import reporting
from samara.estimators.scores import scored
from samara.estimators.tables import (
    as_scan,
    given_frame,
    given_scan,
    is_table,
    labelled_frame,
    labelled_table,
)
from samara.left_out import LeftOut
from samara.maps import ClassCodes
from samara.model import Model
from samara.sources import ArraySource, Scan
from samara.tables import class_factors
from samara.tabular import unordered

# Codes that are kept, half a megabyte: a fit would make those of a small table four times.
CODED_CELLS = 1 << 16


class Classification(ClassifierMixin, ClosedForm):
    """Fit to ±1 codes of the classes, and predict the class with the largest output."""

    class_weight: Any
    calibration: Any
    threshold: Any = None  # of those that have none
    ordinal: Any = False
    _TAKES_LABELS = False
    _several: bool | None = None  # whether a row may have any number of labels

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
        y : array-like of shape (n_samples,) or (n_samples, n_labels), or sparse matrix, optional
            Labels; a scan has them in it. Several columns are labels of which a row may have any number,
            1 where it has the label and 0 where not.
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
            read_ordinal(self.ordinal, read_threshold(self.threshold))
            X, y = with_gaps(self, X, y), as_labels(y)
            self.__dict__.pop("_several", None)
            if self._TAKES_LABELS and has_labels(y):
                self._fit_labels(X, y, sample_weight, (checkpoint, every))
            elif isinstance(X, Scan):
                given = given_scan(X, y, sample_weight, classes=True, class_weight=self.class_weight)
                given.ordered = self.ordinal
                self._fit_table(given, (checkpoint, every))
                assert given.looked is not None
                assert given.looked.labels is not None
                self.classes_ = given.looked.labels
            elif is_table(X):
                rows, y, weight = labelled_frame(X, y, sample_weight)
                classes = self._classes_in(y, weight)
                table = labelled_table(rows, y, weight, classes)
                given = GivenTable(
                    table, class_weight=self.class_weight, named=rows.named, ordered=self.ordinal
                )
                self._fit_table(given, (checkpoint, every))
                self.classes_ = classes
            else:
                X, y = check_inputs(self, X, y, fitting=True)
                source, classes = self._coded(X, as_classes(y), check_weights(sample_weight, X))
                self._fit_arrays(source, (checkpoint, every))
                self.classes_ = classes
        return self

    def _fit_labels(self, X: Any, y: Any, sample_weight: Any, where: tuple[Any, Any]) -> None:
        """Fit to 0 and 1 for each of several labels, as ±1."""
        signs = 2.0 * zeros_and_ones(y) - 1.0
        refuse_beside_labels(self)
        self._several = True
        if is_table(X):
            given, _ = given_frame(X, signs, sample_weight)
            self._fit_table(given, where)
        else:
            X, signs = check_inputs(self, X, signs, fitting=True, multi_output=True)
            self._fit_arrays(ArraySource(X, signs, check_weights(sample_weight, X)), where)
        self.classes_ = np.arange(signs.shape[1])

    def _learn_left_out(self, left_out: Callable[[], LeftOut] | None) -> None:
        method, asked = read_calibration(self.calibration), read_threshold(self.threshold)
        self.calibration_: Calibration | None = None
        self.threshold_: Threshold = None if isinstance(asked, str) else asked
        n_outputs, several = self.model_.coef.shape[1], self._several
        if isinstance(asked, float) and several:
            self.threshold_ = np.full(n_outputs, asked)
        elif isinstance(asked, float) and n_outputs > 1:
            raise InputError(
                f'threshold={asked:g} is for two classes: of several take "f1", "balanced_accuracy" or None.'
            )
        wanted = method is not None or isinstance(asked, str)
        rows = left_out() if wanted and left_out is not None else None
        if rows is None or not len(rows.outputs):
            if isinstance(asked, str):
                raise InputError(
                    f'threshold="{asked}" is chosen by rows that are left out, and this fit can leave none '
                    "out: use a solver such as gram, qr or exact and a ridge above 0 (kernel models by "
                    'another need alpha as a list or "auto"), or give the threshold as a number.'
                )
            return
        kind: Kind = "labels" if several else "ordered" if self.ordinal and n_outputs > 1 else "classes"
        self.calibration_ = found_calibration(method, rows, kind)
        if isinstance(asked, str):
            self.threshold_ = chosen_threshold(rows, asked, bool(several))

    def _coded(self, X: Any, y: Array, weight: Array | None) -> tuple[ArraySource, Array]:
        """Rows whose targets are codes of their classes, and these."""
        classes = self._classes_in(y, weight)
        if self.class_weight is not None:
            weight = _weigh_classes(self.class_weight, classes, y, weight)
        codes, column = ClassCodes(classes, self.ordinal), y.reshape(-1, 1)
        if weight is None and len(y) * codes.n_out <= CODED_CELLS:  # a row of weight 0 may have any label
            return ArraySource(X, codes(column), weight), classes
        return ArraySource(X, column, weight).with_targets(codes), classes

    def _classes_in(self, y: Array, weight: Array | None) -> Array:
        """The classes of the rows that count."""
        classes = distinct(y if weight is None else y[weight > 0])
        if len(classes) < 2:
            only, name = classes.tolist()[0], type(self).__name__
            raise InputError(f"{name} needs two classes or more; y holds one class only: {only!r}.")
        if self.ordinal and isinstance(classes.tolist()[0], str):
            raise unordered(classes.tolist()[0])
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
            One column a class; for two classes, that of the second. With ``ordinal`` one column fewer
            than classes: above 0 where the class lies above the first, the first two and so on.
        """
        outputs = self._outputs(X, self._learned_classes()[0])
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def _learned_classes(self) -> tuple[Model, Meaning]:
        """The model, and what its outputs mean; another thread may be learning a new one."""
        check_is_fitted(self, "model_")
        with self._together():
            return self.model_, Meaning.of(self)

    def predict(self, X: Any) -> Array:
        """Predict labels.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_labels)
            The class with the largest output, or with the largest above its ``threshold_``; with
            ``ordinal`` the median class. Of several labels 0 or 1 each.
        """
        model, meaning = self._learned_classes()
        return meaning.labels(self._outputs(X, model))

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
            Probabilities, in the order of ``classes_``; those of several labels do not add up to 1.
        """
        model, meaning = self._learned_classes()
        return meaning.probabilities(self._outputs(X, model))

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
        model, meaning = self._learned_classes()
        for _, outputs in self._streamed(X, model):
            yield meaning.probabilities(outputs) if proba else meaning.labels(outputs)

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
            Accuracy; of several labels the share of rows on which all are right.
        """
        return scored(self, X, y, sample_weight).results()["accuracy"]


def _weigh_classes(class_weight: Any, classes: Array, y: Array, weight: Array | None) -> Array:
    """Rows' weights times their classes' weights."""
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    weight = np.ones(len(y)) if weight is None else weight
    factors = class_factors(class_weight, classes, np.bincount(codes, weight, minlength=len(classes)))
    return np.asarray(weight * factors[codes])
