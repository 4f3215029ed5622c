"""partial_fit and unlearn: numbers and classes as they arrive."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.estimators.batches import check_batch, refuse_other_targets, with_new
from samara.estimators.inputs import check_weights, distinct
from samara.estimators.labels import as_classes, refuse_several
from samara.estimators.missing import with_gaps
from samara.estimators.online import Online, available_if, keeps_a_summary, one_at_a_time
from samara.estimators.parameters import read_link, read_ordinal, read_threshold
from samara.estimators.table_batches import Arriving, arriving, refuse_unlearning
from samara.links import linked
from samara.online import Stream
from samara.sources import ArraySource
from samara.tabular import unordered


class OnlineRegression(Online):
    """Numbers as they arrive."""

    link: Any

    @available_if(keeps_a_summary)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; the model is that of all rows so far.

        The first batch draws the nodes and freezes the scaling of the inputs (unless ``scale`` is None or a
        map of your own); values outside its range are scaled the same way.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows, one or many. The first table freezes what becomes of its columns.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), optional
            Targets; a scan has them in it.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._batch(X, y, sample_weight, out=False)

    @available_if(keeps_a_summary)
    def unlearn(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out again that were learned before: the model is that of the others.

        Parameters
        ----------
        X, y, sample_weight
            As they were learned.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._batch(X, y, sample_weight, out=True)

    def _batch(self, X: Any, y: Any, sample_weight: Any, out: bool) -> Self:
        with one_at_a_time(self), self._all_or_nothing():
            X = with_gaps(self, X, y, first=not self._began(), at_least=1)
            if self._takes_table(X):
                refuse_unlearning(self, out)
                for batch in arriving(self, X, y, sample_weight, classes=False):
                    self._learn(batch, out, self._began())
                return self
            began = self._began()
            X, y = check_batch(self, X, y, began, multi_output=True, y_numeric=True)
            source = ArraySource(X, y.reshape(len(y), -1), check_weights(sample_weight, X))
            self._learn(Arriving(source, y), out, began)
        return self

    def _learn(self, batch: Arriving, out: bool, began: bool) -> None:
        stream = self._stream_of(fresh=not out)
        if began:
            refuse_other_targets(batch.y, self._one_target, stream.layout.n_targets)
        self.link_ = read_link(self.link)
        self._taken(replace(batch, rows=linked(batch.rows, self.link_)), stream, out)
        self._one_target = batch.y.ndim == 1


class OnlineClassification(Online):
    """Classes as they arrive, also those that were not announced."""

    _PLAIN = True
    class_weight: Any
    threshold: Any
    ordinal: Any
    classes_: Array

    @available_if(keeps_a_summary)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn more rows; the model is that of all rows so far.

        The first batch draws the nodes and freezes the scaling of the inputs (unless ``scale`` is None or a
        map of your own). A class that was not announced is added when it first appears, and the model is
        the same as if it had been known from the start.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows, one or many. The first table freezes what becomes of its columns.
        y : array-like of shape (n_samples,), optional
            Labels; a scan has them in it.
        classes : array-like, optional
            Labels to be expected.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._batch(X, y, classes, sample_weight, out=False)

    @available_if(keeps_a_summary)
    def unlearn(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out again that were learned before: the model is that of the others.

        Parameters
        ----------
        X, y, sample_weight
            As they were learned.

        Returns
        -------
        self : object
            The estimator.
        """
        return self._batch(X, y, None, sample_weight, out=True)

    def _batch(self, X: Any, y: Any, classes: Any, sample_weight: Any, out: bool) -> Self:
        if self.class_weight is not None:
            raise InputError("class_weight needs all classes' counts: give sample_weight to partial_fit.")
        refuse_several(y)
        read_ordinal(self.ordinal, read_threshold(self.threshold))
        if isinstance(self.threshold, str):
            raise InputError(
                f"threshold={self.threshold!r} is chosen by rows that are left out, and partial_fit keeps "
                "none: give it as a number."
            )
        with one_at_a_time(self), self._all_or_nothing():
            X = with_gaps(self, X, y, first=not self._began(), at_least=1)
            if self._takes_table(X):
                refuse_unlearning(self, out)
                for batch in arriving(self, X, y, sample_weight, classes=True):
                    self._learn(batch, classes, out)
                return self
            X, y = check_batch(self, X, y, self._began())
            y = as_classes(y)
            source = ArraySource(X, y.reshape(-1, 1), check_weights(sample_weight, X))
            self._learn(Arriving(source, y), classes, out)
        return self

    def _learn(self, batch: Arriving, classes: Any, out: bool) -> None:
        stream, y = self._stream_of(fresh=not out), batch.y
        known = self.__dict__.get("_labels", self.__dict__.get("classes_", y[:0]))
        seen = [distinct(y), *([] if classes is None else [distinct(np.asarray(classes))])]
        self._labels = with_new(known, seen, not out)
        coded = batch.one_hot(self._labels)
        self._taken(replace(batch, rows=batch.rows.with_targets(coded)), stream, out)
        self.classes_ = np.sort(self._labels)

    def _turn(self) -> Array:
        """From [1, one-hot labels in the order they came] to ±1 codes of the sorted classes."""
        count = len(self.classes_)
        if count < 2:
            raise InputError(f"Only one class was seen so far: {self.classes_.tolist()[0]!r}.")
        order = np.argsort(self._labels)
        if self.ordinal:
            return self._ordered_turn(order)
        turn = np.zeros((1 + count, count))
        turn[0] = -1
        turn[1 + order, np.arange(count)] = 2
        return turn[:, 1:] if count == 2 else turn

    def _ordered_turn(self, order: Array) -> Array:
        """From the same to +1 where the class lies above the first, the first two and so on."""
        if isinstance(self.classes_.tolist()[0], str):
            raise unordered(self.classes_.tolist()[0])
        count = len(order)
        turn = np.full((1 + count, count - 1), -1.0)
        turn[1 + order] = 2.0 * (np.arange(count)[:, None] > np.arange(count - 1))
        return turn

    def _first_stream(self, fresh: bool) -> Stream:
        model = self.__dict__.get("model_")
        if self.__dict__.get("_several"):
            raise InputError("partial_fit takes one class a row, and this model has several labels: use fit.")
        if model is not None and 1 < model.coef.shape[1] == len(self.classes_) - 1:
            raise InputError(
                "partial_fit does not go on from a fit with ordinal=True: give all rows to partial_fit."
            )
        return super()._first_stream(fresh)
