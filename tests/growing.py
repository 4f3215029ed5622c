"""Tables for trees, compiled and plain ways, and searches that try every cut."""

from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import strategies as st

from samara.linalg import kernels
from samara.linalg.bins import Bins

needs_kernels = pytest.mark.skipif(not kernels.compiled(), reason="installed without a C compiler")
both_ways = pytest.mark.parametrize("compiled", [pytest.param(True, marks=needs_kernels), False])
seeds = st.integers(0, 999)


@contextmanager
def kernels_are(compiled):
    """The kernels in use or not; a fixture would not be set anew for each example."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compiled", lambda: compiled)
        yield


def table(seed, n, d, targets=1):
    """Inputs with ties and whole targets that depend on them: the sums are exact, in whatever order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, rng.integers(1, 12, d), (n, d)) + np.where(rng.random((n, d)) < 0.2, 0.5, 0.0)
    weights = rng.integers(-3, 4, (d, targets))
    Y = np.round(X) @ weights + rng.integers(-4, 5, (n, targets))
    return X, Y.astype(float)


def grown(X, Y, growth, *rest):
    bins = Bins.learn(X)
    return growth.grow((bins.put(X), bins.of_columns), Y, *rest)[0]


def same(one, other):
    parts = ("column", "cut", "kids")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in parts)


def error(Y, weight, damping):
    """The least of Σ w‖y − m‖² + damping·‖m‖² over m."""
    mean = weight @ Y / (weight.sum() + damping)
    return float(weight @ ((Y - mean) ** 2).sum(axis=1) + damping * mean @ mean)


def gain(above, Y, weight, growth):
    """What a cut takes off the error; nothing where a side has too little weight."""
    if min(weight[above].sum(), weight[~above].sum()) < growth.least:
        return -np.inf
    sides = sum(error(Y[side], weight[side], growth.damping) for side in (above, ~above))
    return error(Y, weight, growth.damping) - sides


def best_gain(X, Y, weight, growth):
    """Of all cuts between two values of a column."""
    cuts = [X[:, j] > value for j in range(X.shape[1]) for value in np.unique(X[:, j])]
    return max((gain(above, Y, weight, growth) for above in cuts), default=-np.inf)


def walked(tree, row):
    """The node that a binned row ends at, and the nodes on the way."""
    path = [0]
    while tree.kids[path[-1], 0] != path[-1]:
        node = path[-1]
        path.append(int(tree.kids[node, int(row[tree.column[node]] > tree.cut[node])]))
    return path
