"""The same model whether rows are dense or sparse, the kernel named, called or given as a matrix."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from samara import KernelELMClassifier, KernelELMRegressor
from samara.kernel_settings import Nystroem
from samara.maps import Kernel
from samara.solvers.kernel import Divide, KernelSketch, Pcg
from tests.oracles import relative_gap
from tests.oracles_kernel import DEFINITE, GAMMA, kernel_matrix
from tests.problems import make_problem, problems, ridges

SOLVERS = ["exact", "sketch", "ssvd", "nystroem", Pcg(1e-11), Divide(2)]
definite = st.sampled_from(DEFINITE)


def gap_of_targets(found, expected, y):
    """Largest difference in units of the targets' spread."""
    return np.max(np.abs(found - expected)) / np.std(y)


def sparse_problem(seed, n=80, d=6):
    """Rows of which two thirds are zero, one of them all zero."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < 0.35, rng.normal(size=(n, d)), 0.0)
    X[3] = 0
    return X, X @ rng.normal(size=d) + np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("solver", [*SOLVERS, Nystroem("pivoted"), Nystroem("kmeans")], ids=str)
@pytest.mark.parametrize("kernel", DEFINITE)
def test_sparse_equals_dense(kernel, solver):
    """CSR rows at the fit, at prediction or both, with a ridge given or chosen."""
    X, y = sparse_problem(1)
    for alpha in (0.5, [0.1, 1.0]):
        model = KernelELMRegressor(kernel, gamma=GAMMA, alpha=alpha, solver=solver, random_state=0)
        dense = model.fit(X, y).predict(X)
        assert gap_of_targets(model.predict(sp.csr_array(X)), dense, y) < 1e-9
        model.fit(sp.csr_matrix(X), y)
        assert gap_of_targets(model.predict(sp.csc_matrix(X)), dense, y) < 1e-7
        assert gap_of_targets(model.predict(X), dense, y) < 1e-7


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("scale", ["standard", "quantile", "unit"])
def test_sparse_rows_scaled(scale, kernel):
    """Scaling by columns makes them dense, by rows it does not: the same model."""
    X, y = sparse_problem(2)
    model = KernelELMRegressor(kernel, scale=scale, alpha=1.0)
    dense = model.fit(X, y).predict(X)
    assert gap_of_targets(model.fit(sp.csr_array(X), y).predict(sp.csr_array(X)), dense, y) < 1e-9


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
@given(problem=problems(rows=(20, 60)), kernel=definite, alpha=ridges(-1, 1), intercept=st.booleans())
def test_a_matrix_given_equals_the_kernel(solver, kernel, problem, alpha, intercept):
    """``precomputed``: fit on K(X, X), predict from K(new, X)."""
    rank = 1.0 if solver in ("sketch", "ssvd", "nystroem") else "auto"
    solver = "exact" if isinstance(solver, Divide) and problem.weight is not None else solver
    shared = {"alpha": alpha, "fit_intercept": intercept, "random_state": 0}
    exact = problem.fit(KernelELMRegressor(kernel, gamma=GAMMA, solver="exact", **shared))
    model = KernelELMRegressor(
        "precomputed", solver=Divide(1) if isinstance(solver, Divide) else solver, **shared
    )
    model.set_params(rank=rank).fit(kernel_matrix(problem.X, name=kernel), problem.y, problem.weight)
    new = problem.X[::-1] + 0.1
    found = model.predict(kernel_matrix(new, problem.X, name=kernel))
    assert gap_of_targets(found, exact.predict(new), problem.y) < 1e-6


@pytest.mark.parametrize("solver", SOLVERS, ids=str)
def test_a_matrix_given_chooses_the_same_ridge(solver):
    """Scores of the ridges too; copies are told by the rows of K."""
    problem = make_problem(3, 90, 3, 1, False)
    rank = 1.0 if solver in ("sketch", "ssvd", "nystroem") else "auto"
    shared = {"alpha": [0.01, 0.1, 1.0, 10.0], "random_state": 0}
    named = KernelELMRegressor("laplacian", gamma=GAMMA, solver="exact", **shared)
    named.fit(problem.X, problem.y)
    given_matrix = KernelELMRegressor("precomputed", solver=solver, rank=rank, **shared)
    given_matrix.fit(kernel_matrix(problem.X, name="laplacian"), problem.y)
    if solver in ("exact", "sketch", "ssvd"):
        assert named.alpha_ == given_matrix.alpha_
        np.testing.assert_allclose(given_matrix.selection_.scores, named.selection_.scores, rtol=1e-6)
    assert given_matrix.score(kernel_matrix(problem.X, name="laplacian"), problem.y) > 0.5


@pytest.mark.parametrize("solver", [*SOLVERS, Nystroem("pivoted"), Nystroem("kmeans")], ids=str)
@given(problem=problems(rows=(20, 60)), alpha=ridges(-1, 1))
def test_a_function_equals_the_kernel_it_computes(solver, problem, alpha):
    """A callable of two arrays of rows."""
    shared = {"alpha": alpha, "solver": solver, "random_state": 0}
    named = problem.fit(KernelELMRegressor("laplacian", gamma=GAMMA, **shared)).predict(problem.X)
    called = KernelELMRegressor(lambda X, Z: kernel_matrix(X, Z, "laplacian"), **shared)
    assert gap_of_targets(problem.fit(called).predict(problem.X), named, problem.y) < 1e-6


def test_a_kernel_object_brings_its_settings():
    """``kernel=Kernel(...)`` with its own gamma."""
    problem = make_problem(3, 50, 3, 1, False)
    named = problem.fit(KernelELMRegressor("rbf", gamma=0.3, alpha=1.0))
    made = problem.fit(KernelELMRegressor(Kernel("rbf", 0.3), alpha=1.0))
    assert made.gamma_ == 0.3
    np.testing.assert_allclose(made.predict(problem.X), named.predict(problem.X), rtol=1e-10)


@pytest.mark.parametrize("solver", [*SOLVERS, KernelSketch()], ids=str)
@given(problem=problems(rows=(30, 100), targets=(2, 3)), alpha=ridges(-1, 1))
def test_targets_one_by_one(solver, problem, alpha):
    """Several targets with one ridge are as many models."""
    model = KernelELMRegressor(gamma=GAMMA, alpha=alpha, solver=solver, random_state=0)
    together = problem.fit(model).predict(problem.X)
    for j in range(problem.y.shape[1]):
        alone = model.fit(problem.X, problem.y[:, j], problem.weight).predict(problem.X)
        assert relative_gap(together[:, j], alone) < 1e-6


@pytest.mark.parametrize("solver", ["exact", "sketch", "ssvd", "nystroem", "pcg", "divide"])
@pytest.mark.parametrize("kernel", DEFINITE)
def test_single_precision_is_close(solver, kernel):
    """dtype="float32": the kernel's entries are rounded, the predictions move by a thousandth."""
    problem = make_problem(6, 200, 3, 1, True)
    shared = {"gamma": GAMMA, "alpha": 1.0, "solver": solver, "random_state": 0}
    full = problem.fit(KernelELMRegressor(kernel, **shared)).predict(problem.X)
    half = problem.fit(KernelELMRegressor(kernel, dtype="float32", **shared)).predict(problem.X)
    assert half.dtype == np.float32
    assert gap_of_targets(half, full, problem.y) < 2e-3


@pytest.mark.parametrize("kind", ["int8", "bool", "float32", "list", "fortran", "frame"])
def test_rows_of_any_type(kind):
    """Whole numbers, booleans, lists, columns first, data frames: the same model as floats."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(60, 3)) > 0) if kind == "bool" else rng.integers(-5, 5, (60, 3))
    y = X[:, 0] + 0.1 * rng.normal(size=60)
    expected = KernelELMRegressor(alpha=[0.1, 1.0]).fit(X.astype(float), y).predict(X.astype(float))
    if kind == "frame":
        rows = pytest.importorskip("pandas").DataFrame(X, columns=list("abc"))
    else:
        rows = {"list": X.tolist(), "fortran": np.asfortranarray(X, float)}.get(kind)
        rows = X.astype(kind) if rows is None else rows
    found = KernelELMRegressor(alpha=[0.1, 1.0]).fit(rows, y).predict(rows)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_labels_of_any_type():
    """Text labels come back."""
    problem = make_problem(3, 60, 2, 1, False)
    labels = np.where(problem.y > np.median(problem.y), "up", "down")
    model = KernelELMClassifier(class_weight="balanced").fit(problem.X, labels)
    assert set(model.predict(problem.X)) <= {"up", "down"}
    assert model.score(problem.X, labels) > 0.7
