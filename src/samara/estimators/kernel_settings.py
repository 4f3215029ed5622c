"""From the parameters of a kernel estimator to checked settings of a fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.core import Progress
from samara.errors import InputError, unknown_name
from samara.estimators.parameters import (
    read_alphas,
    read_budget,
    read_dtype,
    read_engine,
    read_metric,
    read_rank,
    read_scale,
    read_seed,
    read_selector,
)
from samara.kernel_settings import Gamma, KernelSettings, Nystroem
from samara.maps import KERNELS, Kernel
from samara.selection import KFold, Loo, Selector
from samara.solvers import Rank
from samara.solvers.kernel import KERNEL_SOLVERS, KernelSolver

NAMES = tuple(name for name in KERNELS if name != "callable")
SOLVER_NAMES = (*KERNEL_SOLVERS, "nystroem")
WITH_RANK = ("sketch", "ssvd", "nystroem", "pcg")


def make_kernel_settings(estimator: Any, progress: Progress | None) -> KernelSettings:
    """Check every parameter; the first that can't be used is named."""
    own = isinstance(estimator.kernel, Kernel)  # it brings its gamma
    gamma = estimator.kernel.gamma if own else _gamma(estimator.gamma)
    kernel = _kernel(estimator, 1.0 if isinstance(gamma, str) else gamma)
    alphas = read_alphas(estimator.alpha)
    solver = _solver(estimator.solver)
    rank = _rank(estimator.rank, solver)
    selector, why = _selector(estimator.selection, alphas, solver)
    scale, engine = read_scale(estimator.scale), read_engine(estimator.engine)
    if kernel.name == "precomputed" and scale is not None:
        raise InputError('kernel="precomputed" takes the kernel matrix as it is: use scale=None.')
    if solver is not None and solver.name not in WITH_RANK and rank != "auto":
        raise InputError(f'rank is for {", ".join(WITH_RANK)}; solver="{solver.name}" uses every row.')
    metric = read_metric(estimator.metric, estimator.rounds)
    if metric is not None and kernel.name in ("precomputed", "callable"):
        raise InputError(
            f'metric="{metric.name}" is learned from the gradients of the kernel: use a kernel by name.'
        )
    return KernelSettings(
        kernel=kernel,
        gamma=gamma,
        alphas=alphas,
        solver=solver,
        rank=rank,
        selector=selector,
        selection_why=why,
        scale=scale,
        fit_intercept=bool(estimator.fit_intercept),
        budget=read_budget(estimator.memory, engine),
        crew=engine,
        dtype=read_dtype(estimator.dtype),
        entropy=read_seed(estimator.random_state),
        alpha_per_target=bool(estimator.alpha_per_target),
        progress=progress or engine.progress,
        metric=metric,
    )


def _rank(given: Any, solver: KernelSolver | Nystroem | None) -> Rank | tuple[int, ...]:
    """One rank, or several numbers of centres to choose from."""
    if not isinstance(given, list | tuple | np.ndarray):
        return read_rank(given, "rows")
    if not isinstance(solver, Nystroem) or not len(given):
        raise InputError('Several ranks are for solver="nystroem": give one number, a share or "auto".')
    return tuple(sorted({int(read_rank(int(one), "rows")) for one in given}))


def _gamma(gamma: Any) -> Gamma:
    if not isinstance(gamma, str):
        return gamma  # type: ignore[no-any-return]  # the kernel checks the number
    if gamma not in ("scale", "median", "auto"):
        raise unknown_name("gamma", gamma, ("scale", "median", "auto"))
    return gamma  # type: ignore[return-value]


def _kernel(estimator: Any, gamma: float) -> Kernel:
    given = estimator.kernel
    if isinstance(given, Kernel):
        given.validate()
        return given
    if callable(given):
        return Kernel("callable", function=given)
    if not isinstance(given, str) or given not in NAMES:
        raise unknown_name("kernel", given, (*NAMES, "or a callable"))
    kernel = Kernel(given, gamma, estimator.degree, estimator.coef0)
    kernel.validate()
    return kernel


def _solver(given: Any) -> KernelSolver | Nystroem | None:
    """The solver, None for the plan to choose."""
    if isinstance(given, str):
        if given not in ("auto", *SOLVER_NAMES):
            raise unknown_name("solver", given, ("auto", *SOLVER_NAMES))
        if given == "auto":
            return None
        return Nystroem() if given == "nystroem" else KERNEL_SOLVERS[given]()
    if isinstance(given, type) or getattr(given, "name", None) not in SOLVER_NAMES:
        kind = f"the class {given.__name__}" if isinstance(given, type) else type(given).__name__
        raise InputError(
            f"solver must be a name or a solver such as samara.solvers.kernel.Pcg(), got {kind}."
        )
    given.validate()
    return given  # type: ignore[no-any-return]


def _selector(
    selection: Any, alphas: tuple[float, ...] | None, solver: KernelSolver | Nystroem | None
) -> tuple[Selector | None, str]:
    """Leave-one-out from the dual formula, but for `nystroem`, whose folds come with its pass."""
    given = alphas is not None and len(alphas) == 1
    centres = isinstance(solver, Nystroem)
    auto: Selector = KFold() if centres else Loo()
    why = "the same pass as the model" if centres else "the same factor as the model, exact"
    found, reason = read_selector(selection, given, auto, f"selection {auto.name}: from {why}")
    if found is not None and found.name not in ("kfold", "loo"):
        raise InputError(f'A kernel model has no {found.name}: use selection="loo" or "kfold".')
    return found, reason
