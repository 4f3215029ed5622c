"""What has no ONNX form is refused by name, and nothing is written."""

import sys
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge

from samara import ELMClassifier, ELMRegressor, InputError, KernelELMRegressor, StoreError, to_onnx
from samara.export import graph
from samara.maps import LocalFields

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] + X[:, 1] ** 2


@dataclass(frozen=True)
class Squares:
    """A map of one's own."""

    n_out: int = 3

    def __call__(self, X, out=None):
        return np.multiply(X, X, out=out)


def similarity(X, Z):
    return X @ Z.T


@pytest.mark.parametrize("direct_link", [False, True])
def test_a_layer_of_ones_own(direct_link):
    model = ELMRegressor(hidden=Squares(), direct_link=direct_link).fit(X, Y)
    with pytest.raises(InputError, match=r"^Squares has no ONNX form: only Samara's own .* to export\.$"):
        to_onnx(model)


def test_local_fields():
    model = ELMRegressor(hidden=LocalFields((3, 1), size=1), scale=None).fit(X, Y)
    with pytest.raises(InputError, match=r"^PooledFields has no ONNX form"):
        to_onnx(model)


def test_a_scaling_of_ones_own():
    with pytest.raises(InputError, match=r"^Squares has no ONNX form"):
        to_onnx(ELMRegressor(20, scale=Squares()).fit(X, Y))


def test_a_kernel_function():
    model = KernelELMRegressor(similarity, alpha=1.0).fit(X, Y)
    with pytest.raises(
        InputError, match=r"^The kernel function similarity has no ONNX form: use a kernel by"
    ):
        to_onnx(model)


@pytest.mark.parametrize("solver", ["exact", "nystroem"])
def test_a_kernel_matrix(solver):
    rank = 20 if solver == "nystroem" else "auto"
    model = KernelELMRegressor("precomputed", alpha=1.0, solver=solver, rank=rank).fit(X @ X.T, Y)
    with pytest.raises(InputError, match=r'^kernel="precomputed" has no ONNX form, for such a model takes'):
        to_onnx(model)


def test_a_model_that_is_not_fitted():
    with pytest.raises(NotFittedError, match="ELMRegressor instance is not fitted"):
        to_onnx(ELMRegressor())


def test_an_estimator_of_another_library():
    with pytest.raises(InputError, match=r"^to_onnx takes a fitted ELMRegressor, .*; got Ridge\.$"):
        to_onnx(Ridge().fit(X, Y))


@pytest.mark.parametrize("given", ["float16", "float", int, "no type"])
def test_another_precision(given):
    with pytest.raises(InputError, match=r"^Unknown input_dtype .* Known: float32, float64\.$"):
        to_onnx(ELMRegressor(20).fit(X, Y), input_dtype=given)


def test_labels_that_onnx_has_no_type_for():
    classes = np.array([2**63, 5], np.uint64)
    model = ELMClassifier(20).fit(X, classes[(Y > 1).astype(int)])
    with pytest.raises(
        InputError, match=r"^Labels of an ONNX model are texts or whole numbers of 64 bits; cl"
    ):
        to_onnx(model)


def test_a_model_larger_than_a_file_can_be(monkeypatch, tmp_path):
    monkeypatch.setattr(graph, "MOST_BYTES", 1000)
    with pytest.raises(
        InputError, match=r"^An ONNX file holds at most 1e-06 GB and this model is larger\. Fit"
    ):
        to_onnx(ELMRegressor(50).fit(X, Y), tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r'^to_onnx needs onnx: pip install "samara\[onnx\]"$'):
        to_onnx(ELMRegressor(20).fit(X, Y))


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(StoreError, match=r"can't be written: there is no folder"):
        to_onnx(ELMRegressor(20).fit(X, Y), tmp_path / "nowhere" / "model.onnx")


def test_a_refused_model_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(b"kept")
    with pytest.raises(InputError):
        to_onnx(ELMRegressor(hidden=Squares()).fit(X, Y), path)
    assert path.read_bytes() == b"kept"
