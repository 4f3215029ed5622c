"""Odd tables through the randomized and iterative solvers: they fit without a warning, and predict."""

import numpy as np
import pytest
import scipy.sparse as sp

from samara import ELMClassifier, ELMRegressor
from samara.linalg import ErrorStop
from samara.maps import LAYERS
from samara.solvers import FastSvd
from tests.oracles import relative_gap
from tests.problems import make_problem

NEW = ["rsvd", "fast_svd", "fast_svd_gradient", "sketch", "lsqr", "precondition"]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = X[:, 0] ** 2 + 0.1 * RNG.normal(size=80)


@pytest.mark.parametrize("solver", [*NEW, "gram", "qr", "svd", "dual"])
@pytest.mark.parametrize("hidden", ["linear", "sigmoid"])
@pytest.mark.parametrize("rows", [20, 300])
@pytest.mark.parametrize("alpha", [1.0, "auto"])
@pytest.mark.parametrize("value", [0.0, 5.0, -1e9])
def test_a_table_of_constants_predicts_the_mean(solver, hidden, rows, alpha, value):
    """H is zero once centred, but for rounding: every prediction is the mean target."""
    model = ELMRegressor(5, hidden=hidden, alpha=alpha, solver=solver, random_state=0)
    constant = np.full((rows, 2), value)
    model.fit(constant, np.arange(float(rows)))
    np.testing.assert_allclose(model.predict(constant[:3]), (rows - 1) / 2, rtol=1e-6)


@pytest.mark.parametrize("solver", NEW)
def test_a_layer_of_zeros(solver):
    """Without scaling or intercept a table of zeros has an H of zeros exactly: predictions are 0."""
    model = ELMRegressor(
        5, hidden="linear", alpha=1.0, solver=solver, scale=None, fit_intercept=False, random_state=0
    )
    zeros = np.zeros((120, 2))
    model.set_params(hidden=lambda rows, out=None: rows, n_hidden=2)
    model.hidden.n_out = 2
    assert (model.fit(zeros, np.arange(120.0)).predict(zeros) == 0).all()
    assert model.approximation_error_ == 0


def test_a_stop_that_is_met_at_once_leaves_one_direction():
    """An error allowed beyond the size of H: the mean and a single direction."""
    model = ELMRegressor(20, alpha=1.0, solver=FastSvd(ErrorStop(1e9)), random_state=0).fit(X, Y)
    assert model.rank_ == 1
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("hidden", LAYERS)
def test_constant_and_duplicate_columns(solver, hidden):
    """They fit like any other."""
    odd = np.column_stack([X, X[:, 0], np.full(80, 7.0), np.zeros(80), X[:, 0]])
    model = ELMRegressor(20, hidden=hidden, solver=solver, random_state=0).fit(odd, Y)
    assert np.isfinite(model.predict(odd)).all()
    assert model.score(odd, Y) > -0.1


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("rows", [2, 3, 10])
def test_fewer_rows_than_nodes(solver, rows):
    """n < L, down to two rows."""
    model = ELMRegressor(25, solver=solver, random_state=0).fit(X[:rows], Y[:rows])
    assert np.isfinite(model.predict(X)).all()
    assert model.rank_ <= 25


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("link", [False, True])
def test_sparse_rows(solver, link):
    """Wide sparse rows, with and without a direct link."""
    wide = sp.random(150, 60, density=0.1, format="csr", random_state=0)
    model = ELMRegressor(30, alpha=1.0, solver=solver, direct_link=link, random_state=0)
    sparse = model.fit(wide, np.arange(150.0)).predict(wide)
    dense = model.fit(wide.toarray(), np.arange(150.0)).predict(wide.toarray())
    assert relative_gap(sparse, dense) < 1e-6


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_single_precision_is_close_to_double(solver, alpha):
    """float32 hidden rows give predictions to about 1e-3, and no warning."""
    problem = make_problem(3, 900, 3, 1, False)
    model = ELMRegressor(40, alpha=alpha, solver=solver, random_state=0)
    double = problem.fit(model).predict(problem.X)
    single = problem.fit(model.set_params(dtype="float32"))
    assert single.predict(problem.X).dtype == np.float32
    if alpha == 1.0:
        assert relative_gap(single.predict(problem.X), double) < 1e-3
    assert single.score(problem.X, problem.y) > 0.5


@pytest.mark.parametrize("size", [1e300, 1e-300])
@pytest.mark.parametrize("solver", NEW)
def test_huge_and_tiny_targets(solver, size):
    """Targets of 1e±300 are predicted in proportion."""
    model = ELMRegressor(10, solver=solver, random_state=0)
    expected = model.fit(X, Y).predict(X)
    found = model.fit(X, Y * size).predict(X)
    np.testing.assert_allclose(found / size, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("factor", [1e-100, 1e100])
def test_huge_and_tiny_weights(solver, factor):
    """All weights times a constant: the same model, as the ridges are in proportion."""
    model = ELMClassifier(20, solver=solver, random_state=0)
    expected = model.fit(X, Y > 0.5, np.ones(80)).decision_function(X)
    found = model.fit(X, Y > 0.5, np.full(80, factor)).decision_function(X)
    if solver not in ("fast_svd", "fast_svd_gradient"):  # their stops are in the units of H
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)
    assert np.isfinite(found).all()


@pytest.mark.parametrize("solver", NEW)
def test_rows_sorted_by_an_input(solver):
    """The first rows are no sample of the others: still as good as shuffled, to the ridge's accuracy."""
    problem = make_problem(4, 1200, 2, 1, False)
    ordered = problem.rows(np.argsort(problem.X[:, 0]))
    model = ELMRegressor(30, alpha=1.0, solver=solver, random_state=0)
    expected = problem.fit(model).predict(problem.X)
    found = ordered.fit(model).predict(problem.X)
    assert relative_gap(found, expected) < (1e-2 if solver.startswith("fast") else 1e-3)


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("bins", [2, 3])
def test_classifiers(solver, bins):
    """Labels of any kind, by K-fold."""
    labels = np.array(["low", "middle", "high"])[:bins][
        np.digitize(Y, np.quantile(Y, [0.4, 0.8][: bins - 1]))
    ]
    model = ELMClassifier(20, solver=solver, random_state=0).fit(X, labels)
    assert model.score(X, labels) > 0.55  # the largest class has 0.4
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
