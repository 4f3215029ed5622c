"""Kernel extreme learning machines."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from samara.centre_fit import KernelFitted
from samara.core import Array
from samara.estimators.checkpointing import checkpointed
from samara.estimators.classification import Classification
from samara.estimators.common import ClosedForm
from samara.estimators.given import Given, budgeted
from samara.estimators.kernel_settings import make_kernel_settings
from samara.estimators.regression import Regression
from samara.kernel_fit import fit_kernel
from samara.kernel_settings import KernelSettings
from samara.maps import KernelRows, Whitened


class BaseKernelELM(ClosedForm):
    """Parameters, the fit of a source, and its results."""

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
        fit_intercept: bool = True,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.solver = solver
        self.rank = rank
        self.selection = selection
        self.alpha_per_target = alpha_per_target
        self.scale = scale
        self.fit_intercept = fit_intercept
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""

        def run(progress: Any) -> KernelFitted:
            settings = budgeted(make_kernel_settings(self, progress), given)
            with checkpointed(self, settings, given, where) as settings:
                source, profile = given.seen(settings)
                return fit_kernel(source, settings, profile)

        done = self._following(given, run)
        self.model_, self.plan_, self.selection_ = done.model, done.plan, done.selection
        self.alpha_, self.gamma_ = done.alpha, done.kernel.gamma
        self.rank_, self.condition_ = done.rank, done.condition
        self.approximation_error_, self.fnorm_ = done.approximation_error, done.fnorm
        self.residual_, self.n_iter_ = done.residual, done.n_iter

    def _settings(self) -> KernelSettings:
        return make_kernel_settings(self, None)

    @property
    def X_fit_(self) -> Any:  # noqa: N802 - scikit-learn's name
        """Centres of the model."""
        check_is_fitted(self, "model_")
        last = self.model_.maps[-1]
        if isinstance(last, Whitened):
            last = last.rows
        if not isinstance(last, KernelRows):
            raise AttributeError("A linear kernel is kept as the weights of the inputs: dual_coef_ has them.")
        return last.centres

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


class KernelELMRegressor(BaseKernelELM, Regression):
    """Kernel extreme learning machine for regression (kernel ridge regression).

    f(x) = k(x)ᵀ(K + αI)⁻¹y + b (Men and Wang eq. 14–15; Bi et al. eq. 14; Schindler 2.34–2.36), exactly or
    without ever storing the n×n matrix K; the ridge is chosen by exact leave-one-out from the same factor.

    Parameters
    ----------
    kernel : str, callable or :class:`samara.maps.Kernel`, default="rbf"
        ``rbf``, ``linear``, ``polynomial``, ``laplacian``, ``sigmoid``, ``cosine``, as scikit-learn defines
        them; ``precomputed``: X is the kernel matrix; or a function of two arrays of rows, (n, d) and
        (m, d), that returns the (n, m) matrix. A ``Kernel`` brings its own gamma, degree and coef0.
    gamma : float, "scale", "median" or "auto", default="scale"
        Of rbf, laplacian, polynomial and sigmoid. ``scale``: 1/(d·Var(X)); ``median``: 1/(2m²) with m the
        median distance of rows (1/m for laplacian); ``auto``: of nine values from 1/32 to 32 times
        ``scale`` that with the smallest leave-one-out error over all ridges, on at most 1500 rows.
    degree, coef0 : float
        Of polynomial (and coef0 of sigmoid).
    alpha : float, list of float or "auto", default="auto"
        Ridge, not divided by n (the papers' C is 1/α). A list is chosen from; ``"auto"`` is ten ridges from
        1e-8 to 10 times the mean diagonal of K (with ``nystroem`` as in :class:`ELMRegressor`).
    solver : {"auto", "exact", "sketch", "ssvd", "nystroem", "pcg", "divide"} or solver, default="auto"
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
    fit_intercept : bool, default=True
        Fit an intercept; it is not penalised.
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
        Weights of the kernel with each centre; a linear kernel is kept as its weights of the inputs.
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
    model_ : :class:`samara.model.Model`
        Maps and coefficients.
    n_features_in_ : int
        Number of inputs.
    feature_names_in_ : ndarray of str
        Names of the inputs, where X had names.

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
    kernel, gamma, degree, coef0, alpha, solver, rank, selection, alpha_per_target, scale, fit_intercept, \
memory, engine, dtype, verbose, random_state
        As in :class:`KernelELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    alpha_, gamma_, selection_, plan_, X_fit_, rank_, condition_, fnorm_, approximation_error_, residual_, \
n_iter_, model_, n_features_in_, feature_names_in_
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
        fit_intercept: bool = True,
        class_weight: Any = None,
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
            fit_intercept=fit_intercept,
            memory=memory,
            engine=engine,
            dtype=dtype,
            verbose=verbose,
            random_state=random_state,
        )
        self.class_weight = class_weight

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
