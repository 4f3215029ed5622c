"""Learning as rows arrive: a summary that grows, forgets, slides or gives rows back, solved when asked."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import RLock
from typing import Any

import numpy as np

from samara.continued import Leftover, augmented_turn, mirrored, one_hot_turn, summary_of, turned
from samara.core import Array, Factor, FeatureMap, Source, seen_through
from samara.errors import ConditionWarning, InputError
from samara.fit import Fitted, Trial, fit
from samara.linalg.blas import in_threads
from samara.maps import fused
from samara.model import Model
from samara.plan import Plan
from samara.prepare import draw_maps, first_look, look
from samara.selection import Loo, Selection
from samara.settings import Settings
from samara.solvers import IllConditionedError, NormalFactor, RootFactor, Task
from samara.solvers.sequential import Inverse, Woodbury
from samara.summaries import Layout, Moments, Profile, Triangle
from samara.summaries.grown import Running, scaled, sum_of, widened
from samara.windows import Window

LARGEST_WEIGHT = 1e100  # of a new row under forgetting, before all are brought back to 1
LANE_ROWS = 512  # of a batch, for each worker that it is worth waking


@dataclass(frozen=True)
class Memory:
    """What is kept of the past."""

    update: str | Woodbury = "information"  # information, qr, or Woodbury's formula
    forget: float = 1.0  # weight of a row, each time another arrives
    window: int | None = None  # only the last so many rows count

    def validate(self) -> None:
        """Refuse what can't go together."""
        if not 0 < self.forget <= 1:
            raise InputError(f"forget must lie above 0 and not above 1, got {self.forget!r}.")
        if self.window is not None and self.window < 1:
            raise InputError(f"window must be at least one row, got {self.window!r}.")
        if self.forget < 1 and self.window is not None:
            raise InputError("Give forget or window, not both.")
        if isinstance(self.update, Woodbury):
            self.update.validate()
            if self.forget < 1 or self.window is not None:
                raise InputError('update="woodbury" neither forgets nor slides: use update="information".')


@dataclass(frozen=True)
class Given:
    """A solver whose factor is there already."""

    factor: Factor
    name: str

    def validate(self) -> None:
        """There is nothing to set."""

    def __call__(self, task: Task) -> Factor:
        """The factor."""
        return self.factor


