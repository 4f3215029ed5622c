"""Extreme learning machines as scikit-learn estimators."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from samara.core import Array, Source
from samara.engines import Threads
from samara.errors import InputError, NonFiniteError
from samara.estimators.inputs import check_inputs, check_weights, distinct, refuse_non_finite
from samara.estimators.progress import CallbackProgress, CallbackSupportMixin, PlainProgress, with_callbacks
from samara.estimators.settings import make_settings
from samara.fit import fit
from samara.maps import ClassCodes
from samara.plan import DEFAULT_BLOCK
from samara.sources import ArraySource


class _ELM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CallbackSupportMixin, BaseEstimator):  # type: ignore[misc]
    """What the regressor and the classifier share: parameters, the fit of a source, and its results."""

    def __init__(
        self,
        n_hidden: Any = 1000,
        *,
        hidden: Any = "sigmoid",
        alpha: Any = "auto",
        solver: str = "auto",
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

    def _fit_source(self, source: Source) -> None:
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
        self._n_features_out = len(done.model.coef)

    def _progress(self) -> CallbackProgress | PlainProgress | None:
        if getattr(self, "_skl_callbacks", None):
            root = self._init_callback_context(max_subtasks=None)
            root.call_on_fit_task_begin(estimator=self)
            return CallbackProgress(self, root)
        return PlainProgress() if self.verbose else None

    def _outputs(self, X: Any) -> Array:
        """h(x)ᵀβ of every row, (n, t), block by block."""
        check_is_fitted(self, "model_")
        X = check_inputs(self, X, fitting=False)
        refuse_non_finite(X, getattr(self, "feature_names_in_", None))
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
        check_is_fitted(self, "model_")
        X = check_inputs(self, X, fitting=False)
        refuse_non_finite(X, getattr(self, "feature_names_in_", None))
        return self.model_.features(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags


class ELMRegressor(RegressorMixin, _ELM):  # type: ignore[misc]
    """Extreme learning machine for regression, in closed form.

    min ‖Hβ − T‖² + α‖β‖² with H = g(XW + b), W and b drawn at random. Fitted in one pass over the rows
    inside the memory given; ridge and number of nodes are chosen by exact cross-validation from that same
    pass (PR-ELM, Schindler Algorithm 3; PRESS, eq. 2.22–2.25).

    Parameters
    ----------
    n_hidden : int, list of int or "auto", default=1000
        Hidden nodes; a list to choose from; ``"auto"`` appends nodes while the held-out error falls.
    hidden : str, layer or FeatureMap, default="sigmoid"
        ``sigmoid``, ``tanh``, ``relu``, ``sine``, ``fourier``, ``rbf``, ``multiquadric``, ``hardlim`` or
        ``linear``; or :class:`samara.maps.Additive` or :class:`samara.maps.Radial` with their settings;
        or any callable map with ``n_out``.
    alpha : float, list of float or "auto", default="auto"
        Ridge, not divided by n (the papers' C is 1/α). 0 is the pseudo-inverse: the minimum-norm solution.
        A list is chosen from; ``"auto"`` is ten ridges from 1e-7 to 100 times the mean eigenvalue of HᵀH.
    solver : {"auto", "gram", "qr", "svd", "dual"}, default="auto"
        ``auto`` picks from shape and smallest ridge, and says why in ``plan_``.
    selection : {"auto", "kfold", "loo", "gcv", "lcurve"} or selector, default="auto"
        How ridge and size are chosen; ``auto`` is exact 5-fold without a second pass.
    alpha_per_target : bool, default=False
        Choose a ridge for each target.
    scale : {"standard", "quantile"} or None, default="standard"
        Scaling of the inputs.
    direct_link : bool, default=False
        Give the inputs themselves to the output as well (RVFL).
    fit_intercept : bool, default=True
        Fit an intercept; it is not penalised.
    memory : str, int or None, default=None
        Memory the fit may take above the input, such as ``"200MB"``. Refused before any row is read if
        it can't be kept.
    engine : None, "threads" or :class:`samara.engines.Threads`, default=None
        Who merges; all cores unless told otherwise.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the hidden rows.
    verbose : bool, default=False
        Show progress on standard error. With scikit-learn 1.9 or later,
        ``set_callbacks(sklearn.callback.ProgressBar())`` works too.
    random_state : int, RandomState or None, default=None
        Seed of the nodes. The same seed gives the same nodes, and the first l of L nodes are the nodes
        of an l-node model.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        Ridge used.
    n_hidden_ : int
        Hidden nodes used.
    selection_ : :class:`samara.selection.Selection` or None
        The score surface over ridges and sizes with standard errors; None where nothing was chosen.
    plan_ : :class:`samara.plan.Plan`
        Passes, flops, predicted peak of memory, and the reason for each choice.
    coef_ : ndarray of shape (n_hidden_,) or (n_targets, n_hidden_)
        Output weights; with ``direct_link`` those of the inputs come first.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    rank_ : int
        Columns of H that the solution uses.
    condition_ : float
        Estimate of the condition number of H with the ridge in it.
    model_ : :class:`samara.model.Model`
        Maps and coefficients.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Names of the inputs, where X had names.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import ELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ELMRegressor(n_hidden=200, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Inputs: numbers of any type.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = check_inputs(self, X, y, fitting=True, multi_output=True, y_numeric=True, ensure_min_samples=2)
        weight = check_weights(sample_weight, X)
        self._fit_source(ArraySource(X, y.reshape(len(y), -1), weight))
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

    @property
    def coef_(self) -> Array:
        """Output weights."""
        check_is_fitted(self, "model_")
        return self.model_.coef[:, 0] if self._one_target else self.model_.coef.T

    @property
    def intercept_(self) -> Any:
        """Intercept."""
        check_is_fitted(self, "model_")
        return float(self.model_.intercept[0]) if self._one_target else self.model_.intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ELMClassifier(ClassifierMixin, _ELM):  # type: ignore[misc]
    """Extreme learning machine for classification: least squares on ±1 codes of the classes.

    The parameters are those of :class:`ELMRegressor`, and ``class_weight``. Ridge and size are chosen by
    the squared error of the codes, which needs no second pass.

    Parameters
    ----------
    n_hidden, hidden, alpha, solver, selection, alpha_per_target, scale, direct_link, fit_intercept, memory, \
engine, dtype, verbose, random_state
        As in :class:`ELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    alpha_, n_hidden_, selection_, plan_, rank_, condition_, model_, n_features_in_, feature_names_in_
        As in :class:`ELMRegressor`.
    coef_ : ndarray of shape (1, n_hidden_) or (n_classes, n_hidden_)
        Output weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from samara import ELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ELMClassifier(n_hidden=100, random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    def __init__(
        self,
        n_hidden: Any = 1000,
        *,
        hidden: Any = "sigmoid",
        alpha: Any = "auto",
        solver: str = "auto",
        selection: Any = "auto",
        alpha_per_target: bool = False,
        scale: str | None = "standard",
        direct_link: bool = False,
        fit_intercept: bool = True,
        class_weight: Any = None,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_hidden,
            hidden=hidden,
            alpha=alpha,
            solver=solver,
            selection=selection,
            alpha_per_target=alpha_per_target,
            scale=scale,
            direct_link=direct_link,
            fit_intercept=fit_intercept,
            memory=memory,
            engine=engine,
            dtype=dtype,
            verbose=verbose,
            random_state=random_state,
        )
        self.class_weight = class_weight

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to labelled rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Inputs: numbers of any type.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y = check_inputs(self, X, y, fitting=True, ensure_min_samples=2)
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        weight = check_weights(sample_weight, X)
        classes = distinct(y if weight is None else y[weight > 0])
        if len(classes) < 2:
            raise InputError(
                f"ELMClassifier needs at least two classes; y holds one class only: {classes[0]!r}."
            )
        if self.class_weight is not None:
            weight = _weigh_classes(self.class_weight, classes, y, weight)
        source = ArraySource(X, y.reshape(-1, 1), weight).with_targets(ClassCodes(classes))
        self._fit_source(source)
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
        outputs = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

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
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

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

    @property
    def coef_(self) -> Array:
        """Output weights."""
        check_is_fitted(self, "model_")
        return self.model_.coef.T

    @property
    def intercept_(self) -> Array:
        """Intercepts."""
        check_is_fitted(self, "model_")
        return self.model_.intercept


def project_to_simplex(P: Array) -> Array:
    """The nearest row of probabilities: subtract what makes the positive parts add up to 1."""
    ordered = -np.sort(-P, axis=1)
    excess = (np.cumsum(ordered, axis=1) - 1) / np.arange(1, P.shape[1] + 1)
    last = np.sum(ordered > excess, axis=1) - 1
    return np.maximum(P - excess[np.arange(len(P)), last][:, None], 0)


def _weigh_classes(class_weight: Any, classes: Array, y: Array, weight: Array | None) -> Array:
    """Rows' weights times their classes' weights."""
    codes = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    weight = np.ones(len(y)) if weight is None else weight
    if isinstance(class_weight, str) and class_weight == "balanced":
        totals = np.bincount(codes, weight, minlength=len(classes))
        factors = totals.sum() / (len(classes) * totals)
    elif isinstance(class_weight, dict):
        strangers = [label for label in class_weight if label not in classes]
        if strangers:
            raise InputError(f"class_weight names a class that is not in y: {strangers[0]!r}.")
        factors = np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
        if not (np.isfinite(factors).all() and (factors >= 0).all() and factors.any()):
            raise InputError("class_weight must be non-negative numbers, not all zero.")
    else:
        raise InputError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.')
    return np.asarray(weight * factors[codes])
