"""Deep models: autoencoders learned one on top of the other, a pass each, then a fit on what the last gives.

Tang et al. 2016 (H-ELM), the form that Jankowski and Linowiecki name too: the first layers are autoencoders,
the last is an ordinary extreme learning machine.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from samara.core import Array, FeatureMap, Source, seen_through
from samara.errors import ConvergenceWarning
from samara.fit import Fitted, fit
from samara.linalg.lasso import Lasso
from samara.maps import Additive, AdditiveNodes, LocalFields, fused
from samara.plans import make_plan
from samara.prepare import LOOK_ROWS, look, scaling_of
from samara.selection import KFold
from samara.settings import Settings
from samara.solvers import Gram, NormalFactor, NormalSystem
from samara.solvers.normal import with_intercept
from samara.summaries import Layout, Profile

DeepLayer = int | LocalFields | FeatureMap

# Random directions in many dimensions are nearly orthogonal as they are; making them so costs 4/3·d³ flops.
MOST_ORTHOGONAL = 2048
GAIN = 1.0  # spread of a node's input, before its activation
PENALTIES = tuple(10.0 ** (-k / 2) for k in range(2, 8))  # of the largest λ, beyond which β is zero
TRIAL_TOL, TRIAL_STEPS = 1e-3, 200  # of the solutions that are only compared


@dataclass(frozen=True)
class DeepSettings:
    """The settings of a deep fit."""

    layers: tuple[DeepLayer, ...]
    activation: str
    penalty: Literal["l2", "l1"]
    alphas: tuple[float, ...] | None  # of the layers, None: a grid
    head: Settings  # its scale is that of the inputs


@dataclass(frozen=True)
class Learned:
    """A layer and how it came about."""

    nodes: FeatureMap
    alpha: float = np.nan  # NaN: drawn or given, not learned
    error: float = np.nan  # share of the variance of its inputs that is not reconstructed
    passes: int = 0


def deep_fit(
    source: Source, settings: DeepSettings, profile: Profile | None = None
) -> tuple[Fitted, list[Learned]]:
    """Learn the layers, then fit the head; after a look at the rows where none is given."""
    head = settings.head
    refuse_too_large(source, settings)
    if profile is None:
        plain = replace(head, layer=Additive(), sizes=(1,), direct_link=False, rank="auto")
        profile = look(source, plain)
    maps: tuple[FeatureMap, ...] = (scaling_of(source, head, profile),)
    learned = list[Learned]()
    for number, layer in enumerate(settings.layers):
        seed = np.random.SeedSequence([head.entropy, 4, number])
        rows = seen_through(source, fused(maps, source.is_sparse))
        if isinstance(layer, int):
            learned.append(_autoencoder(rows, settings, layer, (seed, profile.inputs.weight)))
        elif isinstance(layer, LocalFields):
            learned.append(Learned(layer.draw(layer.n_out, rows.n_features, np.empty((0, 0)), seed)))
        else:
            learned.append(Learned(layer))
        maps = (*maps, learned[-1].nodes)
    done = fit(seen_through(source, fused(maps, source.is_sparse)), replace(head, scale="standard"))
    passes = 1 + sum(layer.passes for layer in learned) + done.plan.passes
    plan = replace(done.plan, passes=passes, most_passes=passes)
    return replace(done, model=replace(done.model, maps=(*maps, *done.model.maps)), plan=plan), learned


def refuse_too_large(source: Source, settings: DeepSettings) -> None:
    """Refuse layers and a head that the budget can't hold, before a row is read."""
    width = source.n_features
    for layer in settings.layers:
        if isinstance(layer, int):
            ridge = _layer_settings(settings, layer, width)
            shape = replace(ridge.shape(source, (layer,)), n_inputs=width, n_targets=width)
            make_plan(shape, "gram", ridge.budget, ridge.selection_why)
        width = layer if isinstance(layer, int) else layer.n_out
    head, sizes = settings.head, settings.head.first_sizes()
    shape = replace(head.shape(source, sizes), n_inputs=width, n_link=width if head.direct_link else 0)
    make_plan(shape, head.solver.name if head.solver else "auto", head.budget, head.selection_why)


def _layer_settings(settings: DeepSettings, n_hidden: int, width: int) -> Settings:
    """The fit of an autoencoder of so many inputs, of which the seed is still to be given."""
    ridges = None if settings.penalty == "l1" else settings.alphas
    return replace(
        settings.head,
        layer=Additive(settings.activation, "orthogonal" if width <= MOST_ORTHOGONAL else "normal"),
        sizes=(n_hidden,),
        alphas=ridges,
        solver=Gram(),
        selector=KFold() if ridges is None or len(ridges) > 1 else None,
        selection_why="selection kfold: exact, and comes from the same pass as the layer",
        scale=None,
        direct_link=False,
        fit_intercept=True,
        alpha_per_target=False,
        rank="auto",
    )


