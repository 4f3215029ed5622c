"""Laws of deep models: a layer is a ridge or lasso autoencoder, and how rows come changes nothing."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import samara
from samara import DeepELMClassifier, DeepELMRegressor, ELMRegressor
from samara.engines import Threads
from samara.linalg.lasso import Lasso
from samara.maps import Additive, AdditiveNodes, Standardize
from tests.oracles import centred_rows, relative_gap, ridge
from tests.problems import engines, make_problem, problems

WHOLE = Threads(workers=1, block_rows=10_000)
FEW = settings(max_examples=8)


def random_nodes(model, number, inputs):
    """Hidden rows of the autoencoder that a layer was learned from."""
    entropy = np.random.RandomState(model.random_state).randint(2**31 - 1)
    seed = np.random.SeedSequence([entropy, 4, number])
    layer = Additive(model.activation, weights="orthogonal")
    own = np.random.SeedSequence([int(seed.generate_state(1)[0]) >> 1, 0])
    return layer.draw(model.layers[number], inputs.shape[1], np.empty((0, 0)), own)(inputs)


def encoder(coef, inputs, weight):
    """Weights of nodes with rows of β as directions, their inputs of mean 0 and deviation 1."""
    z = inputs @ coef.T
    mean = np.average(z, axis=0, weights=weight)
    spread = np.sqrt(np.average((z - mean) ** 2, axis=0, weights=weight))
    spread = np.where(coef.any(axis=1), spread, 1.0)  # a node without weights
    return np.concatenate([coef.T, -mean[None]]) / spread


@FEW
@given(problem=problems(rows=(40, 300)), activation=st.sampled_from(["tanh", "sigmoid"]))
def test_layers_are_ridge_autoencoders(problem, activation):
    """Every layer's weights are those of brute force on what the layers below give."""
    model = DeepELMRegressor(
        (6, 4), activation=activation, layer_alpha=0.5, n_hidden=10, alpha=1.0, random_state=problem.seed
    )
    problem.fit(model)
    scaling, *layers, last, _ = model.model_.maps
    assert isinstance(scaling, Standardize)
    assert isinstance(last, Standardize)
    inputs = scaling(problem.X)
    for number, layer in enumerate(layers):
        coef, constant = ridge(random_nodes(model, number, inputs), inputs, 0.5, problem.weight)
        assert relative_gap(layer.weights, encoder(coef, inputs, problem.weight)) < 1e-7
        residual = random_nodes(model, number, inputs) @ coef + constant - inputs
        w = np.ones(len(inputs)) if problem.weight is None else problem.weight
        share = (w @ residual**2).sum() / (w @ (inputs - np.average(inputs, axis=0, weights=w)) ** 2).sum()
        assert model.layer_errors_[number] == pytest.approx(share, rel=1e-6)
        inputs = layer(inputs)
    np.testing.assert_array_equal(model.layer_alphas_, [0.5, 0.5])


@FEW
@given(problem=problems(rows=(60, 200)), share=st.floats(0.02, 0.5))
def test_sparse_layers_are_optimal(problem, share):
    """The weights of a sparse layer are those of the lasso on all rows: the same nodes, the same gap."""
    model = DeepELMRegressor((5,), penalty="l1", layer_alpha=1.0, n_hidden=5, alpha=1.0, random_state=0)
    inputs = problem.fit(model).model_.maps[0](problem.X)
    H, X, _, _ = centred_rows(random_nodes(model, 0, inputs), inputs, problem.weight)
    lasso = Lasso(H.T @ H, H.T @ X, (X**2).sum(axis=0))
    penalty = share * lasso.largest
    nodes = problem.fit(model.set_params(layer_alpha=penalty)).model_.maps[1]
    coef, converged = lasso.solve(penalty)
    assert converged
    expected = encoder(coef, inputs, problem.weight)
    assert relative_gap(nodes.weights, expected) < 1e-6
    np.testing.assert_array_equal(model.layer_alphas_, [penalty])


@FEW
@given(problem=problems(rows=(40, 200)))
def test_stack_by_hand(problem):
    """The head is an ordinary machine on what the layers give, and predictions are the maps in turn."""
    model = DeepELMRegressor((6, 4), layer_alpha=1.0, n_hidden=8, alpha=0.3, random_state=problem.seed)
    problem.fit(model)
    scaling, first, second, *head = model.model_.maps
    rows = second(first(scaling(problem.X)))
    plain = ELMRegressor(8, alpha=0.3, random_state=problem.seed).fit(rows, problem.y, problem.weight)
    assert relative_gap(plain.coef_, model.coef_) < 1e-8
    H = head[1](head[0](rows))
    np.testing.assert_allclose(model.transform(problem.X), H, rtol=1e-10, atol=1e-10)
    by_hand = H @ model.model_.coef + model.model_.intercept
    assert relative_gap(model.predict(problem.X).reshape(by_hand.shape), by_hand) < 1e-10


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@FEW
@given(problem=problems(rows=(100, 900), targets=(1, 1)), engine=engines())
def test_cutting(penalty, problem, engine):
    """Any workers and any block: the same ridges, the same model."""
    model = DeepELMRegressor((7, 5), penalty=penalty, layer_alpha=[1.0, 10.0], n_hidden=12, alpha=1.0)
    model.set_params(random_state=problem.seed)
    whole = problem.fit(clone(model).set_params(engine=WHOLE))
    cut = problem.fit(clone(model).set_params(engine=engine))
    np.testing.assert_array_equal(cut.layer_alphas_, whole.layer_alphas_)
    assert relative_gap(cut.predict(problem.X), whole.predict(problem.X)) < 1e-7
    np.testing.assert_allclose(cut.layer_errors_, whole.layer_errors_, rtol=1e-8)


