"""The spine of the kernel models: look, plan, kernel matrix, select, solve, model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse

from samara.centre_fit import KernelFitted, fit_centres
from samara.core import Array, FeatureMap, Source
from samara.errors import InputError
from samara.kernel_data import Rows, checked, found_gamma, gathered, ridge_grid
from samara.kernel_left_out import Units, left_out_of_few, left_out_of_many, left_out_of_one_ridge
from samara.kernel_plan import pcg_rank, spare_bytes
from samara.kernel_settings import KernelSettings, Nystroem
from samara.left_out import ALL_KEPT, LeftOut
from samara.linalg.workers import threads_for
from samara.maps import Gramian, Kernel, KernelRows, UnitRows
from samara.model import Model
from samara.plans import Plan
from samara.prepare import scalings_of
from samara.rowkeys import fold_of
from samara.selection import Selection, choose, left_out_surface, scored
from samara.settings import QUANTILE_ROWS
from samara.shapes import safe_ridge
from samara.solvers.kernel import (
    DualFactor,
    Iterated,
    KernelTask,
    Leafed,
    OneRidge,
    Spectral,
    groups_of,
)
from samara.summaries import Profile

SEEN_ALONG = ("sketch", "ssvd")  # directions, with what they miss of the matrix


def fit_kernel(source: Source, settings: KernelSettings, profile: Profile | None = None) -> KernelFitted:
    """Fit a source of raw inputs and targets, after a look at it where none is given."""
    plan = settings.plan(source)  # refuses before any row is read
    solver = settings.solver_of(plan)
    if isinstance(solver, Nystroem):
        return fit_centres(source, settings, (plan, solver), profile)
    if settings.checkpoint is not None:
        raise InputError(
            f'solver="{solver.name}" has no checkpoints, for it does not go through the rows in one pass. '
            'Use solver="nystroem" or checkpoint=None.'
        )
    sampled = QUANTILE_ROWS if settings.scale == "quantile" else 0
    if profile is None:
        profile = settings.engine().summarize(source, partial(Profile, sampled), name="look")
    maps = scalings_of(source, settings, profile)
    rows = gathered(source, settings, maps, profile)
    kernel = replace(settings.kernel, gamma=found_gamma(settings, profile, rows))
    kernel.validate()
    task = _task(rows, kernel, (source, settings, plan))
    factor = solver(task)
    alpha, selection = _selected(factor, rows, settings, solver.name)
    held_out = None if selection is None else partial(_held_out, factor, rows, settings, alpha)
    left_out = _left_out(task, (solver.name, factor, alpha), held_out, rows.units)
    return _finished(factor, task, (maps, rows.units), (plan, alpha, selection), (held_out, left_out))


def _left_out(
    task: KernelTask,
    solved: tuple[str, DualFactor, float | Array],
    held_out: Callable[[], Array] | None,
    units: Units,
) -> Callable[[], LeftOut] | None:
    """How rows are left out; None where the solver kept too little of the kernel to tell."""
    solver, factor, alpha = solved
    if solver == "exact" and task.n <= ALL_KEPT and not isinstance(alpha, np.ndarray):
        return partial(left_out_of_few, task, alpha, units)  # few enough to tell what each does to the model
    if held_out is not None:
        return partial(left_out_of_many, task, held_out, units)
    if (
        solver in ("exact", "leaves")
        and isinstance(factor, OneRidge | Spectral | Leafed)
        and float(alpha) > 0
    ):
        return partial(left_out_of_one_ridge, task, factor, float(alpha), units)
    return None


def _task(rows: Rows, kernel: Kernel, of: tuple[Source, KernelSettings, Plan]) -> KernelTask:
    """What a solver is given."""
    source, settings, plan = of
    return KernelTask(
        gramian=checked(Gramian(kernel, rows.X, settings.dtype)),
        targets=rows.targets,
        weights=rows.weights,
        keys=rows.keys,
        fit_intercept=settings.fit_intercept,
        alphas=settings.alphas,
        rank="auto" if isinstance(settings.rank, tuple) else settings.rank,
        workers=threads_for(float(source.n_rows) ** 3, plan.workers),
        engine=settings.multiplier(plan),
        entropy=settings.entropy,
        report=settings.progress,
        **_room_of_pcg(source, settings) if plan.solver == "pcg" else {},
    )


def _room_of_pcg(source: Source, settings: KernelSettings) -> dict[str, int]:
    """Columns of its preconditioner, and bytes for tiles that it keeps."""
    shape = settings.shape(source)
    return {"most": pcg_rank(shape, settings.budget), "spare": spare_bytes(shape, settings.budget)}


def _held_out(factor: DualFactor, rows: Rows, settings: KernelSettings, alpha: float | Array) -> Array:
    """Outputs for every row by the model without it, in the units of the data."""
    groups = groups_of(_held_together(rows, settings))
    ridges = np.broadcast_to(np.asarray(alpha, float), rows.targets.shape[1:])
    parts = {value: factor.left_out(value, groups) for value in np.unique(ridges).tolist()}
    errors = np.stack([parts[value][:, j] for j, value in enumerate(ridges.tolist())], axis=1)
    if rows.weights is not None:
        errors = errors / np.sqrt(rows.weights)[:, None]
    centre, spread = rows.units
    return np.asarray(centre + spread * (rows.targets - errors))


def _held_together(rows: Rows, settings: KernelSettings) -> Array:
    """Labels of rows that are left out at the same time: a fold, or a row with its copies."""
    selector = settings.selector
    folds = selector is not None and selector.name == "kfold"
    return fold_of(rows.keys, selector.n_folds) if selector is not None and folds else rows.keys


def _selected(
    factor: DualFactor, rows: Rows, settings: KernelSettings, solver: str
) -> tuple[float | Array, Selection | None]:
    """The ridge, chosen where there is a choice."""
    given, selector = settings.alphas, settings.selector
    alphas = ridge_grid(factor.trace, rows.weight) if given is None else np.array(given)
    if selector is None:
        return float(alphas[0]), None
    folds = selector.name == "kfold"
    labels = _held_together(rows, settings)
    if (labels == labels[0]).all():  # nothing can be held out
        return float(alphas[-1]), None
    score = partial(left_out_surface, factor, labels=labels, weights=rows.weights, folds=folds)
    # What is approximate was made for the grid as it is; below the floor rounding is a tenth of a score.
    exact = given is None and solver == "exact"
    floor = 100 * safe_ridge(factor.trace, settings.dtype.name) if exact else None
    surface = scored(score, alphas, floor)
    found = choose(surface, selector.name, rows.units[1], 0, settings.alpha_per_target)
    return found.best_alpha, found


def _finished(
    factor: DualFactor,
    task: KernelTask,
    learned: tuple[tuple[FeatureMap, ...], Units],
    chosen: tuple[Plan, float | Array, Selection | None],
    without: tuple[Callable[[], Array] | None, Callable[[], LeftOut] | None],
) -> KernelFitted:
    """Back to the units of the data."""
    (maps, (centre, spread)), (plan, alpha, selection) = learned, chosen
    coef, intercept = _solved(factor, alpha)
    coef = (coef * spread).astype(task.gramian.dtype)
    intercept = centre + spread * intercept
    smallest = alpha if isinstance(alpha, float) else float(np.min(alpha))
    return KernelFitted(
        model=_model((factor, task), maps, coef, intercept.astype(task.gramian.dtype)),
        plan=plan,
        selection=selection,
        alpha=alpha,
        kernel=task.gramian.kernel,
        rank=factor.rank,
        condition=factor.condition(smallest),
        approximation_error=_relative(factor, plan.solver),
        fnorm=factor.error if plan.solver in SEEN_ALONG else 0.0,
        residual=factor.residual if isinstance(factor, Iterated) else 0.0,
        n_iter=factor.n_iter if isinstance(factor, Iterated) else 0,
        held_out=without[0],
        left_out=without[1],
    )


def _solved(factor: DualFactor, alpha: float | Array) -> tuple[Array, Array]:
    """Coefficients and intercepts; one solve for each distinct ridge."""
    if not isinstance(alpha, np.ndarray):
        solution = factor.solve(alpha)
        return solution.coef, solution.intercept
    parts = {value: factor.solve(float(value)) for value in np.unique(alpha)}
    coef = np.stack([parts[value].coef[:, j] for j, value in enumerate(alpha)], axis=1)
    return coef, np.array([parts[value].intercept[j] for j, value in enumerate(alpha)])


def _relative(factor: DualFactor, solver: str) -> float:
    """The error in units of the matrix."""
    if solver == "divide":
        return factor.error
    values = getattr(factor, "values", None)
    if solver not in SEEN_ALONG or values is None or factor.error == 0:
        return 0.0
    return factor.error / float(np.hypot(factor.error, np.linalg.norm(values)))


def _model(
    of: tuple[DualFactor, KernelTask], maps: tuple[FeatureMap, ...], coef: Array, intercept: Array
) -> Model:
    """The kernel of a row with all rows, or with those of its leaf; of a linear kernel, its weights."""
    factor, gramian = of[0], of[1].gramian
    if isinstance(factor, Leafed):
        return Model((*maps, factor.features()), coef, intercept)
    if gramian.kernel.name == "linear":
        X = gramian.rows
        return Model(maps, np.asarray(X.T @ coef), intercept)
    centres = np.arange(gramian.n) if gramian.kernel.name == "precomputed" else gramian.rows
    last = KernelRows(gramian.kernel, centres, gramian.dtype)
    sparse_rows = sparse.issparse(centres) and not isinstance(maps[0], UnitRows)
    if sparse_rows or gramian.kernel.name == "precomputed":
        return Model((*maps[1:], last), coef, intercept)
    return Model((*maps, last), coef, intercept)
