"""Extreme learning machine for regression."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.estimators.arrivals import OnlineRegression
from samara.estimators.base import BaseELM
from samara.estimators.regression import Regression


class ELMRegressor(OnlineRegression, BaseELM, Regression):
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
        A list is chosen from; ``"auto"`` is ten ridges from 1e-7 to 100 times the mean eigenvalue of HᵀH, and
        five smaller ones where the error still falls at the smallest and the solver is exact.
    solver : {"auto", "gram", "qr", "svd", "dual", "rsvd", "fast_svd", "fast_svd_gradient", "sketch", \
"lsqr", "precondition", "tiles", "submodels"} or solver, default="auto"
        ``auto`` picks from shape, smallest ridge and budget, and says why in ``plan_``. A solver object, such
        as ``samara.solvers.Rsvd(power=1)``, brings settings of its own. ``tiles`` shares the Gram matrix out
        among workers; ``submodels`` averages models of some nodes each, which is another model (MPR-ELM).
    rank : int, float or "auto", default="auto"
        Directions of the hidden space that ``rsvd``, ``fast_svd``, ``fast_svd_gradient`` and ``sketch`` use:
        a number, a share of the nodes, or ``"auto"``: found from the ridge, or by the solver's own stop,
        then chosen among smaller ones by K-fold.
    selection : {"auto", "kfold", "loo", "gcv", "lcurve"} or selector, default="auto"
        How ridge and size are chosen; ``auto`` is exact 5-fold without a second pass.
    alpha_per_target : bool, default=False
        Choose a ridge for each target.
    scale : {"standard", "quantile", "unit"}, FeatureMap or None, default="standard"
        Scaling of the inputs, learned from the rows (in ``partial_fit`` from the first batch). A map such as
        ``samara.maps.Standardize(mean, spread, dtype)`` is used as given.
    missing : {"impute", "flag"} or None, default=None
        Missing values, NaN in an array. ``"flag"``: the mean of the column, and a further column that says
        where it stands in for a value. ``"impute"``: filled by what the rest of the row says, as
        :class:`samara.LowRankImputer` does; learned in the fit and kept in the model. None refuses NaN in
        arrays and flags gaps of data frames and scans.
    direct_link : bool, default=False
        Give the inputs themselves to the output as well (RVFL).
    metric : {"agop", "agop_diagonal"} or None, default=None
        Learn a metric of the scaled inputs from the model's own gradients: their mean outer product, or its
        diagonal, which sparse rows need. The model is then one of inputs multiplied by the metric's root.
    rounds : int, default=3
        Most rounds of a metric: each fits, takes the gradients and fits anew. How many are kept is chosen on
        a fifth of the rows, which no round has seen; none may be.
    fit_intercept : bool, default=True
        Fit an intercept; it is not penalised.
    link : {"log", "logit"}, :class:`samara.links.Logit` or None, default=None
        Fit to log y, or to the logit of y, and take predictions back: above 0, or between 0 and 1, or the
        bounds of ``Logit(low, high)``. After a log they are multiplied by ``smearing_``.
    intervals : bool, default=True
        Learn what ``predict_interval`` needs, from rows left out. Without, a fit of few nodes takes half as
        long, and the file of a small model does not tell what each row did to it.
    update : {"information", "qr", "woodbury"} or Woodbury, default="information"
        What ``partial_fit`` keeps: the moments of the rows, solved when the model is asked for; their
        triangle, for tiny ridges; or the inverse itself, current after each batch (OS-ELM, OS-RELM).
    forget : float, default=1.0
        Weight of a row each time another arrives, under ``partial_fit``: 0.999 halves it in 693 rows.
    window : int or None, default=None
        Only the last so many rows count, under ``partial_fit``.
    memory : str, int or None, default=None
        Memory the fit may take above the input, such as ``"200MB"``. Refused before any row is read if
        it can't be kept.
    engine : "threads", :class:`samara.engines.Threads`, or a cluster, default=None
        Who merges; all cores unless told otherwise. A cluster is a ``distributed.Client``, the address of a
        scheduler such as ``"tcp://127.0.0.1:8786"``, :class:`samara.engines.DaskEngine`, a ``SparkSession``,
        ``"spark"``, or :class:`samara.engines.SparkEngine`.
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
    plan_ : :class:`samara.plans.Plan`
        Passes, flops, predicted peak of memory, and the reason for each choice.
    coef_ : ndarray of shape (n_hidden_,) or (n_targets, n_hidden_)
        Output weights; with ``direct_link`` those of the inputs come first.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    rank_ : int
        Columns of H that the solution uses.
    condition_ : float
        Estimate of the condition number of H with the ridge in it.
    approximation_error_ : float
        ‖H − HVVᵀ‖_F / ‖H‖_F of the directions V that a low-rank solver used; 0 for the others.
    metric_ : ndarray of shape (d, d) or (d,)
        The metric of the scaled inputs, where one was asked for; the identity where no round was kept.
    rounds_ : int
        Rounds kept.
    rounds_scores_ : ndarray of shape (rounds + 1,)
        Squared error after each number of rounds on rows left out of all of them, relative to the variance of
        the targets (1 − R²). Those in ``selection_`` are given the metric, and too good.
    model_ : :class:`samara.model.Model`
        Maps and coefficients.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Names of the inputs, where X had names.
    intervals_ : :class:`samara.intervals.Intervals` or None
        What ``predict_interval`` needs; None without ``intervals``, where the solver can't leave rows out,
        and after ``partial_fit``.
    link_ : :class:`samara.links.Log`, :class:`samara.links.Logit` or None
        The link in use.
    smearing_ : ndarray of shape (n_targets,) or None
        Of a log: mean of exp(error) over rows left out, which makes medians means; None where there are none.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import ELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = ELMRegressor(n_hidden=200, random_state=0).fit(X, y)
    >>> model.predict(X[:2]).shape
    (2,)
    """

    _RESULTS = (*BaseELM._RESULTS, "intervals_", "smearing_")

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