@FEW
@given(problem=problems(rows=(40, 150), targets=(1, 2), weighted=False), seed=st.integers(0, 99))
def test_a_weight_of_two_is_a_row_twice(problem, seed):
    """Through all layers; a weight of 0 leaves the row out."""
    weight = np.random.default_rng(seed).integers(0, 3, len(problem.X)).astype(float)
    weight[:4] = 1
    model = DeepELMRegressor((6, 4), n_hidden=9, layer_alpha=1.0, alpha=1.0, random_state=0)
    weighted = clone(model).fit(problem.X, problem.y, weight)
    twice = np.repeat(np.arange(len(weight)), weight.astype(int))
    repeated = clone(model).fit(problem.X[twice], problem.y[twice])
    assert relative_gap(weighted.predict(problem.X), repeated.predict(problem.X)) < 1e-7


def test_streamed_is_in_memory(tmp_path):
    """Files, in chunks, give the model of the same rows in memory; texts and gaps are taken."""
    problem = make_problem(4, 900, 4, 1, weighted=False)
    table = pa.table({f"x{j}": problem.X[:, j] for j in range(4)} | {"target": problem.y})
    for number in range(3):
        pq.write_table(table.slice(300 * number, 300), tmp_path / f"{number}.parquet", row_group_size=90)
    model = DeepELMRegressor((8, 5), n_hidden=15, random_state=0)
    here = clone(model).fit(problem.X, problem.y)
    there = clone(model).fit(samara.scan(str(tmp_path / "*.parquet"), target="target"))
    np.testing.assert_allclose(there.layer_alphas_, here.layer_alphas_, rtol=1e-6)
    assert (
        relative_gap(there.predict(table.drop_columns("target").to_pandas()), here.predict(problem.X)) < 1e-6
    )


def test_cluster_gives_the_model_of_threads(cluster):
    """Targets that are inputs travel with their maps."""
    problem = make_problem(5, 700, 4, 1, weighted=True)
    model = DeepELMRegressor((8, 5), n_hidden=15, layer_alpha=1.0, alpha=1.0, random_state=0)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    there = problem.fit(clone(model).set_params(engine=cluster))
    assert relative_gap(there.predict(problem.X), here.predict(problem.X)) < 1e-8


def test_sparse_rows_and_checkpoints(tmp_path):
    """CSR rows give the model of dense ones; a fit with a checkpoint ends in the same bits and cleans up."""
    problem = make_problem(6, 300, 5, 1, weighted=False)
    X = np.where(abs(problem.X) > 1, problem.X, 0.0)
    model = DeepELMRegressor((8,), n_hidden=15, random_state=0)
    dense = clone(model).fit(X, problem.y).predict(X)
    assert relative_gap(clone(model).fit(sp.csr_matrix(X), problem.y).predict(sp.csr_matrix(X)), dense) < 1e-6
    kept = clone(model).fit(X, problem.y, checkpoint=tmp_path / "run.ckpt")
    assert kept.predict(X).tobytes() == dense.tobytes()
    assert not list(tmp_path.iterdir())


def test_maps_of_ones_own():
    """A frozen map may stand among the layers; nothing is learned for it."""
    problem = make_problem(7, 200, 3, 1, weighted=False)
    nodes = AdditiveNodes(np.random.default_rng(0).normal(size=(4, 6)), "tanh")
    model = problem.fit(DeepELMRegressor((nodes, 4), n_hidden=10, random_state=0))
    assert model.model_.maps[1] is nodes
    assert np.isnan(model.layer_alphas_[0])
    assert model.layer_alphas_[1] > 0


def test_class_weights():
    """Balanced classes are the rows weighted by hand."""
    problem = make_problem(8, 200, 3, 1, weighted=False)
    labels = (problem.y > np.quantile(problem.y, 0.8)).astype(int)
    weight = np.where(labels, 1 / labels.mean(), 1 / (1 - labels.mean())) / 2
    model = DeepELMClassifier((5,), n_hidden=10, layer_alpha=1.0, alpha=1.0, random_state=0)
    balanced = clone(model).set_params(class_weight="balanced").fit(problem.X, labels)
    by_hand = clone(model).fit(problem.X, labels, weight)
    gap = relative_gap(balanced.decision_function(problem.X), by_hand.decision_function(problem.X))
    assert gap < 1e-9