class Stream:
    """What a model that learns as rows arrive keeps: frozen maps and a running summary.

    The first batch draws or learns everything that a pass over the rows can't change any more: scaling,
    nodes, shifts. After that a batch is an update of the summary; the model is solved when it is asked for.
    """

    def __init__(self, settings: Settings, memory: Memory, plain_targets: bool = False) -> None:
        memory.validate()
        self._plain = plain_targets  # neither centred nor scaled: more of them can be added
        _refuse_second_passes(settings)
        self.settings, self.memory = settings, memory
        self.maps: tuple[FeatureMap, ...] = ()
        self.layout: Layout
        self.plan: Plan
        self._kept: list[Running] | Window | Inverse
        self._chosen: Selection | None = None  # of the first batch, by Woodbury's rule
        self.n_rows = 0
        self._lock = RLock()
        self._weight = 1.0  # that the next row gets under forgetting; older ones got less

    @classmethod
    def after(cls, left: Leftover, settings: Settings, memory: Memory, plain_targets: bool) -> Stream:
        """Go on from a fit: with its nodes, its scaling and all its rows, each of weight 1 so far."""
        made = cls(settings, memory, plain_targets)
        if memory.window is not None or isinstance(memory.update, Woodbury):
            raise InputError("A window, and Woodbury's formula, begin with partial_fit: fit keeps no rows.")
        made.maps, made._like, made.n_rows = left.maps, left.like, left.n_rows
        made.layout, made._trace = left.layout, left.trace
        made.plan = made._planned(left.plan)
        first = summary_of(left, memory.update == "qr")
        if plain_targets:
            turn = one_hot_turn(left.layout)
            made._set_plain(turn.shape[1])
            first = turned(first, turn, made.layout)
        made._kept = [first, *(made._summary() for _ in range(made.plan.workers - 1))]
        return made

    def _set_plain(self, n_targets: int) -> None:
        """Targets neither centred nor scaled."""
        none = np.zeros(n_targets)
        self.layout = replace(self.layout, centre=none, spread=none + 1)

    def learn(self, source: Source) -> None:
        """Take the rows of a batch in."""
        with self._lock:
            if not self.n_rows:
                self._begin(source)
            source = self._weighed(source)
            if isinstance(self._kept, Inverse | Window):
                self._kept.learn(self._seen(source))
            else:
                self._update(self._kept, self._seen(source))
            self.n_rows += source.n_rows

    def unlearn(self, source: Source) -> None:
        """Take rows out again that were learned before."""
        with self._lock:
            if not isinstance(self._kept, list) or self.memory.update == "qr" or self.memory.forget < 1:
                raise InputError(
                    'Rows can be unlearned with update="information", without forget or window, only.'
                )
            if source.n_rows > self.n_rows:
                raise InputError(f"{source.n_rows:,} rows to unlearn, but only {self.n_rows:,} were learned.")
            lanes = [self._summary() for _ in self._kept]
            self._update(lanes, self._seen(source))
            _refuse_strangers(self._kept, lanes)
            for lane in lanes:
                kept = self._kept[0]
                assert isinstance(kept, Moments)
                assert isinstance(lane, Moments)
                kept.subtract(lane)
            self.n_rows -= source.n_rows

    def add_targets(self, count: int) -> None:
        """Room for more targets, which were 0 in all rows so far."""
        with self._lock:
            layout, new = self.layout, np.zeros(count)
            layout = replace(
                layout, centre=np.append(layout.centre, new), spread=np.append(layout.spread, new + 1)
            )
            self.layout = layout
            if isinstance(self._kept, list):
                self._kept = [widened(lane, layout) for lane in self._kept]
            else:
                self._kept.widen(layout)

    def fitted(self, turn: Array | None = None) -> Fitted:
        """Choose and solve; ``turn`` makes other targets of the constant and those kept, (1 + t, t')."""
        with self._lock:
            if isinstance(self._kept, Inverse):
                return self._current(self._kept, turn)
            summaries = self._kept if isinstance(self._kept, list) else self._kept.summaries()
            folds = sum_of(summaries)
            return self._solved(folds, turn)

    def _current(self, kept: Inverse, turn: Array | None) -> Fitted:
        """The model as the last chunk left it."""
        layout, dtype = self.layout, self.settings.dtype
        if turn is not None:
            layout = replace(layout, centre=np.zeros(turn.shape[1]), spread=np.ones(turn.shape[1]))
        coef, intercept = layout.restore(kept.solution(turn))
        return Fitted(
            model=Model(self.maps, coef.astype(dtype), intercept.astype(dtype)),
            plan=replace(self.plan, solver="woodbury"),
            selection=self._chosen,
            alpha=kept.alpha,
            n_hidden=self.settings.first_sizes()[-1],
            rank=layout.n_features,
            condition=kept.condition,
            approximation_error=0.0,
        )

    def _solved(self, folds: list[Array], turn: Array | None) -> Fitted:
        layout, settings = self.layout, self.settings
        if turn is not None:
            layout = replace(layout, centre=np.zeros(turn.shape[1]), spread=np.ones(turn.shape[1]))
        rooted = self.memory.update == "qr"
        if self._weight != 1:  # the newest row weighs 1
            factor = (np.sqrt if rooted else float)(1 / self._weight)
            folds = [fold * factor for fold in folds]
        whole = folds if rooted else [mirrored(fold) for fold in folds]
        if turn is not None:
            wide = augmented_turn(layout, turn)
            whole = [fold @ wide if rooted else wide.T @ fold @ wide for fold in whole]
        if rooted:
            return self._trial(self._rooted(whole, layout), "qr", layout).finish()
        try:
            return self._trial(NormalFactor(whole, layout, settings.fit_intercept), "gram", layout).finish()
        except IllConditionedError as error:
            warnings.warn(
                f"The condition number of H is about {error.condition:.1e}: too large for its Gram matrix "
                'with so small a ridge. Directions lost to rounding are left out; update="qr" keeps them.',
                ConditionWarning,
                stacklevel=5,
            )
        return self._trial(self._rooted([root_of(fold) for fold in whole], layout), "qr", layout).finish()

    def _rooted(self, folds: list[Array], layout: Layout) -> RootFactor:
        return RootFactor(folds, layout, self.settings.fit_intercept, max(self.n_rows, 1))

    def _trial(self, factor: Factor, name: str, layout: Layout) -> Trial:
        settings = replace(self.settings, solver=Given(factor, name))
        sizes = settings.first_sizes()
        trial = Trial(settings, self._like, self.maps, (layout, self._trace), self.plan, sizes)
        trial.plan = replace(self.plan, solver=name)
        return trial.attempt(None)

    def _begin(self, source: Source) -> None:
        """Freeze scaling, nodes and shifts."""
        settings, sizes = self.settings, self.settings.first_sizes()
        profile = look(source, settings)
        self.maps = draw_maps(source, settings, profile, sizes[-1])
        self._like = source.cut(0, 1)
        mapped = seen_through(source, fused(self.maps, source.is_sparse))
        self.layout, self._trace = first_look(mapped, settings, profile)
        if self._plain:
            self._set_plain(source.n_targets)
        self.plan = self._planned(settings.plan(source, sizes, self._trace))
        if isinstance(self.memory.update, Woodbury):
            alpha = self._first_ridge(source, profile)
            self._kept = Inverse(
                self.memory.update, self.layout, alpha, settings.fit_intercept, self.plan.block_rows
            )
        elif self.memory.window is not None:
            self._kept = Window(
                self.memory.window, self._summary, lambda one, rows: self._update([one], rows)
            )
        else:
            self._kept = [self._summary() for _ in range(self.plan.workers)]

    def _first_ridge(self, source: Source, profile: Profile) -> float:
        """The ridge given, or chosen by PRESS on the first batch (Schindler Algorithm 2)."""
        given, sizes = self.settings.alphas, self.settings.first_sizes()
        if len(sizes) > 1:
            raise InputError('update="woodbury" does not choose among sizes: give one n_hidden.')
        if given is not None and len(given) == 1:
            return given[0]
        done = fit(source, replace(self.settings, selector=Loo(), alpha_per_target=False), profile)
        self._chosen = done.selection
        return float(done.alpha)

    def _planned(self, plan: Plan) -> Plan:
        kept = self.memory.update if isinstance(self.memory.update, str) else self.memory.update.name
        why = f"update {kept}: a batch changes the summary alone; the model is solved when it is asked for"
        return replace(plan, passes=1, most_passes=1, reasons=(why, *plan.reasons[-2:]))

    def _summary(self) -> Running:
        kind: Callable[..., Running] = Triangle if self.memory.update == "qr" else Moments
        return kind(self.layout, self.settings.n_folds, self.plan.block_rows)

    def _seen(self, source: Source) -> Source:
        return seen_through(source, fused(self.maps, source.is_sparse)).folded(self.settings.n_folds)

    def _update(self, lanes: Sequence[Running], source: Source) -> None:
        """Each worker its part of the batch, into a summary of its own."""
        count = max(1, min(len(lanes), source.n_rows // LANE_ROWS))
        parts = source.parts(count)

        def run(number: int) -> None:
            for block in parts[number].blocks(self.plan.block_rows):
                lanes[number].update(block)

        in_threads(run, range(len(parts)), len(parts))

    def _weighed(self, source: Source) -> Source:
        """Under forgetting each row gets more weight than the one before, instead of all those less."""
        forget = self.memory.forget
        if forget == 1:
            return source
        growth = self._weight * forget ** -np.arange(1.0, source.n_rows + 1)
        if growth[-1] > LARGEST_WEIGHT:
            assert isinstance(self._kept, list)
            for lane in self._kept:
                scaled(lane, 1 / self._weight)
            self._weight = 1.0
            growth = forget ** -np.arange(1.0, source.n_rows + 1)
        self._weight = float(growth[-1])
        return source.weighted(growth)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()


def _refuse_strangers(kept: list[Running], lanes: list[Running]) -> None:
    """More of a fold taken out than was put in: those rows were never learned."""
    for had, taken in zip(sum_of(kept), sum_of(lanes), strict=True):
        if taken[0, 0] > had[0, 0] * (1 + 1e-9):
            raise InputError("These rows were not all learned before, or not with these weights.")


def root_of(moments: Array) -> Array:
    """Rows S with SᵀS the moments, without the directions that are rounding."""
    values, vectors = np.linalg.eigh(moments)
    kept = values > 8 * np.finfo(float).eps * max(float(np.trace(moments)), 0.0)
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)


def _refuse_second_passes(settings: Settings) -> None:
    """What needs the rows again has no place here."""
    if settings.sizes is None:
        raise InputError('n_hidden="auto" reads the rows again for new nodes: give a number or a list.')
    if settings.selector is not None and settings.selector.name == "loo":
        raise InputError('selection="loo" reads the rows again: use "kfold", "gcv" or "lcurve".')
    if settings.solver is not None and settings.solver.name not in ("gram", "qr"):
        raise InputError(
            f'solver="{settings.solver.name}" reads the rows again: partial_fit keeps a summary '
            'of them, update="information" or "qr".'
        )
