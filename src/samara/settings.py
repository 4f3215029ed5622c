"""What the user asked for, checked, and the plans that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeGuard

import numpy as np

from samara.checkpoints import Checkpoint, Checkpointed
from samara.core import Array, Crew, FeatureMap, Progress, Source
from samara.engines import Threads
from samara.errors import BudgetError, InputError
from samara.maps import Additive, Landmarks, LocalFields, Radial
from samara.plans import Budget, Plan, make_plan
from samara.selection import Selector
from samara.shapes import MAX_STEPS, Shape, dtype_name, is_tiny
from samara.solvers import SOLVERS, Rank, Solver, Submodels, Tiles
from samara.solvers.task import checked_columns

Drawn = Additive | Radial | Landmarks | LocalFields
Layer = Drawn | FeatureMap

N_RIDGES = 10  # of the grid
QUANTILE_ROWS = 5000  # rows whose ranks stand for all rows'
AUTO_START, AUTO_MOST = 250, 2000  # nodes at which the search for a size starts and ends


@dataclass(frozen=True)
class Metric:
    """A metric of the scaled inputs that is learned from the gradients of the model itself."""

    diagonal: bool  # a factor for each input, else a full matrix
    rounds: int  # at most

    @property
    def name(self) -> str:
        return "agop_diagonal" if self.diagonal else "agop"

    def planned(self, plan: Plan) -> Plan:
        """The plan of one fit as that of all rounds: each also takes gradients and is scored."""
        least, most = self.rounds + 2, 2 * (self.rounds + 1)
        why = f"metric {self.name}: {least} to {most} fits, {self.rounds + 1} of them on 80 % of the rows"
        return replace(
            plan,
            passes=least * (plan.passes + 1),
            most_passes=most * (plan.most_passes + 2),
            flops=most * plan.flops,
            reasons=(*plan.reasons, why),
        )


@dataclass(frozen=True)
class Settings:
    """The settings of one fit."""

    layer: Layer
    sizes: tuple[int, ...] | None  # None: append nodes while the curve falls
    alphas: tuple[float, ...] | None  # None: the grid
    solver: Solver | None  # None: the plan chooses
    selector: Selector | None
    selection_why: str
    scale: str | FeatureMap | None
    direct_link: bool
    fit_intercept: bool
    budget: Budget
    crew: Crew  # who merges
    dtype: np.dtype[np.floating]
    entropy: int
    alpha_per_target: bool = False
    rank: Rank = "auto"
    progress: Progress | None = None
    checkpoint: Checkpoint | None = None
    missing: str | None = None  # "impute" or "flag"; None: as the kind of table has it
    most_nodes: int | None = None  # at which the search for a size ends; None: AUTO_MOST
    metric: Metric | None = None  # of the inputs, to be learned
    root: Array | None = None  # of a metric that is there, (d, d) or (d,): scaled inputs are multiplied by it

    @property
    def n_folds(self) -> int:
        return self.selector.n_folds if self.selector else 1

    @property
    def nests(self) -> bool:
        """Whether a larger draw of the layer begins with a smaller one."""
        return is_drawn(self.layer) and self.layer.nests

    def shape(self, source: Source, sizes: Sequence[int], trace: float | None = None) -> Shape:
        """The shape of the problem at the largest of these sizes."""
        solver = self.solver
        return Shape(
            n_rows=source.n_rows,
            n_inputs=source.n_features,
            n_targets=source.n_targets,
            n_hidden=sizes[-1],
            n_link=source.n_features if self.direct_link else 0,
            dtype=dtype_name(self.dtype),
            n_alphas=len(self.alphas) if self.alphas else N_RIDGES,
            n_sizes=len(sizes),
            selection=self.selector.name if self.selector else None,
            n_folds=self.n_folds,
            smallest_alpha=min(self.alphas) if self.alphas else None,
            trace=trace,
            sample_rows=self.sample_rows(source.n_rows, sizes[-1]),
            grows=self.sizes is None,
            layer_bytes=self.layer.bytes(sizes[-1]) if isinstance(self.layer, Landmarks) else 0,
            rank=self.rank,
            oversampling=getattr(getattr(solver, "stop", None), "r", getattr(solver, "oversampling", None)),
            power=getattr(solver, "power", 0),
            most_steps=getattr(solver, "max_iter", MAX_STEPS),
            tol=getattr(solver, "tol", 1e-10),
            group=self._group(sizes[-1] + (source.n_features if self.direct_link else 0)),
            processes=self.budget.processes or 1,
            sent_bytes=getattr(source, "sent_bytes", 0),  # of rows in files there is nothing to send
        )

    def sample_rows(self, n_rows: int, n_hidden: int) -> int:
        """Rows that nodes and scaling are drawn from."""
        rows = 0
        if is_drawn(self.layer):
            rows = self.layer.sample_rows(n_hidden if self.sizes else self._most())
        if self.scale == "quantile":
            rows = max(rows, QUANTILE_ROWS)
        return min(rows, n_rows)

    def _group(self, n_columns: int) -> int | None:
        """Nodes of a tile or of a sub-model, where that is given."""
        if isinstance(self.solver, Submodels):
            return -(-n_columns // self.solver.count)
        return self.solver.nodes if isinstance(self.solver, Tiles) else None

    def refuse(self, source: Source) -> None:
        """Refuse what the solver can't do with this table, before a row is read."""
        n_columns = self.first_sizes()[-1] + (source.n_features if self.direct_link else 0)
        checked_columns(self.rank, source.n_rows, n_columns)
        name, ridge = self.solver.name if self.solver else "auto", self.alphas[0] if self.alphas else None
        if name == "sketch" and ridge == 0:
            raise InputError('solver="sketch" divides by the ridge: alpha must be above 0.')
        if name in ("tiles", "submodels") and ridge == 0:
            raise InputError(f'solver="{name}" solves normal equations: alpha must be above 0.')
        if isinstance(self.solver, Submodels):
            self._refuse_submodels(self.solver.count, n_columns)

    def _refuse_submodels(self, count: int, n_columns: int) -> None:
        if self.direct_link:
            raise InputError(
                'solver="submodels" has no direct_link: the inputs would be in one of them alone.'
            )
        if count > n_columns:
            raise InputError(
                f"{count:,} sub-models need as many nodes, got {n_columns:,}: use a smaller count."
            )

    def plan(
        self, source: Source, sizes: Sequence[int], trace: float | None = None, known: Plan | None = None
    ) -> Plan:
        """How these sizes would be fitted; refuses what the budget can't hold.

        ``known`` is their plan before there was a trace, which only a ridge that is tiny to it changes.
        """
        tiny = is_tiny(min(self.alphas or (np.inf,)), trace or 0.0, dtype_name(self.dtype))
        if known is not None and not tiny:  # a fiftieth of a small fit
            return known
        asked = self.solver.name if self.solver else "auto"
        shape = self.shape(source, sizes, trace if tiny else None)  # else it changes nothing
        plan = _planned(shape, type(shape.rank).__name__, asked, self.budget, self.selection_why)
        return plan if self.metric is None else self.metric.planned(plan)

    def solver_of(self, plan: Plan) -> Solver:
        """The solver that a plan asks for, with the settings given."""
        made = self.solver if self.solver and self.solver.name == plan.solver else SOLVERS[plan.solver]()
        return replace(made, nodes=plan.group) if isinstance(made, Tiles) else made

    def engine(self, plan: Plan, block_rows: int | None = None) -> Crew | Checkpointed:
        """The engine that a plan asks for."""
        crew = self.crew.planned(plan.workers, block_rows or plan.block_rows, self.progress)
        return self.checkpoint.engine(crew) if self.checkpoint else crew

    def in_threads(self) -> Settings:
        """The same for threads of this process, without a cluster and without telling of progress."""
        if self.progress is None and isinstance(self.crew, Threads):
            return self
        return replace(self, crew=Threads(), progress=None, budget=replace(self.budget, processes=0))

    def _most(self) -> int:
        return AUTO_MOST if self.most_nodes is None else self.most_nodes

    def first_sizes(self) -> tuple[int, ...]:
        """The sizes to begin with."""
        return self.sizes or size_ladder(min(AUTO_START, self._most()))

    def next_sizes(self, source: Source, sizes: Sequence[int]) -> tuple[int, ...] | None:
        """Twice as many nodes, where that is allowed and the budget holds them."""
        larger = size_ladder(min(2 * sizes[-1], self._most()))
        if self.sizes is not None or larger[-1] == sizes[-1]:
            return None
        try:
            self.plan(source, larger)
        except BudgetError:
            return None
        return larger


@lru_cache(maxsize=64)  # a fit plans twice, and a search fits one shape many times
def _planned(shape: Shape, rank_kind: str, solver: str, budget: Budget, why: str) -> Plan:
    """The plan of a shape; a rank of 1 is another than one of 1.0, though both are equal."""
    return make_plan(shape, solver, budget, why)


def size_ladder(most: int) -> tuple[int, ...]:
    """Sizes to try, half an octave apart, the largest last."""
    steps = 2 * int(np.log2(max(most / 16, 1)))
    return tuple(sorted({max(1, round(most / 2 ** (k / 2))) for k in range(steps + 1)}))


def is_drawn(layer: Layer) -> TypeGuard[Drawn]:
    """Whether the layer is still to be drawn (else it is a finished map)."""
    return isinstance(layer, Drawn)
