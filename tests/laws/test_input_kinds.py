"""What kind of table the rows come in does not matter."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings

from samara import ELMClassifier, ELMRegressor
from samara.maps import LAYERS
from tests.oracles import relative_gap
from tests.problems import make_problem, problems

SPARSE = [sp.csr_matrix, sp.csc_matrix, sp.coo_array, sp.csr_array]
FEW = settings(max_examples=max(3, settings().max_examples // 3))  # many layers share the claim


def _thinned(problem):
    """The inputs with two thirds of the values set to 0."""
    keep = np.random.default_rng(problem.seed).random(problem.X.shape) < 0.35
    return np.where(keep, problem.X, 0.0)


@pytest.mark.parametrize("hidden", LAYERS)
@pytest.mark.parametrize("scale", ["standard", "quantile", "unit", None])
@FEW
@given(problem=problems(rows=(40, 90), targets=(1, 1)))
def test_sparse_equals_dense(hidden, scale, problem):
    """Nodes, chosen ridge and coefficients of sparse rows are those of dense rows to 1e-9."""
    X = _thinned(problem)
    model = ELMRegressor(8, hidden=hidden, scale=scale, alpha=[0.1, 1.0, 10.0], random_state=problem.seed)
    dense = model.fit(X, problem.y, problem.weight)
    alpha, coef, predicted = dense.alpha_, dense.coef_, dense.predict(X)
    sparse = model.fit(sp.csr_matrix(X), problem.y, problem.weight)
    assert sparse.alpha_ == alpha
    assert relative_gap(sparse.coef_, coef) < 1e-9
    assert relative_gap(sparse.predict(sp.csr_matrix(X)), predicted) < 1e-9


@pytest.mark.parametrize("kind", SPARSE)
def test_every_sparse_format_is_taken(kind):
    """CSC, COO and sparse arrays give what CSR does; duplicates in COO are added up."""
    problem = make_problem(3, 60, 4, 1, False)
    X = _thinned(problem)
    model = ELMRegressor(8, direct_link=True, random_state=0)
    expected = model.fit(sp.csr_matrix(X), problem.y).predict(X)
    np.testing.assert_allclose(model.fit(kind(X), problem.y).predict(kind(X)), expected, rtol=1e-9)


def test_a_sparse_matrix_with_duplicates_is_left_as_it_was():
    """Stored duplicates count as their sum, and the user's matrix is not rewritten."""
    X = sp.csr_matrix(([1.0, 2.0, 4.0, 1.0, 5.0], [0, 0, 1, 1, 0], [0, 2, 3, 4, 5]), shape=(4, 2))
    y = np.arange(4.0)
    model = ELMRegressor(3, alpha=1.0, random_state=0)
    coef = model.fit(X, y).coef_
    assert X.nnz == 5
    np.testing.assert_allclose(model.fit(X.toarray(), y).coef_, coef, rtol=1e-9)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@given(problem=problems(rows=(40, 90)))
def test_frames_equal_arrays(frame, problem):
    """pandas and polars give what NumPy does (their columns lie apart in memory, so sums round otherwise)."""
    names = [f"column {j}" for j in range(problem.X.shape[1])]
    table = frame(dict(zip(names, problem.X.T, strict=True)))
    model = ELMRegressor(8, random_state=problem.seed)
    expected = problem.fit(model).predict(problem.X)
    found = model.fit(table, problem.y, problem.weight)
    np.testing.assert_allclose(found.predict(table), expected, atol=1e-9 * np.abs(problem.y).max())
    assert found.feature_names_in_.tolist() == names


@pytest.mark.parametrize("series", [pd.Series, pl.Series])
def test_targets_as_series(series):
    """Targets, labels and weights may be series."""
    problem = make_problem(3, 60, 4, 1, True)
    model = ELMRegressor(8, random_state=0)
    expected = problem.fit(model).predict(problem.X)
    np.testing.assert_array_equal(
        model.fit(problem.X, series(problem.y), series(problem.weight)).predict(problem.X), expected
    )
    labels = np.where(problem.y > problem.y.mean(), "high", "low")
    classifier = ELMClassifier(8, random_state=0).fit(problem.X, series(labels))
    np.testing.assert_array_equal(
        classifier.predict(problem.X),
        ELMClassifier(8, random_state=0).fit(problem.X, labels).predict(problem.X),
    )


@pytest.mark.parametrize(
    "convert", [np.asfortranarray, np.ndarray.tolist, lambda X: X[::-1][::-1], lambda X: X.T.copy().T]
)
def test_memory_order_does_not_matter(convert):
    """Fortran order, lists and strided views give what a C array does."""
    problem = make_problem(3, 400, 4, 1, False)
    model = ELMRegressor(8, random_state=0)
    expected = problem.fit(model).predict(problem.X)
    np.testing.assert_allclose(
        model.fit(convert(problem.X), problem.y).predict(problem.X), expected, rtol=1e-10
    )


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.int64, np.float16, np.float32])
def test_whole_numbers_equal_their_floats(dtype):
    """Integers and booleans are used as they are: the fit is that of their float64 values."""
    X = np.random.default_rng(0).integers(0, 2, (80, 6)).astype(dtype)
    y = X.astype(float).sum(axis=1)
    model = ELMRegressor(8, random_state=0)
    expected = model.fit(X.astype(float), y).predict(X.astype(float))
    np.testing.assert_allclose(model.fit(X, y).predict(X), expected, rtol=1e-9, atol=1e-9)


def test_a_memory_map_is_read_only_in_place(tmp_path):
    """A memory-mapped table, opened read-only, fits like an array."""
    problem = make_problem(3, 500, 4, 1, False)
    np.save(tmp_path / "X.npy", problem.X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = ELMRegressor(8, random_state=0)
    expected = problem.fit(model).predict(problem.X)
    np.testing.assert_array_equal(model.fit(mapped, problem.y).predict(mapped), expected)
