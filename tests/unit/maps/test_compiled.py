"""Scaling and nodes in one call: which maps are compiled, and that it gives what they give."""

import numpy as np
import pytest

from samara.linalg import kernels
from samara.maps import AdditiveNodes, AsFloat, Standardize, fused

DOUBLE = np.dtype(np.float64)

pytestmark = pytest.mark.skipif(not kernels.compiled(), reason="no C compiler was there")


def layer(spread, activation="sigmoid"):
    """Nodes of three inputs behind their scaling."""
    rng = np.random.default_rng(0)
    nodes = AdditiveNodes(rng.normal(size=(4, 37)), activation)
    return Standardize(np.zeros(3), np.asarray(spread), DOUBLE), nodes


@pytest.mark.parametrize("activation", ["sigmoid", "tanh"])
@pytest.mark.parametrize("size", [1, 30, 300, 1e4])
def test_the_same_numbers_as_the_maps_one_by_one(activation, size):
    """From the middle of the activation to far beyond where it ends, in one row and the next."""
    scaling, nodes = layer([0.5, 1.0, 3.0], activation)
    X = size * np.random.default_rng(1).normal(size=(203, 3))
    (both,) = fused((scaling, nodes), sparse=False)
    exact = np.asarray(nodes(scaling(X)))
    np.testing.assert_allclose(both(X), exact, atol=4 * np.finfo(float).eps * size, rtol=1e-12)


@pytest.mark.parametrize(("smallest", "compiled"), [(1e-300, True), (1e-309, False)])
def test_a_spread_that_has_no_inverse_is_divided_by(smallest, compiled):
    """One by a number that small is infinite, and a row at the mean would become NaN."""
    scaling, nodes = layer([smallest, 1.0, 1.0])
    X = np.array([[0.0, 1.0, 2.0], [smallest, 1.0, 2.0]])
    maps = fused((scaling, nodes), sparse=False)
    assert (len(maps) == 1) is compiled
    for one in maps:
        X = one(X)
    np.testing.assert_allclose(X, nodes(np.array([[0.0, 1.0, 2.0], [1.0, 1.0, 2.0]])), rtol=1e-12)


def test_sparse_rows_are_not_compiled():
    maps = AsFloat(3, DOUBLE), layer(np.ones(3))[1]
    assert fused(maps, sparse=True) == maps
