"""The first l of L nodes are the nodes of an l-node model, and the block has no say in them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara import ELMRegressor
from samara.maps import LAYERS, Additive, Radial, leading
from samara.maps.layers import BIASES, WEIGHTS
from tests.problems import engines, make_problem, problems

ADDITIVE = [Additive(weights=weights, bias=bias) for weights in WEIGHTS for bias in BIASES]
EVERY = [*LAYERS.values(), *ADDITIVE, Radial("rbf", width=1.5), Radial("multiquadric", width=0.7)]
FEW = settings(max_examples=max(3, settings().max_examples // 3))  # many layers share the claim


def _nodes(problem, n_hidden, hidden, **options):
    model = ELMRegressor(n_hidden, hidden=hidden, alpha=1.0, random_state=problem.seed, **options)
    return problem.fit(model).transform(problem.X)


@pytest.mark.parametrize("layer", EVERY, ids=str)
@FEW
@given(seed=st.integers(0, 10**6), many=st.integers(2, 90), data=st.data())
def test_draws_nest(layer, seed, many, data):
    """Drawing L nodes gives those of drawing l (a bias may round otherwise), also past the sampled rows."""
    few = data.draw(st.integers(1, many))
    sample = np.random.default_rng(seed).normal(size=(40, 4))
    rows = [sample[: layer.sample_rows(count)] for count in (few, many)]
    small = layer.draw(few, 4, rows[0], np.random.SeedSequence(seed))
    large = leading(layer.draw(many, 4, rows[1], np.random.SeedSequence(seed)), few)
    for name in ("weights", "centres", "gamma"):
        if hasattr(small, name):
            np.testing.assert_allclose(getattr(small, name), getattr(large, name), rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("layer", EVERY, ids=str)
@pytest.mark.parametrize("scale", ["standard", "quantile", None])
def test_fitted_models_nest(layer, scale):
    """Hidden columns of an l-node model are the first of an L-node model's, from fit to transform."""
    problem = make_problem(11, 70, 3, 1, False)
    large = _nodes(problem, 90, layer, scale=scale)
    for few in (1, 7, 71):
        np.testing.assert_allclose(
            _nodes(problem, few, layer, scale=scale), large[:, :few], rtol=1e-12, atol=1e-12
        )


def test_kmeans_is_the_exception():
    """K-means centres depend on how many there are, as documented."""
    problem = make_problem(11, 200, 2, 1, False)
    layer = Radial(centres="kmeans")
    few, many = _nodes(problem, 4, layer), _nodes(problem, 12, layer)
    assert not np.allclose(few, many[:, :4])


@pytest.mark.parametrize("layer", [*EVERY, Radial(centres="kmeans")], ids=str)
@FEW
@given(problem=problems(rows=(300, 900), targets=(1, 1)), engine=engines())
def test_nodes_do_not_depend_on_the_block(layer, problem, engine):
    """The same seed gives the same nodes whatever the block size and the number of threads."""
    one = _nodes(problem, 9, layer)
    np.testing.assert_allclose(_nodes(problem, 9, layer, engine=engine), one, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("layer", ADDITIVE, ids=str)
def test_weights_have_the_gain_they_promise(layer):
    """Every law of the input weights gives xᵀw the standard deviation ``gain`` on standardized inputs."""
    layer = replace(layer, activation="linear", gain=1.7)
    nodes = layer.draw(4000, 8, np.zeros((1, 8)), np.random.SeedSequence(0))
    assert np.sqrt(np.sum(nodes.weights[:-1] ** 2, axis=0).mean()) == pytest.approx(1.7, rel=0.03)


def test_orthogonal_nodes_come_in_orthogonal_groups():
    """Within a group of d nodes the directions are orthogonal."""
    nodes = Additive(weights="orthogonal").draw(10, 5, np.zeros((0, 5)), np.random.SeedSequence(0))
    for group in (nodes.weights[:-1, :5], nodes.weights[:-1, 5:]):
        products = group.T @ group
        np.testing.assert_allclose(products, np.diag(np.diag(products)), atol=1e-12)


def test_sparse_nodes_see_so_many_inputs():
    """A sparse node has ``inputs_per_node`` weights, and every input is seen by some node."""
    nodes = Additive(weights="sparse", inputs_per_node=2).draw(
        300, 6, np.zeros((0, 6)), np.random.SeedSequence(0)
    )
    seen = nodes.weights[:-1] != 0
    assert set(seen.sum(axis=0)) == {2}
    assert seen.any(axis=1).all()


def test_bias_from_data_bends_inside_the_data():
    """With ``bias="data"`` each node's argument is zero at one of the rows."""
    sample = np.random.default_rng(0).normal(size=(30, 3))
    nodes = Additive("linear", bias="data").draw(50, 3, sample, np.random.SeedSequence(0))
    assert np.abs(nodes(sample)).min(axis=0).max() < 1e-12
