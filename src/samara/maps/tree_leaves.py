"""Leaves of trees as nodes: 1 where a row lies in a leaf, 0 in all others of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from samara.core import Array, dense
from samara.linalg.bins import Bins
from samara.linalg.kernels import floats
from samara.linalg.trees import Tree, find_leaves

__all__ = ["TreeLeaves"]


@dataclass(frozen=True)
class TreeLeaves:
    """h(x) of trees: of the leaves of each tree the one that x lies in is 1.

    From node i of a tree a row goes on to ``kids[i, 1]`` where its input ``column[i]`` is above ``cut[i]``,
    else to ``kids[i, 0]``; a leaf leads to itself. Kids are counted from the first node of their tree.
    """

    column: Array  # (nodes,) int64
    cut: Array  # (nodes,); of a leaf 0
    kids: Array  # (nodes, 2) int64
    roots: Array  # (trees + 1,) int64: where the nodes of a tree begin
    n_in: int

    @classmethod
    def of(cls, trees: Sequence[Tree], bins: Bins, dtype: np.dtype[np.floating]) -> TreeLeaves:
        """Trees over bins as trees over values."""
        return cls(
            column=np.concatenate([tree.column for tree in trees]),
            cut=np.concatenate([np.where(tree.is_leaf, 0, tree.values(bins, dtype)) for tree in trees]),
            kids=np.concatenate([tree.kids for tree in trees]),
            roots=np.cumsum([0, *(len(tree.kids) for tree in trees)]),
            n_in=len(bins.starts) - 1,
        )

    @property
    def n_trees(self) -> int:
        return len(self.roots) - 1

    @property
    def dtype(self) -> np.dtype[np.floating]:
        """Precision in which inputs are compared."""
        return self.cut.dtype

    @property
    def starts(self) -> Array:
        """(trees + 1,): where the columns of a tree begin."""
        return (self.roots + np.arange(len(self.roots))) // 2  # of 2l − 1 nodes l are leaves

    @property
    def n_out(self) -> int:
        return int(self.starts[-1])

    def leaves(self, X: Any) -> Array:
        """(trees, n) bytes: the leaf of every row in every tree."""
        X = floats(dense(X).astype(self.dtype, copy=False))
        return find_leaves(X, (self.column, self.cut, self.kids, self.roots))

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Zeros and ones, a column a leaf."""
        leaves = self.leaves(X)
        H = np.empty((leaves.shape[1], self.n_out), self.dtype) if out is None else out
        H[...] = 0
        H[np.arange(len(H))[:, None], self.starts[:-1] + leaves.T] = 1
        return H

    def outputs(self, X: Any, coef: Array, intercept: Array, out: Array) -> None:
        """Sums of the coefficients of the leaves, without the zeros: as many terms as there are trees."""
        out[...] = intercept
        for leaves, start in zip(self.leaves(X), self.starts, strict=False):
            out += coef[start : start + 256][leaves]

    def first(self, n_trees: int) -> TreeLeaves:
        """The first trees alone."""
        nodes = slice(self.roots[n_trees])
        return TreeLeaves(
            self.column[nodes], self.cut[nodes], self.kids[nodes], self.roots[: n_trees + 1], self.n_in
        )
