"""Trees grown best first on binned inputs, to lower a squared error Σ w‖r − mean of the leaf‖²."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.kernels import address, library
from samara.linalg.trees import MOST_LEAVES, Tree
from samara.linalg.unusual import Unusual

DEEPEST = 24  # as in trees.h, and so the next three
LEAD = 1 + 1e-10  # by which a cut is better than one before, and not by rounding alone
TARGET_BITS = 24  # that targets are rounded to: their sums are then the same in any order
MOST_ROWS_COUNTED = 1 << 18  # whose sums of so many bits fit into a whole number, beside their count
SLIGHTEST = 1e-12  # of the squares of all targets: what a cut must gain to be more than rounding
NO_CUT = (-np.inf, 0, 255)

Rows = tuple[Array, Array]  # bins (n, d) as Bins.put gives them, where those of each column begin (d + 1,)
Cut = tuple[float, int, int]  # gain, column and bin


@dataclass(frozen=True)
class Growth:
    """How far a tree is grown."""

    leaves: int = 31
    least: float = 10.0  # weight of the rows of a leaf
    damping: float = 1.0  # added to that weight where a mean is taken

    def __post_init__(self) -> None:
        if not 1 <= self.leaves <= MOST_LEAVES:
            raise InputError(f"A tree has 1 to {MOST_LEAVES} leaves, not {self.leaves}.")
        if not (self.least > 0 and self.damping >= 0):
            raise InputError("A leaf needs some weight, and damping must not be negative.")

    def grow(
        self,
        rows: Rows,
        targets: Array,
        weight: Array | None = None,
        workers: int = 1,
        unusual: Unusual | None = None,
    ) -> tuple[Tree, Array]:
        """A tree over binned ``rows`` = (bins, where those of each column begin) for ``targets`` (n, t).

        With it comes the leaf of every row. Where ``unusual`` bins of these rows are given, the kernels
        count these alone.
        """
        bins, starts = np.ascontiguousarray(rows[0], np.uint8), np.ascontiguousarray(rows[1], np.int64)
        targets = np.ascontiguousarray(targets, np.float64)
        if unusual and (bins.shape[1] < len(unusual.usual) or len(unusual.ends) != 2 * len(bins) + 1):
            raise TypeError("the unusual bins must be of these rows")
        d = len(unusual.usual) if unusual else bins.shape[1]
        if starts.shape != (d + 1,) or len(targets) != len(bins):
            raise TypeError(f"{bins.shape} bins don't go with {len(starts)} starts, {len(targets)} targets")
        if weight is None and len(bins) >= MOST_ROWS_COUNTED:
            weight = np.ones(len(bins))
        if weight is not None:
            weight = np.ascontiguousarray(weight, np.float64)
            if weight.shape != (len(bins),):
                raise TypeError(f"{len(bins)} rows need as many weights, not {weight.shape}")
        if kernels.compiled():
            return _compiled_growth(self, (bins, starts, unusual), targets, weight, workers)
        tree = _plain_growth(self, (bins, starts), targets, weight)
        return tree, tree.leaves(bins)


@dataclass(frozen=True)
class Follow:
    """What is left of targets once a tree has been grown for it.

    Of numbers it is the rest of them; of classes 1 or 0 less the chance of the class, where ``odds`` are
    those against it, kept from tree to tree.
    """

    rate: float
    damping: float
    most: float = 4.0  # how far a leaf may move the logarithm of odds, before the rate

    def __call__(
        self, tree: Tree, leaves: Array, left: Array, weight: Array | None = None, odds: Array | None = None
    ) -> None:
        """Change ``left`` and ``odds``, (n, t) each: a mean of numbers, or Newton's step of log loss."""
        parts = [part for part in (left, odds) if part is not None]
        if any(part.dtype != np.float64 or not part.flags.c_contiguous for part in parts):
            raise TypeError("what is left must be contiguous float64")
        if len(leaves) != len(left) or any(part.shape != left.shape for part in parts):
            raise TypeError("leaves, what is left and odds must be of the same rows")
        if weight is not None:
            weight = np.ascontiguousarray(weight, np.float64)
            if weight.shape != (len(left),):
                raise TypeError(f"{len(left)} rows need as many weights, not {weight.shape}")
        if leaves.max(initial=0) >= tree.n_leaves:
            raise TypeError("there are leaves that the tree does not have")
        if kernels.compiled():
            self._compiled(tree, leaves, left, weight, odds)
        else:
            self._plain(tree, leaves, left, weight, odds)

    def _compiled(
        self, tree: Tree, leaves: Array, left: Array, weight: Array | None, odds: Array | None
    ) -> None:
        arrays = (np.ascontiguousarray(leaves, np.uint8), weight, left, odds)
        step = _Step(
            *(address(one) for one in arrays),
            *(*left.shape, tree.n_leaves, self.rate, self.damping, self.most),
        )
        if library().take_step(ctypes.byref(step)):
            raise MemoryError("no room for the sums of leaves")

    def _plain(
        self, tree: Tree, leaves: Array, left: Array, weight: Array | None, odds: Array | None
    ) -> None:
        w = np.ones((len(left), 1)) if weight is None else weight[:, None]
        curved = w * np.ones_like(left) if odds is None else w * np.abs(left) * (1 - np.abs(left))
        sums, heavy = np.zeros((2, tree.n_leaves, left.shape[1]))
        np.add.at(sums, leaves, w * left)
        np.add.at(heavy, leaves, curved)
        found = sums / (heavy + self.damping)
        if odds is None:
            left -= self.rate * found[leaves]
            return
        odds *= np.exp(-self.rate * found.clip(-self.most, self.most))[leaves]
        odds.clip(1e-300, 1e300, out=odds)
        left[...] = np.where(left > 0, odds, -1) / (1 + odds)


class _Growth(ctypes.Structure):
    """The structure of the same name in trees.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("bins", "targets", "weight", "starts")),
        *((name, ctypes.c_void_p) for name in ("usual", "ends", "listed", "place")),
        *((name, ctypes.c_int64) for name in ("n", "stride", "columns", "outputs", "leaves", "threads")),
        *((name, ctypes.c_double) for name in ("least", "damping", "slightest")),
        *((name, ctypes.c_void_p) for name in ("column", "kids", "cut", "found")),
        *((name, ctypes.c_void_p) for name in ("pair", "cuts", "cells")),
        ("unit", ctypes.c_double),
        *((name, ctypes.c_void_p) for name in ("order", "spare")),
    )


class _Step(ctypes.Structure):
    """The structure of the same name in trees.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("leaves", "weight", "left", "odds")),
        *((name, ctypes.c_int64) for name in ("n", "outputs", "n_leaves")),
        *((name, ctypes.c_double) for name in ("rate", "damping", "most")),
    )


def _compiled_growth(
    growth: Growth,
    rows: tuple[Array, Array, Unusual | None],
    targets: Array,
    weight: Array | None,
    workers: int,
) -> tuple[Tree, Array]:
    (bins, starts, unusual), most = rows, 2 * growth.leaves - 1
    listed = (None,) * 4 if not unusual else (unusual.usual, unusual.ends, unusual.listed, unusual.place)
    column, kids, cut = np.zeros(most, np.int64), np.zeros((most, 2), np.int64), np.zeros(most, np.uint8)
    leaves = np.zeros(len(bins), np.uint8)
    job = _Growth(
        *(address(one) for one in (bins, targets, weight, starts, *listed)),
        *(*bins.shape, len(starts) - 1, targets.shape[1], growth.leaves, workers),
        *(growth.least, growth.damping, SLIGHTEST),
        *(address(one) for one in (column, kids, cut, leaves)),
    )
    work = library().grow_tree
    work.restype = ctypes.c_int64
    made = 2 * work(ctypes.byref(job)) - 1
    if made < 0:
        raise MemoryError("no room for the histograms of a tree")
    return Tree(column[:made], cut[:made], kids[:made]), leaves


def _plain_growth(growth: Growth, rows: Rows, targets: Array, weight: Array | None) -> Tree:
    """The same cuts, each histogram counted anew."""
    w = np.ones(len(targets)) if weight is None else weight
    rounded = _rounded(targets, w)
    sums = np.column_stack([w, w[:, None] * rounded])
    slightest = SLIGHTEST * float(np.sum(sums[:, 1:] * rounded))

    def leaf(node: int, depth: int, held: Array) -> tuple[Cut, int, int, Array]:
        found = _best_cut(growth, rows, sums, held, slightest) if depth < DEEPEST else NO_CUT
        return found, node, depth, held

    column, cut, kids, leaves = [0], [255], [[0, 0]], [leaf(0, 0, np.arange(len(targets)))]
    while len(leaves) < growth.leaves:
        best = _first_best(np.array([found[0] for found, *_ in leaves]))
        ((gain, j, last), node, depth, held), made = leaves[best], len(kids)
        if gain == -np.inf:
            break
        column[node], cut[node], kids[node] = j, last, [made, made + 1]
        column, cut, kids = [*column, 0, 0], [*cut, 255, 255], [*kids, [made] * 2, [made + 1] * 2]
        above = rows[0][held, j] > last
        leaves[best] = leaf(made, depth + 1, held[~above])
        leaves.append(leaf(made + 1, depth + 1, held[above]))
    return Tree(np.array(column, np.int64), np.array(cut, np.uint8), np.array(kids, np.int64))


def _rounded(targets: Array, weight: Array) -> Array:
    """Targets on a grid of 2⁻²⁴ of the largest."""
    most = np.abs(targets[weight > 0]).max(initial=0)
    scale = 2.0 ** (TARGET_BITS - int(np.frexp(most)[1]))
    return np.asarray(np.rint(targets * scale) / scale)


def _best_cut(growth: Growth, rows: Rows, sums: Array, order: Array, slightest: float) -> Cut:
    """The best cut of some rows, the first of equals; NO_CUT where none is allowed."""
    (bins, starts), part, best = rows, sums[order], (slightest, -1, -1)
    total = part.sum(axis=0)
    for j in range(bins.shape[1]):
        histogram = np.zeros((starts[j + 1] - starts[j], sums.shape[1]))
        np.add.at(histogram, bins[order, j], part)
        left = np.cumsum(histogram, axis=0)[:-1]
        right = total - left
        allowed = np.flatnonzero((left[:, 0] >= growth.least) & (right[:, 0] >= growth.least))
        if len(allowed):
            halves = _taken_off(left[allowed], growth.damping) + _taken_off(right[allowed], growth.damping)
            gains = halves - _taken_off(total, growth.damping)
            if gains.max() > best[0] * LEAD:
                first = _first_best(gains)
                best = (float(gains[first]), j, int(allowed[first]))
    return NO_CUT if best[1] < 0 else best


def _first_best(gains: Array) -> int:
    """The first that no other leads by more than rounding."""
    most = gains.max()
    return int(np.argmax(gains >= (most / LEAD if most > 0 else most)))


def _taken_off(sums: Array, damping: float) -> Array:
    """What means take off the squared error of rows, given the sums of their weights and targets."""
    return np.asarray((sums[..., 1:] ** 2).sum(axis=-1) / (sums[..., 0] + damping))
