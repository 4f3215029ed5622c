"""Learning as rows arrive: a summary that grows, forgets, slides or gives rows back, solved when asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import Any

import numpy as np

from samara.continued import Leftover, StreamState, one_hot_turn, summary_of, turned
from samara.core import Array, Batch, Crew, FeatureMap, Source, seen_through
from samara.errors import InputError
from samara.fit import Fitted
from samara.linalg.workers import in_threads
from samara.maps import fused
from samara.model import Model
from samara.past import (
    LARGEST_WEIGHT,
    Fading,
    Memory,
    first_ridge,
    long_plan,
    plan_of_stream,
    refuse_second_passes,
    refuse_strangers,
)
from samara.plans import Plan
from samara.prepare import draw_maps, first_look, look
from samara.selection import Selection
from samara.settings import Settings
from samara.solvers import RootFactor
from samara.solvers.sequential import Inverse, Woodbury
from samara.summaries import ColumnMoments, Layout, Moments, Triangle
from samara.summaries.grown import Running, merged, refuse_overflow, scaled, subtracted, sum_of, widened
from samara.summarized import Summarized, plain
from samara.windows import Window

LANE_ROWS = 256  # of a batch, for each worker that it is worth waking


class Stream:
    """What a model that learns as rows arrive keeps: frozen maps and a running summary.

    The first batch draws or learns everything that a pass over the rows can't change any more: scaling,
    nodes, shifts. After that a batch is an update of the summary; the model is solved when it is asked for.
    """

    def __init__(self, settings: Settings, memory: Memory, plain_targets: bool = False) -> None:
        memory.validate()
        self._plain = plain_targets  # neither centred nor scaled: more of them can be added
        refuse_second_passes(settings)
        self.settings, self.memory = settings, memory
        self._rooted = memory.update == "qr"  # whether triangles are kept, not sums of squares
        self.maps: tuple[FeatureMap, ...] = ()
        self.layout: Layout
        self.plan: Plan
        self._kept: list[Running] | Window | Inverse
        self._chosen: Selection | None = None  # of the first batch, by Woodbury's rule
        self.n_rows = 0
        self._lock = RLock()
        self._fading = Fading(memory.forget, LARGEST_WEIGHT[settings.dtype.name])
        self._changed = False  # by the batch that is being taken in
        self._broken = False  # by one that failed halfway

    @classmethod
    def after(cls, left: Leftover, settings: Settings, memory: Memory, plain_targets: bool) -> Stream:
        """Go on from a fit: with its nodes, its scaling and all its rows, each of weight 1 so far."""
        made = cls(settings, memory, plain_targets)
        if memory.window is not None or isinstance(memory.update, Woodbury):
            raise InputError("A window, and Woodbury's formula, begin with partial_fit: fit keeps no rows.")
        left.refuse_other(settings)
        made.maps, made._like, made.n_rows = left.maps, left.like, left.n_rows
        made.layout, made._trace = left.layout, left.trace
        made.plan = plan_of_stream(left.plan, memory, made._rooted)
        made._rooted |= isinstance(left.factor, RootFactor)  # what its ridge was too small for, it still is
        first = summary_of(left, made._rooted)
        if plain_targets:
            turn = one_hot_turn(left.layout)
            made.layout = plain(left.layout, turn.shape[1])
            first = turned(first, turn, made.layout)
        made._kept = [first, *(made._summary() for _ in range(made.plan.workers - 1))]
        return made

    def state(self, labels: Array | None) -> StreamState:
        """What was learned so far, as data; its arrays are the stream's own."""
        with self._lock:
            self._refuse_broken()
            if not isinstance(self._kept, list):
                raise InputError('resumable=True needs update="information" or "qr", and no window.')
            return StreamState(
                maps=self.maps,
                layout=self.layout,
                plan=self.plan,
                trace=self._trace,
                n_rows=self.n_rows,
                newest=self._fading.newest,
                is_sparse=self._like.is_sparse,
                rooted=self._rooted,
                labels=labels,
                lanes=tuple(lane.state() for lane in self._kept),
            )

    def resume(self, state: StreamState, like: Batch) -> None:
        """Go on from what was learned; ``like`` stands for the rows that are gone."""
        self.maps, self.layout, self.plan = state.maps, state.layout, state.plan
        self._trace, self.n_rows, self._like = state.trace, state.n_rows, like
        self._rooted = state.rooted
        self._fading = replace(self._fading, newest=state.newest)
        self._kept = [self._summary() for _ in state.lanes]
        for lane, (numbers, arrays) in zip(self._kept, state.lanes, strict=True):
            lane.restore(numbers, arrays)

    def learn(self, source: Batch, inputs: ColumnMoments | None = None, crew: Crew | None = None) -> None:
        """Take the rows of a batch in; more targets than before were 0 in all rows so far.

        The first batch is scaled by its own moments, unless those of the inputs are given. The crew of a
        cluster adds its rows up where they are, if this is one of sums.
        """
        with self._lock:
            self._refuse_broken()
            if not self.n_rows:
                self._begin(source, inputs, crew or self.settings.crew)
            with self._changing():
                if source.n_targets > self.layout.n_targets:
                    self._widen(source.n_targets - self.layout.n_targets)
                source, fading = self._weighed(source)
                if isinstance(self._kept, list):
                    self._update(self._kept, self._seen(source), crew)
                else:
                    self._changed |= isinstance(self._kept, Inverse)
                    self._kept.learn(self._seen(source))
                self._fading = fading
                self.n_rows += source.n_rows

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A batch that fails at its first block leaves all as it was; one that fails later is not hidden."""
        kept, layout, self._changed = self._kept, self.layout, False
        try:
            yield
        except BaseException as error:
            self._broken = self._changed or not isinstance(error, Exception)
            self._kept, self.layout = kept, layout
            raise

    def _refuse_broken(self) -> None:
        if self._broken:
            raise InputError(
                "An earlier batch failed or was interrupted halfway, and which of its rows were learned is "
                "not known: nothing more can be learned or solved. Fit anew, or go on from an earlier copy."
            )

    def unlearn(self, source: Source, crew: Crew | None = None) -> None:
        """Take rows out again that were learned before."""
        with self._lock:
            self._refuse_broken()
            if not isinstance(self._kept, list) or self._rooted or self.memory.forget < 1:
                raise InputError(
                    'Rows can be unlearned with update="information" and a ridge that is not tiny, without '
                    "forget or window, only."
                )
            if source.n_rows > self.n_rows:
                raise InputError(f"{source.n_rows:,} rows to unlearn, but only {self.n_rows:,} were learned.")
            lanes = [self._summary() for _ in self._kept]
            self._update(lanes, self._seen(source), crew)
            refuse_strangers(self._kept, lanes)
            with self._changing():
                self._changed = True
                subtracted(self._kept[0], lanes)
                self.n_rows -= source.n_rows

    def _widen(self, count: int) -> None:
        """Room for more targets."""
        self.layout = self.layout.widened(count)
        if isinstance(self._kept, list):
            self._kept = [widened(lane, self.layout) for lane in self._kept]
        else:
            self._kept = self._kept.widened(self.layout)

    def fitted(self, turn: Array | None = None) -> Fitted:
        """Choose and solve; ``turn`` makes other targets of the constant and those kept, (1 + t, t')."""
        with self._lock:
            self._refuse_broken()
            if not self.n_rows:
                raise InputError("Every row was unlearned: there is nothing left to learn from.")
            if isinstance(self._kept, Inverse):
                return self._current(self._kept, turn)
            summaries = self._kept if isinstance(self._kept, list) else self._kept.summaries()
            folds = sum_of(summaries)
            return self._solved(folds, turn)

    def _current(self, kept: Inverse, turn: Array | None) -> Fitted:
        """The model as the last chunk left it."""
        layout, dtype = self.layout, self.settings.dtype
        if turn is not None:
            layout = plain(layout, turn.shape[1])
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
        rooted, newest = self._rooted, self._fading.newest
        if newest != 1:  # the newest row weighs 1
            folds = [fold / (np.sqrt(newest) if rooted else newest) for fold in folds]
        if not any(fold[:, 0].any() for fold in folds):
            raise InputError("All rows that count have weight 0: there is nothing to learn from.")
        kept = Summarized(folds, rooted, self.n_rows, self.settings, self.maps, self.plan)
        return kept.fitted(self._like, (self.layout, self._trace), turn)

    def _begin(self, source: Source, inputs: ColumnMoments | None, crew: Crew) -> None:
        """Freeze scaling, nodes and shifts."""
        settings, sizes = replace(self.settings, crew=crew), self.settings.first_sizes()
        profile = look(source, settings)
        profile.inputs = profile.inputs if inputs is None else inputs
        self.maps = draw_maps(source, settings, profile, sizes[-1])
        self._like = source.cut(0, 1)
        mapped = seen_through(source, fused(self.maps, source.is_sparse))
        self.layout, self._trace = first_look(mapped, settings, profile)
        if self._plain:
            self.layout = plain(self.layout, source.n_targets)
        shape = settings.shape(source, sizes, self._trace)
        if self.memory == Memory(forget=self.memory.forget):  # sums of squares would lose a tiny ridge
            self._rooted = shape.tiny_ridge
        self.plan = plan_of_stream(long_plan(shape, settings, self._rooted), self.memory, self._rooted)
        if isinstance(self.memory.update, Woodbury):
            alpha, self._chosen = first_ridge(source, settings, profile)
            self._kept = Inverse(
                self.memory.update, self.layout, alpha, settings.fit_intercept, self.plan.block_rows
            )
        elif self.memory.window is not None:
            self._kept = Window(self.memory.window, self._summary, self._update_one)
        else:
            self._kept = [self._summary() for _ in range(self.plan.workers)]

    def _summary(self) -> Running:
        return self._making()()

    def _making(self) -> Callable[[], Running]:
        kind: Callable[..., Running] = Triangle if self._rooted else Moments
        return partial(kind, self.layout, self.settings.n_folds, self.plan.block_rows)

    def _seen(self, source: Source) -> Source:
        return seen_through(source, fused(self.maps, source.is_sparse)).folded(self.settings.n_folds)

    def _update(self, lanes: Sequence[Running], source: Source, crew: Crew | None = None) -> None:
        """Each worker its part of the batch, into a summary of its own; that of a cluster comes home."""
        if crew is not None:
            made = crew.planned(crew.workers, self.plan.block_rows, crew.progress)
            there = made.summarize(source, self._making(), "learn")
            refuse_overflow([there])
            self._changed = True
            merged(lanes[0], there)
            return
        count = max(1, min(len(lanes), source.n_rows // LANE_ROWS))
        parts = source.parts(count)

        def run(number: int) -> None:
            for block in parts[number].blocks(self.plan.block_rows):
                lanes[number].update(block)
                self._changed = True

        in_threads(run, range(len(parts)), len(parts))
        self._changed = True
        refuse_overflow(lanes[: len(parts)])

    def _update_one(self, one: Running, source: Source) -> None:
        self._update([one], source)

    def _weighed(self, source: Batch) -> tuple[Batch, Fading]:
        """The rows with their weights under forgetting, and how it goes on."""
        if self._fading.forget == 1:
            return source, self._fading
        factor, weights, fading = self._fading.after(source.n_rows)
        if factor != 1:
            self._changed = True
            assert isinstance(self._kept, list)
            for lane in self._kept:
                scaled(lane, factor)
        return source.weighted(weights), fading

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = RLock()
