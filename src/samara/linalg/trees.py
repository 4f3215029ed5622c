"""Trees that cut rows by one input at a time, grown best first, and the products of their leaves' indicators.

A tree is grown on binned inputs to lower a squared error Σ w‖r − mean of the leaf‖². The Gram matrix of its
leaves, h_p(x) = 1 in leaf p, only counts how often leaves meet: T²/2 additions a row for T trees.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from samara.core import Array
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.kernels import floats, library, stride

MOST_BINS = 255  # a bin is a byte
MOST_LEAVES, DEEPEST = 64, 24  # as in trees.h
LEAD = 1 + 1e-10  # by which a cut is better than one before, and not by rounding alone; as in trees.h
SLIGHTEST = 1e-12  # of the squares of all targets: what a cut must gain to be more than rounding
NO_CUT = (-np.inf, 0, 255)

Rows = tuple[Array, Array]  # bins (n, d) as Bins.put gives them, where those of each column begin (d + 1,)
Cut = tuple[float, int, int]  # gain, column and bin


@dataclass(frozen=True)
class Bins:
    """Ends of the bins of every column: a value belongs to the bin that as many ends lie below."""

    ends: Array  # float64, of all columns in turn, ascending in each
    starts: Array  # (d + 1,) int64: where those of a column begin

    @classmethod
    def learn(cls, rows: Array, most: int = MOST_BINS) -> Bins:
        """At most ``most`` bins a column, of about as many of the rows each; equal values share one."""
        if not 2 <= most <= MOST_BINS:
            raise InputError(f"A column has 2 to {MOST_BINS} bins, not {most}.")
        ends = [_ends(column, most) for column in np.sort(np.asarray(rows, float), axis=0).T]
        starts = np.cumsum([0, *(len(one) for one in ends)]).astype(np.int64)
        return cls(np.concatenate(ends) if ends else np.zeros(0), starts)

    @property
    def of_columns(self) -> Array:
        """(d + 1,): where the bins of a column begin among all bins; there is one more than ends."""
        return self.starts + np.arange(len(self.starts))

    def put(self, X: Array) -> Array:
        """The bins of rows, as bytes."""
        X = floats(X)
        if X.shape[1] != len(self.starts) - 1:
            raise TypeError(f"there are bins of {len(self.starts) - 1} columns, not of {X.shape[1]}")
        bins, ends = np.empty(X.shape, np.uint8), _rounded_down(self.ends, X.dtype)
        if kernels.compiled():
            starts = np.ascontiguousarray(self.starts, np.int64)
            work = library().put_in_bins_double if X.dtype == np.float64 else library().put_in_bins_single
            work(_at(X), *_sizes(*X.shape, stride(X)), _at(ends), _at(starts), _at(bins))
            return bins
        for j, (lo, hi) in enumerate(zip(self.starts[:-1], self.starts[1:], strict=True)):
            bins[:, j] = np.searchsorted(ends[lo:hi], X[:, j])
        bins[np.isnan(X)] = 0  # nothing lies below it, and no cut sends it to the second kid
        return bins


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

    @cached_property
    def names(self) -> Array:
        """(nodes,) uint8: the number of each leaf among the leaves."""
        return (np.cumsum(self.is_leaf) - 1).clip(0).astype(np.uint8)

    @cached_property
    def depth(self) -> int:
        """Cuts from the root to the lowest leaf."""
        depths = np.zeros(len(self.kids), np.int64)
        for node in np.flatnonzero(~self.is_leaf):  # kids come after their parents
            depths[self.kids[node]] = depths[node] + 1
        return int(depths.max())

    def leaves(self, bins: Array) -> Array:
        """The leaf of every binned row."""
        return go_down(self, np.ascontiguousarray(bins, np.uint8), self.cut)

    def leaves_of(self, X: Array, bins: Bins) -> Array:
        """The leaf of every row of values, which fall as their bins do."""
        X = floats(X)
        return go_down(self, X, self.values(bins, X.dtype))

    def values(self, bins: Bins, dtype: np.dtype[np.floating]) -> Array:
        """(nodes,): the values that a row's must exceed to go to the second kid; of a leaf infinity."""
        inner, cut = ~self.is_leaf, np.full(len(self.kids), np.inf)
        cut[inner] = bins.ends[bins.starts[self.column[inner]] + self.cut[inner]]
        return _rounded_down(cut, dtype)


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
        self, rows: Rows, targets: Array, weight: Array | None = None, order: Array | None = None
    ) -> Tree:
        """A tree over binned ``rows`` = (bins, where those of each column begin) for ``targets`` (n, t).

        ``order`` names the rows to grow on, all of them unless given.
        """
        bins, starts = np.ascontiguousarray(rows[0], np.uint8), np.ascontiguousarray(rows[1], np.int64)
        chosen = np.arange(len(bins)) if order is None else np.asarray(order)
        if starts.shape != (bins.shape[1] + 1,) or len(targets) != len(bins):
            raise TypeError(f"{bins.shape} bins don't go with {len(starts)} starts, {len(targets)} targets")
        inside = not chosen.size or 0 <= chosen.min() <= chosen.max() < len(bins)
        if chosen.dtype.kind not in "iu" or not inside:
            raise TypeError(f"rows to grow on are named by numbers from 0 to {len(bins) - 1}")
        sums = np.ones((len(bins), 1 + targets.shape[1]))
        sums[:, 1:] = targets
        if weight is not None:
            sums *= weight[:, None]
        squares = np.sum(sums[chosen, 1:] * targets[chosen])
        grown = _compiled_growth if kernels.compiled() else _plain_growth
        return grown(self, (bins, starts), sums, chosen.astype(np.int32), SLIGHTEST * float(squares))


