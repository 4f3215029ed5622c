"""Both stages of a two-stage model, each against its formula."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits

from samara import ELMRegressor, KernelELMRegressor, TwoStageELMClassifier, TwoStageELMRegressor
from samara.estimators.second_stage import simplex
from samara.maps import Project, RadialNodes, Standardize, UnitRows
from tests.laws.test_spectral import table


def test_coordinates_are_outputs_of_the_first_stage_turned():
    """Supervised spectral regression of classes that count alike: the same ridge, the same span."""
    X, y = table(0)
    model = TwoStageELMClassifier("linear", alpha=0.5, n_hidden=10, random_state=0).fit(X, y)
    codes = 2.0 * np.eye(3)[y] - 1
    first = KernelELMRegressor("linear", alpha=0.5).fit(X, codes)
    (place,) = (i for i, one in enumerate(model.model_.maps) if isinstance(one, Project))
    Z = X
    for one in model.model_.maps[: place + 1]:
        Z = one(Z)
    np.testing.assert_allclose(Z, (first.predict(X) - first.intercept_) @ simplex(3), atol=1e-10)
    turned = (np.eye(3) * 2 - 1) @ simplex(3)  # of the three codes: the corners of a regular triangle
    sides = np.linalg.norm(turned - np.roll(turned, 1, axis=0), axis=1)
    np.testing.assert_allclose(sides, sides[0])


def test_the_second_stage_is_an_elm_on_held_out_coordinates():
    X, _ = table(1)
    y = np.sin(X[:, 0]) + X[:, 1]
    alphas = [0.01, 0.1, 1.0]
    model = TwoStageELMRegressor("kernel", gamma=0.2, alpha=alphas, n_hidden=15, random_state=3).fit(X, y)
    alpha, K = model.embedding_alpha_, np.exp(-0.2 * np.sum((X[:, None] - X) ** 2, axis=2))
    Z = np.empty(len(X))
    full = KernelELMRegressor(gamma=0.2, alpha=alpha).fit(X, y)
    for i in range(len(X)):
        rest = np.arange(len(X)) != i
        Z[i] = KernelELMRegressor(gamma=0.2, alpha=alpha).fit(X[rest], y[rest]).predict(X[i : i + 1])[0]
    Z = np.float64(np.float32(Z - full.intercept_))[:, None]
    seed = model._seeded().random_state
    second = ELMRegressor(15, hidden="rbf", alpha=alphas, direct_link=True, random_state=seed).fit(Z, y)
    found = model.model_.maps[-1]
    np.testing.assert_array_equal(found.nodes.centres, second.model_.maps[-1].nodes.centres)
    assert model.alpha_ == second.alpha_
    seen = K @ full.dual_coef_
    np.testing.assert_allclose(model.predict(X), second.predict(seen[:, None]), atol=1e-5)


@pytest.mark.parametrize("d", [4, 200])
@pytest.mark.parametrize("embedding", ["linear", "kernel", "elm"])
def test_sparse_rows_fit_as_dense_ones(embedding, d):
    X, y = table(2, d=d)
    X[np.abs(X) < 0.5] = 0
    asked = {"n_hidden": 20, "random_state": 0}
    dense = TwoStageELMClassifier(embedding, **asked).fit(X, y)
    kept = TwoStageELMClassifier(embedding, **asked).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(
        kept.decision_function(sparse.csr_matrix(X)), dense.decision_function(X), atol=1e-3
    )


def test_paired_is_the_direct_formula():
    """f(x) = Σⱼ exp(−γ‖z(x) − z(cⱼ)‖²)βⱼ with z(x) = Bᵀh(x) and β of the first stage."""
    X, y = table(3)
    model = TwoStageELMClassifier("elm", second_stage="paired", n_hidden=25, random_state=0).fit(X, y)
    maps, beta = model.model_.maps, model.model_.coef
    first, below = maps[-3], maps[-1]
    assert isinstance(first, RadialNodes)

    def z(rows):
        squares = np.sum((rows[:, None] - first.centres) ** 2, axis=2)
        return np.exp(-first.gamma * squares) @ beta @ simplex(3)

    H = np.exp(-first.gamma * np.sum((X[:, None] - first.centres) ** 2, axis=2))
    codes = 2.0 * np.eye(3)[y] - 1
    ridge = H.T @ H + model.embedding_alpha_ * np.eye(25)
    np.testing.assert_allclose(ridge @ beta, H.T @ codes, atol=1e-8)
    distances = np.linalg.norm(z(first.centres)[:, None] - z(first.centres), axis=2)
    width = np.median(distances[np.triu_indices(25, 1)]) / 2
    inner = np.sum((z(X)[:, None] - z(first.centres)) ** 2, axis=2)
    np.testing.assert_allclose(below.gamma, 0.5 / width**2)
    np.testing.assert_allclose(model.decision_function(X), np.exp(-inner / (2 * width**2)) @ beta, atol=1e-8)


def test_literal_is_chance_paired_works_and_refit_is_best():
    """As found for the paper's Table 2: weights of other nodes say nothing."""
    X, y = load_digits(return_X_y=True)
    drawn = np.random.default_rng(0).permutation(len(y))[:900]  # who wrote them changes along the table
    X, y = X[drawn], y[drawn]
    asked = {"embedding": "elm", "n_hidden": 300, "random_state": 0}
    scores = {
        kind: TwoStageELMClassifier(second_stage=kind, **asked).fit(X[:600], y[:600]).score(X[600:], y[600:])
        for kind in ("refit", "paired", "literal")
    }
    assert scores["literal"] < 0.3 < 0.85 < scores["paired"] <= scores["refit"]


