"""Odd tables that kernel models take: copies, constants, two rows, numbers of any size."""

import warnings

import numpy as np
import pytest

import samara
from samara import ELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.errors import ConvergenceWarning
from samara.solvers.kernel import Divide, Leaves, Pcg
from tests.oracles_kernel import kernel_matrix
from tests.problems import make_problem

SOLVERS = ["exact", "sketch", "ssvd", "nystroem", "pcg", "divide", "leaves"]
PROBLEM = make_problem(0, 60, 3, 1, False)
X, Y = PROBLEM.X, PROBLEM.y


def fitted(solver, X, y, **parameters):
    """Any warning is an error here."""
    return KernelELMRegressor(solver=solver, random_state=0, **parameters).fit(X, y)


@pytest.mark.parametrize("solver", ["exact", "sketch", "ssvd", "nystroem", "divide"])
@pytest.mark.parametrize("alpha", [1e-14, 0.0, [1e-12, 1e-6]])
def test_copies_of_rows_make_a_singular_matrix(solver, alpha):
    """Solved by the directions that are there: the mean of the copies' targets is met."""
    if solver == "sketch" and alpha == 0.0:
        pytest.skip("a sketch needs a ridge")
    rows, noise = X[:20] / 2, np.random.default_rng(1).normal(size=60)
    y = np.tile(Y[:20], 3) + noise
    model = fitted(solver, np.tile(rows, (3, 1)), y, alpha=alpha, gamma=0.5)
    np.testing.assert_allclose(model.predict(rows), y.reshape(3, 20).mean(axis=0), atol=1e-2 * np.std(y))


def test_conjugate_gradients_say_when_they_cannot():
    """A singular matrix and a tiny ridge: the residual reached is told, and is the true one."""
    rows = np.tile(X[:20], (3, 1))
    y = np.random.default_rng(1).normal(size=60)
    model = KernelELMRegressor(gamma=0.2, solver="pcg", alpha=1e-14, fit_intercept=False, random_state=0)
    with pytest.warns(
        ConvergenceWarning, match=r"pcg ended after \d+ iterations with a relative residual of"
    ):
        model.fit(rows, y)
    assert model.residual_ > 1e-4


@pytest.mark.parametrize("max_iter", [1, 3])
def test_too_few_iterations_are_told(max_iter):
    """ConvergenceWarning names the iterations, the residual and the tolerance; the model is usable."""
    model = KernelELMRegressor(
        gamma=0.2, solver=Pcg(1e-12, max_iter), rank=2, alpha=1e-3, fit_intercept=False, random_state=0
    )
    with pytest.warns(ConvergenceWarning, match="not 1.0e-12") as caught:
        model.fit(X, Y)
    assert f"{model.residual_:.1e}" in str(caught[0].message)
    assert model.n_iter_ == max_iter
    A = kernel_matrix(X) + 1e-3 * np.eye(60)
    residual = np.linalg.norm(A @ model.dual_coef_ - Y) / np.linalg.norm(Y)
    np.testing.assert_allclose(residual, model.residual_, rtol=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
def test_the_residual_is_the_true_one(solver):
    """pcg's own; exact and the others report 0."""
    model = fitted(solver, X, Y, alpha=0.1, gamma=0.2, fit_intercept=False)
    if solver != "pcg":
        assert (model.residual_, model.n_iter_) == (0.0, 0)
        return
    A = kernel_matrix(X) + 0.1 * np.eye(60)
    residual = np.linalg.norm(A @ model.dual_coef_ - Y) / np.linalg.norm(Y)
    np.testing.assert_allclose(residual, model.residual_, rtol=1e-6)
    assert 0 < residual <= 1e-4


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_a_constant_column_changes_nothing(solver, alpha):
    """Distances do not see it."""
    wide = np.column_stack([X, np.full(60, 7.0)])
    models = [fitted(solver, rows, Y, alpha=alpha, gamma=0.2) for rows in (X, wide)]
    gap = np.abs(models[0].predict(X) - models[1].predict(wide)).max()
    if solver in ("exact", "pcg", "sketch"):
        assert gap < 1e-2 * np.std(Y)
    assert np.isfinite(models[1].predict(wide)).all()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "cosine"])
