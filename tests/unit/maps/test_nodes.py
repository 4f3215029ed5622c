"""Every node is its formula: activations, radial functions, links, leading columns, folded scalings."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from samara.core import Block
from samara.maps import AdditiveNodes, DirectLink, RadialNodes, Standardize, as_dtype, leading
from samara.maps.activations import ACTIVATIONS

FORMULAS = {
    "sigmoid": lambda z: 1 / (1 + np.exp(-z)),
    "tanh": np.tanh,
    "relu": lambda z: np.where(z > 0, z, 0.0),
    "sine": np.sin,
    "fourier": np.cos,
    "hardlim": lambda z: (z >= 0).astype(float),
    "linear": lambda z: z,
}


def _nodes(activation, d=4, L=9):
    return AdditiveNodes(np.random.default_rng(0).normal(size=(d + 1, L)), activation)


@pytest.fixture(name="X")
def make_inputs():
    return np.random.default_rng(1).normal(size=(50, 4))


def test_every_activation_has_a_formula_here():
    """No activation goes untested."""
    assert set(FORMULAS) == set(ACTIVATIONS)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("activation", FORMULAS)
@pytest.mark.parametrize("sparse", [False, True])
def test_activations(activation, dtype, sparse, X):
    """g(xᵀW + b) as written on paper, dense and sparse, with and without a place to write to."""
    nodes = as_dtype(_nodes(activation), np.dtype(dtype))
    rows = X.astype(dtype)
    expected = FORMULAS[activation](rows.astype(float) @ nodes.weights[:-1].astype(float) + nodes.weights[-1])
    tolerance = {"atol": 1e-14, "rtol": 1e-13} if dtype == np.float64 else {"atol": 2e-6, "rtol": 1e-5}
    given = sp.csr_matrix(rows) if sparse else rows
    found = nodes(given)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, **tolerance)
    out = np.empty((50, 20), dtype)
    nodes(given, out=out[:, 3:12])
    np.testing.assert_allclose(out[:, 3:12], expected, **tolerance)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("activation", "limits"), [("sigmoid", (0.0, 1.0)), ("tanh", (-1.0, 1.0))])
def test_saturated_nodes_reach_their_limits(activation, limits, dtype):
    """Arguments of ±1e4 give the limits, without a warning."""
    nodes = as_dtype(AdditiveNodes(np.array([[1.0], [0.0]]), activation), np.dtype(dtype))
    np.testing.assert_array_equal(nodes(np.array([[-1e4], [1e4]]))[:, 0], limits)


@pytest.mark.parametrize("function", ["rbf", "multiquadric"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_radial_nodes_are_functions_of_distance(function, kind, X):
    """exp(−γr²) and √(1 + γr²) of the distances that SciPy computes, a width for each centre."""
    rng = np.random.default_rng(2)
    nodes = RadialNodes(rng.normal(size=(7, 4)), rng.uniform(0.1, 2, 7), function)
    z = cdist(X, nodes.centres, "sqeuclidean") * nodes.gamma
    expected = np.exp(-z) if function == "rbf" else np.sqrt(1 + z)
    np.testing.assert_allclose(nodes(kind(X)), expected, rtol=1e-12, atol=1e-14)


def test_a_row_at_its_centre():
    """Rounding never gives a negative distance: the node is exactly 1 or less there."""
    centres = np.random.default_rng(3).normal(1e3, 1, size=(40, 5))
    values = np.diag(RadialNodes(centres, np.full(40, 5.0), "rbf")(centres))
    assert (values <= 1).all()
    assert (values > 0.99).all()


def test_direct_link_puts_the_inputs_first(X):
    """[x, h(x)], dense or sparse."""
    nodes = _nodes("tanh")
    link = DirectLink(4, nodes)
    assert link.n_out == 13
    np.testing.assert_allclose(link(X), np.hstack([X, nodes(X)]), rtol=1e-13)
    np.testing.assert_allclose(link(sp.csr_matrix(X)), link(X), rtol=1e-13)


class Squares:
    """A map of the user's own."""

    n_out = 4

    def __call__(self, X, out=None):
        H = np.asarray(X) ** 2
        if out is None:
            return H
        out[...] = H
        return out


@pytest.mark.parametrize(
    "whole",
    [
        _nodes("tanh"),
        RadialNodes(np.random.default_rng(0).normal(size=(9, 4)), np.full(9, 0.3), "rbf"),
        DirectLink(4, _nodes("relu")),
        Squares(),
    ],
    ids=lambda m: type(m).__name__,
)
@pytest.mark.parametrize("count", [1, 3, 4])
def test_leading_gives_the_first_columns(whole, count, X):
    """The smaller map is the first columns of the larger one, whatever the map."""
    small = leading(whole, count)
    assert small.n_out == count
    np.testing.assert_allclose(small(X), whole(X)[:, :count], rtol=1e-13)
    out = np.empty((50, count))
    small(X, out=out)
    np.testing.assert_allclose(out, whole(X)[:, :count], rtol=1e-13)
    assert leading(whole, whole.n_out) is whole


@pytest.mark.parametrize("activation", FORMULAS)
def test_folded_scaling_equals_scaling_first(activation, X):
    """Nodes with the scaling folded in, on sparse rows, are the nodes of the scaled rows."""
    rows = np.where(np.abs(X) > 0.6, X, 0.0)
    scaling = Standardize(rows.mean(axis=0), rows.std(axis=0), np.dtype(float))
    nodes = _nodes(activation)
    if activation == "hardlim":  # a step: compare only where rounding can't flip it
        z = scaling(rows) @ nodes.weights[:-1] + nodes.weights[-1]
        assert np.abs(z).min() > 1e-9
    np.testing.assert_allclose(
        nodes.after(scaling)(sp.csr_matrix(rows)), nodes(scaling(rows)), rtol=1e-10, atol=1e-12
    )


@pytest.mark.parametrize("rows", [1, 127, 128, 129, 300])
def test_a_block_goes_through_its_maps_in_tiles(rows):
    """Tiling changes nothing: features are map after map, less the shift."""
    X = np.random.default_rng(4).normal(size=(rows, 4))
    scaling = Standardize(np.ones(4), np.full(4, 2.0), np.dtype(float))
    nodes, shift = _nodes("sigmoid"), np.arange(9.0)
    block = Block(X, np.zeros((rows, 1)), None, 0, maps=(scaling, nodes))
    found = block.features(np.empty((rows, 9)), shift)
    np.testing.assert_allclose(found, nodes((X - 1) / 2) - shift, rtol=1e-12)
