"""What every estimator shares: a fit that leaves nothing half done, progress, and predictions in blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from os import PathLike
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.costs import DEFAULT_BLOCK
from samara.engines import Threads
from samara.errors import NonFiniteError
from samara.estimators.inputs import check_inputs, refuse_non_finite
from samara.estimators.progress import CallbackProgress, PlainProgress, Reports
from samara.model import Model
from samara.sources import ArraySource

T = TypeVar("T")


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

    def _following(
        self, source: ArraySource, work: Callable[[CallbackProgress | PlainProgress | None], T]
    ) -> T:
        """Run a fit with its progress shown; a NaN that it meets is named by column and row."""
        progress = self._progress()
        try:
            return work(progress)
        except NonFiniteError:
            refuse_non_finite(source.X, getattr(self, "feature_names_in_", None))
            raise
        finally:
            if isinstance(progress, CallbackProgress):
                progress.close()
                self._callback_fit_ctx.call_on_fit_task_end(estimator=self)

    def _settings(self) -> Any:
        """The settings of a fit, every parameter checked."""
        raise NotImplementedError

    def save(self, path: str | PathLike[str], *, config: str | None = None) -> None:
        """Write the fitted estimator into a file, for :func:`samara.load`.

        The file holds the parameters, the model and how it came about, as numbers and texts: loading it runs
        no code. Equal models give equal files. What was there is replaced at once, or left as it was.

        A kernel model contains rows of the training data, and so do nodes of the kind ``rbf`` and
        ``multiquadric``: whoever gets the file can read them. :func:`samara.inspect` says whether it does.

        Parameters
        ----------
        path : str or path-like
            The file, usually ``*.samara``; its folder has to exist.
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

        save(self, path, config)

    def _progress(self) -> CallbackProgress | PlainProgress | None:
        if getattr(self, "_skl_callbacks", None):
            root = self._init_callback_context(max_subtasks=None)
            root.call_on_fit_task_begin(estimator=self)
            return CallbackProgress(self, root)
        return PlainProgress() if self.verbose else None

    def _together(self) -> AbstractContextManager[Any]:
        """While results are read that belong together."""
        return nullcontext()

    def _rows(self, X: Any) -> Any:
        """Rows to predict, checked against those of the fit."""
        check_is_fitted(self, "model_")
        X = check_inputs(self, X, fitting=False)
        refuse_non_finite(X, getattr(self, "feature_names_in_", None))
        return X

    def _outputs(self, X: Any, model: Model | None = None) -> Array:
        """h(x)ᵀβ of every row, (n, t), block by block."""
        X = self._rows(X)
        engine = self.engine if isinstance(self.engine, Threads) else Threads()
        engine = replace(engine, block_rows=engine.block_rows or DEFAULT_BLOCK)
        return (model or self.model_).predict(ArraySource(X, np.empty((X.shape[0], 0))), engine)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
