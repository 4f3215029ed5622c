"""What the user asked of a kernel model, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from samara.checkpoints import Checkpoint
from samara.core import Array, Crew, FeatureMap, Progress, Source
from samara.engines.clusters import is_cluster
from samara.kernel_plan import KernelShape, make_kernel_plan
from samara.maps import Kernel, Landmarks
from samara.plans import Budget, Plan
from samara.selection import Selector
from samara.settings import AUTO_MOST, N_RIDGES, QUANTILE_ROWS, Metric, Settings
from samara.shapes import dtype_name
from samara.solvers import Rank
from samara.solvers.kernel import KERNEL_SOLVERS, Divide, KernelSketch, KernelSolver, Leaves, Ssvd

Gamma = float | Literal["scale", "median", "auto"]


@dataclass(frozen=True)
class Nystroem:
    """M centres, whitened, through the one-pass fit of the extreme learning machine: `nystroem`.

    Parameters
    ----------
    centres : {"rows", "kmeans", "pivoted"}
        Rows at random; the k-means centres of a sample; or rows as a randomly pivoted Cholesky
        factorization takes them, which covers outliers first.
    """

    centres: Literal["rows", "kmeans", "pivoted"] = "rows"
    name = "nystroem"

    def validate(self) -> None:
        """Refuse unknown names."""
        Landmarks(Kernel("linear"), self.centres).validate()


@dataclass(frozen=True)
class KernelSettings:
    """The settings of one fit."""

    kernel: Kernel  # its gamma is that of ``gamma`` once that is known
    gamma: Gamma
    alphas: tuple[float, ...] | None  # None: the grid
    solver: KernelSolver | Nystroem | None  # None: the plan chooses
    rank: Rank | tuple[int, ...]  # of `nystroem` several to choose from
    selector: Selector | None
    selection_why: str
    scale: str | FeatureMap | None
    fit_intercept: bool
    budget: Budget
    crew: Crew  # who merges
    dtype: np.dtype[np.floating]
    entropy: int
    alpha_per_target: bool = False
    progress: Progress | None = None
    checkpoint: Checkpoint | None = None
    metric: Metric | None = None  # of the inputs, to be learned
    root: Array | None = None  # of a metric that is there, as in `Settings`

    def shape(self, source: Source) -> KernelShape:
        """The shape of the problem."""
        solver = self.solver
        return KernelShape(
            n_rows=source.n_rows,
            n_inputs=source.n_features,
            n_targets=source.n_targets,
            n_alphas=len(self.alphas) if self.alphas else N_RIDGES,
            selection=self.selector.name if self.selector else None,
            rank=max(self.rank) if isinstance(self.rank, tuple) else self.rank,
            max_rank=self.kernel.max_rank(source.n_features),
            dtype=dtype_name(self.dtype),
            definite=self.kernel.is_definite and not (self.alphas and min(self.alphas) == 0),
            n_parts=solver.parts if isinstance(solver, Divide) else None,
            leaf_rows=solver.rows if isinstance(solver, Leaves) else Leaves.rows,
            power=solver.power if isinstance(solver, Ssvd | KernelSketch) else None,
            away=is_cluster(self.crew) and self.kernel.name != "precomputed",
        )

    def plan(self, source: Source) -> Plan:
        """How it would be fitted; refuses what the budget can't hold."""
        asked = self.solver.name if self.solver else "auto"
        plan = make_kernel_plan(self.shape(source), asked, self.budget, self.selection_why)
        return plan if self.metric is None else self.metric.planned(plan)

    def solver_of(self, plan: Plan) -> KernelSolver | Nystroem:
        """The solver that a plan asks for, with the settings given."""
        if self.solver is not None and self.solver.name == plan.solver:
            return self.solver
        return Nystroem() if plan.solver == "nystroem" else KERNEL_SOLVERS[plan.solver]()

    def engine(self) -> Crew:
        """Who reads the rows."""
        return self.crew.planned(self.budget.workers, self.budget.block_rows or 4096, self.progress)

    def multiplier(self, plan: Plan) -> Crew:
        """Who multiplies with the kernel matrix; `pcg` tells of its steps itself."""
        progress = None if plan.solver == "pcg" else self.progress
        return self.crew.planned(self.budget.workers, self.budget.block_rows or 4096, progress)

    def of_centres(
        self, kernel: Kernel, sizes: tuple[int, ...] | None, centres: str, most: int = AUTO_MOST
    ) -> Settings:
        """The settings of the one-pass fit on whitened centres."""
        return Settings(
            layer=Landmarks(kernel, centres, self.dtype),  # type: ignore[arg-type]  # checked before
            sizes=sizes,
            alphas=self.alphas,
            solver=None,
            selector=self.selector,
            selection_why=self.selection_why,
            scale=self.scale,
            direct_link=False,
            fit_intercept=self.fit_intercept,
            budget=self.budget,
            crew=self.crew,
            dtype=self.dtype,
            entropy=self.entropy,
            alpha_per_target=self.alpha_per_target,
            progress=self.progress,
            most_nodes=most,
            checkpoint=self.checkpoint,
            root=self.root,
        )

    def sample_rows(self, source: Source) -> int:
        """Rows that the fit wants to see before it begins; refuses what the budget can't hold."""
        solver = self.solver_of(self.plan(source))
        if not isinstance(solver, Nystroem):
            return QUANTILE_ROWS if self.scale == "quantile" else 0
        most = min(AUTO_MOST, source.n_rows)
        asked = self.of_centres(self.kernel, self.n_centres(source.n_rows), solver.centres, most)
        return asked.shape(source, asked.first_sizes()).sample_rows

    def n_centres(self, n: int) -> tuple[int, ...] | None:
        """Numbers of centres to try; None: append some while the error falls."""
        if isinstance(self.rank, tuple):
            return self.rank
        if isinstance(self.rank, str):
            choosing = self.selector is not None and self.selector.name == "kfold"
            return None if choosing else (min(n, AUTO_MOST),)
        return (max(1, round(self.rank * n) if isinstance(self.rank, float) else int(self.rank)),)
