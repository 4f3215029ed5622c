"""The spine: look, plan, map, summarize, select, solve, model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from samara.continued import Leftover
from samara.core import Array, Factor, FeatureMap, Source, System, seen_through
from samara.costs import peak_bytes
from samara.engines import Counted
from samara.errors import BudgetError, ConditionWarning
from samara.left_out import LeftOut, Solved, leaving_out
from samara.linalg.workers import in_threads, single_blas_thread
from samara.maps import fused, leading
from samara.model import Model
from samara.plans import Plan, what_ran
from samara.prepare import draw_maps, first_look, first_plan, look, ridge_grid, steps_seen
from samara.selection import Selection, TooFewFoldsError, choose, leave_out_pass, scored
from samara.settings import Settings
from samara.shapes import safe_ridge
from samara.solvers import (
    IllConditionedError,
    NormalFactor,
    NormalSystem,
    ProjectedFactor,
    Qr,
    RootFactor,
    RowFactor,
    Task,
    TiledFactor,
    extend,
)
from samara.summaries import Layout, Profile


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
    approximation_error: float  # of H by the directions used, relative; 0 where nothing is left out
    left: Leftover | None = None  # what partial_fit would go on from
    left_out: Callable[[], LeftOut] | None = None  # rows as the models without them see them


def fit(source: Source, settings: Settings, profile: Profile | None = None) -> Fitted:
    """Fit a source of raw inputs and targets, after a look at it where none is given."""
    plan = first_plan(source, settings) if profile is None else None
    profile = look(source, settings, plan) if profile is None else profile
    sizes: tuple[int, ...] | None = settings.first_sizes()
    trial: Trial | None = None
    rounds, passes = 0, 1  # the look
    while sizes:
        rounds += 1
        maps = draw_maps(source, settings, profile, sizes[-1])
        layout, trace = first_look(seen_through(source, fused(maps, source.is_sparse)), settings, profile)
        plan = settings.plan(source, sizes, trace, known=None if trial else plan)
        attempt = Trial(settings, source, maps, (layout, trace), plan, sizes)
        if plan.solver in ("lsqr", "tiles"):
            attempt.expect_steps()
        try:
            trial = attempt.run(trial)
        except BudgetError:  # more nodes would need a triangle, and the budget does not hold it
            if trial is None:
                raise
            break
        finally:
            passes += attempt.passes
        sizes = settings.next_sizes(source, sizes) if trial.still_falling else None
    assert trial is not None
    if settings.sizes is None:
        found = "still fell where budget or limit ended it" if trial.still_falling else "no longer fell"
        why = f"nodes appended {rounds - 1} times, to {trial.sizes[-1] - trial.n_link:,}: the error {found}"
        trial.plan = replace(trial.plan, reasons=(*trial.plan.reasons, why))
    trial.plan = trial.plan.after(passes)
    return trial.finish()


class Trial:
    """One summary of the rows under one set of nodes, and what is chosen and solved from it."""

    grid: Array
    _floor: float | None = None  # of the ridges; None where they do not go on below the grid
    alphas: Array
    alpha: float | Array
    size: int
    factor: Factor
    system: System
    solution: Array

    def __init__(
        self,
        settings: Settings,
        source: Source,
        maps: tuple[FeatureMap, ...],
        first_look: tuple[Layout, float],
        plan: Plan,
        sizes: Sequence[int],
    ) -> None:
        self.settings, self.source, self.maps, self.plan = settings, source, maps, plan
        self.layout, self._trace = first_look
        self.mapped = seen_through(source, fused(maps, source.is_sparse))
        self.n_link = self._linked = self.mapped.n_features - sizes[-1]
        self.sizes = self._asked = [size + self.n_link for size in sizes]
        self.selection: Selection | None = None
        self._engines: list[Counted] = []

    @property
    def passes(self) -> int:
        """Times the rows were read."""
        return sum(engine.passes for engine in self._engines)

    def _engine(self) -> Counted:
        self._engines.append(Counted(self.settings.engine(self.plan)))
        return self._engines[-1]

    def run(self, smaller: Trial | None) -> Trial:
        """Summarize, select and solve; where the Gram can't carry the ridge, again with a triangle."""
        # What the Gram could not carry, it won't carry with more nodes; the user has been told.
        hopeless = smaller is not None and smaller.plan.solver == "qr" and self.plan.solver == "gram"
        if not hopeless:
            try:
                return self.attempt(smaller)
            except IllConditionedError as error:
                asked = self.plan.solver
                self._plan_triangle()
                warnings.warn(
                    f"The condition number of H is about {error.condition:.1e}: too large for solver "
                    f"{asked!r} with ridge {self.alphas.min():.1e}. Solved by 'qr' instead.",
                    ConditionWarning,
                    stacklevel=6,  # the line that called the estimator's fit
                )
            del self.factor  # its room is the triangle's now
        else:
            self._plan_triangle()
        return self.attempt(None)

    def expect_steps(self) -> None:
        """Predict the peak from the steps that the first rows make likely; blocks stay cut for the most."""
        shape = self.settings.shape(self.source, [size - self._linked for size in self._asked], self._trace)
        steps = steps_seen(self.mapped, self.settings, (self.layout, self._trace), shape)
        likely = peak_bytes(
            replace(shape, likely_steps=steps, group=self.plan.group),
            *(self.plan.solver, self.plan.block_rows, self.plan.workers),
        )
        beside = self.settings.budget.beside(self.plan.workers)
        self.plan = replace(self.plan, peak_bytes=likely + beside)

    def _plan_triangle(self) -> None:
        """Plan anew: a triangle takes more room than the Gram, and may be refused."""
        self.sizes, self.n_link = self._asked, self._linked  # a low-rank solver's were ranks
        plan = replace(self.settings, solver=Qr()).plan(
            self.source, [size - self.n_link for size in self.sizes]
        )
        why = "solver qr in the end: H was too ill-conditioned for its Gram matrix"
        self.plan = replace(plan, reasons=(*plan.reasons[1:], why))

    def attempt(self, smaller: Trial | None) -> Trial:
        """Summarize, select and solve with the solver planned."""
        settings = self.settings
        if smaller is not None and smaller.plan.solver == self.plan.solver == "gram" and settings.nests:
            self.layout = self.layout.beginning_with(smaller.layout)
            self.factor = extend(smaller.factor, self._task())
        else:
            with single_blas_thread():  # between passes steps are small: threads would wait for each other
                self.factor = settings.solver_of(self.plan)(self._task())
        if isinstance(self.factor, ProjectedFactor):
            ranks = self.factor.ranks()
            by_folds = settings.selector is not None and settings.selector.name == "kfold"
            self.sizes = ranks if by_folds and settings.rank == "auto" else ranks[-1:]
            self.n_link = 0
        elif (
            isinstance(self.factor, NormalFactor | RootFactor | RowFactor)
            and self.factor.solver != self.plan.solver
        ):
            shape = settings.shape(self.source, [size - self._linked for size in self._asked], self._trace)
            self.plan = what_ran(self.plan, self.factor.solver, shape)
        elif isinstance(self.factor, TiledFactor):
            self.plan = replace(self.plan, reasons=(*self.plan.reasons, self.factor.note))
        self.alphas = self._ridges(smaller)
        self.alpha, self.size = float(self.alphas[-1]), self.sizes[-1]
        if settings.selector is not None:
            self._select()
        self.system = self.factor.system()
        if isinstance(self.system, NormalSystem):
            self.system.workers = self.plan.solving
        self.solution = in_threads(self._solve, [self.alpha], 1)[0]
        return self

    def _task(self) -> Task:
        settings = self.settings
        return Task(
            source=self.mapped,
            engine=self._engine(),
            layout=self.layout,
            n_folds=settings.n_folds,
            fit_intercept=settings.fit_intercept,
            alphas=settings.alphas,
            trace=self._trace,
            rank=settings.rank,
            entropy=settings.entropy,
        )

    def _ridges(self, smaller: Trial | None) -> Array:
        """The ridges to try; with appended nodes only those around the smaller model's best."""
        if smaller is None or smaller.selection is None:
            given = self.settings.alphas
            self.grid = np.array(given) if given else ridge_grid(self.factor.system(), self.layout)
            # What is approximate was made for the grid as it is.
            if not given and isinstance(self.factor, NormalFactor | RootFactor | RowFactor):
                self._floor = safe_ridge(self.factor.system().trace, self.settings.dtype.name)
            return self.grid
        self.grid = smaller.grid
        if self.settings.alphas is None:  # more nodes have a larger trace, and round more
            low = safe_ridge(self.factor.system().trace, self.settings.dtype.name)
            self.grid = self.grid[np.append(self.grid[:-1] >= low, True)]
        best = int(np.argmin(abs(self.grid - np.median(smaller.selection.best_alpha))))
        return self.grid[max(0, best - 2) : best + 3]

    def _select(self) -> None:
        selector, engine = self.settings.selector, self._engine()
        assert selector is not None
        projected = self.factor if isinstance(self.factor, ProjectedFactor) else None
        rows, layout = (projected.source, projected.layout) if projected else (self.mapped, self.layout)
        score = partial(
            selector.surface,
            self.factor,
            sizes=self.sizes,
            leave_out=leave_out_pass(rows, engine, layout),
            workers=self.plan.solving,
        )
        try:
            surface = scored(score, self.alphas, self._floor)
        except TooFewFoldsError as error:
            self.plan = replace(self.plan, reasons=(*self.plan.reasons, f"largest ridge taken: {error}"))
            return
        if self._floor is not None:
            self.alphas = self.grid = surface.alphas
        per_target = self.settings.alpha_per_target
        self.selection = choose(surface, selector.name, self.layout.spread, self.n_link, per_target)
        self.alpha = self.selection.best_alpha
        self.size = self.selection.best_n_hidden + self.n_link
        if projected:
            self.selection = self.selection.of_ranks(self.mapped.n_features - self._linked)

    @property
    def still_falling(self) -> bool:
        """Whether the largest size was needed."""
        return self.selection is not None and self.size == self.sizes[-1]

    def _solve(self, alpha: float | Array) -> Array:
        """The solution (1 + L, t) at the chosen size; one Cholesky factor for each distinct ridge."""
        if not isinstance(alpha, np.ndarray):
            return self.system.solve(alpha, [self.size])[:, 0]
        parts = {value: self.system.solve(float(value), [self.size])[:, 0] for value in np.unique(alpha)}
        return np.stack([parts[value][:, target] for target, value in enumerate(alpha)], axis=1)

    def finish(self) -> Fitted:
        """Back to the units of the data."""
        dtype, entropy = self.settings.dtype, self.settings.entropy
        smallest = float(np.asarray(self.alpha).min())
        rank, lost, size, solution = self.system.rank(smallest, self.size), 0.0, self.size, self.solution
        if isinstance(self.factor, ProjectedFactor):
            lost, solution = self.factor.lost(rank), self.factor.lift(solution)
            size = self.mapped.n_features
        coef, intercept = self.layout.restore(solution)
        maps = (*self.maps[:-1], leading(self.maps[-1], size))
        solved = Solved(self.mapped, self.layout, self.system, self.solution, self.alpha, self.size, entropy)
        return Fitted(
            model=Model(maps, coef[:size].astype(dtype), intercept.astype(dtype)),
            plan=self.plan,
            selection=self.selection,
            alpha=self.alpha,
            n_hidden=size - self._linked,
            condition=self.system.condition(smallest),
            rank=rank,
            approximation_error=lost,
            left=self._leftover(),
            left_out=leaving_out(self.factor, solved),
        )

    def _leftover(self) -> Leftover | None:
        """The summary, where it is one that goes on; a cluster and its rows are let go."""
        if not isinstance(self.factor, NormalFactor | RootFactor | RowFactor):
            return None
        like, n, own = self.source.cut(0, 1), self.source.n_rows, self.settings.in_threads()
        return Leftover(self.maps, self.layout, self._trace, self.plan, self.factor, like, n, own)