def add_pairs(leaves: Array, starts: Array, gram: Array, weight: Array | None = None) -> None:
    """Add to ``gram`` (upper triangle, without the diagonal blocks) how often leaves of two trees meet.

    ``leaves`` (T, n) has the leaf of each row in each tree; leaf p of tree a is row ``starts[a]`` + p.
    """
    leaves, starts = np.ascontiguousarray(leaves, np.uint8), np.ascontiguousarray(starts, np.int64)
    weights = None if weight is None else np.ascontiguousarray(weight, np.float64)
    (trees, n), sizes, all_ = leaves.shape, np.diff(starts), starts[-1]
    apart = gram.size and gram.strides[-1] != gram.itemsize
    if gram.dtype != np.float64 or gram.shape != (all_, all_) or apart:
        raise TypeError(f"{all_} leaves need as large a square of float64, not {gram.shape} {gram.dtype}")
    if sizes.max(initial=0) > MOST_LEAVES:
        raise TypeError(f"a tree has at most {MOST_LEAVES} leaves")
    if len(sizes) != trees or (leaves.max(axis=1, initial=0) >= sizes).any():
        raise TypeError("there are leaves that no tree has")
    if weights is not None and weights.shape != (n,):
        raise TypeError(f"{n} rows need as many weights, not {weights.shape}")
    if kernels.compiled():
        parts = (_at(leaves), None if weights is None else _at(weights), *_sizes(n, trees))
        library().add_pairs(*parts, _at(starts), _at(gram), *_sizes(stride(gram)))
        return
    for a in range(trees):
        for b in range(a + 1, trees):
            cells = (starts[a] + leaves[a], starts[b] + leaves[b])
            np.add.at(gram, cells, 1.0 if weights is None else weights)


