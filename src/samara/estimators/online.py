"""What estimators that learn as rows arrive share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock, RLock
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if as _available_if
from sklearn.utils.validation import check_is_fitted

from samara.continued import StreamState
from samara.engines import Threads
from samara.errors import InputError, unknown_name
from samara.estimators.common import ClosedForm
from samara.estimators.inputs import refuse_non_finite
from samara.estimators.table_batches import Arriving
from samara.estimators.tables import is_table
from samara.online import Stream
from samara.past import Memory
from samara.settings import Settings
from samara.solvers.sequential import Woodbury
from samara.sources import ArraySource, FrameRows, Scan, is_frame

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


def keeps_a_summary(estimator: Any) -> bool:
    """Whether the solver makes do with a summary of the rows, and no metric is learned from all of them."""
    metric = getattr(estimator, "metric", None)
    if metric is not None:
        raise AttributeError(
            f"metric={metric!r} is learned in several passes over all rows: partial_fit needs metric=None."
        )
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
            if name in ("partial_fit", "unlearn"):
                keeps_a_summary(self)  # says why it is not there
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
            return Stream(_here(self._settings()), read_memory(self), plain)
        if left is None:
            raise InputError(
                "What this model learned from is gone: a summary of the rows stays with the estimator that "
                "was fitted, not with a copy of it. Give all rows to partial_fit."
            )
        return Stream.after(left, _here(self._settings()), read_memory(self), plain)

    def _learned(self) -> StreamState:
        stream: Stream = self.__dict__.get("_stream") or self._first_stream(False)
        return stream.state(self.__dict__.get("_labels", self.__dict__.get("classes_")))

    def _resume(self, state: StreamState, settings: Settings) -> None:
        """Go on from a file; the attributes of the model are there already."""
        memory, columns = read_memory(self), self.__dict__.get("columns_")
        n_features: int = self.n_features_in_ if columns is None else columns.n_out
        state.check(settings, n_features)
        X = sparse.csr_array((1, n_features)) if state.is_sparse else np.zeros((1, n_features))
        self._stream = Stream(settings, memory, type(self)._PLAIN)
        self._stream.resume(state, ArraySource(X, np.zeros((1, state.layout.n_targets))))
        if state.labels is not None:
            self._labels = state.labels

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
        if isinstance(X, Scan | FrameRows) or (is_frame(X) and "columns_" in self.__dict__):
            return True
        return not self._began() and is_table(X)

    def _taken(self, batch: Arriving, stream: Stream, out: bool) -> None:
        """Learn or unlearn the rows of a batch; one that can't be used leaves the model as it was."""
        source = batch.rows
        if batch.crew is None and not source.maps:  # in a raw table a NaN is a missing value
            refuse_non_finite(source.X, getattr(self, "feature_names_in_", None))
        if out:
            stream.unlearn(source, batch.crew)
        else:
            stream.learn(source, batch.inputs, batch.crew)
        self._forget_results()
        self.__dict__.pop("_left", None)  # the stream has it now


def _here(settings: Settings) -> Settings:
    """Batches are in this process, and so is the summary they are added to."""
    return replace(settings, crew=Threads())
