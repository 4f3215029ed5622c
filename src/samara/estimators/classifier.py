"""Extreme learning machine for classification."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.estimators.arrivals import OnlineClassification
from samara.estimators.base import BaseELM
from samara.estimators.classification import Classification


class ELMClassifier(OnlineClassification, BaseELM, Classification):
    """Extreme learning machine for classification: least squares on ±1 codes of the classes.

    The parameters are those of :class:`ELMRegressor`, and ``class_weight``. Ridge and size are chosen by
    the squared error of the codes, which needs no second pass.

    Parameters
    ----------
    n_hidden, hidden, alpha, solver, rank, selection, alpha_per_target, scale, missing, direct_link, \
metric, rounds, fit_intercept, update, forget, window, memory, engine, dtype, verbose, random_state
        As in :class:`ELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.
    calibration : {"auto", "temperature", "isotonic"} or None, default="auto"
        How outputs become the probabilities of ``predict_proba``, learned from rows of the fit as the models
        without them see them: by one temperature, or by a rising curve for each class. None takes outputs
        for 2p − 1; ``auto`` is the better of a temperature and None on those rows. Labels are the largest
        output's in any case.
    threshold : {"f1", "balanced_accuracy"}, float or None, default=None
        What an output has to exceed for ``predict``. A name: chosen by the rows left out, for F1 (of the
        second of two classes; of several the mean) or for the mean accuracy of the classes. A number: for
        two classes, compared with ``decision_function``. None is 0. Probabilities do not change.
    ordinal : bool, default=False
        Whether the classes, numbers, have an order: the targets are then which classes a row lies above,
        and ``predict`` gives the median class, whose expected distance in classes is the smallest.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    calibration_ : :class:`samara.calibration.Temperature`, :class:`samara.calibration.Isotonic` or None
        What was learned; None also where the solver can't leave rows out, and after ``partial_fit``.
    threshold_ : float, ndarray of shape (n_classes,) or None
        The threshold in use; of several classes the output that exceeds its own by most tells the class.
    alpha_, n_hidden_, selection_, plan_, rank_, condition_, approximation_error_, model_, \
n_features_in_, feature_names_in_, metric_, rounds_, rounds_scores_
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

    _RESULTS = (*BaseELM._RESULTS, "calibration_", "threshold_")
    _TAKES_LABELS = True

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
        class_weight: Any = None,
        calibration: Any = "auto",
        threshold: Any = None,
        ordinal: bool = False,
        update: Any = "information",
        forget: float = 1.0,
        window: int | None = None,
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
            rank=rank,
            selection=selection,
            alpha_per_target=alpha_per_target,
            scale=scale,
            missing=missing,
            direct_link=direct_link,
            metric=metric,
            rounds=rounds,
            fit_intercept=fit_intercept,
            update=update,
            forget=forget,
            window=window,
            memory=memory,
            engine=engine,
            dtype=dtype,
            verbose=verbose,
            random_state=random_state,
        )
        del self.link, self.intervals  # parameters of the regressors
        self.class_weight = class_weight
        self.calibration = calibration
        self.threshold = threshold
        self.ordinal = ordinal

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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = not self.ordinal
        return tags