class _Growth(ctypes.Structure):
    """The structure of the same name in trees.h."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("bins", "sums", "starts", "chosen", "order")),
        *((name, ctypes.c_int64) for name in ("n", "columns", "n_chosen", "outputs", "leaves")),
        *((name, ctypes.c_double) for name in ("least", "damping", "slightest")),
        *((name, ctypes.c_void_p) for name in ("column", "kids", "cut")),
    )


def _compiled_growth(growth: Growth, rows: Rows, sums: Array, order: Array, slightest: float) -> Tree:
    (bins, starts), most = rows, 2 * growth.leaves - 1
    chosen, order = np.arange(bins.shape[1], dtype=np.int64), order.copy()
    column, kids, cut = np.zeros(most, np.int64), np.zeros((most, 2), np.int64), np.zeros(most, np.uint8)
    job = _Growth(
        *(one.ctypes.data for one in (bins, sums, starts, chosen, order)),
        *(len(order), bins.shape[1], len(chosen), sums.shape[1] - 1, growth.leaves),
        *(growth.least, growth.damping, slightest),
        *(one.ctypes.data for one in (column, kids, cut)),
    )
    work = library().grow_tree
    work.restype = ctypes.c_int64
    made = 2 * work(ctypes.byref(job)) - 1
    if made < 0:
        raise MemoryError("no room for the histograms of a tree")
    return Tree(column[:made], cut[:made], kids[:made])


def _plain_growth(growth: Growth, rows: Rows, sums: Array, order: Array, slightest: float) -> Tree:
    """The same cuts, each histogram counted anew."""

    def leaf(node: int, depth: int, held: Array) -> tuple[Cut, int, int, Array]:
        found = _best_cut(growth, rows, sums, held, slightest) if depth < DEEPEST else NO_CUT
        return found, node, depth, held

    column, cut, kids, leaves = [0], [255], [[0, 0]], [leaf(0, 0, order)]
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


def go_down(tree: Tree, values: Array, cuts: Array) -> Array:
    """The leaf of every row of bins or values."""
    if tree.depth and tree.column.max() >= values.shape[1]:
        raise TypeError(f"a tree that cuts column {tree.column.max()} needs more than {values.shape[1]}")
    if kernels.compiled():
        names = {np.dtype(np.uint8): "bins", np.dtype(np.float32): "single", np.dtype(np.float64): "double"}
        work = getattr(library(), f"find_leaves_{names[values.dtype]}")
        column, kids = (np.ascontiguousarray(part, np.int64) for part in (tree.column, tree.kids))
        nodes = (column, np.ascontiguousarray(cuts, values.dtype), kids, tree.names)
        leaves, sizes = np.empty(len(values), np.uint8), _sizes(len(values), stride(values), tree.depth)
        work(_at(values), *sizes[:2], *map(_at, nodes), sizes[2], _at(leaves))
        return leaves
    at = np.zeros(len(values), np.int64)
    for _ in range(tree.depth):
        at = tree.kids[at, (values[np.arange(len(values)), tree.column[at]] > cuts[at]).astype(int)]
    return np.asarray(tree.names[at])


def _ends(column: Array, most: int) -> Array:
    """Ends of the bins of a sorted column: half-way between neighbours."""
    steps = np.flatnonzero(column[1:] > column[:-1])  # the last row of each value but the largest
    if len(steps) >= most:
        # A bin ends with its share of the rows, or where the value of the last of them does.
        found = np.searchsorted(steps, np.arange(1, most) * len(column) // most - 1)
        steps = steps[np.unique(found[found < len(steps)])]
    low, high = column[steps], column[steps + 1]
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2  # the sum could be too large
    # Between two numbers without a third, half-way is rounded, maybe to the upper one, which must stay above.
    return np.where((middle >= low) & (middle < high), middle, low)


def _rounded_down(ends: Array, dtype: np.dtype[np.floating]) -> Array:
    """The last numbers of a type not above these: they part the numbers of that type as these do."""
    with np.errstate(over="ignore"):
        near = np.ascontiguousarray(ends, dtype)
        return np.where(near > ends, np.nextafter(near, dtype.type(-np.inf)), near)


def _at(part: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(part.ctypes.data)


def _sizes(*sizes: int) -> tuple[ctypes.c_int64, ...]:
    return tuple(ctypes.c_int64(size) for size in sizes)
