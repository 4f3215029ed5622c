"""`lsqr` and `precondition` give the exact ridge solution, to the tolerance they were asked for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ConvergenceWarning, ELMClassifier, ELMRegressor
from samara.solvers import Lsqr, Precondition, RootFactor
from samara.solvers.precondition import PreconditionFactor
from tests.oracles import relative_gap, ridge
from tests.problems import make_problem, problems, ridges
from tests.tasks import task_of

LAYERS = ["sigmoid", "tanh", "relu", "fourier", "rbf", "hardlim", "linear"]


def fitted_gap(problem, model, alpha):
    """Largest difference of the fitted values from those of brute force, in spreads of the targets."""
    found = model.model_
    H = found.features(problem.X).astype(float)
    coef, constant = ridge(H, problem.y, alpha, problem.weight, model.fit_intercept)
    difference = H @ (found.coef - coef) + found.intercept - constant
    size = np.abs(problem.y.reshape(len(H), -1)).max(axis=0)
    return (np.abs(difference).max(axis=0) / size).max()


def waves(noise):
    """Two inputs whose Gaussian nodes are nearly dependent: the example of the guide."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (5000, 2))
    return X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2 + noise * rng.standard_normal(5000)


@given(
    problem=problems(rows=(10, 150)),
    alpha=ridges(-4, 2),
    n_hidden=st.integers(1, 60),
    hidden=st.sampled_from(LAYERS),
    intercept=st.booleans(),
    link=st.booleans(),
)
def test_lsqr_is_the_exact_solution(problem, alpha, n_hidden, hidden, intercept, link):
    """Fitted values to 1e-6 where the gradient fell to 1e-8; n < L included."""
    options = {"hidden": hidden, "fit_intercept": intercept, "direct_link": link, "random_state": 1}
    model = problem.fit(ELMRegressor(n_hidden, alpha=alpha, solver="lsqr", **options))
    assert fitted_gap(problem, model, alpha) < 1e-6


@given(problem=problems(rows=(60, 150)), alpha=ridges(-2, 2), exponent=st.integers(2, 10))
def test_lsqr_keeps_its_tolerance(problem, alpha, exponent):
    """What is left of Hᵀ(T − Hβ) − αβ is at most tol of HᵀT, and less tol is not more accurate than asked."""
    model = problem.fit(ELMRegressor(25, alpha=alpha, solver=Lsqr(10.0**-exponent), random_state=1))
    H = model.model_.features(problem.X)
    w = np.ones(len(H)) if problem.weight is None else problem.weight
    Y = problem.y.reshape(len(H), -1)
    A, B = H - w @ H / w.sum(), Y - w @ Y / w.sum()
    gradient = A.T @ (w[:, None] * (B - A @ model.model_.coef)) - alpha * model.model_.coef
    left = np.linalg.norm(gradient, axis=0) / np.linalg.norm(A.T @ (w[:, None] * B), axis=0)
    assert left.max() < 1.01 * 10.0**-exponent
    coef, _ = ridge(H, problem.y, alpha, problem.weight)
    off = np.sqrt(w)[:, None] * (A @ (model.model_.coef - coef))
    spread = np.linalg.norm(np.sqrt(w)[:, None] * B, axis=0)
    assert (np.linalg.norm(off, axis=0) / spread).max() < 1.01 * 10.0**-exponent


@pytest.mark.parametrize("alpha", [1e-2, 1e-6, 1e-10, 0.0])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_lsqr_goes_on_until_the_fitted_values_are_right(alpha, noise):
    """The gradient met 1e-10 while they were still off by 2e-3, at ridge 1e-10."""
    X, y = waves(noise)
    options = {"n_hidden": 100, "hidden": "rbf", "alpha": alpha, "random_state": 0}
    exact, found = (ELMRegressor(solver=s, **options).fit(X, y).predict(X) for s in ("svd", "lsqr"))
    assert np.abs(found - exact).max() < (1e-9 if alpha else 1e-5)  # at 0, cond(H) is 1e12


def test_lsqr_warns_with_a_bound_on_what_fitted_values_are_off():
    """Cut short, it says by how much; the truth is less, and not by much."""
    X, y = waves(0.0)
    options = {"n_hidden": 100, "hidden": "rbf", "alpha": 1e-8, "random_state": 0}
    exact = ELMRegressor(solver="svd", **options).fit(X, y).predict(X)
    for steps in (40, 55, 60):
        with pytest.warns(ConvergenceWarning, match="fitted values off by up to") as caught:
            found = ELMRegressor(solver=Lsqr(max_iter=steps), **options).fit(X, y).predict(X)
        bound = float(str(caught[0].message).split("up to ")[1].split(" of")[0])
        off = np.linalg.norm(found - exact) / np.linalg.norm(y - y.mean())
        assert bound / 100 < off < 1.05 * bound


@given(
    problem=problems(rows=(170, 1500)),
    alpha=ridges(-6, 2),
    n_hidden=st.integers(1, 10),
    hidden=st.sampled_from(LAYERS),
    intercept=st.booleans(),
)
def test_precondition_is_the_exact_solution(problem, alpha, n_hidden, hidden, intercept):
    """Fitted values to 1e-9, from the sketch (more than 16 rows a column)."""
    options = {"hidden": hidden, "fit_intercept": intercept, "random_state": 1}
    estimator = ELMRegressor(n_hidden, alpha=alpha, solver="precondition", **options)
    assert isinstance(Precondition()(task_of(problem, estimator)), PreconditionFactor)
    assert fitted_gap(problem, problem.fit(estimator), alpha) < 1e-9


