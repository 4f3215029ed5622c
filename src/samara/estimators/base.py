"""What the extreme learning machines share: parameters, the fit of a source, and its results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.costs import DEFAULT_BLOCK
from samara.engines import Threads
from samara.errors import NonFiniteError
from samara.estimators.inputs import check_inputs, refuse_non_finite
from samara.estimators.progress import CallbackProgress, PlainProgress, Reports
from samara.estimators.settings import make_settings
from samara.fit import fit
from samara.sources import ArraySource


class BaseELM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Reports, BaseEstimator):
    """Parameters, the fit of a source, and its results."""

    def __init__(
        self,
        n_hidden: Any = 1000,
        *,
        hidden: Any = "sigmoid",
        alpha: Any = "auto",
        solver: Any = "auto",
        rank: Any = "auto",
        selection: Any = "auto",
        alpha_per_target: bool = False,
        scale: str | None = "standard",
        direct_link: bool = False,
        fit_intercept: bool = True,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_hidden = n_hidden
        self.hidden = hidden
        self.alpha = alpha
        self.solver = solver
        self.rank = rank
        self.selection = selection
        self.alpha_per_target = alpha_per_target
        self.scale = scale
        self.direct_link = direct_link
        self.fit_intercept = fit_intercept
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A fit that fails leaves what was there before, and nothing new."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            running = {k: v for k, v in self.__dict__.items() if k.startswith(("_callback", "_skl_callback"))}
            self.__dict__.clear()
            self.__dict__.update(before | running)  # scikit-learn still has to take its callbacks down
            raise

    def _fit_source(self, source: ArraySource) -> None:
        """Fit, then set every attribute at once: a failed fit leaves nothing half done."""
        progress = self._progress()
        try:
            done = fit(source, make_settings(self, progress))
        except NonFiniteError:
            refuse_non_finite(source.X, getattr(self, "feature_names_in_", None))
            raise
        finally:
            if isinstance(progress, CallbackProgress):
                progress.close()
                self._callback_fit_ctx.call_on_fit_task_end(estimator=self)
        self.model_, self.plan_, self.selection_ = done.model, done.plan, done.selection
        self.alpha_, self.n_hidden_ = done.alpha, done.n_hidden
        self.rank_, self.condition_ = done.rank, done.condition
        self.approximation_error_ = done.approximation_error
        self._n_features_out = len(done.model.coef)

    def _progress(self) -> CallbackProgress | PlainProgress | None:
        if getattr(self, "_skl_callbacks", None):
            root = self._init_callback_context(max_subtasks=None)
            root.call_on_fit_task_begin(estimator=self)
            return CallbackProgress(self, root)
        return PlainProgress() if self.verbose else None

    def _rows(self, X: Any) -> Any:
        """Rows to predict, checked against those of the fit."""
        check_is_fitted(self, "model_")
        X = check_inputs(self, X, fitting=False)
        refuse_non_finite(X, getattr(self, "feature_names_in_", None))
        return X

    def _outputs(self, X: Any) -> Array:
        """h(x)ᵀβ of every row, (n, t), block by block."""
        X = self._rows(X)
        engine = self.engine if isinstance(self.engine, Threads) else Threads()
        engine = replace(engine, block_rows=engine.block_rows or DEFAULT_BLOCK)
        return self.model_.predict(ArraySource(X, np.empty((X.shape[0], 0))), engine)

    def transform(self, X: Any) -> Array:
        """Hidden features H of the rows of X.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        H : ndarray of shape (n_samples, n_hidden_)
            What the output weights multiply; with ``direct_link`` the scaled inputs come first.
        """
        X = self._rows(X)
        return self.model_.features(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags
