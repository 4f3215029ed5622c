"""The regressor: shapes, ridges per target, growing models, maps of one's own."""

import numpy as np
import pytest

from samara import ELMRegressor
from tests.oracles import relative_gap, ridge
from tests.problems import make_problem


@pytest.mark.parametrize("t", [None, 1, 3])
def test_shapes_follow_the_targets(t):
    """A vector of targets gives vectors; a table of t columns gives tables, t = 1 included."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = X[:, 0] if t is None else X[:, :t]
    model = ELMRegressor(7, random_state=0).fit(X, y)
    assert model.predict(X).shape == y.shape
    assert model.coef_.shape == ((7,) if t is None else (t, 7))
    assert np.shape(model.intercept_) == (() if t is None else (t,))
    np.testing.assert_allclose(
        model.transform(X) @ np.transpose(model.coef_) + model.intercept_, model.predict(X)
    )


@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv", "lcurve"])
@pytest.mark.parametrize("solver", ["gram", "qr", "dual"])
def test_a_ridge_per_target_equals_separate_fits(selection, solver):
    """Each target's ridge, coefficients and intercept are those of a fit to it alone."""
    problem = make_problem(1, 80, 3, 3, True)
    options = {"alpha": [0.01, 0.3, 10.0, 300.0], "selection": selection, "solver": solver, "random_state": 0}
    joint = problem.fit(ELMRegressor(15, alpha_per_target=True, **options))
    assert joint.alpha_.shape == (3,)
    for k in range(3):
        alone = ELMRegressor(15, **options).fit(problem.X, problem.y[:, k], problem.weight)
        assert joint.alpha_[k] == alone.alpha_
        assert relative_gap(joint.coef_[k], alone.coef_) < 1e-9
        assert joint.intercept_[k] == pytest.approx(alone.intercept_, rel=1e-9)


def test_auto_size_grows_while_the_curve_falls(monkeypatch):
    """A curve that needs many nodes gets more than the search starts with; a straight line does not."""
    monkeypatch.setattr("samara.settings.AUTO_START", 32)
    monkeypatch.setattr("samara.settings.AUTO_MOST", 256)
    X = np.random.default_rng(0).uniform(-1, 1, (1500, 2))
    wavy = ELMRegressor("auto", hidden="sine", random_state=0).fit(
        X, np.sin(9 * X[:, 0]) * np.cos(7 * X[:, 1])
    )
    assert wavy.n_hidden_ > 32
    assert wavy.selection_.n_hidden[-1] > 32
    assert wavy.selection_.scores.shape == (len(wavy.selection_.n_hidden), len(wavy.selection_.alphas))
    assert wavy.n_hidden_ in wavy.selection_.n_hidden
    noise = np.random.default_rng(1).normal(size=1500)
    straight = ELMRegressor("auto", hidden="linear", random_state=0).fit(X, X[:, 0] + noise)
    assert straight.selection_.n_hidden[-1] == 32


@pytest.mark.parametrize("hidden", ["sine", "rbf"])
@pytest.mark.parametrize(
    "options", [{}, {"direct_link": True}, {"fit_intercept": False}, {"dtype": "float32"}]
)
def test_a_grown_model_equals_one_fitted_at_its_size(monkeypatch, hidden, options):
    """Appending nodes to the summary gives the coefficients of a fit from scratch.

    In float32 but for what its rounding leaves open: no more than lies between it and float64.
    """
    monkeypatch.setattr("samara.settings.AUTO_START", 32)
    monkeypatch.setattr("samara.settings.AUTO_MOST", 90)
    X = np.random.default_rng(0).uniform(-1, 1, (900, 2))
    y = np.sin(5 * X[:, 0]) * np.cos(4 * X[:, 1])
    options = {"hidden": hidden, "alpha": [1e-3, 1e-2], "random_state": 0, **options}
    grown = ELMRegressor("auto", **options).fit(X, y)
    assert grown.selection_.n_hidden[-1] == 90
    at_once = ELMRegressor(grown.selection_.n_hidden.tolist(), **options).fit(X, y)
    sure = ELMRegressor(grown.selection_.n_hidden.tolist(), **options | {"dtype": "float64"}).fit(X, y)
    between = np.abs(at_once.selection_.scores / sure.selection_.scores - 1).max()
    np.testing.assert_allclose(grown.selection_.scores, at_once.selection_.scores, rtol=max(1e-9, between))
    assert (grown.n_hidden_, grown.alpha_) == (at_once.n_hidden_, at_once.alpha_)
    assert relative_gap(grown.coef_, at_once.coef_) < max(1e-9, relative_gap(at_once.coef_, sure.coef_))


