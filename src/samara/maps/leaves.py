"""A kernel within the leaves of a tree: rows of different leaves do not know of each other."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from math import ceil, log2
from typing import Any

import numpy as np

from samara.core import TILE_ROWS, Array
from samara.errors import NonFiniteError
from samara.maps.kernel_rows import KernelRows

SAMPLED = 2000  # rows whose directions a cut is made along
TRIED = 3  # directions, until one cuts well
SAME = 1e-9  # of the largest value: what rounding may make of equal rows
EVEN, UNEVEN = 0.3, 0.05  # share of the rows on the smaller side: taken at once, and no cut below


@dataclass(frozen=True)
class Tree:
    """Half of the rows on either side of a plane, and so on.

    From node i one goes on to ``children[i, 0]`` where xᵀv < c, to ``children[i, 1]`` where xᵀv ≥ c: a node
    of a larger number, or the leaf −1 − child where that is below 0. Without nodes there is one leaf.
    """

    directions: Array  # (nodes, d)
    thresholds: Array  # (nodes,)
    children: Array  # (nodes, 2)

    @property
    def n_leaves(self) -> int:
        """Parts that the rows fall into."""
        return len(self.thresholds) + 1

    def __call__(self, X: Array) -> Array:
        """The leaf (0 … leaves − 1) of every row."""
        at = np.full(len(X), 0 if len(self.children) else -1)
        inside = np.flatnonzero(at >= 0)
        while len(inside):
            node = at[inside]
            along = np.einsum("ij,ij->i", X[inside], self.directions[node])
            at[inside] = self.children[node, (along >= self.thresholds[node]).astype(np.intp)]
            inside = inside[at[inside] >= 0]
        return np.asarray(-1 - at)

    def paths(self) -> list[list[tuple[int, bool]]]:
        """Of each leaf the nodes above it, and on which side of them it lies."""
        above: dict[int, list[tuple[int, bool]]] = {0 if len(self.children) else -1: []}
        for node, pair in enumerate(self.children.tolist()):
            for side, child in enumerate(pair):
                above[child] = [*above[node], (node, bool(side))]
        return [above[-1 - leaf] for leaf in range(self.n_leaves)]


def even_leaves(n: int, most: int) -> int:
    """Leaves of n rows with no more than ``most`` in each, where every cut is even."""
    return 1 << max(0, ceil(log2(n / most)))


def grown(X: Array, most: int, weights: Array | None = None, keys: Array | None = None) -> Tree:
    """A tree with leaves of ``most`` rows at most, unless too many rows are equal.

    A cut goes through the median along the direction in which the rows of a node vary most.
    """
    order = np.arange(len(X)) if keys is None else np.argsort(keys, kind="stable")
    cuts: list[tuple[Array, float]] = []
    children: list[list[int]] = []
    leaves = 0
    waiting = [(order, -1, 0)]  # rows by content, so that their order does not matter; node above, and side
    while waiting:
        rows, above, side = waiting.pop(0)
        weight = np.ones(len(rows)) if weights is None else weights[rows]
        Z = np.asarray(X[rows], np.float64) if len(rows) > most else None
        cut = None if Z is None else _cut(Z, weight)
        number = -1 - leaves if cut is None else len(cuts)
        if above >= 0:
            children[above][side] = number
        if cut is None or Z is None:
            leaves += 1
            continue
        cuts.append(cut)
        children.append([0, 0])
        beyond = Z @ cut[0] >= cut[1]
        waiting += [(rows[~beyond], number, 0), (rows[beyond], number, 1)]
    directions = np.stack([cut[0] for cut in cuts]) if cuts else np.zeros((0, X.shape[1]))
    thresholds = np.array([cut[1] for cut in cuts])
    return Tree(directions, thresholds, np.array(children, np.int64).reshape(-1, 2))


def _cut(X: Array, weight: Array) -> tuple[Array, float] | None:
    """Direction and threshold of the first direction that halves the rows well, or of the best tried."""
    some, heavy = X[:SAMPLED], weight[:SAMPLED]
    centred = some - np.average(some, axis=0, weights=heavy)
    _, vectors = np.linalg.eigh((centred * heavy[:, None]).T @ centred)
    best: tuple[float, Array, float] = (0.0, np.zeros(0), 0.0)
    for v in vectors.T[::-1][:TRIED]:
        v = v * (1.0 if v[np.argmax(np.abs(v))] > 0 else -1.0)
        share, threshold = _halved(X @ v, weight)
        if share > best[0]:
            best = share, v, threshold
        if share >= EVEN:
            break
    return (best[1], best[2]) if best[0] >= UNEVEN else None


def _halved(along: Array, weight: Array) -> tuple[float, float]:
    """The threshold between two values that comes nearest to halving the weight, and the smaller share.

    Products of equal rows may differ by rounding: values so near count as one, and are never cut apart.
    """
    values, place = np.unique(along, return_inverse=True)
    if len(values) < 2:
        return 0.0, 0.0
    below = np.cumsum(np.bincount(place, weight))[:-1]
    apart = np.diff(values) > SAME * max(abs(values[0]), abs(values[-1]))
    shares = np.minimum(below, weight.sum() - below) / weight.sum() * apart
    best = int(np.argmax(shares))
    return float(shares[best]), float(values[best] + (values[best + 1] - values[best]) / 2)


@dataclass(frozen=True)
class LeafRows:
    """[k(x, z)·(x and z are in one leaf), (x is in leaf j)]: a kernel model and an intercept for each leaf.

    The product of two kernels is one: that of the leaves is 1 within a leaf and 0 between two.
    """

    rows: KernelRows  # its centres leaf by leaf
    tree: Tree
    edges: Array  # (leaves + 1,) first centre of each leaf

    @property
    def n_out(self) -> int:
        return self.rows.n_out + self.tree.n_leaves

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Features of the rows, most of them 0."""
        made = np.empty((len(X), self.n_out), self.rows.dtype) if out is None else out
        made[...] = 0
        for leaf, rows in self.parts(X):
            lo, hi = self.edges[leaf], self.edges[leaf + 1]
            made[rows, lo:hi] = self.leaves[leaf](X[rows])
            made[rows, self.rows.n_out + leaf] = 1
        return made

    def outputs(self, X: Any, coef: Array, intercept: Array, out: Array) -> None:
        """h(x)·coef + intercept into ``out``, with the centres of a row's leaf alone."""
        if not np.isfinite(X).all():
            raise NonFiniteError("X contains NaN or infinity")
        for leaf, rows in self.parts(X):
            own = coef[self.edges[leaf] : self.edges[leaf + 1]]
            known = coef[self.rows.n_out + leaf] + intercept
            for lo in range(0, len(rows), TILE_ROWS):
                some = rows[lo : lo + TILE_ROWS]
                out[some] = self.leaves[leaf](X[some]) @ own + known

    def parts(self, X: Array) -> list[tuple[int, Array]]:
        """The leaves that rows are in, with the numbers of these rows."""
        leaf = self.tree(np.asarray(X, np.float64))
        return [(number, np.flatnonzero(leaf == number)) for number in np.unique(leaf).tolist()]

    @cached_property
    def leaves(self) -> tuple[KernelRows, ...]:
        """The kernel rows of each leaf's centres."""
        kernel, centres, dtype = self.rows.kernel, self.rows.centres, self.rows.dtype
        pairs = zip(self.edges[:-1].tolist(), self.edges[1:].tolist(), strict=True)
        return tuple(KernelRows(kernel, centres[lo:hi], dtype) for lo, hi in pairs)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}