@given(problem=problems(rows=(240, 700)), alpha=ridges(-4, 2), intercept=st.booleans())
def test_precondition_with_a_direct_link(problem, alpha, intercept):
    """Inputs beside nodes, and far from the origin."""
    estimator = ELMRegressor(
        8, alpha=alpha, solver="precondition", direct_link=True, fit_intercept=intercept, random_state=1
    )
    assert isinstance(Precondition()(task_of(problem, estimator)), PreconditionFactor)
    assert fitted_gap(problem, problem.fit(estimator), alpha) < 1e-9


@given(problem=problems(rows=(20, 160)), alpha=ridges(-6, 2))
def test_precondition_is_qr_where_the_sketch_is_no_shorter(problem, alpha):
    """At most 16 rows a column: to the bit what `qr` gives."""
    model = ELMRegressor(10, alpha=alpha, solver="precondition", random_state=1)
    assert isinstance(Precondition()(task_of(problem, model)), RootFactor)
    found = problem.fit(model).coef_
    expected = problem.fit(model.set_params(solver="qr")).coef_
    # Blocks may be cut otherwise: to rounding.
    assert relative_gap(found, expected) < 1e-9


@pytest.mark.parametrize("alpha", [1e-6, 1e-10])
@pytest.mark.parametrize("hidden", ["sigmoid", "rbf"])
def test_precondition_carries_ridges_that_a_gram_does_not(alpha, hidden):
    """cond(H) near 1e9: as accurate as a triangle; a float64 Gram has lost the fitted values."""
    problem = make_problem(7, 2000, 1, 1, False)
    options = {"hidden": hidden, "random_state": 0}
    model = problem.fit(ELMRegressor(60, alpha=alpha, solver="precondition", **options))
    H = model.model_.features(problem.X)
    A = H - H.mean(axis=0)
    assert np.linalg.cond(A) > 1e8
    precise = fitted_gap(problem, problem.fit(ELMRegressor(60, alpha=alpha, solver="qr", **options)), alpha)
    assert fitted_gap(problem, model, alpha) < max(1e-9, 10 * precise)
    G = A.T @ A + alpha * np.eye(60)
    coef = np.linalg.lstsq(G, A.T @ (problem.y - problem.y.mean()), rcond=1e-16)[0]
    exact, _ = ridge(H, problem.y, alpha)
    if alpha == 1e-10:
        assert np.abs(A @ coef - A @ exact[:, 0]).max() > 1e-7 * np.abs(problem.y).max()


@pytest.mark.parametrize("solver", ["lsqr", "precondition"])
@pytest.mark.parametrize("rows", [15, 60, 700])
def test_columns_that_occur_twice(solver, rows):
    """Duplicate inputs and nodes: the minimum-norm solution, with a small ridge and with none."""
    problem = make_problem(3, rows, 2, 2, True)
    X = np.column_stack([problem.X, problem.X[:, 0], np.ones(rows)])
    for alpha in (0.0, 1e-3, 1.0):
        model = ELMRegressor(12, hidden="linear", alpha=alpha, solver=solver, random_state=1)
        model.fit(X, problem.y, problem.weight)
        H = model.model_.features(X)
        coef, _ = ridge(H, problem.y, alpha, problem.weight)
        assert relative_gap(model.model_.coef, coef) < 1e-6


@pytest.mark.parametrize("solver", ["lsqr", "precondition"])
@pytest.mark.parametrize("value", [0.0, 1.0, -3.7, 1e12])
@pytest.mark.parametrize("rows", [40, 400])
@pytest.mark.parametrize("alpha", [0.1, "auto"])
def test_constant_targets(solver, value, rows, alpha):
    """A constant target is predicted as it is, alone and beside one that is not."""
    problem = make_problem(5, rows, 2, 1, True)
    constant = np.full(rows, value)
    model = ELMRegressor(10, alpha=alpha, solver=solver, random_state=0)
    np.testing.assert_allclose(
        model.fit(problem.X, constant, problem.weight).predict(problem.X), value, rtol=1e-9, atol=1e-9
    )
    both = model.fit(problem.X, np.column_stack([constant, problem.y]), problem.weight).predict(problem.X)
    np.testing.assert_allclose(both[:, 0], value, rtol=1e-9, atol=1e-9)
    alone = model.fit(problem.X, problem.y, problem.weight)
    if alpha != "auto":
        np.testing.assert_allclose(both[:, 1], alone.predict(problem.X), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("solver", ["lsqr", "precondition"])
@given(problem=problems(rows=(250, 500), targets=(1, 1)), bins=st.integers(2, 4))
def test_classifiers(solver, problem, bins):
    """Class scores are those of the exact solver."""
    labels = np.digitize(problem.y, np.quantile(problem.y, np.linspace(0, 1, bins + 1)[1:-1]))
    model = ELMClassifier(12, alpha=0.1, solver=solver, random_state=problem.seed)
    found = model.fit(problem.X, labels, problem.weight).model_.coef
    exact = model.set_params(solver="qr").fit(problem.X, labels, problem.weight).model_.coef
    assert relative_gap(found, exact) < 1e-6


@pytest.mark.parametrize("rows", [20, 3000])
def test_all_ridges_of_one_lsqr_run(rows):
    """One run serves every ridge: each is as good as a run of its own."""
    problem = make_problem(4, rows, 3, 2, True)
    alphas = [1e-3, 1.0, 1e3]
    task = task_of(problem, ELMRegressor(30, alpha=alphas, solver="lsqr", random_state=0))
    solutions = Lsqr()(task).solutions(0, alphas)
    for k, alpha in enumerate(alphas):
        alone = problem.fit(ELMRegressor(30, alpha=alpha, solver="qr", random_state=0)).model_
        coef, intercept = task.layout.restore(solutions[:, k])
        H = alone.features(problem.X)
        assert relative_gap(H @ coef + intercept, H @ alone.coef + alone.intercept) < 1e-6
