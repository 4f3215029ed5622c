"""Before the pass over the rows: maps learned or drawn from a look at them, then frozen."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from samara.core import Array, FeatureMap, Source, System
from samara.costs import likely_steps
from samara.errors import InputError
from samara.linalg import kernels
from samara.maps import (
    AdditiveNodes,
    AsFloat,
    DirectLink,
    QuantileNormal,
    Standardize,
    UnitRows,
    as_dtype,
    behind_metric,
    given_scaling,
    metric_map,
)
from samara.plans import Plan
from samara.settings import N_RIDGES, QUANTILE_ROWS, Settings, is_drawn
from samara.shapes import Shape, safe_ridge
from samara.summaries import Layout, Profile


class Scaled(Protocol):
    """Settings that say how the inputs are scaled."""

    @property
    def scale(self) -> str | FeatureMap | None: ...
    @property
    def dtype(self) -> np.dtype[np.floating]: ...
    @property
    def root(self) -> Array | None: ...


_EPS = float(np.finfo(float).eps)
LOOK_CELLS = 1 << 18  # values looked at in one call
LOOK_ROWS = 256  # rows whose mean hidden values are taken as the shift


def first_plan(source: Source, settings: Settings) -> Plan:
    """The plan of the first sizes; refuses what can't be done before any row is read."""
    settings.refuse(source)
    return settings.plan(source, settings.first_sizes())


def look(source: Source, settings: Settings, plan: Plan | None = None) -> Profile:
    """Means, spreads and a sample of rows: one cheap pass, by the first plan where there is one already."""
    plan = first_plan(source, settings) if plan is None else plan
    rows = settings.sample_rows(source.n_rows, settings.first_sizes()[-1])
    salt = sample_salt(settings.entropy) if rows else 0  # a fifth of what a small look takes
    longer = None
    if kernels.compiled() and not rows and not source.is_sparse:
        # It makes no copies: the fewer calls the better.
        longer = max(plan.block_rows, LOOK_CELLS // source.n_features)
    engine = settings.engine(plan, longer)
    return engine.summarize(source, partial(Profile, rows, salt), name="look")


def sample_salt(entropy: int) -> int:
    """By which the rows of a sample are drawn."""
    return int(np.random.SeedSequence([entropy, 1]).generate_state(1, np.uint64)[0])


def draw_maps(source: Source, settings: Settings, profile: Profile, n_hidden: int) -> tuple[FeatureMap, ...]:
    """Scaling and metric, then hidden layer; nodes of products have the metric in their weights."""
    maps, layer = scalings_of(source, settings, profile), settings.layer
    scaling = maps[0]
    nodes: FeatureMap = layer  # type: ignore[assignment]  # what is not drawn is a map
    if is_drawn(layer):
        seed = np.random.SeedSequence([settings.entropy, 0])
        sample: Array = profile.sample
        for feature_map in maps:
            sample = np.asarray(feature_map(sample), float)
        nodes = as_dtype(layer.draw(n_hidden, source.n_features, sample, seed), settings.dtype)
    if isinstance(nodes, AdditiveNodes) and settings.root is not None:
        nodes, maps = behind_metric(nodes, settings.root), maps[:1]
    if settings.direct_link:
        return *maps, DirectLink(source.n_features, nodes)
    if source.is_sparse and isinstance(nodes, AdditiveNodes):
        if isinstance(scaling, Standardize):
            return (nodes.after(scaling),)
        if isinstance(scaling, AsFloat):
            return (nodes,)
    return *maps, nodes


def scalings_of(source: Source, settings: Scaled, profile: Profile) -> tuple[FeatureMap, ...]:
    """How the inputs are scaled, and then turned by a metric where there is one."""
    scaling = scaling_of(source, settings, profile)
    return (scaling,) if settings.root is None else (scaling, metric_map(settings.root, settings.dtype))


def scaling_of(source: Source, settings: Scaled, profile: Profile) -> FeatureMap:
    """How the inputs are scaled: as given, or learned from the look."""
    if settings.scale is not None and not isinstance(settings.scale, str):
        if settings.scale.n_out != source.n_features:
            given, columns = settings.scale.n_out, source.n_features
            raise InputError(f"scale must keep the number of columns: it gives {given}, X has {columns}.")
        return given_scaling(settings.scale, settings.dtype)
    if settings.scale == "standard":
        return Standardize(profile.inputs.mean, profile.inputs.spread, settings.dtype)
    if settings.scale == "quantile":
        return QuantileNormal.learn(profile.sample[:QUANTILE_ROWS], settings.dtype)
    if settings.scale == "unit":
        return UnitRows(source.n_features, settings.dtype)
    return AsFloat(source.n_features, settings.dtype)


def first_look(mapped: Source, settings: Settings, profile: Profile) -> tuple[Layout, float]:
    """Shift the features by their mean over the first rows, and estimate the trace of the Gram."""
    # Of rows that were not counted the first part may have none.
    block = next(block for part in mapped.parts(1) for block in part.blocks(LOOK_ROWS))
    H = block.features(out=np.empty((len(block), mapped.n_features), settings.dtype))
    mean = H.sum(axis=0, dtype=float) / len(H) * settings.fit_intercept
    squares = np.einsum("ij,ij->j", H, H, dtype=float) / len(H) - mean**2
    squares[squares <= 16 * _EPS * mean**2] = 0.0  # a constant column, but for rounding
    counted = bool(block.maps) and hasattr(block.maps[-1], "leaves")  # zeros and ones are counted as they are
    layout = Layout(
        shift=(mean * (not counted)).astype(settings.dtype),
        centre=profile.targets.mean * settings.fit_intercept,
        spread=profile.targets.spread,
        dtype=settings.dtype,
    )
    return layout, float(squares.sum() * profile.inputs.weight)


def steps_seen(mapped: Source, settings: Settings, first: tuple[Layout, float], shape: Shape) -> int | None:
    """Steps that `lsqr` will likely take, told from the first rows; None where they don't tell."""
    layout, trace = first
    block = next(block for part in mapped.parts(1) for block in part.blocks(LOOK_ROWS))
    H = block.features(out=np.empty((len(block), mapped.n_features), settings.dtype), shift=layout.shift)
    values = np.linalg.eigvalsh((H @ H.T).astype(float))[::-1]
    values *= trace / max(values.sum(), np.finfo(float).tiny)
    low = max(1e-7 * trace / shape.n_columns, safe_ridge(trace, shape.dtype))
    alpha = low if shape.smallest_alpha is None else shape.smallest_alpha
    return likely_steps(np.maximum(values[:-1], 0.0), alpha, shape.tol)


def ridge_grid(system: System, layout: Layout) -> Array:
    """Ridges in proportion to the mean eigenvalue of the Gram."""
    eps = float(np.finfo(layout.dtype).eps)
    # Of a constant H rounding is left, at most so much: a grid in proportion to that would fit noise.
    rounding = system.weight * float(np.sum((4 * eps * layout.shift.astype(float)) ** 2))
    # Where the shift is not the mean, as in a window that has left the first rows, centring cancels.
    rounding += 8 * eps * system.weight * float(np.sum(system.means[: layout.n_features] ** 2))
    trace = system.trace if system.trace > rounding else 1.0
    mean = trace / layout.n_features
    low = max(1e-7 * mean, safe_ridge(trace, layout.dtype.name))
    return np.geomspace(low, max(100 * mean, 10 * low), N_RIDGES)
