"""`nystroem`: a kernel model on M centres, through the one-pass fit of whitened rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Source
from samara.errors import BudgetError, InputError
from samara.fit import Fitted, fit
from samara.kernel_data import checked, found_gamma, refuse_rows_left_out, some_rows
from samara.kernel_settings import KernelSettings, Nystroem
from samara.left_out import LeftOut
from samara.linalg.blas import solve_upper
from samara.maps import AsFloat, Gramian, Kernel, KernelRows, Whitened, whitened
from samara.model import Model
from samara.plans import Plan
from samara.prepare import look, scalings_of
from samara.selection import KFold, Selection
from samara.settings import AUTO_MOST
from samara.summaries import Profile

ERROR_ROWS = 1000  # on which the share of the kernel that the centres miss is measured


@dataclass(frozen=True)
class KernelFitted:
    """A kernel model, and how it came about."""

    model: Model
    plan: Plan
    selection: Selection | None
    alpha: float | Array
    kernel: Kernel
    rank: int
    condition: float
    approximation_error: float  # relative
    fnorm: float = 0.0  # ‖K − K̃‖_F of a sketch
    residual: float = 0.0
    n_iter: int = 0
    held_out: Callable[[], Array] | None = None  # outputs for the rows by models without them
    left_out: Callable[[], LeftOut] | None = None  # the same, and what it takes to tell of new rows


def fit_centres(
    source: Source, settings: KernelSettings, planned: tuple[Plan, Nystroem], profile: Profile | None = None
) -> KernelFitted:
    """Draw the centres, whiten them, and fit as an extreme learning machine with these nodes."""
    plan, solver = planned
    sizes = settings.n_centres(source.n_rows)
    if sizes is not None and sizes[-1] > source.n_rows:
        raise InputError(f"{sizes[-1]:,} centres are more than the {source.n_rows:,} rows.")
    settings = _with_folds_that_fit(source, settings, sizes, solver)
    most = min(AUTO_MOST, source.n_rows)
    asked = settings.of_centres(settings.kernel, sizes, solver.centres, most)
    profile = look(source, asked) if profile is None else profile
    # No more centres than there are different rows: copies would add nothing.
    most = min(most, len(profile.sample))
    sizes = None if sizes is None else tuple(sorted({min(size, len(profile.sample)) for size in sizes}))
    if settings.kernel.name == "precomputed":
        nodes = _given_centres(source, settings, sizes)
        kernel = settings.kernel
        done = fit(source, replace(asked, layer=nodes, sizes=sizes or (nodes.n_out,)), profile)
    else:
        rows = some_rows(source, settings, scalings_of(source, settings, profile), profile)
        kernel = replace(settings.kernel, gamma=found_gamma(settings, profile, rows))
        kernel.validate()
        done = fit(source, settings.of_centres(kernel, sizes, solver.centres, most), profile)
    # The line on low-rank solvers is about other models.
    reasons = (plan.reasons[0], *(why for why in done.plan.reasons if not why.startswith("rsvd")))
    return KernelFitted(
        model=_collapsed(done.model),
        plan=replace(done.plan, solver="nystroem", reasons=reasons),
        selection=done.selection,
        alpha=done.alpha,
        kernel=kernel,
        rank=done.n_hidden,
        condition=done.condition,
        approximation_error=_missed(source, done),
        left_out=_left_out(done),
    )


def _with_folds_that_fit(
    source: Source, settings: KernelSettings, sizes: tuple[int, ...] | None, solver: Nystroem
) -> KernelSettings:
    """Fewer folds, where the moments of all don't fit: iterations would read the rows hundreds of times."""
    if settings.budget.memory is None or settings.selector is None or settings.selector.name != "kfold":
        return settings
    for n_folds in (n for n in (settings.selector.n_folds, 3, 2) if n <= settings.selector.n_folds):
        why = (
            settings.selection_why
            if n_folds == settings.selector.n_folds
            else f"selection kfold: {n_folds} folds, what the memory holds"
        )
        fewer = replace(settings, selector=KFold(n_folds), selection_why=why)
        asked = fewer.of_centres(settings.kernel, sizes, solver.centres)
        try:
            if asked.plan(source, asked.first_sizes()).solver != "lsqr":
                return fewer
        except BudgetError:
            continue
    return settings


def _given_centres(source: Source, settings: KernelSettings, sizes: tuple[int, ...] | None) -> Whitened:
    """Some rows of a matrix that is given."""
    plain = AsFloat(source.n_features, settings.dtype)
    block = next(iter(source.parts(1)[0].blocks(source.n_rows)))
    refuse_rows_left_out(len(block), source)
    gramian = checked(Gramian(settings.kernel, plain(block.X), settings.dtype))
    rng = np.random.default_rng(np.random.SeedSequence([settings.entropy, 0]))
    count = sizes[-1] if sizes else min(source.n_rows, AUTO_MOST)
    chosen = rng.permutation(source.n_rows)[:count]
    return whitened(KernelRows(settings.kernel, chosen, settings.dtype), gramian.tile(chosen, chosen))


def _left_out(done: Fitted) -> Callable[[], LeftOut] | None:
    """Rows as the models without them see them, for the features of the model as it is kept."""
    nodes, found = done.model.maps[-1], done.left_out
    if found is None or not isinstance(nodes, Whitened) or nodes.triangle.dtype != np.float64:
        return found
    triangle = np.ascontiguousarray(nodes.triangle)
    return lambda: found().behind(lambda D: solve_upper(triangle, np.array(D, order="C")))


def _collapsed(model: Model) -> Model:
    """k(x, Z)·(T⁻¹β): no triangle to keep and none to solve with. float32 would lose it to rounding."""
    nodes = model.maps[-1]
    if not isinstance(nodes, Whitened) or nodes.triangle.dtype != np.float64:
        return model
    triangle = np.ascontiguousarray(nodes.triangle)
    coef = solve_upper(triangle, np.array(model.coef, np.float64, order="C"))
    return Model((*model.maps[:-1], nodes.rows), coef, model.intercept)


def _missed(source: Source, done: Fitted) -> float:
    """1 − tr K̃ / tr K, on some rows: what the centres leave of the kernel matrix (its nuclear norm)."""
    # Of rows that were not counted the first part may have none.
    block = next(block for part in source.parts(1) for block in part.blocks(ERROR_ROWS))
    X = block.inputs()
    for feature_map in done.model.maps[:-1]:
        X = feature_map(X)
    nodes = done.model.maps[-1]
    assert isinstance(nodes, Whitened)
    kept = np.sum(np.asarray(nodes(X), np.float64) ** 2, axis=1)
    kernel = nodes.rows.kernel
    if kernel.name == "precomputed":
        whole = np.asarray(X)[np.arange(len(block)), block.start + np.arange(len(block))]
    else:
        whole = Gramian(kernel, X, np.dtype(np.float64)).diagonal()
    return float(np.clip(1 - kept.sum() / (float(whole.sum()) or 1.0), 0.0, 1.0))
