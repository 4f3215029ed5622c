"""`leaves`: the rows cut by a tree, the kernel matrix of each leaf solved on its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy import sparse

from samara.core import Array
from samara.errors import BudgetError, InputError
from samara.linalg.workers import in_threads
from samara.maps import KernelRows, LeafRows, Tree, grown
from samara.solvers.kernel.divide import part_of
from samara.solvers.kernel.exact import Exact, OneRidge
from samara.solvers.kernel.spectral import Spectral
from samara.solvers.kernel.task import DualFactor, KernelTask, Solution, some_left_out

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
    factors: Sequence[DualFactor | None]  # None: solved already
    without: Array  # (n, t) errors of some rows by the model without them and their copies; else NaN
    solutions: dict[float, list[Solution]] = field(default_factory=dict)
    conditions: dict[float, float] = field(default_factory=dict)
    error: float = 0.0

    @classmethod
    def solved(cls, task: KernelTask, tree: Tree, order: Array, edges: Array) -> Leafed:
        """Of one ridge only the solutions are kept: factors of all leaves would be n·m numbers."""
        ridge = task.alphas[0] if task.alphas is not None and len(task.alphas) == 1 else None
        pairs = zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        pieces, copies = [order[lo:hi] for lo, hi in pairs], _some_copies(task, ridge)

        def solve(rows: Array) -> _Leaf:
            return _Leaf.solved(task, rows, ridge, _copies_in(copies[rows]))

        leaves = in_threads(solve, pieces, task.workers)
        without = np.full(task.targets.shape, np.nan)
        for rows, leaf in zip(pieces, leaves, strict=True):
            without[rows] = leaf.without
        factors = [leaf.factor for leaf in leaves]
        made = cls(task, tree, order, edges, sum(leaf.trace for leaf in leaves), factors, without)
        if ridge is not None:
            made.solutions[ridge] = [leaf.solution for leaf in leaves if leaf.solution is not None]
            made.conditions[ridge] = max(leaf.condition for leaf in leaves)
        return made

    @property
    def rank(self) -> int:
        """All rows."""
        return self.task.n

    def solve(self, alpha: float) -> Solution:
        """The coefficients leaf by leaf, then the intercept of each."""
        if alpha not in self.solutions:
            self.solutions = {alpha: [factor.solve(alpha) for factor in self.factors if factor is not None]}
        solutions = self.solutions[alpha]
        coef, means = [one.coef for one in solutions], np.stack([one.intercept for one in solutions])
        return Solution(np.concatenate([*coef, means]), np.zeros(means.shape[1]))

    def left_out(self, alpha: float, groups: Sequence[Array]) -> Array:
        """Of each leaf by itself: rows of other leaves are nothing to it."""
        made, inside = np.empty(self.task.targets.shape), self._by_leaf(groups)
        for leaf, factor in enumerate(self.factors):
            if factor is not None:
                rows = self.order[self.edges[leaf] : self.edges[leaf + 1]]
                made[rows] = factor.left_out(alpha, inside[leaf])
        return made

    def copies_left_out(self, alpha: float, copies: Sequence[Array]) -> Array:
        """Errors (g, t) of the mean targets of rows with equal inputs, by the models without these rows."""
        return self.without[[int(rows[0]) for rows in copies]]

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


@dataclass(frozen=True)
class _Leaf:
    """One leaf: decomposed, or solved for one ridge."""

    trace: float
    without: Array  # (rows, t) errors without a row and its copies, NaN where these were not asked for
    factor: DualFactor | None = None
    solution: Solution | None = None
    condition: float = 1.0

    @classmethod
    def solved(cls, task: KernelTask, rows: Array, ridge: float | None, copies: list[Array]) -> _Leaf:
        """The rows of a leaf by themselves; groups of ``copies`` are left out in turn."""
        factor = Exact()(replace(part_of(task, rows, 1.0), workers=1))
        without = np.full((len(rows), task.targets.shape[1]), np.nan)
        if task.report:
            task.report("leaves", len(rows), task.n)
        if ridge is None:
            return cls(factor.trace, without, factor)
        if copies and len(rows) > len(copies[0]):  # without its only input a leaf has no model
            assert isinstance(factor, OneRidge | Spectral)
            for group, error in zip(copies, factor.copies_left_out(ridge, copies), strict=True):
                without[group] = error
        return cls(factor.trace, without, None, factor.solve(ridge), factor.condition(ridge))


def _some_copies(task: KernelTask, ridge: float | None) -> Array:
    """Numbers (n,) of the inputs with the highest keys, which are left out; −1: others, or no ridge."""
    if task.keys is None or not ridge:
        return np.full(task.n, -1)
    distinct, number = np.unique(task.keys, return_inverse=True)
    return np.where(number >= len(distinct) - some_left_out(task.n), number, -1)


def _copies_in(numbers: Array) -> list[Array]:
    """The places of each number of 0 and more."""
    there = np.flatnonzero(numbers >= 0)
    there = there[np.argsort(numbers[there], kind="stable")]
    return np.split(there, np.flatnonzero(np.diff(numbers[there])) + 1) if len(there) else []
