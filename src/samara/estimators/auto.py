"""Automatic estimators: a raw table in, a good model out."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.estimators.auto_base import BaseAutoELM
from samara.estimators.classification import Classification
from samara.estimators.regression import Regression


class AutoELMRegressor(BaseAutoELM, Regression):
    """Regression without settings: a search over closed-form models, and a blend of the best.

    f(x) = Σ wᵢ fᵢ(x) with w ≥ 0. Tried are kernel models exp(−‖M^½(x − z)‖/σ) whose metric M is learned in
    rounds from the gradients of the model itself (Radhakrishnan et al. 2024), extreme learning machines of
    several kinds of nodes, and ridge regression, with inputs standardized or as ranks. All of them are fitted
    to at most 2500 rows and scored by up to 3000 others, of fewer than 2500 rows by folds: scaling, metric,
    width and ridge are made without the rows that score them. The best of each family, at most five, are
    weighed by nonnegative least squares on what they said of those rows, and fitted anew to all rows: exactly
    up to 10,000 rows, beyond that within the leaves of a tree, or with Nyström centres where memory is short.

    Parameters
    ----------
    time : str, float or None, default="30s"
        Wall-clock time of the fit, such as ``"30s"``, ``"5min"`` or a number of seconds. The search stops
        when what is left is needed for the members; these get fewer centres where it is short. A pass over
        the rows, once begun, is ended. None: all candidates are tried.
    rounds : int or None, default=None
        Candidates to try at most, in the order of their promise. With ``time=None`` the model is then the
        same, to the bit, for a ``random_state`` and a number of threads.
    memory, engine, verbose, random_state
        As in :class:`ELMRegressor`.

    Attributes
    ----------
    leaderboard_ : :class:`samara.search.Leaderboard`
        What was tried: candidate, score on rows that it had not seen (R²), seconds, the round and ridge
        chosen, and the weight in the blend.
    held_out_score_ : float
        R² of the blend on rows that were not seen, members and weights chosen by yet other rows; of models
        with as many rows as the search had. Families that did not fit into the memory, which ``plan_`` names,
        are left out of it. NaN where nothing could be held out.
    weights_ : ndarray of shape (n_members,)
        Weights of the members.
    models_ : tuple of :class:`samara.model.Model`
        What each member adds to the outputs.
    model_ : :class:`samara.model.Model`
        The blend as one model.
    intervals_ : :class:`samara.intervals.Intervals` or None
        What ``predict_interval`` needs: errors on rows that were not seen, made smaller by as much as more
        rows were measured to make them.
    plan_ : :class:`samara.plans.Plan`
        How the largest member was fitted, and what the search did.
    n_features_in_, feature_names_in_
        As in :class:`ELMRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import AutoELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = AutoELMRegressor(time=None, rounds=3, random_state=0).fit(X, y)
    >>> len(model.leaderboard_), model.held_out_score_ > 0.4
    (3, True)
    """

    @property
    def intercept_(self) -> Any:
        """Intercept."""
        check_is_fitted(self, "model_")
        return float(self.model_.intercept[0]) if self._one_target else self.model_.intercept


class AutoELMClassifier(BaseAutoELM, Classification):
    """Classification without settings: a search over closed-form models, and a blend of the best.

    As :class:`AutoELMRegressor`, on ±1 codes of the classes. Candidates are ranked by the share of rows that
    they take for another class, and a little by their squared error.

    Parameters
    ----------
    time, rounds, memory, engine, verbose, random_state
        As in :class:`AutoELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    calibration_ : :class:`samara.calibration.Temperature` or None
        What makes probabilities of outputs, learned from rows that were not seen.
    leaderboard_, held_out_score_, weights_, models_, model_, plan_, n_features_in_, feature_names_in_
        As in :class:`AutoELMRegressor`; scores are accuracies.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from samara import AutoELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = AutoELMClassifier(time=None, rounds=3, random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    def __init__(
        self,
        time: Any = "30s",
        *,
        rounds: Any = None,
        class_weight: Any = None,
        memory: str | int | None = None,
        engine: Any = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            time, rounds=rounds, memory=memory, engine=engine, verbose=verbose, random_state=random_state
        )
        self.class_weight = class_weight

    @property
    def intercept_(self) -> Array:
        """Intercepts."""
        check_is_fitted(self, "model_")
        return self.model_.intercept
