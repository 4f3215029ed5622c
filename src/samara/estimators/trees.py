"""Leaves of trees as the hidden layer: trees grown to lower the error, then one ridge over all leaves."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from samara.core import Array, Progress
from samara.errors import InputError
from samara.estimators.base import BaseELM
from samara.estimators.classification import Classification
from samara.estimators.common import ClosedForm
from samara.estimators.given import Given, budgeted
from samara.estimators.parameters import read_alphas
from samara.estimators.regression import Regression
from samara.estimators.settings import make_settings
from samara.fit import Fitted
from samara.settings import Settings
from samara.tree_fit import RIDGES, TreeSettings, fit_trees
from samara.tree_growth import Trees


class BaseTreeELM(BaseELM):
    """Parameters, the fit of a source, and its results."""

    # What trees are not asked: cuts are the same in any scale, and the nodes are the leaves.
    hidden, n_hidden, scale, direct_link, missing = "linear", 1, None, False, None
    solver = rank = selection = "auto"
    alpha_per_target = False

    def __init__(
        self,
        n_trees: Any = 50,
        *,
        leaves: int = 31,
        rate: float = 0.2,
        least: float = 10.0,
        alpha: Any = "auto",
        fit_intercept: bool = True,
        link: Any = None,
        intervals: bool = True,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.leaves = leaves
        self.rate = rate
        self.least = least
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.link = link  # of the regressor, as intervals
        self.intervals = intervals
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""
        if where[0] is not None:
            raise InputError("A model of trees has no checkpoints, for it fits twice: use checkpoint=None.")

        def run(progress: Any) -> Fitted:
            settings = make_tree_settings(self, progress)
            settings = replace(settings, base=budgeted(settings.base, given))
            source, profile = given.seen(settings.base)
            return fit_trees(source, settings, profile)

        done = self._following(given, run)
        self._take(done)
        self._left = None

    def _settings(self) -> Settings:
        return make_tree_settings(self, None).base

    def _take(self, done: Fitted) -> None:
        self.n_trees_ = int(done.model.maps[-1].n_trees)  # type: ignore[attr-defined]
        super()._take(done)

    _learned = ClosedForm._learned  # the trees are grown on all rows


def make_tree_settings(estimator: Any, progress: Progress | None) -> TreeSettings:
    """Check every parameter; the first that can't be used is named."""
    counts = _counts(estimator.n_trees)
    if not _is(estimator.leaves, Integral):
        raise InputError(f"leaves must be a whole number, got {estimator.leaves!r}.")
    for name in ("rate", "least"):
        value = getattr(estimator, name)
        if not _is(value, Real):
            raise InputError(f"{name} must be a number, got {value!r}.")
    sizes = (counts[-1], int(estimator.leaves))
    trees = Trees(*sizes, float(estimator.rate), float(estimator.least), is_classifier(estimator))
    alphas = read_alphas(estimator.alpha) or RIDGES
    if min(alphas) <= 0:
        raise InputError("alpha must be above 0: the leaves of every tree add up to the same column.")
    base = replace(
        make_settings(estimator, progress),
        sizes=(counts[-1] * trees.leaves,),
        alphas=(max(alphas),),
        selector=None,
        selection_why="ridge and number of trees chosen on rows that no tree has seen",
    )
    return TreeSettings(trees, counts, tuple(sorted(alphas)), base)


def _is(value: Any, kind: type) -> bool:
    """Whether it is such a number; True and False are none."""
    return isinstance(value, kind) and not isinstance(value, bool)


def _counts(given: Any) -> tuple[int, ...]:
    """Numbers of trees to choose from, ascending."""
    listed = given if isinstance(given, list | tuple) else [given]
    if not listed or not all(_is(one, Integral) and one >= 1 for one in listed):
        raise InputError(f"n_trees must be a whole number above 0, or a list of them, got {given!r}.")
    return tuple(sorted({int(one) for one in listed}))


class TreeELMRegressor(BaseTreeELM, Regression):
    """Leaves of trees as hidden nodes, for regression: grown to lower the error, weighed by one ridge.

    Trees are grown as boosting grows them, on binned inputs, each for what the ones before have left. Their
    leaves then are the nodes of an extreme learning machine, h(x) = 1 in the leaf that x lies in: one ridge
    in closed form weighs all leaves of all trees anew, together. The Gram matrix of such nodes only counts
    in how many rows two leaves meet. For tables whose targets jump, or depend on a few inputs at a time,
    where smooth nodes need many more.

    Parameters
    ----------
    n_trees : int or list of int, default=50
        Trees; of a list the best number is taken, on rows that no tree has seen.
    leaves : int, default=31
        Leaves of a tree at most, from 2 to 64.
    rate : float, default=0.2
        How much of what a tree finds the next ones take as done, above 0 and at most 1.
    least : float, default=10
        Rows of a leaf at least, by their weights.
    alpha : float, list of float or "auto", default="auto"
        Ridge, in rows: a leaf of as many is halved. Of a list, and of 3, 10, 30, 100 and 300 under
        ``"auto"``, the best on rows that no tree has seen; the trees are then grown anew on all rows.
    fit_intercept, link, intervals, memory, engine, dtype, verbose, random_state
        As in :class:`ELMRegressor`. Trees are grown on at most 200,000 rows, drawn by their content, fewer
        where half of ``memory`` does not hold them; the ridge is of all rows.

    Attributes
    ----------
    n_trees_ : int
        Trees.
    model_ : :class:`samara.model.Model`
        Maps and coefficients.
    alpha_ : float
        The ridge.
    n_hidden_ : int
        Leaves of all trees.
    selection_ : :class:`samara.selection.Selection` or None
        What was tried on the rows held out; None where there was no choice, or fewer than 40 rows.
    coef_, intercept_, plan_, rank_, condition_, approximation_error_, n_features_in_, feature_names_in_
        As in :class:`ELMRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import TreeELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = TreeELMRegressor(10, random_state=0).fit(X, y)
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


class TreeELMClassifier(BaseTreeELM, Classification):
    """Leaves of trees as hidden nodes, for classification: least squares on ±1 codes of the classes.

    Trees are grown for the log loss of the classes' chances, by Newton's steps; the ridge behind them is that
    of least squares, as ever. The parameters are those of :class:`TreeELMRegressor`, and ``class_weight``. Of
    more than three classes each tree sees three random combinations.

    Parameters
    ----------
    n_trees, leaves, rate, least, alpha, fit_intercept, memory, engine, dtype, verbose, random_state
        As in :class:`TreeELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.
    calibration : {"auto", "temperature", "isotonic"} or None, default="auto"
        How outputs become the probabilities of ``predict_proba``, as in :class:`DeepELMClassifier`.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    calibration_ : :class:`samara.calibration.Temperature`, :class:`samara.calibration.Isotonic` or None
        What was learned.
    coef_ : ndarray of shape (1, n_hidden_) or (n_classes, n_hidden_)
        Output weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.
    n_trees_, model_, alpha_, n_hidden_, selection_, plan_, rank_, condition_, approximation_error_, \
n_features_in_, feature_names_in_
        As in :class:`TreeELMRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from samara import TreeELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TreeELMClassifier(10, random_state=0).fit(X, y)
    >>> model.predict_proba(X[:2]).shape
    (2, 3)
    """

    def __init__(
        self,
        n_trees: Any = 50,
        *,
        leaves: int = 31,
        rate: float = 0.2,
        least: float = 10.0,
        alpha: Any = "auto",
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
            n_trees,
            leaves=leaves,
            rate=rate,
            least=least,
            alpha=alpha,
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
