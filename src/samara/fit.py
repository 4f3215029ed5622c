"""The spine: look, plan, map, summarize, solve, select, model."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

import numpy as np

from samara.core import Array, Factor, FeatureMap, Source, System
from samara.engines import Progress, Threads
from samara.errors import BudgetError, ConditionWarning
from samara.linalg import in_threads
from samara.maps import (
    Additive,
    AdditiveNodes,
    AsFloat,
    DirectLink,
    QuantileNormal,
    Radial,
    Standardize,
    as_dtype,
    leading,
)
from samara.model import Model
from samara.plan import Budget, Plan, Shape, make_plan
from samara.selection import Selection, Selector, TooFewFoldsError, choose, leave_out_pass
from samara.solvers import IllConditionedError, factorize, safe_ridge
from samara.summaries import Layout, Profile

LOOK_ROWS = 1024  # rows whose mean hidden values are taken as the shift
QUANTILE_ROWS = 5000  # rows whose ranks stand for all rows'
AUTO_START, AUTO_MOST = 250, 4000  # nodes at which the search for a size starts and ends


@dataclass(frozen=True)
class Settings:
    """What the user asked for, checked."""

    layer: Additive | Radial | FeatureMap
    sizes: tuple[int, ...] | None  # None: grow while the curve falls
    alphas: tuple[float, ...] | None  # None: the grid
    solver: str
    selector: Selector | None
    selection_why: str
    scale: str | None
    direct_link: bool
    fit_intercept: bool
    budget: Budget
    dtype: np.dtype[np.floating]
    entropy: int
    alpha_per_target: bool = False
    progress: Progress | None = None


@dataclass(frozen=True)
class Fitted:
    """A model, and how it came about."""

    model: Model
    plan: Plan
    selection: Selection | None
    alpha: float | Array
    n_hidden: int
    rank: int
    condition: float


def fit(source: Source, settings: Settings) -> Fitted:
    """Fit a source of raw inputs and targets."""
    sizes = settings.sizes or size_ladder(AUTO_START)
    shape = _shape(source, settings, sizes)
    plan = make_plan(shape, settings.solver, settings.budget, settings.selection_why)
    salt = int(np.random.SeedSequence([settings.entropy, 1]).generate_state(1, np.uint64)[0])
    engine = Threads(plan.workers, plan.block_rows, settings.progress)
    profile = engine.summarize(source, lambda: Profile(shape.sample_rows, salt), name="look")
    while True:
        maps = _draw_maps(source, settings, profile, sizes[-1])
        mapped = source
        for feature_map in maps:
            mapped = mapped.map(feature_map)
        layout, trace = _first_look(mapped, settings, profile)
        shape = replace(_shape(source, settings, sizes), trace=trace)
        plan = make_plan(shape, settings.solver, settings.budget, settings.selection_why)
        attempt = _Attempt(mapped, settings, layout, plan, sizes, shape.n_link)
        attempt.run()
        if settings.sizes is not None or not attempt.still_falling():
            break
        larger = size_ladder(min(2 * sizes[-1], AUTO_MOST))
        if larger[-1] == sizes[-1] or not _fits(source, settings, larger):
            break
        sizes = larger
    return attempt.finish(maps)


def size_ladder(most: int) -> tuple[int, ...]:
    """Sizes to try, half an octave apart, the largest last."""
    steps = 2 * int(np.log2(max(most / 16, 1)))
    return tuple(sorted({max(1, round(most / 2 ** (k / 2))) for k in range(steps + 1)}))


def _fits(source: Source, settings: Settings, sizes: Sequence[int]) -> bool:
    """Whether the budget holds a larger model."""
    shape = _shape(source, settings, sizes)
    try:
        make_plan(shape, settings.solver, settings.budget, settings.selection_why)
    except BudgetError:
        return False
    return True


def _shape(source: Source, settings: Settings, sizes: Sequence[int]) -> Shape:
    layer = settings.layer
    rows = layer.sample_rows(max(sizes[-1], 0 if settings.sizes else AUTO_MOST)) if is_drawn(layer) else 0
    if settings.scale == "quantile":
        rows = max(rows, QUANTILE_ROWS)
    selector = settings.selector
    return Shape(
        n_rows=source.n_rows,
        n_inputs=source.n_features,
        n_targets=source.n_targets,
        n_hidden=sizes[-1],
        n_link=source.n_features if settings.direct_link else 0,
        dtype=settings.dtype.name,
        n_alphas=len(settings.alphas) if settings.alphas else 10,
        n_sizes=len(sizes),
        selection=selector.name if selector else None,
        n_folds=selector.n_folds if selector else 1,
        smallest_alpha=min(settings.alphas) if settings.alphas else None,
        sample_rows=min(rows, source.n_rows),
        gathers=selector is not None and selector.n_folds > 1,
    )


def is_drawn(layer: Additive | Radial | FeatureMap) -> TypeGuard[Additive | Radial]:
    """Whether the layer is still to be drawn (else it is a finished map)."""
    return isinstance(layer, Additive | Radial)


def _draw_maps(source: Source, settings: Settings, profile: Profile, n_hidden: int) -> tuple[FeatureMap, ...]:
    """Scaling, then hidden layer: learned or drawn from the look at the rows, then frozen."""
    scaling: FeatureMap
    if settings.scale == "standard":
        scaling = Standardize(profile.inputs.mean, profile.inputs.spread, settings.dtype)
    elif settings.scale == "quantile":
        scaling = QuantileNormal.learn(profile.sample, settings.dtype)
    else:
        scaling = AsFloat(source.n_features, settings.dtype)
    layer = settings.layer
    if is_drawn(layer):
        seed = np.random.SeedSequence([settings.entropy, 0])
        sample = np.asarray(scaling(profile.sample), float)
        nodes = as_dtype(layer.draw(n_hidden, source.n_features, sample, seed), settings.dtype)
    else:
        nodes = layer
    if settings.direct_link:
        return scaling, DirectLink(source.n_features, nodes)
    if source.is_sparse and isinstance(scaling, Standardize | AsFloat) and isinstance(nodes, AdditiveNodes):
        return (nodes.after(scaling) if isinstance(scaling, Standardize) else nodes,)
    return scaling, nodes


def _first_look(mapped: Source, settings: Settings, profile: Profile) -> tuple[Layout, float]:
    """Shift the features by their mean over the first rows, and estimate the trace of the Gram."""
    block = next(iter(mapped.parts(1)[0].blocks(LOOK_ROWS)))
    H = block.features(out=np.empty((len(block), mapped.n_features), settings.dtype))
    squares = H.var(axis=0, dtype=float) if settings.fit_intercept else np.mean(H.astype(float) ** 2, axis=0)
    zero = 0.0 if not settings.fit_intercept else 1.0
    layout = Layout(
        shift=(zero * H.mean(axis=0, dtype=float)).astype(settings.dtype),
        centre=zero * profile.targets.mean,
        spread=profile.targets.spread,
        dtype=settings.dtype,
    )
    return layout, float(squares.sum() * profile.inputs.weight)


class _Attempt:
    """One summary of the rows, and what is chosen and solved from it."""

    def __init__(
        self, mapped: Source, settings: Settings, layout: Layout, plan: Plan, sizes: Sequence[int], n_link: int
    ) -> None:
        self.mapped, self.settings, self.layout, self.plan = mapped, settings, layout, plan
        self.sizes = [size + n_link for size in sizes]
        self.n_link = n_link
        self.selection: Selection | None = None

    def run(self) -> None:
        """Summarize, then select; where the Gram can't carry the ridge, again with a triangle."""
        try:
            self._summarize(self.plan.solver)
            self._select()
            self.system: System = self.factor.system()
            self.solution = self._solve()
        except IllConditionedError as error:
            warnings.warn(
                f"The condition number of H is about {error.condition:.1e}: too large for solver "
                f"{self.plan.solver!r} with ridge {float(self.alphas.min()):.1e}. Solved by 'qr' instead.",
                ConditionWarning,
                stacklevel=5,
            )
            self.plan = replace(
                self.plan, solver="qr", reasons=(*self.plan.reasons, "qr in the end: the Gram was too ill-conditioned")
            )
            self._summarize("qr")
            self._select()
            self.system = self.factor.system()
            self.solution = self._solve()

    def _summarize(self, solver: str) -> None:
        settings, plan = self.settings, self.plan
        self.engine = Threads(plan.workers, plan.block_rows, settings.progress)
        n_folds = settings.selector.n_folds if settings.selector else 1
        self.factor: Factor = factorize(
            solver, n_folds, settings.fit_intercept, self.mapped, self.engine, self.layout
        )
        self.alphas = np.array(settings.alphas) if settings.alphas else self._grid()

    def _grid(self) -> Array:
        """Ten ridges in proportion to the mean eigenvalue of the Gram."""
        trace = self.factor.system().trace or 1.0
        mean = trace / self.sizes[-1]
        low = max(1e-7 * mean, safe_ridge(trace, self.settings.dtype.name))
        return np.geomspace(low, max(100 * mean, 10 * low), 10)

    def _select(self) -> None:
        selector = self.settings.selector
        self.alpha: float | Array = float(self.alphas[-1])
        self.size = self.sizes[-1]
        if selector is None:
            return
        leave_out = leave_out_pass(self.mapped, self.engine, self.layout)
        try:
            surface = selector.surface(self.factor, self.alphas, self.sizes, leave_out, self.plan.workers)
        except TooFewFoldsError as error:
            self.plan = replace(self.plan, reasons=(*self.plan.reasons, f"largest ridge taken: {error}"))
            return
        self.selection = choose(
            surface, selector.name, self.layout.spread, self.n_link, self.settings.alpha_per_target
        )
        self.alpha = self.selection.best_alpha
        self.size = self.selection.best_n_hidden + self.n_link

    def still_falling(self) -> bool:
        """Whether the largest size was needed."""
        return self.selection is not None and self.size == self.sizes[-1]

    def _solve(self) -> Array:
        if not isinstance(self.alpha, np.ndarray):
            return in_threads(lambda alpha: self.system.solve(alpha, [self.size]), [self.alpha], 1)[0][:, 0]
        solution = np.empty((1 + self.layout.n_features, self.layout.n_targets))
        for alpha in np.unique(self.alpha):
            mine = self.alpha == alpha
            solution[:, mine] = self.system.solve(float(alpha), [self.size])[:, 0, mine]
        return solution

    def finish(self, maps: tuple[FeatureMap, ...]) -> Fitted:
        """Back to the units of the data."""
        coef, intercept = self.layout.restore(self.solution)
        smallest = float(np.min(self.alpha))
        dtype = self.settings.dtype
        model = Model(
            (*maps[:-1], leading(maps[-1], self.size)), coef[: self.size].astype(dtype), intercept.astype(dtype)
        )
        return Fitted(
            model=model,
            plan=self.plan,
            selection=self.selection,
            alpha=self.alpha,
            n_hidden=self.size - self.n_link,
            condition=self.system.condition(smallest),
            rank=self.system.rank(smallest, self.size),
        )