class Polynomials:
    """A map of the user's own, without any base class."""

    n_out = 3

    def __call__(self, X, out=None):
        H = np.column_stack([X[:, 0], X[:, 0] ** 2, X[:, 1]])
        if out is None:
            return H
        out[...] = H
        return out


@pytest.mark.parametrize("scale", ["standard", None])
def test_a_map_of_ones_own_as_hidden_layer(scale):
    """Any callable with ``n_out`` is a hidden layer; the fit is a ridge on its columns."""
    problem = make_problem(2, 90, 2, 1, False)
    model = problem.fit(ELMRegressor(hidden=Polynomials(), alpha=0.5, scale=scale))
    inputs = problem.X if scale is None else (problem.X - problem.X.mean(axis=0)) / problem.X.std(axis=0)
    coef, intercept = ridge(Polynomials()(inputs), problem.y, 0.5)
    assert model.n_hidden_ == 3
    np.testing.assert_allclose(model.coef_, coef[:, 0], rtol=1e-9)
    assert model.intercept_ == pytest.approx(intercept[0], rel=1e-9)


def test_a_map_of_ones_own_chooses_its_ridge():
    """Selection, links and prediction work with it too."""
    problem = make_problem(2, 90, 2, 1, False)
    model = problem.fit(ELMRegressor(hidden=Polynomials(), direct_link=True))
    assert model.coef_.shape == (5,)
    assert model.selection_.n_hidden.tolist() == [3]
    assert np.isfinite(model.predict(problem.X)).all()


def test_an_offset_of_the_targets_changes_nothing():
    """Targets 1000 deviations away fit as well (gfdl: RMSE 2.7 → 184)."""
    problem = make_problem(3, 200, 3, 1, False)
    model = ELMRegressor(30, random_state=0)
    near = problem.fit(model).predict(problem.X)
    offset = 1000 * problem.y.std()
    far = model.fit(problem.X, problem.y + offset).predict(problem.X)
    np.testing.assert_allclose(far - offset, near, atol=1e-6 * problem.y.std())


def test_fit_starts_anew():
    """A second fit forgets the first (pyoselm's adds to it), and shapes may change."""
    one, two = make_problem(4, 50, 3, 1, False), make_problem(5, 70, 2, 2, False)
    model = ELMRegressor(6, random_state=0)
    expected = two.fit(ELMRegressor(6, random_state=0)).predict(two.X)
    np.testing.assert_array_equal(two.fit(one.fit(model)).predict(two.X), expected)


def test_prediction_does_not_look_at_its_own_rows():
    """A row's prediction does not depend on the rows beside it (PyRCN refits its scaler at predict)."""
    problem = make_problem(6, 80, 3, 1, False)
    model = problem.fit(ELMRegressor(10, scale="quantile", random_state=0))
    together = model.predict(problem.X)
    alone = np.concatenate([model.predict(problem.X[i : i + 1]) for i in range(0, 80, 20)])
    np.testing.assert_allclose(alone, together[::20], rtol=1e-12)


def test_large_weights_agree_with_ridge():
    """Weights of 1e6 choose the ridge that rescaled data would (RidgeCV's and Ridge's weights disagree)."""
    problem = make_problem(7, 60, 3, 1, True)
    light = problem.fit(ELMRegressor(8, alpha=[0.1, 1.0, 10.0], random_state=0))
    alpha, scores = light.alpha_, light.selection_.scores
    model = ELMRegressor(8, alpha=[1e5, 1e6, 1e7], random_state=0)
    heavy = model.fit(problem.X, problem.y, 1e6 * problem.weight)
    assert heavy.alpha_ == pytest.approx(1e6 * alpha)
    np.testing.assert_allclose(heavy.selection_.scores, scores, rtol=1e-9)