def test_rows_that_are_all_the_same_predict_the_mean(solver, kernel):
    """The kernel matrix is one number, and what centring leaves of it rounding."""
    model = fitted(solver, np.full((60, 2), 3.0), Y, kernel=kernel)
    np.testing.assert_allclose(model.predict(np.full((4, 2), 3.0)), Y.mean(), atol=1e-6 * np.std(Y))


@pytest.mark.parametrize("kernel", ["rbf", "laplace", "laplacian", "linear"])
@pytest.mark.parametrize("solver", ["exact", Leaves(100)], ids=["exact", "leaves"])
@pytest.mark.parametrize("intercept", [True, False])
def test_copies_of_one_row_are_not_decomposed(monkeypatch, kernel, solver, intercept):
    """They are predicted by their mean; 7000 of them in a leaf took 44 s."""
    monkeypatch.setattr("samara.solvers.kernel.exact.eigh", None)
    X, y = np.full((120, 3), 0.7), np.random.default_rng(0).normal(size=120)
    model = KernelELMRegressor(kernel, gamma=1.0, alpha=0.1, solver=solver, fit_intercept=intercept)
    made = model.fit(X, y).predict(X[:5])
    np.testing.assert_allclose(made, y.mean(), rtol=2e-3 if not intercept else 1e-9)


def test_a_matrix_without_a_trace_may_have_something_left():
    """Where the kernel is not positive definite: eigenvalues of both signs add up to nothing."""
    K = np.kron(np.eye(10), [[0.0, 1.0], [1.0, 0.0]])
    y = np.tile([1.0, -1.0], 10)
    with pytest.warns(UserWarning, match="not positive definite"):
        model = KernelELMRegressor("precomputed", alpha=0.5, fit_intercept=False, intervals=False).fit(K, y)
    np.testing.assert_allclose(model.model_.coef[:, 0], np.linalg.solve(K + 0.5 * np.eye(20), y), rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("alpha", [0.1, "auto"])
def test_constant_targets_are_met(solver, alpha):
    """One of them among others, or the only one."""
    alone = fitted(solver, X, np.full(60, 4.0), alpha=alpha)
    np.testing.assert_allclose(alone.predict(X), 4.0, rtol=1e-12)
    both = fitted(solver, X, np.column_stack([Y, np.full(60, 4.0)]), alpha=alpha)
    np.testing.assert_allclose(both.predict(X)[:, 1], 4.0, rtol=1e-12)


@pytest.mark.parametrize("solver", [*SOLVERS, Divide(2), Divide(50)], ids=str)
@pytest.mark.parametrize("n", [2, 3, 5])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.1, "auto"])
def test_two_rows_are_enough(solver, n, intercept, alpha):
    """Any solver, a ridge given or chosen."""
    model = fitted(solver, X[:n], Y[:n], alpha=alpha, fit_intercept=intercept)
    assert np.isfinite(model.predict(X)).all()
    labels = np.arange(n) % 2
    classifier = KernelELMClassifier(solver=solver, alpha=alpha, fit_intercept=intercept, random_state=0)
    assert set(classifier.fit(X[:n], labels).predict(X)) <= {0, 1}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("factor", [1e150, 1e-150])
@pytest.mark.parametrize("kernel", ["rbf", "polynomial", "cosine"])
def test_inputs_of_any_size(solver, factor, kernel):
    """gamma="scale" and the cosine go with the inputs: the same predictions."""
    plain = fitted(solver, X, Y, alpha=1.0, kernel=kernel).predict(X)
    scaled = fitted(solver, factor * X, Y, alpha=1.0, kernel=kernel).predict(factor * X)
    np.testing.assert_allclose(scaled, plain, atol=1e-2 * np.std(Y))


