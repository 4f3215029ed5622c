"""Kernel extreme learning machines."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.estimators.classification import Classification
from samara.estimators.kernel_base import BaseKernelELM
from samara.estimators.regression import Regression


class KernelELMRegressor(BaseKernelELM, Regression):
    """Kernel extreme learning machine for regression (kernel ridge regression).

    f(x) = k(x)ᵀ(K + αI)⁻¹y + b (Men and Wang eq. 14–15; Bi et al. eq. 14; Schindler 2.34–2.36), exactly or
    without ever storing the n×n matrix K; the ridge is chosen by exact leave-one-out from the same factor.

    Parameters
    ----------
    kernel : str, callable or :class:`samara.maps.Kernel`, default="rbf"
        ``rbf``, ``linear``, ``polynomial``, ``laplacian``, ``sigmoid``, ``cosine``, as scikit-learn defines
        them; ``laplace``, exp(−γ‖x − z‖) of the Euclidean distance (``laplacian`` is of the sum of the
        differences), and ``matern32``, ``matern52`` of length 1/γ; ``precomputed``: X is the kernel matrix;
        or a function of two arrays of rows, (n, d) and (m, d), that returns the (n, m) matrix. A ``Kernel``
        brings its own gamma, degree and coef0.
    gamma : float, "scale", "median" or "auto", default="scale"
        Not of linear and cosine. ``scale``: 1/(d·Var(X)), its root for laplace and Matérn's; ``median``:
        1/(2m²) with m the median distance of rows (1/m for all but rbf); ``auto``: of nine values from 1/32
        to 32 times ``scale`` that with the smallest leave-one-out error over all ridges, on at most 1500
        rows.
    degree, coef0 : float
        Of polynomial (and coef0 of sigmoid).
    alpha : float, list of float or "auto", default="auto"
        Ridge, not divided by n (the papers' C is 1/α). A list is chosen from; ``"auto"`` is ten ridges from
        1e-8 to 10 times the mean diagonal of K, with ``exact`` smaller ones where the error still falls there
        (with ``nystroem`` as in :class:`ELMRegressor`).
    solver : {"auto", "exact", "sketch", "ssvd", "nystroem", "pcg", "divide", "leaves"} or solver
        ``auto`` picks from the number of rows and ridges and the memory, and says why in ``plan_``. A
        solver object, such as ``samara.solvers.kernel.Pcg(tol=1e-6)`` or
        ``samara.kernel_settings.Nystroem("kmeans")``, brings settings of its own.
    rank : int, float, list of int or "auto", default="auto"
        Directions of ``sketch`` and ``ssvd``, centres of ``nystroem``, columns of the preconditioner of
        ``pcg``: a number, a share of the rows, with ``nystroem`` a list to choose from, or found: from the
        error estimate, by appending centres while the held-out error falls, from the iterations saved.
    selection : {"auto", "loo", "kfold"} or selector, default="auto"
        How the ridge is chosen. ``auto`` is exact leave-one-out; with ``nystroem`` 5-fold from its pass.
    alpha_per_target : bool, default=False
        Choose a ridge for each target.
    scale : {"standard", "quantile", "unit"}, FeatureMap or None, default=None
        Scaling of the inputs; with None kernels are those of the inputs as they are. A map such as
        ``samara.maps.Standardize(mean, spread, dtype)`` is used as given.
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
        Learn what ``predict_interval`` needs, from rows left out.
    memory : str, int or None, default=None
        Memory the fit may take above the input, such as ``"2GB"``. Refused before any row is read if it
        can't be kept.
    engine : "threads", :class:`samara.engines.Threads`, or a cluster, default=None
        Who computes; all cores unless told otherwise. A cluster is a ``distributed.Client``, the address of a
        scheduler such as ``"tcp://127.0.0.1:8786"``, :class:`samara.engines.DaskEngine`, a ``SparkSession``,
        ``"spark"``, or :class:`samara.engines.SparkEngine`.
    dtype : {"float64", "float32"}, default="float64"
        Precision of the kernel's entries; ``exact`` factorizes in float64.
    verbose : bool, default=False
        Show progress on standard error.
    random_state : int, RandomState or None, default=None
        Seed of sketches, centres, pivots and parts.

    Attributes
    ----------
    alpha_ : float or ndarray of shape (n_targets,)
        Ridge used.
    gamma_ : float
        Gamma used.
    selection_ : :class:`samara.selection.Selection` or None
        The scores of the ridges with standard errors; None where nothing was chosen.
    plan_ : :class:`samara.plans.Plan`
        Solver, flops, predicted peak of memory, and the reason for each choice.
    dual_coef_ : ndarray of shape (n_centres,) or (n_centres, n_targets)
        Weights of the kernel with each centre; a linear kernel is kept as its weights of the inputs. With
        ``leaves`` the intercepts of the leaves come after them.
    X_fit_ : array or CSR matrix of shape (n_centres, n_features)
        Centres, scaled; row numbers for a precomputed kernel.
    intercept_ : float or ndarray of shape (n_targets,)
        Intercept.
    rank_ : int
        Rank of the kernel matrix used: rows, directions, centres, or columns of the preconditioner.
    condition_ : float
        Condition number of the regularised matrix, or an estimate.
    fnorm_ : float
        ‖K − K̃‖_F of ``sketch`` and ``ssvd``: estimated, or exact with ``KernelSketch(exact_error=True)`` and
        ``Ssvd(exact_error=True)``. 0 for others.
    approximation_error_ : float
        ``sketch``, ``ssvd``: ``fnorm_`` relative to ‖K‖_F; ``nystroem``: share of K's trace left out;
        ``divide``: standard error of the mean of the parts, relative to the targets' spread; else 0.
    residual_, n_iter_ : float, int
        Largest relative residual and iterations of ``pcg``.
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
        What ``predict_interval`` needs; None without ``intervals`` and where the solver can't leave rows out.
    link_ : :class:`samara.links.Log`, :class:`samara.links.Logit` or None
        The link in use.
    smearing_ : ndarray of shape (n_targets,) or None
        Of a log: mean of exp(error) over rows left out, which makes medians means; None where there are none.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import KernelELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelELMRegressor(scale="standard").fit(X, y)
    >>> model.plan_.solver
    'exact'
    """

    @property
    def dual_coef_(self) -> Array:
        """Weights of the centres."""
        check_is_fitted(self, "model_")
        return self.model_.coef[:, 0] if self._one_target else self.model_.coef

    @property
    def intercept_(self) -> Any:
        """Intercept."""
        check_is_fitted(self, "model_")
        return float(self.model_.intercept[0]) if self._one_target else self.model_.intercept


class KernelELMClassifier(BaseKernelELM, Classification):
    """Kernel extreme learning machine for classification: kernel ridge on ±1 codes of the classes.

    The parameters are those of :class:`KernelELMRegressor`, and ``class_weight``. The ridge is chosen by the
    squared error of the codes.

    Parameters
    ----------
    kernel, gamma, degree, coef0, alpha, solver, rank, selection, alpha_per_target, scale, metric, rounds, \
fit_intercept, memory, engine, dtype, verbose, random_state
        As in :class:`KernelELMRegressor`.
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
    alpha_, gamma_, selection_, plan_, X_fit_, rank_, condition_, fnorm_, approximation_error_, residual_, \
n_iter_, model_, n_features_in_, feature_names_in_, metric_, rounds_, rounds_scores_
        As in :class:`KernelELMRegressor`.
    dual_coef_ : ndarray of shape (n_centres, 1) or (n_centres, n_classes)
        Weights of the centres.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Intercepts.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from samara import KernelELMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> KernelELMClassifier().fit(X, y).predict_proba(X[:2]).shape
    (2, 3)
    """

    _TAKES_LABELS = True

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: float = 3,
        coef0: float = 1,
        alpha: Any = "auto",
        solver: Any = "auto",
        rank: Any = "auto",
        selection: Any = "auto",
        alpha_per_target: bool = False,
        scale: Any = None,
        metric: Any = None,
        rounds: int = 3,
        fit_intercept: bool = True,
        class_weight: Any = None,
        calibration: Any = "auto",
        threshold: Any = None,
        ordinal: bool = False,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            kernel,
            gamma=gamma,
            degree=degree,
            coef0=coef0,
            alpha=alpha,
            solver=solver,
            rank=rank,
            selection=selection,
            alpha_per_target=alpha_per_target,
            scale=scale,
            metric=metric,
            rounds=rounds,
            fit_intercept=fit_intercept,
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
    def dual_coef_(self) -> Array:
        """Weights of the centres."""
        check_is_fitted(self, "model_")
        return self.model_.coef

    @property
    def intercept_(self) -> Array:
        """Intercepts."""
        check_is_fitted(self, "model_")
        return self.model_.intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = not self.ordinal
        return tags
