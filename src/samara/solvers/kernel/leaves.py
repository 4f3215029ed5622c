"""`leaves`: the rows cut by a tree, the kernel matrix of each leaf solved on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from samara.core import Array
from samara.errors import BudgetError, InputError
from samara.linalg.blas import in_threads
from samara.maps import KernelRows, LeafRows, Tree, grown
from samara.solvers.kernel.divide import part_of
from samara.solvers.kernel.exact import Exact
from samara.solvers.kernel.task import DualFactor, KernelTask, Solution

UNCUT = 2  # times the rows of a leaf that one may have, where equal rows can't be cut


@dataclass(frozen=True)
class Leaves:
    """Exact within leaves: the kernel k(x, z)·(x and z are in one leaf), an intercept for each leaf.

    A tree halves the rows along the direction in which they vary most, until no leaf has more than ``rows``.
    n rows in leaves of m take n·m²/3 flops for one ridge. Unlike a model with few centres it is made of every
    row; what is lost is what rows beyond the border of a leaf would have told.

    Parameters
    ----------
    rows : int
        Of a leaf at most.
    """

    rows: int = 5000
    name = "leaves"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        if self.rows < 2:
            raise InputError(f"rows of a leaf must be at least 2, got {self.rows!r}.")

    def __call__(self, task: KernelTask) -> Leafed:
        """Grow the tree and solve, or decompose, leaf by leaf."""
        if task.gramian.kernel.name == "precomputed" or sparse.issparse(task.gramian.rows):
            raise InputError('solver="leaves" cuts rows of numbers: neither precomputed nor sparse ones.')
        tree = grown(task.gramian.rows, self.rows, task.weights, task.keys)
        leaf = tree(np.asarray(task.gramian.rows, np.float64))
        order = np.argsort(leaf, kind="stable")
        edges = np.searchsorted(leaf[order], np.arange(tree.n_leaves + 1))
        largest = int(np.diff(edges).max())
        if largest > UNCUT * self.rows:
            raise BudgetError(
                f"{largest:,} rows of a leaf are too nearly equal to be cut into leaves of {self.rows:,}. "
                'Use solver="nystroem".'
            )
        return Leafed.solved(task, tree, order, edges)


@dataclass
class Leafed:
    """The leaves, solved for one ridge or ready for any."""

    task: KernelTask
    tree: Tree
    order: Array  # rows leaf by leaf
    edges: Array
    trace: float
    factors: Sequence[DualFactor | None]  # None: a leaf without rows, or one solved already
    solutions: dict[float, list[Solution | None]] = field(default_factory=dict)
    conditions: dict[float, float] = field(default_factory=dict)
    error: float = 0.0

    @classmethod
    def solved(cls, task: KernelTask, tree: Tree, order: Array, edges: Array) -> Leafed:
        """Of one ridge only the solutions are kept: factors of all leaves would be n·m numbers."""
        ridge = task.alphas[0] if task.alphas is not None and len(task.alphas) == 1 else None
        pairs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        pieces = [order[lo:hi] for lo, hi in pairs]

        def solve(rows: Array) -> tuple[DualFactor | None, Solution | None, float, float]:
            if not len(rows):
                return None, None, 0.0, 1.0
            factor = Exact()(replace(part_of(task, rows, 1.0), workers=1))
            if task.report:
                task.report("leaves", len(rows), task.n)
            if ridge is None:
                return factor, None, factor.trace, 1.0
            return None, factor.solve(ridge), factor.trace, factor.condition(ridge)

        factors, solutions, traces, conditions = zip(*in_threads(solve, pieces, task.workers), strict=True)
        made = cls(task, tree, order, edges, sum(traces), factors)
        if ridge is not None:
            made.solutions[ridge], made.conditions[ridge] = list(solutions), max(conditions)
        return made

    @property
    def rank(self) -> int:
        """All rows."""
        return self.task.n

    def solve(self, alpha: float) -> Solution:
        """The coefficients leaf by leaf, then the intercept of each."""
        if alpha not in self.solutions:
            found = [None if factor is None else factor.solve(alpha) for factor in self.factors]
            self.solutions = {alpha: found}
        solutions = self.solutions[alpha]
        none = np.zeros(self.task.targets.shape[1])
        coef = [one.coef for one in solutions if one is not None]
        means = [none if one is None else one.intercept for one in solutions]
        return Solution(np.concatenate([*coef, np.stack(means)]), none)

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Of each leaf by itself: rows of other leaves are nothing to it."""
        made, inside = np.empty(self.task.targets.shape), self._by_leaf(groups)
        for leaf, factor in enumerate(self.factors):
            if factor is not None:
                rows = self.order[self.edges[leaf] : self.edges[leaf + 1]]
                made[rows] = factor.left_out(alpha, inside[leaf])
        return made

    def _by_leaf(self, groups: Sequence[Array]) -> list[list[Array]]:
        """What each leaf has of every group, in its own row numbers."""
        counts = np.diff(self.edges)
        leaf, place = np.empty(self.task.n, np.intp), np.empty(self.task.n, np.intp)
        leaf[self.order] = np.repeat(np.arange(len(counts)), counts)
        place[self.order] = np.arange(self.task.n) - np.repeat(self.edges[:-1], counts)
        inside: list[list[Array]] = [[] for _ in counts]
        for rows in groups:
            for number in np.unique(leaf[rows]).tolist():
                mine = place[rows[leaf[rows] == number]]
                if len(mine) > 1:
                    inside[number].append(mine)
        return inside

    def condition(self, alpha: float) -> float:
        """Of the worst leaf."""
        if alpha in self.conditions:
            return self.conditions[alpha]
        return max(factor.condition(alpha) for factor in self.factors if factor is not None)

    def features(self) -> LeafRows:
        """The map of the model, its centres leaf by leaf."""
        gramian = self.task.gramian
        return LeafRows(
            KernelRows(gramian.kernel, gramian.rows[self.order], gramian.dtype), self.tree, self.edges
        )
