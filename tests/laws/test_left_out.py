"""Rows left out by a formula are what as many refits give."""

import numpy as np
import pytest

import samara.estimators.base as base
import samara.estimators.kernel_base as kernel
from samara import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.left_out import FEWEST_ROWS, LeftOut
from samara.sources import ArraySource
from samara.sources.drawn import some_blocks
from tests.oracles_kernel import kernel_matrix
from tests.oracles_kernel import kernel_ridge as oracle

N = 60
ELMS = {
    "gram": ELMRegressor(n_hidden=40, solver="gram", random_state=0),
    "qr": ELMRegressor(n_hidden=40, solver="qr", random_state=0),
    "svd": ELMRegressor(n_hidden=40, solver="svd", random_state=0),
    "dual": ELMRegressor(n_hidden=100, solver="dual", random_state=0),
    "one ridge": ELMRegressor(n_hidden=20, alpha=0.1, random_state=0),
    "no intercept": ELMRegressor(n_hidden=20, fit_intercept=False, random_state=0),
    "chosen size": ELMRegressor(n_hidden=[5, 10, 30], random_state=0),
    "whole rank": ELMRegressor(n_hidden=20, solver="rsvd", rank=20, alpha=0.1, random_state=0),
}
KERNELS = {
    "exact": KernelELMRegressor(),
    "one ridge": KernelELMRegressor(alpha=0.3),
    "no intercept": KernelELMRegressor(fit_intercept=False),
}


