"""Deep extreme learning machines: autoencoders on top of each other, then an extreme learning machine."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.deep_fit import DeepSettings, Learned, deep_fit
from samara.estimators.base import BaseELM
from samara.estimators.checkpointing import checkpointed
from samara.estimators.classification import Classification
from samara.estimators.common import ClosedForm
from samara.estimators.deep_settings import make_deep_settings
from samara.estimators.given import Given, budgeted
from samara.estimators.regression import Regression
from samara.fit import Fitted


class BaseDeepELM(BaseELM):
    """Parameters, the fit of a source layer by layer, and its results."""

    missing = None  # frames and files may have gaps, arrays not

    def __init__(
        self,
        layers: Any = (500,),
        *,
        penalty: str = "l2",
        activation: str = "tanh",
        layer_alpha: Any = "auto",
        n_hidden: Any = 1000,
        hidden: Any = "sigmoid",
        alpha: Any = "auto",
        solver: Any = "auto",
        rank: Any = "auto",
        selection: Any = "auto",
        alpha_per_target: bool = False,
        scale: Any = "standard",
        direct_link: bool = False,
        fit_intercept: bool = True,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.layers = layers
        self.penalty = penalty
        self.activation = activation
        self.layer_alpha = layer_alpha
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

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""

        def run(progress: Any) -> tuple[Fitted, list[Learned]]:
            deep = make_deep_settings(self, progress)
            with checkpointed(self, budgeted(deep.head, given), given, where) as head:
                source, profile = given.seen(head)
                return deep_fit(source, replace(deep, head=head), profile)

        done, learned = self._following(given, run)
        self._take(done)
        self.layer_alphas_ = np.array([layer.alpha for layer in learned])
        self.layer_errors_ = np.array([layer.error for layer in learned])
        self._left = done.left

    def _settings(self) -> Any:
        deep: DeepSettings = make_deep_settings(self, None)
        return deep.head

    _learned = ClosedForm._learned  # the layers are learned from all rows


class DeepELMRegressor(BaseDeepELM, Regression):
    """Deep extreme learning machine for regression, in closed form.

    The rows go through layers x ↦ g(βx). The β of each layer is that of an autoencoder: random nodes
    h(x), with min ‖Hβ − X‖² + α‖β‖² (``penalty="l2"``) or min ‖Hβ − X‖² + λ‖β‖₁ (``"l1"``, by FISTA on the
    moments of the same pass). What the last layer gives goes to an ordinary extreme learning machine
    (H-ELM, Tang et al. 2016; the deep form that Jankowski and Linowiecki 2019 name). A layer is one pass over
    the rows, of which no more than a block is in memory.

    Parameters
    ----------
    layers : tuple of int, :class:`samara.maps.LocalFields` or FeatureMap, default=(500,)
        Nodes of each autoencoder, the one next to the inputs first. ``LocalFields`` in the first place makes
        features of images; a map of your own is used as it is.
    penalty : {"l2", "l1"}, default="l2"
        What keeps the weights of a layer small, or most of them at zero.
    activation : str, default="tanh"
        That of the layers, and of the random nodes they are learned from: ``sigmoid``, ``tanh``, ``relu``,
        ``sine``, ``fourier``, ``hardlim`` or ``linear``.
    layer_alpha : float, list of float or "auto", default="auto"
        Ridge α or penalty λ of the layers, not divided by n; of a list and of ``"auto"`` each layer chooses
        its own by the held-out error of its reconstruction: the best α, the largest λ within one standard
        error of the best.
    n_hidden, hidden, alpha, solver, rank, selection, alpha_per_target, direct_link, fit_intercept
        Of the last part, as in :class:`ELMRegressor`. It scales what the last layer gives to mean 0 and
        deviation 1.
    scale : {"standard", "quantile"}, FeatureMap or None, default="standard"
        Scaling of the inputs, before the first layer. For ``LocalFields`` take None.
    memory, engine, dtype, verbose, random_state
        As in :class:`ELMRegressor`.

    Attributes
    ----------
    layer_alphas_ : ndarray of shape (n_layers,)
        Ridge or penalty of each layer; NaN where nothing was learned.
    layer_errors_ : ndarray of shape (n_layers,)
        Share of the variance of its inputs that a layer's autoencoder does not give back; NaN likewise.
    model_ : :class:`samara.model.Model`
        Maps and coefficients; the layers are among the maps.
    alpha_, n_hidden_, selection_, plan_, coef_, intercept_, rank_, condition_, approximation_error_, \
n_features_in_, feature_names_in_
        Of the last part, as in :class:`ELMRegressor`; ``plan_`` counts the passes of all.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import DeepELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = DeepELMRegressor((30, 20), n_hidden=100, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

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


class DeepELMClassifier(BaseDeepELM, Classification):
    """Deep extreme learning machine for classification: least squares on ±1 codes of the classes.

    The parameters are those of :class:`DeepELMRegressor`, and ``class_weight``.

    Parameters
    ----------
    layers, penalty, activation, layer_alpha, n_hidden, hidden, alpha, solver, rank, selection, \
alpha_per_target, scale, direct_link, fit_intercept, memory, engine, dtype, verbose, random_state
        As in :class:`DeepELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.
    calibration : {"auto", "temperature", "isotonic"} or None, default="auto"
        How outputs become the probabilities of ``predict_proba``, learned from rows of the fit as the models
        without them see them: by one temperature (``auto`` too), or by a rising curve for each class. None
        takes outputs for 2p − 1. Labels are the largest output's in any case.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    calibration_ : :class:`samara.calibration.Temperature`, :class:`samara.calibration.Isotonic` or None
        What was learned; None also where the solver can't leave rows out, and after ``partial_fit``.
    layer_alphas_, layer_errors_, model_, alpha_, n_hidden_, selection_, plan_, rank_, condition_, \
approximation_error_, n_features_in_, feature_names_in_
        As in :class:`DeepELMRegressor`.
    coef_ : ndarray of shape (1, n_hidden_) or (n_classes, n_hidden_)
        Output weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from samara import DeepELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DeepELMClassifier((20,), n_hidden=100, random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    def __init__(
        self,
        layers: Any = (500,),
        *,
        penalty: str = "l2",
        activation: str = "tanh",
        layer_alpha: Any = "auto",
        n_hidden: Any = 1000,
        hidden: Any = "sigmoid",
        alpha: Any = "auto",
        solver: Any = "auto",
        rank: Any = "auto",
        selection: Any = "auto",
        alpha_per_target: bool = False,
        scale: Any = "standard",
        direct_link: bool = False,
        fit_intercept: bool = True,
        class_weight: Any = None,
        calibration: Any = "auto",
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            layers,
            penalty=penalty,
            activation=activation,
            layer_alpha=layer_alpha,
            n_hidden=n_hidden,
            hidden=hidden,
            alpha=alpha,
            solver=solver,
            rank=rank,
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
        self.calibration = calibration

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