@pytest.mark.parametrize("solver", ["exact", "nystroem", "pcg", "divide"])
@pytest.mark.parametrize("factor", [1e150, 1e-140])
def test_linear_kernels_of_any_size(solver, factor):
    """A ridge chosen goes with the kernel."""
    model = fitted(solver, factor * X, Y, kernel="linear")
    assert model.score(factor * X, Y) > 0.9 * fitted(solver, X, Y, kernel="linear").score(X, Y)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("factor", [1e150, 1e-150])
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_targets_of_any_size(solver, factor, alpha):
    """Predictions go with them."""
    plain = fitted(solver, X, Y, alpha=alpha).predict(X)
    scaled = fitted(solver, X, factor * Y, alpha=alpha).predict(X)
    np.testing.assert_allclose(scaled / factor, plain, atol=1e-6 * np.std(Y))


@pytest.mark.parametrize("gamma", ["scale", "median", "auto"])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_every_way_to_find_gamma(kernel, gamma):
    """A positive number, the same for shuffled rows but where rows are picked; copies alone give one too."""
    model = KernelELMRegressor(kernel, gamma=gamma, random_state=0).fit(X, Y)
    assert model.gamma_ > 0
    same = KernelELMRegressor(kernel, gamma=gamma).fit(np.ones((9, 2)), np.arange(9.0))
    assert np.isfinite(same.predict(np.ones((1, 2)))).all()


def test_no_warning_for_definite_kernels():
    """Rounding is not taken for a negative eigenvalue: smooth kernels of 400 rows, every solver."""
    rows = np.random.default_rng(0).normal(size=(400, 2))
    y = rows[:, 0] + np.random.default_rng(1).normal(size=400)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for solver in SOLVERS:
            for kernel in ("rbf", "polynomial", "linear"):
                fitted(solver, rows, y, kernel=kernel)
                fitted(solver, rows, y, kernel=kernel, dtype="float32")


def test_parts_of_a_table_may_have_no_weight():
    """Centres and gamma are found from the other parts."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(4096, 3))
    y, weight = np.sin(rows[:, 0]), np.ones(4096)
    weight[:256] = weight[1024:1280] = 0
    model = KernelELMRegressor(solver="nystroem", rank=20, alpha=0.1, random_state=0)
    found = model.fit(rows, y, sample_weight=weight).predict(rows[:9])
    kept = weight > 0
    assert model.gamma_ == pytest.approx(model.fit(rows[kept], y[kept]).gamma_)
    np.testing.assert_allclose(found, model.predict(rows[:9]), rtol=1e-6, atol=1e-8)


def test_the_first_file_may_have_no_weight(tmp_path):
    """Rows of text files are not counted: a file is a part."""
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abc")).assign(y=Y)
    frame.assign(w=0).to_csv(tmp_path / "first.csv", index=False)
    frame.assign(w=1).to_csv(tmp_path / "second.csv", index=False)
    scan = samara.scan(tmp_path / "*.csv", target="y", weight="w")
    model = KernelELMRegressor(solver="nystroem", rank=10, alpha=0.1, random_state=0).fit(scan)
    assert 0 <= model.approximation_error_ < 1
    ELMRegressor(n_hidden=10, solver="lsqr", random_state=0).fit(scan)


@pytest.mark.parametrize("solver", ["sketch", "ssvd", "exact"])
def test_a_kernel_that_is_1_everywhere_but_for_rounding(solver):
    """No direction is left beside the constant one: the mean, and leave-one-out errors of means."""
    X = np.random.default_rng(0).normal(size=(120, 3))
    y = X[:, 0] + 5
    rank = {} if solver == "exact" else {"rank": 20}
    model = KernelELMRegressor(gamma=1e-16, solver=solver, alpha=[0.1, 1.0], random_state=0, **rank)
    scores = model.fit(X, y).selection_.target_scores
    means = (y.sum() - y) / (len(y) - 1)
    np.testing.assert_allclose(scores.ravel(), np.mean((y - means) ** 2), rtol=1e-6)
    np.testing.assert_allclose(model.predict(X), y.mean(), rtol=1e-9)