def table(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.column_stack([np.sin(X[:, 0]) + 0.3 * rng.normal(size=n), 50 + 9 * X[:, 1] ** 2])
    return X, y, rng.uniform(0.5, 2, n)


def fitted(monkeypatch, estimator, X, y, weight):
    """The estimator, and what its fit says of rows left out."""
    found = {}

    def keeping(fit):
        def run(*args):
            found["done"] = fit(*args)
            return found["done"]

        return run

    for room, name in ((base, "fit"), (kernel, "fit_kernel")):
        monkeypatch.setattr(room, name, keeping(getattr(room, name)))
    estimator.fit(X, y, sample_weight=weight)
    return estimator, found["done"].left_out()


def ridge(H, y, w, alpha, intercept):
    """Predictor of a weighted ridge regression with an intercept that is not penalised."""
    mean, level = (w @ H / w.sum(), w @ y / w.sum()) if intercept else (0 * H[0], 0 * y[0])
    centred = H - mean
    gram = centred.T @ (w[:, None] * centred) + alpha * np.eye(H.shape[1])
    beta = np.linalg.solve(gram, centred.T @ (w[:, None] * (y - level)))
    return lambda rows: (rows - mean) @ beta + level


def kernel_ridge(K, y, w, alpha, intercept):
    n = len(K)
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = K + np.diag(alpha / w)
    system[n, :n] = system[:n, n] = intercept
    system[n, n] = 1 - intercept
    c = np.linalg.solve(system, np.vstack([y, np.zeros((1, y.shape[1]))]))
    return lambda rows: rows @ c[:n] + c[n]


def check(estimator, left, refit):
    """The outputs and the new predictions of the models without a row."""
    X, y, _ = table()
    new = estimator.model_.features(table(1, 7)[0])
    H = estimator.model_.features(X)
    order = np.argsort(left.targets[:, 0])
    outputs, others = [], []
    for i in np.argsort(y[:, 0]):
        predict, seen = refit(np.arange(N) != i)
        outputs.append(predict(seen(H[[i]]))[0])
        others.append(predict(seen(new)))
    np.testing.assert_allclose(left.targets[order], y[np.argsort(y[:, 0])], atol=1e-9)
    np.testing.assert_allclose(left.outputs[order], outputs, rtol=1e-7, atol=1e-7)
    whole = (new @ estimator.model_.coef + estimator.model_.intercept)[:, None]
    without = whole - left.pull(new)[:, :, None] * left.errors
    np.testing.assert_allclose(without[:, order], np.swapaxes(others, 0, 1), rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("name", ELMS)
@pytest.mark.parametrize("weighted", [False, True])
def test_an_elm_without_a_row_is_a_refit(monkeypatch, name, weighted):
    X, y, weight = table()
    estimator, left = fitted(monkeypatch, ELMS[name], X, y, weight if weighted else None)
    w = weight if weighted else np.ones(N)
    H = estimator.model_.features(X)

    def refit(kept):
        made = ridge(H[kept], y[kept], w[kept], estimator.alpha_, estimator.fit_intercept)
        return made, lambda rows: rows

    check(estimator, left, refit)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_kernel_model_without_a_row_is_a_refit(monkeypatch, name, weighted):
    X, y, weight = table()
    estimator, left = fitted(monkeypatch, KERNELS[name], X, y, weight if weighted else None)
    w = weight if weighted else np.ones(N)
    K = estimator.model_.features(X)

    def refit(kept):
        made = kernel_ridge(K[kept][:, kept], y[kept], w[kept], estimator.alpha_, estimator.fit_intercept)
        return made, lambda rows: rows[:, kept]

    check(estimator, left, refit)


def test_nystroem_centres_are_seen_as_they_are_kept(monkeypatch):
    X, y, _ = table()
    estimator = KernelELMRegressor(solver="nystroem", rank=15, alpha=0.1, random_state=0)
    estimator, left = fitted(monkeypatch, estimator, X, y, None)
    H = estimator.model_.features(X)
    own = np.einsum("ii->i", left.pull(H))  # each row's pull on itself is its leverage
    np.testing.assert_allclose(1 / np.sqrt(1 - own), left.spread, rtol=1e-9)
    fitted_values = H @ estimator.model_.coef + estimator.model_.intercept
    np.testing.assert_allclose((y - fitted_values) / (1 - own)[:, None], left.errors, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(left.leverage(H), own, rtol=1e-9)


def test_a_ridge_for_each_target(monkeypatch):
    X, y, _ = table()
    both = ELMRegressor(n_hidden=20, alpha=[1e-3, 1e-1, 10], alpha_per_target=True, random_state=0)
    both, left = fitted(monkeypatch, both, X, y, None)
    assert left.pull is None
    for target, alpha in enumerate(both.alpha_):
        one = ELMRegressor(n_hidden=20, alpha=float(alpha), random_state=0)
        _, alone = fitted(monkeypatch, one, X, y[:, [target]], None)
        np.testing.assert_allclose(left.outputs[:, target], alone.outputs[:, 0], rtol=1e-9)


def test_a_leverage_by_few_columns_is_near(monkeypatch):
    X, y, _ = table(n=700)
    estimator = ELMRegressor(n_hidden=200, alpha=0.1, random_state=0)
    estimator, left = fitted(monkeypatch, estimator, X, y, None)
    true = 1 - 1 / left.spread**2
    near = left.leverage(estimator.model_.features(X))
    assert left.pull is None
    assert left.leverage.directions.shape == (200, 17)
    assert abs(np.mean(near / true) - 1) < 0.1
    assert np.std(near / true) < 0.5  # √(2/16) = 0.35 is what mixtures of 16 columns scatter by


def test_rows_are_drawn_by_their_content():
    rng = np.random.default_rng(0)
    X, order = rng.normal(size=(30_000, 2)), rng.permutation(30_000)
    drawn = [
        np.concatenate([block.X for block in some_blocks(ArraySource(rows, rows[:, :1]), FEWEST_ROWS, 256)])
        for rows in (X, X[order])
    ]
    assert abs(len(drawn[0]) - FEWEST_ROWS) < 5 * np.sqrt(FEWEST_ROWS)
    assert np.array_equal(np.sort(drawn[0][:, 0]), np.sort(drawn[1][:, 0]))


def test_copies_of_one_row_are_drawn_all_the_same():
    X = np.ones((30_000, 2))
    rows = sum(len(block) for block in some_blocks(ArraySource(X, X[:, :1]), FEWEST_ROWS, 256))
    assert rows == 30_000 or rows == FEWEST_ROWS


def test_errors_no_better_than_what_was_seen_elsewhere():
    rng = np.random.default_rng(0)
    y = rng.normal(size=(500, 1))
    left = LeftOut(y - 0.1 * rng.normal(size=(500, 1)), y, None, np.ones(500))
    assert left.no_better_than(0.001) is left
    made = left.no_better_than(0.25)
    np.testing.assert_allclose((made.errors**2).sum() / ((y - y.mean()) ** 2).sum(), 0.25)


def repeated(seed=0, n=80):
    """A table whose rows count 0 to 3 times, some inputs with two targets."""
    rng = np.random.default_rng(seed)
    X, weight = rng.normal(size=(n, 2)), rng.integers(0, 4, n)
    X[-6:-3] = X[-3:]
    weight[-6:] = 1, 2, 3, 3, 2, 1
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=n), weight


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize(
    "estimator",
    [
        ELMRegressor(n_hidden=20, alpha=0.1, solver="gram", random_state=0),
        ELMRegressor(n_hidden=20, alpha=0.1, solver="qr", random_state=0),
        ELMRegressor(n_hidden=300, alpha=0.1, solver="dual", random_state=0),
        KernelELMRegressor(alpha=0.1),
        KernelELMRegressor(),
    ],
    ids=["gram", "qr", "dual", "kernel", "chosen"],
)
def test_weights_of_intervals_are_repeats(estimator, tied):
    X, y, weight = (part[: None if tied else -6] for part in repeated())
    new = np.random.default_rng(1).normal(size=(9, 2))
    weighed = estimator.fit(X, y, sample_weight=weight).predict_interval(new, 0.8)
    assert (estimator.intervals_.pull is None) == tied
    again = estimator.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).predict_interval(new, 0.8)
    np.testing.assert_allclose(weighed, again, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("calibration", ["temperature", "isotonic"])
@pytest.mark.parametrize(
    "estimator",
    [
        ELMClassifier(n_hidden=20, alpha=0.1, solver="gram", random_state=0),
        ELMClassifier(n_hidden=300, alpha=0.1, solver="dual", random_state=0),
        KernelELMClassifier(alpha=0.1),
    ],
    ids=["gram", "dual", "kernel"],
)
def test_weights_of_probabilities_are_repeats(estimator, calibration, classes):
    X, y, weight = repeated()
    labels = np.digitize(y, [0.0] if classes == 2 else [-0.4, 0.4])
    estimator.set_params(calibration=calibration)
    weighed = estimator.fit(X, labels, sample_weight=weight).predict_proba(X)
    again = estimator.fit(np.repeat(X, weight, axis=0), np.repeat(labels, weight)).predict_proba(X)
    np.testing.assert_allclose(weighed, again, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "estimator",
    [
        ELMRegressor(n_hidden=20, alpha=0.1, solver="gram", random_state=0),
        ELMRegressor(n_hidden=100, alpha=0.1, solver="dual", random_state=0),
    ],
    ids=["gram", "dual"],
)
def test_rows_of_equal_inputs_are_left_out_together(monkeypatch, estimator):
    X, y, weight = repeated()
    X, y, weight = X[weight > 0], y[weight > 0], weight[weight > 0].astype(float)
    estimator, left = fitted(monkeypatch, estimator, X, y, weight)
    H = estimator.model_.features(X)
    found = []
    for row in X:
        kept = (row != X).any(axis=1)
        predict = ridge(H[kept], y[kept, None], weight[kept], estimator.alpha_, True)
        found.append(predict(H[~kept][:1])[0, 0])
    order, places = np.argsort(left.targets[:, 0]), np.argsort(y)
    np.testing.assert_allclose(left.outputs[order, 0], np.array(found)[places], rtol=1e-8, atol=1e-8)


def test_copies_that_fill_a_block_of_their_own():
    """A block of rows that are all copies of rows before it pulls on nothing by itself."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(260, 3))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=260)
    rows = np.concatenate([np.arange(260), np.arange(252)])
    weight = np.bincount(rows).astype(float)
    model = ELMRegressor(n_hidden=10, alpha=0.1, scale=None, random_state=0)
    weighted = model.fit(X, y, sample_weight=weight).predict_interval(X[:20])
    repeated = model.fit(X[rows], y[rows]).predict_interval(X[:20])
    np.testing.assert_allclose(weighted, repeated, rtol=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear", "polynomial"])
def test_many_rows_of_a_kernel_model_with_one_ridge(monkeypatch, kernel, intercept, weighted):
    """By the Cholesky factor, or the few directions there are, rows of equal inputs together."""
    monkeypatch.setattr("samara.kernel_fit.ALL_KEPT", 0)
    X, y, weight = repeated()
    rows = np.flatnonzero(weight) if weighted else np.repeat(np.arange(len(X)), weight)
    X, y, w = X[rows], np.column_stack([y, X[:, 1]])[rows], weight[rows] if weighted else np.ones(len(rows))
    model = KernelELMRegressor(kernel, gamma=0.3, alpha=0.2, fit_intercept=intercept)
    _, left = fitted(monkeypatch, model, X, y, w if weighted else None)
    K = kernel_matrix(X, name=kernel, gamma=0.3)
    expected = {}
    for row, target in zip(X, y, strict=True):
        kept = (row != X).any(axis=1)
        predict = oracle(K[np.ix_(kept, kept)], y[kept], 0.2, w[kept], intercept)
        expected[tuple(target)] = K[np.ix_(~kept, kept)][0] @ predict[0] + predict[1]
    assert len(left.targets) == len(expected)
    wanted = np.array([expected[key] for key in sorted(expected)])
    order = np.lexsort(left.targets.T[::-1])
    np.testing.assert_allclose(left.targets[order], sorted(expected), rtol=1e-9)
    np.testing.assert_allclose(left.outputs[order], wanted, rtol=1e-7, atol=1e-8)
    assert left.pull is None


def test_of_very_many_rows_some_are_left_out_whatever_their_order(monkeypatch):
    X, y, _ = table(n=700)
    model = KernelELMRegressor(alpha=0.3, solver="exact")
    _, every = fitted(monkeypatch, model, X, y, None)
    assert len(every.outputs) == 700
    monkeypatch.setattr("samara.kernel_left_out.some_left_out", lambda n: 200)
    found = []
    for order in (np.arange(700), np.random.default_rng(0).permutation(700)):
        _, left = fitted(monkeypatch, model, X[order], y[order], None)
        assert len(left.outputs) == 200
        found.append(left.outputs[np.argsort(left.targets[:, 0])])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6)
    places = np.searchsorted(np.sort(every.targets[:, 0]), np.sort(left.targets[:, 0]) - 1e-9)
    both = every.outputs[np.argsort(every.targets[:, 0])][places]
    np.testing.assert_allclose(found[0], both, rtol=1e-6)


def test_one_ridge_leaves_rows_out_as_a_list_of_it_does(monkeypatch):
    X, y, weight = table(n=700)
    _, one = fitted(monkeypatch, KernelELMRegressor(alpha=0.3), X, y, weight)
    _, chosen = fitted(monkeypatch, KernelELMRegressor(alpha=[0.3, 1e9]), X, y, weight)
    np.testing.assert_allclose(one.outputs, chosen.outputs, rtol=1e-6, atol=1e-8)
    np.testing.assert_array_equal(one.weight, chosen.weight)


@pytest.mark.parametrize("solver", ["exact", "sketch"])
@pytest.mark.parametrize("n", [60, 700])
def test_a_kernel_model_with_a_ridge_for_each_target(monkeypatch, solver, n):
    X, y, weight = table(n=n)
    options = {"alpha": [1e-3, 0.3, 10.0], "solver": solver, "random_state": 0, "rank": n // 2}
    options |= {"rank": "auto"} if solver == "exact" else {}
    both, left = fitted(monkeypatch, KernelELMRegressor(alpha_per_target=True, **options), X, y, weight)
    assert both.alpha_.shape == (2,)
    assert left.pull is None
    assert (np.diff(both.predict_interval(X[:9]), axis=0) > 0).all()
    for target in range(2):
        _, alone = fitted(monkeypatch, KernelELMRegressor(**options), X, y[:, [target]], weight)
        np.testing.assert_allclose(left.outputs[:, target], alone.outputs[:, 0], rtol=1e-6)


def test_copies_of_one_row_leave_none(monkeypatch):
    X = np.ones((600, 2))
    _, left = fitted(monkeypatch, KernelELMRegressor(alpha=0.3), X, np.arange(600.0), None)
    assert len(left.outputs) == 0