def _autoencoder(
    rows: Source, settings: DeepSettings, n_hidden: int, told: tuple[np.random.SeedSequence, float]
) -> Learned:
    """x ↦ g(βx), where random nodes times β give x back; every node's input has mean 0 and one spread."""
    seed, weight = told
    rows, sparse = rows.reconstructing(), settings.penalty == "l1"
    ridge = _layer_settings(settings, n_hidden, rows.n_features)
    ridge = replace(ridge, entropy=int(seed.generate_state(1)[0]) >> 1)
    done = fit(rows, ridge, _first_profile(rows, weight))
    assert done.left is not None
    factor: Any = done.left.factor
    layout, coef, alpha = done.left.layout, done.model.coef.astype(np.float64), float(np.min(done.alpha))
    system = factor.system()
    if sparse:
        coef, alpha = _sparse(factor, system, layout, settings.alphas)
    solution = with_intercept((coef / layout.spread)[:, None], system.means)
    lost = (factor.squared_errors(solution)[0] * layout.spread**2).sum()
    error = float(lost / max((system.target_squares * layout.spread**2).sum(), np.finfo(float).tiny))
    nodes = _encoder(coef, system, layout, settings)
    return Learned(nodes, alpha, error, done.plan.passes - 1)  # its look was at a few rows only


def _first_profile(rows: Source, weight: float) -> Profile:
    """Centres and spreads of the first rows: the summary needs them near, not exact."""
    block = next(block for part in rows.parts(1) for block in part.blocks(LOOK_ROWS))
    profile = Profile()
    profile.update(block)
    profile.inputs.weight = weight
    return profile


def _encoder(coef: Array, system: Any, layout: Layout, settings: DeepSettings) -> AdditiveNodes:
    """Nodes whose input weights are the rows of β, shifted and scaled by the moments of the pass."""
    scaled = coef * layout.spread
    variance = np.einsum("ld,ld->l", scaled @ system.target_products, scaled) / system.weight
    spread = np.sqrt(np.where(variance > 0, variance, 1.0))  # a node without weights stays at 0
    mean = coef @ (layout.centre + layout.spread * system.means[layout.n_features :])
    W = np.concatenate([coef.T, -mean[None]]) * (GAIN / spread)
    return AdditiveNodes(W.astype(settings.head.dtype), settings.activation)


def _sparse(
    factor: NormalFactor, system: NormalSystem, layout: Layout, given: Sequence[float] | None
) -> tuple[Array, float]:
    """β of min ‖Hβ − X‖² + λ‖β‖₁, and λ: the largest whose held-out error is within one standard error."""
    problem = _lasso(system, layout)
    wanted = [problem.largest * share for share in PENALTIES] if given is None else given
    penalties = sorted(wanted, reverse=True)
    best = 0
    if len(penalties) > 1 and (factor.fold_weights > 0).sum() > 1:
        by_fold = _held_out(factor, layout, penalties)
        lowest = int(np.argmin(by_fold.sum(axis=0)))
        excess = by_fold - by_fold[:, lowest : lowest + 1]
        room = excess.std(axis=0, ddof=1) / np.sqrt(len(by_fold))
        best = int(np.flatnonzero(excess.mean(axis=0) <= room)[0])
    beta, converged = problem.solve(penalties[best])
    if not converged:
        warnings.warn(
            f"The sparse weights of a layer with penalty {penalties[best]:.3g} are not exact: their search "
            "ended before its tolerance. Use a larger layer_alpha, or fewer nodes.",
            ConvergenceWarning,
            stacklevel=10,  # the line that called the estimator's fit
        )
    return beta, penalties[best]


def _lasso(system: NormalSystem, layout: Layout) -> Lasso:
    """The problem in the units of the inputs, for they share one λ."""
    return Lasso(system.gram, system.cross * layout.spread, system.target_squares * layout.spread**2)


def _held_out(factor: NormalFactor, layout: Layout, penalties: Sequence[float]) -> Array:
    """Mean squared errors (folds, penalties) on each fold of what is learned without it."""
    errors = []
    for fold in np.flatnonzero(factor.fold_weights > 0).tolist():
        system, row = factor.system(without=fold), []
        problem, beta = _lasso(system, layout), None
        for penalty in penalties:  # from the largest on: each starts where the one before ended
            beta, _ = problem.solve(penalty, beta, TRIAL_TOL, TRIAL_STEPS)
            solution = with_intercept((beta / layout.spread)[:, None], system.means)
            lost = factor.squared_errors(solution, fold)[0] * layout.spread**2
            row.append(float(lost.sum() / factor.fold_weights[fold]))
        errors.append(row)
    return np.array(errors)
