"""partial_fit and unlearn: estimators that learn as rows arrive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock, RLock
from typing import Any, Self, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from samara.core import Array
from samara.errors import InputError, unknown_name
from samara.estimators.batches import check_batch, refuse_other_targets, with_new
from samara.estimators.common import ClosedForm
from samara.estimators.inputs import check_weights, distinct, refuse_non_finite
from samara.estimators.table_batches import Arriving, arriving
from samara.estimators.tables import is_table
from samara.maps import OneHot
from samara.online import Stream
from samara.past import Memory
from samara.solvers.sequential import Woodbury
from samara.sources import ArraySource, Scan, is_frame

UPDATES = ("information", "qr", "woodbury")
_FIRST = Lock()
_LOCKS: WeakKeyDictionary[Any, RLock] = (
    WeakKeyDictionary()
)  # beside the models: locks are neither copied nor saved


def one_at_a_time(estimator: Any) -> RLock:
    """The lock of a model: batches of several threads are taken in one after another."""
    with _FIRST:
        return _LOCKS.setdefault(estimator, RLock())


def read_memory(estimator: Any) -> Memory:
    """What an estimator keeps of the past, checked."""
    update = estimator.update
    if isinstance(update, str):
        if update not in UPDATES:
            raise unknown_name("update", update, UPDATES)
        update = Woodbury() if update == "woodbury" else update
    elif not isinstance(update, Woodbury):
        raise InputError(f"update must be a name or Woodbury(…), got {type(update).__name__}.")
    memory = Memory(update, estimator.forget, estimator.window)
    memory.validate()
    return memory


F = TypeVar("F", bound=Callable[..., Any])


def available_if(check: Callable[[Any], bool]) -> Callable[[F], F]:
    """scikit-learn's decorator, with its type: the method is there where the check holds."""
    return cast("Callable[[F], F]", _available_if(check))


def _keeps_a_summary(estimator: Any) -> bool:
    """Whether the solver makes do with a summary of the rows."""
    name = getattr(estimator.solver, "name", estimator.solver)
    if name not in ("auto", "gram", "qr"):
        raise AttributeError(f'solver="{name}" reads the rows again: partial_fit and unlearn need "auto".')
    return True


class Online(ClosedForm):
    """What both faces share: the stream, made by the first batch, and results that are solved when read."""

    _RESULTS: tuple[str, ...] = ()
    _one_target: bool
    _PLAIN = False  # whether the targets are kept as they are, neither centred nor scaled

    def _settled(self, stream: Stream) -> None:
        """Set the results of a stream."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:
        """Results of a stream are worked out when they are first asked for."""
        stream = self.__dict__.get("_stream")
        if stream is None or name not in type(self)._RESULTS:
            if isinstance(getattr(type(self), name, None), property):
                check_is_fitted(self, "model_")  # a property that was asked before there was a model
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        with one_at_a_time(self):
            if name not in self.__dict__:
                self._settled(stream)
            return self.__dict__[name]

    def _stream_of(self, fresh: bool) -> Stream:
        """The stream of this model; a new one, or one that goes on from a fit, where there is none."""
        if "_stream" not in self.__dict__:
            self._stream = self._first_stream(fresh)
        stream: Stream = self._stream
        return stream

    def _first_stream(self, fresh: bool) -> Stream:
        plain, left = type(self)._PLAIN, self.__dict__.get("_left")
        if "model_" not in self.__dict__:
            if not fresh:
                raise InputError("Nothing was learned yet: call partial_fit first.")
            return Stream(self._settings(), read_memory(self), plain)
        if left is None:
            raise InputError(
                "What this model learned from is gone: a summary of the rows stays with the estimator that "
                "was fitted, not with a copy of it. Give all rows to partial_fit."
            )
        return Stream.after(left, self._settings(), read_memory(self), plain)

    def _together(self) -> RLock:
        """Another thread may be learning."""
        return one_at_a_time(self)

    def _forget_results(self) -> None:
        for name in type(self)._RESULTS:
            self.__dict__.pop(name, None)

    def _began(self) -> bool:
        return "_stream" in self.__dict__ or "model_" in self.__dict__

    def __getstate__(self) -> Any:
        """Without what a fit left to go on from: it is as large as the square of the nodes."""
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name != "_left"}

    def _takes_table(self, X: Any) -> bool:
        """Whether X is a raw table, and this model one of raw tables or just beginning."""
        if isinstance(X, Scan) or (is_frame(X) and "columns_" in self.__dict__):
            return True
        return not self._began() and is_table(X)

    def _taken(self, batch: Arriving, stream: Stream, out: bool) -> None:
        """Learn or unlearn the rows of a batch; one that can't be used leaves the model as it was."""
        source = batch.rows
        if not source.maps:  # in a raw table a NaN is a missing value
            refuse_non_finite(source.X, getattr(self, "feature_names_in_", None))
        if out:
            stream.unlearn(source)
        else:
            stream.learn(source, batch.inputs)
        self._forget_results()
        self.__dict__.pop("_left", None)  # the stream has it now


class OnlineRegression(Online):
    """Numbers as they arrive."""

    @available_if(_keeps_a_summary)
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

    @available_if(_keeps_a_summary)
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
            if self._takes_table(X):
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
        self._taken(batch, stream, out)
        self._one_target = batch.y.ndim == 1


class OnlineClassification(Online):
    """Classes as they arrive, also those that were not announced."""

    _PLAIN = True
    class_weight: Any
    classes_: Array

    @available_if(_keeps_a_summary)
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

    @available_if(_keeps_a_summary)
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
        with one_at_a_time(self), self._all_or_nothing():
            if self._takes_table(X):
                for batch in arriving(self, X, y, sample_weight, classes=True):
                    self._learn(batch, classes, out)
                return self
            X, y = check_batch(self, X, y, self._began())
            check_classification_targets(y)
            y = column_or_1d(y, warn=True)
            source = ArraySource(X, y.reshape(-1, 1), check_weights(sample_weight, X))
            self._learn(Arriving(source, y), classes, out)
        return self

    def _learn(self, batch: Arriving, classes: Any, out: bool) -> None:
        stream, y = self._stream_of(fresh=not out), batch.y
        known = self.__dict__.get("_labels", self.__dict__.get("classes_", y[:0]))
        seen = [distinct(y), *([] if classes is None else [distinct(np.asarray(classes))])]
        self._labels = with_new(known, seen, not out)
        coded = OneHot(self._labels)
        self._taken(replace(batch, rows=batch.rows.with_targets(coded)), stream, out)
        self.classes_ = np.sort(coded.labels)

    def _turn(self) -> Array:
        """From [1, one-hot labels in the order they came] to ±1 codes of the sorted classes."""
        count = len(self.classes_)
        if count < 2:
            raise InputError(f"Only one class was seen so far: {self.classes_.tolist()[0]!r}.")
        order = np.argsort(self._labels)
        turn = np.zeros((1 + count, count))
        turn[0] = -1
        turn[1 + order, np.arange(count)] = 2
        return turn[:, 1:] if count == 2 else turn
