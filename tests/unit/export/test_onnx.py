"""Exported models give in onnxruntime what they give in Samara."""

import json

import numpy as np
import onnx
import pytest
from scipy import sparse

import samara
from samara import (
    DeepELMClassifier,
    DeepELMRegressor,
    ELMClassifier,
    ELMRegressor,
    KernelELMClassifier,
    KernelELMRegressor,
    to_onnx,
)
from samara.maps import LAYERS, Additive, Kernel, KernelRows, Radial, whitened
from tests.onnx_runs import assert_near, assert_same_model, run_model, run_rows

PRECISIONS = ["float32", "float64"]
NAMED = ["rbf", "linear", "polynomial", "laplacian", "sigmoid", "cosine", "laplace", "matern32", "matern52"]


def rows(n=200, dtype="float64", seed=0):
    """Inputs of different spread and offset, a smooth target and a noisy one."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * [1, 2, 3, 0.1, 1] + [0, 5, -3, 0, 10]
    signal = np.sin(X[:, 0]) + 0.1 * X[:, 1] ** 2
    y = np.stack([signal + 0.1 * rng.normal(size=n), 100 * X[:, 2] + rng.normal(size=n)], axis=1)
    return X.astype(dtype), y


def kinds(X, names):
    """A class for each row, by two of its inputs."""
    edges = np.quantile(X[:, 0] + X[:, 1], np.linspace(0, 1, len(names) + 1)[1:-1])
    return np.array(names)[np.searchsorted(edges, X[:, 0] + X[:, 1])]


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("scale", ["standard", "quantile"])
@pytest.mark.parametrize("hidden", LAYERS)
def test_hidden_layers(hidden, scale, dtype):
    X, y = rows(dtype=dtype)
    model = ELMRegressor(40, hidden=hidden, scale=scale, alpha=0.1, dtype=dtype, random_state=0)
    assert_same_model(model.fit(X[:150], y[:150, 0]), X)


@pytest.mark.parametrize("dtype", PRECISIONS)
def test_deep_models(dtype):
    X, y = rows(dtype=dtype)
    settings = {"n_hidden": 30, "alpha": 1.0, "dtype": dtype, "random_state": 0}
    assert_same_model(DeepELMRegressor((12, 8), **settings).fit(X[:150], y[:150, 0]), X)
    assert_same_model(DeepELMClassifier((12,), **settings).fit(X, kinds(X, ["a", "b", "c"])), X)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("solver", ["exact", "nystroem"])
@pytest.mark.parametrize("kernel", NAMED)
@pytest.mark.filterwarnings("ignore::samara.ConditionWarning")  # tanh is no positive definite kernel
def test_kernels(kernel, solver, dtype):
    X, y = rows(dtype=dtype)
    rank = 40 if solver == "nystroem" else "auto"
    model = KernelELMRegressor(
        kernel, alpha=0.5, scale="standard", solver=solver, rank=rank, dtype=dtype, random_state=0
    )
    assert_same_model(model.fit(X[:150], y[:150, 0]), X)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine"])
def test_kernels_of_inputs_as_they_are(kernel):
    X, y = rows()
    X[170] = 0  # whose cosine with any row is 0
    assert_same_model(KernelELMRegressor(kernel, alpha=0.5).fit(X[:150], y[:150]), X)


@pytest.mark.parametrize("kernel", NAMED)
@pytest.mark.filterwarnings("ignore::samara.ConditionWarning")  # tanh is no positive definite kernel
def test_one_column_keeps_the_digits_of_float64(kernel):
    """A runtime may round what a tensor is multiplied by, where it is one number."""
    X, y = rows()[0][:, :1], rows()[1]
    model = KernelELMRegressor(kernel, gamma=0.3, alpha=1.0, scale="standard").fit(X, y)
    assert_same_model(model, X, tolerance=1e-11)
    linked = ELMRegressor(5, direct_link=True, alpha=1.0, random_state=0).fit(X, y)
    assert_same_model(linked, X, tolerance=1e-11)


def test_powers_of_a_kernel_that_are_not_whole():
    X = np.abs(rows()[0])
    model = KernelELMRegressor(Kernel("polynomial", 0.1, 2.5, 0.5), alpha=1.0).fit(
        X[:150], X[:150].sum(axis=1)
    )
    assert_same_model(model, X)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("hidden", ["sigmoid", "rbf", Additive("tanh", weights="sparse"), "whitened"])
def test_direct_link(hidden, dtype):
    X, y = rows(dtype=dtype)
    if hidden == "whitened":
        hidden = whitened(KernelRows(Kernel("rbf", 0.1), X[:30], X.dtype))
    model = ELMRegressor(30, hidden=hidden, direct_link=True, alpha=0.1, dtype=dtype, random_state=0)
    assert_same_model(model.fit(X[:150], y[:150]), X)


def test_a_node_of_each_width():
    """More radial nodes than rows come in several widths."""
    X, y = rows()
    model = ELMRegressor(100, hidden=Radial("rbf"), alpha=0.1, random_state=0).fit(X[:40], y[:40, 0])
    assert len(np.unique(model.model_.maps[-1].gamma)) == 3
    assert_same_model(model, X)


@pytest.mark.parametrize("make", [ELMRegressor, KernelELMRegressor])
@pytest.mark.parametrize("targets", [slice(None), slice(0, 1), 0], ids=["two", "a column", "a vector"])
def test_shapes_of_targets(make, targets):
    X, y = rows()
    assert_same_model(make(alpha=0.3, random_state=0, fit_intercept=False).fit(X, y[:, targets]), X)


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize(
    "names", [[3, 1], [-1, 0, 7, 8], ["b", "a"], ["north", "Süd", "", "a b"], [False, True], [1.0, 2.0, 5.0]]
)
@pytest.mark.parametrize("make", [ELMClassifier, KernelELMClassifier])
def test_classes(make, names, dtype):
    X, _ = rows(dtype=dtype)
    model = make(alpha=0.1, scale="standard", dtype=dtype, random_state=0).fit(X[:150], kinds(X, names)[:150])
    assert_same_model(model, X)
    told = {prop.key: prop.value for prop in to_onnx(model).metadata_props}
    assert json.loads(told["classes"]) == model.classes_.tolist()


def test_objects_as_classes():
    X, _ = rows()
    model = ELMClassifier(30, random_state=0).fit(X, kinds(X, ["a", "b", "c"]).astype(object))
    assert_same_model(model, X)


def test_probabilities_far_from_the_simplex():
    """Rows far away give scores of thousands; the projection still adds up to 1."""
    X, _ = rows()
    model = ELMClassifier(30, hidden="linear", random_state=0).fit(X, kinds(X, list("abcde")))
    far = rows(seed=1)[0] * 1000
    made = run_rows(model, far)["probabilities"]
    assert np.abs(model.decision_function(far)).max() > 100
    assert made == pytest.approx(model.predict_proba(far), abs=1e-9)
    assert made.sum(axis=1) == pytest.approx(np.ones(len(far)))


@pytest.mark.parametrize("hidden", ["sigmoid", "rbf"])
@pytest.mark.parametrize("scale", ["standard", None])
def test_models_of_sparse_rows(hidden, scale):
    X, y = rows()
    X[np.abs(X) < 1] = 0
    model = ELMRegressor(30, hidden=hidden, scale=scale, alpha=0.1, random_state=0)
    assert_same_model(model.fit(sparse.csr_array(X), y), X)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplacian"])
def test_kernels_of_sparse_rows(kernel):
    X, y = rows()
    X[np.abs(X) < 1] = 0
    assert_same_model(KernelELMRegressor(kernel, alpha=0.5).fit(sparse.csr_array(X), y), X)


def test_a_model_that_learned_row_by_row():
    X, y = rows()
    model = ELMRegressor(30, alpha=0.1, random_state=0)
    for lo in range(0, 200, 50):
        model.partial_fit(X[lo : lo + 50], y[lo : lo + 50, 0])
    assert_same_model(model, X)


@pytest.mark.parametrize("function", ["rbf", "multiquadric"])
def test_radial_nodes_far_from_zero_keep_their_digits(function):
    """In float32 the squares of 1000 leave no digit of a distance of 0.01."""
    X = rows(dtype="float32")[0] * np.float32(0.01) + np.float32(1000)
    y = np.sin((X[:, 0].astype(float) - 1000) * 100)
    model = ELMRegressor(40, hidden=function, scale=None, alpha=1e-2, dtype="float32", random_state=0)
    model.fit(X, y)
    nodes, fitted = model.model_.maps[-1], model.model_
    gaps = X.astype(float)[:, None] - nodes.centres.astype(float)
    squares = nodes.gamma.astype(float) * np.sum(gaps**2, axis=2)
    H = np.exp(-squares) if function == "rbf" else np.sqrt(1 + squares)
    exact = H @ fitted.coef.astype(float) + fitted.intercept
    noise = np.finfo(np.float32).eps * np.abs(fitted.coef).sum() * np.abs(H).max()  # of float32 itself
    made = run_rows(model, X)["prediction"]
    assert np.abs(made - exact[:, 0]).max() < 4 * noise
    assert np.abs(made - exact[:, 0]).max() < 1e-2 * np.abs(model.predict(X) - exact[:, 0]).max()


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("input_dtype", [*PRECISIONS, np.float32, np.dtype("float64")])
def test_precision_of_the_inputs(input_dtype, dtype):
    X, y = rows(dtype="float32")  # which both hold exactly
    model = ELMRegressor(30, alpha=0.1, dtype=dtype, random_state=0).fit(X, y)
    given = to_onnx(model, input_dtype=input_dtype).graph.input[0].type.tensor_type.elem_type
    assert onnx.helper.tensor_dtype_to_np_dtype(given) == np.dtype(input_dtype)
    assert_same_model(model, X, input_dtype=input_dtype)


@pytest.mark.parametrize("n", [0, 1, 3000])
def test_any_number_of_rows(n):
    X, y = rows(3000)
    regressors = [
        ELMRegressor(30, scale="quantile", alpha=0.1, random_state=0).fit(X, y[:, 0]),
        KernelELMRegressor("laplacian", alpha=1.0, solver="nystroem", rank=20, random_state=0).fit(
            X, y[:, 0]
        ),
    ]
    for model in regressors:
        made = run_rows(model, X[:n])["prediction"]
        assert made.shape == (n,)
        if n:
            assert_near(made, model.predict(X[:n]))
    classifier = ELMClassifier(30, random_state=0).fit(X, kinds(X, ["a", "b", "c"]))
    shapes = {name: value.shape for name, value in run_rows(classifier, X[:n]).items()}
    assert shapes == {"label": (n,), "probabilities": (n, 3), "scores": (n, 3)}


def test_quantiles_at_knots_and_beyond():
    """Ties, a constant column, and values outside of what was seen."""
    X, y = rows()
    X[:, 3], X[:, 4] = 2.0, np.round(X[:, 4])
    model = ELMRegressor(30, scale="quantile", alpha=0.1, random_state=0).fit(X, y)
    others = np.concatenate([X, X + 100, X - 100, X.repeat(2, axis=0) + 1e-9, X.round(1)])
    assert_same_model(model, others)


def test_what_a_model_tells_of_itself():
    X, _ = rows()
    model = ELMClassifier(20, random_state=0).fit(X, kinds(X, ["no", "yes"]))
    model.feature_names_in_ = np.array(["a", "b", "c", "d", "é"], object)
    proto = to_onnx(model)
    onnx.checker.check_model(proto, full_check=True)
    assert (proto.producer_name, proto.producer_version) == ("samara", samara.__version__)
    assert {opset.domain: opset.version for opset in proto.opset_import} == {"": 17, "ai.onnx.ml": 3}
    assert proto.doc_string == f"ELMClassifier fitted by Samara {samara.__version__}."
    told = {prop.key: prop.value for prop in proto.metadata_props}
    assert told["samara_version"] == samara.__version__
    assert told["estimator"] == "ELMClassifier"
    assert json.loads(told["classes"]) == ["no", "yes"]
    assert json.loads(told["columns"])[-1] == {"name": "é", "kind": "number"}
    dimension = proto.graph.input[0].type.tensor_type.shape.dim
    assert (dimension[0].dim_param, dimension[1].dim_value) == ("rows", 5)


def test_a_file_is_the_model_and_is_replaced(tmp_path):
    X, y = rows()
    path = tmp_path / "model.onnx"
    path.write_bytes(b"what was there before")
    proto = to_onnx(ELMRegressor(20, random_state=0).fit(X, y), path)
    assert path.read_bytes() == proto.SerializeToString()
    assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]
    assert run_model(onnx.load(path), {"X": X})["prediction"].shape == y.shape


def test_the_same_model_is_the_same_file():
    X, y = rows()
    model = KernelELMRegressor("laplacian", scale="quantile", alpha=1.0).fit(X, y)
    assert to_onnx(model).SerializeToString() == to_onnx(model).SerializeToString()
