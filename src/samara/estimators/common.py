"""What every estimator shares: a fit that leaves nothing half done, progress, and predictions in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from samara.core import Array, Chunk, Source, dense
from samara.costs import DEFAULT_BLOCK
from samara.engines import Threads
from samara.engines.clusters import found_by, is_connection
from samara.errors import InputError, NonFiniteError
from samara.estimators.cluster import cluster_of, predicted_there
from samara.estimators.given import Given, GivenArrays, GivenTable
from samara.estimators.inputs import check_inputs, refuse_infinite, refuse_non_finite
from samara.estimators.progress import CallbackProgress, PlainProgress, Reports
from samara.estimators.tables import as_scan, chunks_of, encoded, fitting_scan, raw_rows, set_names
from samara.left_out import LeftOut
from samara.linalg.workers import blas_threads_for
from samara.maps import Columns
from samara.model import Model
from samara.schema import names_of
from samara.sources import ArraySource, Scan, is_frame

if TYPE_CHECKING:
    from samara.estimators.written import Written

T = TypeVar("T")


def _most_flops(rows: Source) -> float:
    """What few rows may take: the kernel matrix of all of them and its factor."""
    n = float(rows.n_rows)
    return n**2 * max(n, rows.n_features)


class ClosedForm(Reports, BaseEstimator):
    """A fit that leaves nothing half done, progress, and predictions in blocks."""

    model_: Model
    engine: Any
    verbose: bool

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails leaves what was there before, and nothing new."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            running = {k: v for k, v in self.__dict__.items() if k.startswith(("_callback", "_skl_callback"))}
            before |= running  # scikit-learn still has to take its callbacks down
            for name in set(self.__dict__) - set(before):
                del self.__dict__[name]
            self.__dict__.update(before)  # never empty: another thread may be predicting
            raise

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""
        raise NotImplementedError

    def _fit_arrays(self, source: ArraySource, where: tuple[Any, Any]) -> None:
        with blas_threads_for(_most_flops(source)):
            self._fit_rows(GivenArrays(source), where)
        for name in ("columns_", "facts_", "target_names_"):
            self.__dict__.pop(name, None)

    def _fit_table(self, given: GivenTable, where: tuple[Any, Any]) -> None:
        with blas_threads_for(_most_flops(given.table.rows)):
            self._fit_rows(given, where)
        assert given.looked is not None
        for name in ("columns_", "target_names_"):
            self.__dict__.pop(name, None)
        if given.looked.columns is not None:
            self.columns_ = given.looked.columns
        if given.facts:  # of files; the targets of a frame come beside it, without names
            self.target_names_ = np.array(names_of(given.table.targets), dtype=object)
        self.facts_ = given.looked.facts
        set_names(self, given.table.schema if given.named else (), given.table.rows.n_features)

    def _following(self, given: Given, work: Callable[[CallbackProgress | PlainProgress | None], T]) -> T:
        """Run a fit with its progress shown; a NaN that it meets is named by column and row."""
        progress = self._progress()
        try:
            return work(progress)
        except NonFiniteError:
            given.refuse_non_finite(getattr(self, "feature_names_in_", None))
            raise
        finally:
            if isinstance(progress, CallbackProgress):
                progress.close()
                self._callback_fit_ctx.call_on_fit_task_end(estimator=self)

    def _learn_left_out(self, left_out: Callable[[], LeftOut] | None) -> None:
        """What rows tell that were left out, where the fit can tell how they would fare."""

    def _settings(self) -> Any:
        """The settings of a fit, every parameter checked."""
        raise NotImplementedError

    def save(self, path: str | PathLike[str], *, resumable: bool = False, config: str | None = None) -> None:
        """Write the fitted estimator into a file, for :func:`samara.load`.

        The file holds the parameters, the model and how it came about, as numbers and texts: loading it runs
        no code. Equal models give equal files. What was there is replaced at once, or left as it was.

        A kernel model contains rows of the training data, and so do nodes of the kind ``rbf`` and
        ``multiquadric``: whoever gets the file can read them. :func:`samara.inspect` says whether it does.
        The intervals of a regressor of up to 512 rows hold what each row does to the model, from which
        hidden rows could be worked out: fit with ``intervals=False`` where that matters.

        Parameters
        ----------
        path : str or path-like
            The file, usually ``*.samara``; its folder has to exist.
        resumable : bool, default=False
            Keep also the sums over the rows that ``partial_fit`` goes on from, as large as the square of the
            nodes for each fold and worker. For ``ELMRegressor`` and ``ELMClassifier`` with
            ``update="information"`` or ``"qr"`` and without a window.
        config : str, optional
            Hash of the configuration that led to the model, to be kept in the file.

        Raises
        ------
        InputError
            If a parameter is not data: a map or a kernel function of your own, a random generator.
        StoreError
            If the file can't be written.
        """
        from samara.estimators.saving import save  # it knows all estimators, and each of them this class

        save(self, path, resumable, config)

    def predict_to(
        self, X: Any, path: str | PathLike[str], *, proba: bool = False, interval: float | None = None
    ) -> Written:
        """Predict the rows of files, and write what is predicted to a file or a folder of files.

        The rows stay in their order, and what was there before stays until all is written. A folder is
        written part by part, as Parquet, by those who read the rows: threads, or the workers of a cluster,
        which have to see it under the same path. A file is written by this process.

        Parameters
        ----------
        X : scan, or Dask array or data frame
            Rows, as :func:`samara.scan` gives them.
        path : str or path-like
            A file ending in ``.parquet``, ``.csv``, ``.arrow``, ``.feather`` or ``.ipc``; a name without a
            suffix, or a folder that is there, for ``part-00000.parquet`` and so on. A folder that holds
            anything else is refused.
        proba : bool, default=False
            Of a classifier: the probabilities of the classes instead of labels.
        interval : float, optional
            Of a regressor, into a file: also the ends of intervals that hold this share of the targets, as
            `predict_interval` gives them.

        Returns
        -------
        Written
            ``rows``, ``columns`` (their names: ``predicted``, ``predicted price`` where there are several
            targets, ``lower``, ``upper``, ``probability of yes``) and ``parts``, the number of files.

        Raises
        ------
        StoreError
            If it can't be written, or there are no rows.
        """
        from samara.estimators.written import predict_to  # the writers are slow to import

        return predict_to(self, X, path, proba, interval)

    def _learned(self) -> Any:
        """What partial_fit would go on from, as data."""
        raise InputError(f"{type(self).__name__} does not learn as rows arrive: use resumable=False.")

    def _progress(self) -> CallbackProgress | PlainProgress | None:
        if getattr(self, "_skl_callbacks", None):
            root = self._init_callback_context(max_subtasks=None)
            root.call_on_fit_task_begin(estimator=self)
            return CallbackProgress(self, root)
        return PlainProgress() if self.verbose else None

    def _together(self) -> AbstractContextManager[Any]:
        """While results are read that belong together."""
        return nullcontext()

    def _source(self, X: Any) -> ArraySource:
        """Rows to predict, checked against those of the fit; NaN is left to `_of_rows`."""
        check_is_fitted(self, "model_")
        columns: Columns | None = self.__dict__.get("columns_")
        if columns is None:
            X = check_inputs(self, X, fitting=False)
            return ArraySource(X, np.empty((X.shape[0], 0)))
        raw = raw_rows(X, columns) if is_frame(X) else self._unnamed(X, columns)
        return encoded(ArraySource(raw, np.empty((len(raw), 0))), columns)

    def _unnamed(self, X: Any, columns: Columns) -> Array:
        """Rows without names for a model of named columns: numbers in the same order, NaN where missing."""
        texts = [column.name for column in columns.schema if column.kind == "text"]
        if texts:
            raise InputError(
                f"The model takes columns by name, and {texts[0]!r} holds text: give a data frame or a scan."
            )
        rows: Array = check_inputs(self, X, fitting=False)
        refuse_infinite(dense(rows))
        return dense(rows).astype(np.float64, copy=False)

    def _outputs(self, X: Any, model: Model | None = None) -> Array:
        """h(x)ᵀβ of every row, (n, t), block by block."""
        X, _, _ = as_scan(X)
        if isinstance(X, Scan):
            check_is_fitted(self, "model_")
            model = model or self.model_
            none = np.empty((0, model.coef.shape[1]), model.coef.dtype)
            return np.concatenate([none, *(outputs for _, outputs in self._streamed(X, model))])
        return self._of_rows(self._source(X), model)

    def _of_rows(self, source: ArraySource, model: Model | None) -> Array:
        """Outputs of rows; a NaN is refused, but in a raw table it is a gap."""
        engine = self.engine if isinstance(self.engine, Threads) else Threads()
        engine = replace(engine, block_rows=engine.block_rows or DEFAULT_BLOCK)
        model = model or self.model_
        names = getattr(self, "feature_names_in_", None)
        if not source.maps and not model.refuses_non_finite(source):
            refuse_non_finite(source.X, names)
        try:
            return model.predict(source, engine)
        except NonFiniteError:
            if not source.maps:
                refuse_non_finite(source.X, names)
            raise

    def _streamed(self, scan: Scan, model: Model | None = None) -> Iterator[tuple[Chunk, Array]]:
        """The rows of a scan in order, some at a time, and what the model makes of them."""
        check_is_fitted(self, "model_")
        model = model or self.model_
        columns: Columns | None = self.__dict__.get("columns_")
        crew = cluster_of(self)
        if crew is not None and columns is not None:
            yield from predicted_there(scan.for_model(columns.schema), columns, model, crew)
            return
        for chunk, source in self._read(scan):
            yield chunk, self._of_rows(source, model)

    def _read(self, scan: Scan) -> Iterator[tuple[Chunk, ArraySource]]:
        """The rows of a scan in order, some at a time, as read and as the model takes them."""
        check_is_fitted(self, "model_")
        columns: Columns | None = self.__dict__.get("columns_")
        scan = fitting_scan(scan, columns, getattr(self, "feature_names_in_", None), self.n_features_in_)
        seen = 0
        for chunk in chunks_of(scan):
            source = ArraySource(chunk.X, np.empty((chunk.X.shape[0], 0)))
            if columns is not None:
                source = encoded(source, columns)
            else:
                refuse_non_finite(chunk.X, names_of(scan.schema), seen)
            seen += len(chunk.y)
            yield chunk, source

    def __getstate__(self) -> Any:
        """Without what a fit found out about a table's columns: a sample of the rows is in it."""
        state = super().__getstate__()
        if is_connection(self.engine):  # it stays here; what it is found by travels
            state = state | {"engine": found_by(self.engine)}
        return {name: value for name, value in state.items() if name != "facts_"}

    def __sklearn_clone__(self) -> Any:
        """The same parameters, and the same cluster: a connection can't be copied."""
        if not is_connection(self.engine):
            return super().__sklearn_clone__()
        made = super(ClosedForm, copy(self)).__sklearn_clone__()
        made.engine = self.engine
        return made

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
