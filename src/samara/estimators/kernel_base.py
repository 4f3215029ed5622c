"""What the kernel extreme learning machines share: parameters, the fit of a source, and its results."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from samara.centre_fit import KernelFitted
from samara.estimators.checkpointing import checkpointed
from samara.estimators.common import ClosedForm
from samara.estimators.given import Given, budgeted
from samara.estimators.kernel_settings import make_kernel_settings
from samara.estimators.metrics import set_metric
from samara.kernel_fit import fit_kernel
from samara.kernel_settings import KernelSettings
from samara.maps import KernelRows, LeafRows, Whitened
from samara.metric_fit import Learned, fit_kernel_metric


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
        metric: Any = None,
        rounds: int = 3,
        fit_intercept: bool = True,
        link: Any = None,
        intervals: bool = True,
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
        self.metric = metric
        self.rounds = rounds
        self.fit_intercept = fit_intercept
        self.link = link  # of the regressors, as intervals
        self.intervals = intervals
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""

        def run(progress: Any) -> tuple[KernelFitted, Learned | None]:
            settings = budgeted(make_kernel_settings(self, progress), given)
            with checkpointed(self, settings, given, where) as settings:
                source, profile = given.seen(settings)
                if settings.metric is not None:
                    return fit_kernel_metric(source, settings, profile)
                return fit_kernel(source, settings, profile), None

        done, learned = self._following(given, run)
        self.model_, self.plan_, self.selection_ = done.model, done.plan, done.selection
        self.alpha_, self.gamma_ = done.alpha, done.kernel.gamma
        self.rank_, self.condition_ = done.rank, done.condition
        self.approximation_error_, self.fnorm_ = done.approximation_error, done.fnorm
        self.residual_, self.n_iter_ = done.residual, done.n_iter
        self._learn_left_out(done.left_out)
        set_metric(self, learned)

    def _settings(self) -> KernelSettings:
        return make_kernel_settings(self, None)

    @property
    def X_fit_(self) -> Any:  # noqa: N802 - scikit-learn's name
        """Centres of the model."""
        check_is_fitted(self, "model_")
        last = self.model_.maps[-1]
        if isinstance(last, Whitened | LeafRows):
            last = last.rows
        if not isinstance(last, KernelRows):
            raise AttributeError("A linear kernel is kept as the weights of the inputs: dual_coef_ has them.")
        return last.centres

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        cut = getattr(self.solver, "name", self.solver) == "leaves"  # along directions that leave no zeros
        tags.input_tags.sparse = self.metric != "agop" and not cut  # a full metric leaves none either
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags
