"""What the extreme learning machines share: parameters, the fit of a source, and its results."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.estimators.checkpointing import checkpointed
from samara.estimators.given import Given, budgeted
from samara.estimators.inputs import refuse_non_finite
from samara.estimators.metrics import set_metric
from samara.estimators.online import Online, read_memory
from samara.estimators.settings import make_settings
from samara.fit import Fitted, fit
from samara.metric_fit import Learned, fit_metric
from samara.online import Stream
from samara.settings import Settings
from samara.sources import ArraySource, Scan


class BaseELM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Online):
    """Parameters, the fit of a source, and its results."""

    _RESULTS: tuple[str, ...] = (
        "model_",
        "plan_",
        "selection_",
        "alpha_",
        "n_hidden_",
        "rank_",
        "condition_",
        "approximation_error_",
        "_n_features_out",
    )

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
        scale: Any = "standard",
        missing: Any = None,
        direct_link: bool = False,
        metric: Any = None,
        rounds: int = 3,
        fit_intercept: bool = True,
        link: Any = None,
        intervals: bool = True,
        update: Any = "information",
        forget: float = 1.0,
        window: int | None = None,
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
        self.missing = missing
        self.direct_link = direct_link
        self.metric = metric
        self.rounds = rounds
        self.fit_intercept = fit_intercept
        self.link = link  # of the regressors, as intervals
        self.intervals = intervals
        self.update = update
        self.forget = forget
        self.window = window
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""
        read_memory(self)

        def run(progress: Any) -> tuple[Fitted, Learned | None]:
            settings = budgeted(make_settings(self, progress), given)
            with checkpointed(self, settings, given, where) as settings:
                source, profile = given.seen(settings)
                if settings.metric is not None:
                    return fit_metric(source, settings, profile)
                return fit(source, settings, profile), None

        done, learned = self._following(given, run)
        for name in ("_stream", "_labels"):
            self.__dict__.pop(name, None)
        self._take(done)
        set_metric(self, learned)
        self._left = done.left

    def _settings(self) -> Settings:
        return make_settings(self, None)

    def _settled(self, stream: Stream) -> None:
        # The rows that came are gone: none can be left out.
        self._take(replace(stream.fitted(self._turn()), left_out=None))

    def _turn(self) -> Array | None:
        """How targets kept by a stream become those of the model; None: they are the same."""
        return None

    def _take(self, done: Fitted) -> None:
        self.model_, self.plan_, self.selection_ = done.model, done.plan, done.selection
        self.alpha_, self.n_hidden_ = done.alpha, done.n_hidden
        self.rank_, self.condition_ = done.rank, done.condition
        self.approximation_error_ = done.approximation_error
        self._n_features_out = len(done.model.coef)
        self._learn_left_out(done.left_out)

    def transform(self, X: Any) -> Array:
        """Hidden features H of the rows of X.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        H : ndarray of shape (n_samples, n_hidden_)
            What the output weights multiply; with ``direct_link`` the scaled inputs come first.
        """
        if isinstance(X, Scan):
            check_is_fitted(self, "model_")
            none = np.empty((0, self.model_.coef.shape[0]), self.model_.coef.dtype)
            return np.concatenate([none, *(self._hidden(source) for _, source in self._read(X))])
        source = self._source(X)
        if not source.maps:
            refuse_non_finite(source.X, getattr(self, "feature_names_in_", None))
        return self._hidden(source)

    def _hidden(self, source: ArraySource) -> Array:
        X = source.X
        for feature_map in source.maps:
            X = feature_map(X)
        return self.model_.features(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing is not None
        tags.input_tags.sparse = self.missing is None and getattr(self, "metric", None) != "agop"
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags
