"""Tables that are odd but not wrong: they fit, without warnings, and predict finite numbers."""

import numpy as np
import pytest
import scipy.sparse as sp

from samara import ELMClassifier, ELMRegressor
from samara.maps import LAYERS
from tests.problems import make_problem

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = X[:, 0] ** 2 + 0.1 * RNG.normal(size=80)


@pytest.mark.parametrize("solver", ["auto", "gram", "qr", "svd", "dual"])
@pytest.mark.parametrize("hidden", LAYERS)
def test_constant_and_duplicate_columns(solver, hidden):
    """They fit like any other, whatever the solver."""
    odd = np.column_stack([X, X[:, 0], np.full(80, 7.0), np.zeros(80), X[:, 0]])
    model = ELMRegressor(20, hidden=hidden, solver=solver, random_state=0).fit(odd, Y)
    assert np.isfinite(model.predict(odd)).all()
    assert model.score(odd, Y) > -0.1


@pytest.mark.parametrize("scale", ["standard", "quantile", None])
@pytest.mark.parametrize("value", [0.0, 5.0, -1e9])
def test_a_table_of_constants_predicts_the_mean(scale, value):
    """No input says anything: every prediction is the mean target."""
    model = ELMRegressor(10, scale=scale, random_state=0).fit(np.full((30, 2), value), Y[:30])
    np.testing.assert_allclose(model.predict(np.full((5, 2), value)), Y[:30].mean(), rtol=1e-6)


@pytest.mark.parametrize("value", [0.0, 3.5, 1e12])
def test_constant_targets_are_predicted(value):
    """A constant y is predicted as it is."""
    model = ELMRegressor(10, random_state=0).fit(X, np.full(80, value))
    np.testing.assert_allclose(model.predict(X), value, rtol=1e-9)


@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv", "lcurve"])
@pytest.mark.parametrize("solver", ["auto", "gram", "qr", "svd", "dual"])
@pytest.mark.parametrize("rows", [2, 3, 10])
def test_fewer_rows_than_nodes(rows, solver, selection):
    """n < L is nothing special, for any solver and selection."""
    model = ELMRegressor(25, solver=solver, selection=selection, random_state=0).fit(X[:rows], Y[:rows])
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("sizes", ["auto", [2, 40]])
def test_fewer_rows_than_nodes_with_sizes_to_choose(sizes):
    """The same where the size is chosen too."""
    assert np.isfinite(ELMRegressor(sizes, random_state=0).fit(X[:15], Y[:15]).predict(X)).all()


def test_more_columns_than_rows():
    """d > n, dense and sparse."""
    wide = RNG.normal(size=(20, 300))
    for rows in (wide, sp.csr_matrix(wide)):
        assert np.isfinite(
            ELMRegressor(30, direct_link=True, random_state=0).fit(rows, Y[:20]).predict(rows)
        ).all()


@pytest.mark.parametrize("size", [1e300, 1e-300, 1e200, 1e-200])
@pytest.mark.parametrize("hidden", LAYERS)
def test_huge_and_tiny_inputs(size, hidden):
    """Inputs of 1e±300 are scaled: predictions are finite and better than the mean."""
    found = ELMRegressor(10, hidden=hidden, random_state=0).fit(X * size, Y).predict(X * size)
    assert np.isfinite(found).all()
    assert np.mean((found - Y) ** 2) < Y.var()


@pytest.mark.parametrize("size", [1e300, 1e-300])
@pytest.mark.parametrize("scale", ["quantile", None])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_matrix])
def test_huge_and_tiny_inputs_under_other_scalings(size, scale, kind):
    """Still finite where they are not standardized, and where they are sparse."""
    rows = kind(X * size)
    assert np.isfinite(ELMRegressor(10, scale=scale, random_state=0).fit(rows, Y).predict(rows)).all()


@pytest.mark.parametrize("size", [1e300, 1e-300, 1e160])
@pytest.mark.parametrize("solver", ["gram", "qr", "dual"])
@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv"])
def test_huge_and_tiny_targets(size, solver, selection):
    """Targets of 1e±300 are predicted in proportion."""
    model = ELMRegressor(10, solver=solver, selection=selection, random_state=0)
    expected = model.fit(X, Y).predict(X)
    found = model.fit(X, Y * size).predict(X)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found / size, expected, rtol=1e-5, atol=1e-5)


def test_huge_beside_tiny():
    """Columns and targets of very different size in one table."""
    sizes = np.array([1e300, 1.0, 1e-300])
    Y2 = np.column_stack([Y * 1e300, Y, Y * 1e-300])
    model = ELMRegressor(20, random_state=0).fit(X * sizes, Y2)
    scaled = model.predict(X * sizes) / [1e300, 1, 1e-300]
    assert np.isfinite(scaled).all()
    assert np.mean((scaled - Y[:, None]) ** 2) < Y.var()


def test_huge_classes_and_weights():
    """Inputs of 1e300 and weights of 1e±100 in a classifier."""
    for weight in (None, np.full(80, 1e100), np.full(80, 1e-100)):
        model = ELMClassifier(20, random_state=0).fit(X * 1e300, Y > 0.5, weight)
        assert np.isfinite(model.predict_proba(X * 1e300)).all()
        assert model.score(X * 1e300, Y > 0.5) > 0.7


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint8])
def test_whole_and_boolean_inputs(dtype):
    """They fit as they are."""
    whole = (X > 0).astype(dtype)
    assert np.isfinite(ELMRegressor(10, random_state=0).fit(whole, Y).predict(whole)).all()


def test_boolean_and_whole_targets():
    """A regressor takes boolean and integer targets, at their face value."""
    for y in (Y > 0.5, np.round(Y).astype(int)):
        model = ELMRegressor(10, random_state=0)
        np.testing.assert_allclose(model.fit(X, y).predict(X), model.fit(X, y.astype(float)).predict(X))


def test_prediction_far_outside_the_data():
    """Rows at 1e300 are predicted without overflow or a warning."""
    for hidden in LAYERS:
        model = ELMRegressor(10, hidden=hidden, random_state=0).fit(X, Y)
        if hidden not in ("relu", "linear", "multiquadric", "sine", "fourier", "rbf"):
            assert np.isfinite(model.predict(X * 1e300)).all()
        assert np.isfinite(model.predict(X * 1e30)).all()


def test_all_rows_alike_but_their_targets():
    """Folds go by content, so one distinct row leaves nothing to hold out: the fit says so and goes on."""
    model = ELMRegressor(5, random_state=0).fit(np.ones((20, 2)), np.arange(20.0))
    assert model.predict(np.ones((1, 2)))[0] == pytest.approx(9.5)
    assert any("fewer than two folds" in reason for reason in model.plan_.reasons)


def test_a_user_s_arrays_are_not_written_to():
    """Inputs, targets and weights are only read."""
    problem = make_problem(0, 300, 3, 2, True)
    for array in (problem.X, problem.y, problem.weight):
        array.flags.writeable = False
    for scale in ("standard", "quantile", None):
        problem.fit(ELMRegressor(5, scale=scale, direct_link=True, random_state=0)).predict(problem.X)
