"""Trees that cut rows by one input at a time, and the products of their leaves' indicators.

The Gram matrix of the leaves of T trees, h_p(x) = 1 in leaf p, only counts how often leaves meet: T²/2
additions a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.linalg import kernels
from samara.linalg.bins import Bins, rounded_down
from samara.linalg.kernels import address, floats, library, sizes, stride
from samara.linalg.workers import in_threads

MOST_LEAVES = 64  # of a tree, as in trees.h


@dataclass(frozen=True)
class Tree:
    """Nodes in the order they were made: a row goes to the second kid where its bin is above the cut."""

    column: Array  # (nodes,) int64
    cut: Array  # (nodes,) uint8; of a leaf 255
    kids: Array  # (nodes, 2) int64; a leaf is its own

    @property
    def is_leaf(self) -> Array:
        return np.asarray(self.kids[:, 0] == np.arange(len(self.kids)))

    @property
    def n_leaves(self) -> int:
        return (len(self.kids) + 1) // 2

    def leaves(self, bins: Array) -> Array:
        """The leaf of every binned row."""
        return self._of(np.ascontiguousarray(bins, np.uint8), self.cut)

    def leaves_of(self, X: Array, bins: Bins) -> Array:
        """The leaf of every row of values, which fall as their bins do."""
        X = floats(X)
        return self._of(X, self.values(bins, X.dtype))

    def _of(self, values: Array, cuts: Array) -> Array:
        whole = np.array([0, len(self.kids)])
        return np.asarray(find_leaves(values, (self.column, cuts, self.kids, whole))[0])

    def values(self, bins: Bins, dtype: np.dtype[np.floating]) -> Array:
        """(nodes,): the values that a row's must exceed to go to the second kid; of a leaf infinity."""
        inner, cut = ~self.is_leaf, np.full(len(self.kids), np.inf)
        cut[inner] = bins.ends[bins.starts[self.column[inner]] + self.cut[inner]]
        return rounded_down(cut, dtype)


def add_pairs(
    leaves: Array, starts: Array, gram: Array, weight: Array | None = None, workers: int = 1
) -> None:
    """Add to ``gram`` (upper triangle, without the diagonal blocks) how often leaves of two trees meet.

    ``leaves`` (T, n) has the leaf of each row in each tree; leaf p of tree a is row ``starts[a]`` + p.
    """
    leaves, starts = np.ascontiguousarray(leaves, np.uint8), np.ascontiguousarray(starts, np.int64)
    weights = None if weight is None else np.ascontiguousarray(weight, np.float64)
    (trees, n), lengths, all_ = leaves.shape, np.diff(starts), starts[-1]
    apart = gram.size and gram.strides[-1] != gram.itemsize
    if gram.dtype != np.float64 or gram.shape != (all_, all_) or apart:
        raise TypeError(f"{all_} leaves need as large a square of float64, not {gram.shape} {gram.dtype}")
    if lengths.max(initial=0) > MOST_LEAVES:
        raise TypeError(f"a tree has at most {MOST_LEAVES} leaves")
    if len(lengths) != trees or (leaves.max(axis=1, initial=0) >= lengths).any():
        raise TypeError("there are leaves that no tree has")
    if weights is not None and weights.shape != (n,):
        raise TypeError(f"{n} rows need as many weights, not {weights.shape}")

    def add(trees_from: int) -> None:
        """Those of one tree with all later ones: rows of ``gram`` that no other thread writes to."""
        if kernels.compiled():
            parts = (address(leaves), address(weights), *sizes(n, trees, trees_from, trees_from + 1))
            library().add_pairs(*parts, address(starts), address(gram), *sizes(stride(gram)))
            return
        for b in range(trees_from + 1, trees):
            cells = (starts[trees_from] + leaves[trees_from], starts[b] + leaves[b])
            np.add.at(gram, cells, 1.0 if weights is None else weights)

    in_threads(add, range(trees), workers)


Nodes = tuple[Array, Array, Array, Array]  # columns, cuts and kids of several trees, where each begins


def find_leaves(values: Array, nodes: Nodes) -> Array:
    """The leaf of every row of bins or values in every tree, (trees, n) bytes."""
    column, cuts, kids, roots = nodes
    inner = kids[:, 0] != np.arange(len(kids)) - np.repeat(roots[:-1], np.diff(roots))
    if inner.any() and not 0 <= column.min() <= column.max() < values.shape[1]:  # a leaf's is read, too
        raise TypeError(f"a tree that cuts column {column.max()} needs more than {values.shape[1]}")
    if np.diff(roots).max(initial=0) >= 2 * MOST_LEAVES:
        raise TypeError(f"a tree has at most {MOST_LEAVES} leaves")
    leaves = np.empty((len(roots) - 1, len(values)), np.uint8)
    if kernels.compiled():
        names = {np.dtype(np.uint8): "bins", np.dtype(np.float32): "single", np.dtype(np.float64): "double"}
        work = getattr(library(), f"find_leaves_{names[values.dtype]}")
        column, kids, roots = (np.ascontiguousarray(part, np.int64) for part in (column, kids, roots))
        cuts = np.ascontiguousarray(cuts, values.dtype)
        rows = (address(values), *sizes(len(values), stride(values)))
        work(*rows, *map(address, (column, cuts, kids, roots)), *sizes(len(leaves)), address(leaves))
        return leaves
    for row, lo, hi in zip(leaves, roots[:-1], roots[1:], strict=True):
        at, names_of = np.zeros(len(values), np.int64), np.cumsum(~inner[lo:hi]) - 1
        while inner[lo + at].any():
            above = values[np.arange(len(values)), column[lo + at]] > cuts[lo + at]
            at = np.where(inner[lo + at], kids[lo + at, above.astype(int)], at)
        row[:] = names_of[at]
    return leaves