@pytest.mark.parametrize("embedding", ["linear", "elm"])
def test_a_weight_of_two_is_a_row_twice_and_of_none_no_row(embedding):
    X, y = table(4)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    # Given ridges: folds of coordinates that differ in their last bits would be others.
    asked = {"embedding": embedding, "n_hidden": 15, "alpha": 0.1, "random_state": 0}
    weighted = TwoStageELMClassifier(**asked).fit(X, y, sample_weight=weight)
    repeated = TwoStageELMClassifier(**asked).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-4)


def test_rows_of_any_length_are_told_apart_by_where_they_point():
    """Brightness that says nothing: rows divided by their length win, and a factor then changes nothing."""
    X, y = table(7, n=200)
    rng = np.random.default_rng(0)
    bright = X * np.exp(rng.normal(0, 2, (len(X), 1)))
    model = TwoStageELMClassifier(n_hidden=20, random_state=0).fit(bright[:150], y[:150])
    assert isinstance(model.model_.maps[0], UnitRows)
    np.testing.assert_allclose(
        model.decision_function(7 * bright), model.decision_function(bright), atol=1e-8
    )
    given = TwoStageELMClassifier(n_hidden=20, scale="standard", random_state=0).fit(bright[:150], y[:150])
    assert isinstance(given.model_.maps[0], Standardize)
    assert model.score(bright[150:], y[150:]) > given.score(bright[150:], y[150:])


def test_many_targets_have_as_many_coordinates():
    X, _ = table(5)
    Y = np.column_stack([X[:, 0], np.sin(X[:, 1]), X[:, 2] - X[:, 3]])
    model = TwoStageELMRegressor(n_hidden=40, random_state=0).fit(X, Y)
    assert model.predict(X).shape == (60, 3)
    assert model.score(X, Y) > 0.7


def test_a_scan_is_fitted_as_its_rows(tmp_path):
    """Coordinates are then made again in each pass, none held out."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    import samara

    X, y = table(6, n=200)
    path = tmp_path / "rows.parquet"
    pq.write_table(pa.table({**{f"x{j}": X[:, j] for j in range(4)}, "y": y}), path)
    asked = {"embedding": "elm", "n_hidden": 20, "alpha": 0.1, "random_state": 0}
    model = TwoStageELMClassifier(**asked).fit(samara.scan(path, target="y"))
    assert model.score(samara.scan(path, target="y")) == pytest.approx(
        TwoStageELMClassifier(**asked).fit(X, y).score(X, y), abs=0.03
    )
