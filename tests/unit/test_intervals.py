"""Intervals against jackknife+ by refits, and their coverage."""

import numpy as np
import pytest

import samara
from samara import DeepELMRegressor, ELMRegressor, KernelELMRegressor, TwoStageELMRegressor
from samara.errors import InputError
from samara.intervals import KEPT, Intervals
from samara.left_out import LeftOut


def table(n, seed, noise="plain"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    spread = 0.3 + (np.abs(X[:, 0]) if noise == "growing" else 0)
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 / 2 + spread * rng.normal(size=n)


def refits(H, y, new, alpha):
    """Errors, leverages and new predictions of n ridge regressions without a row each."""
    errors, others = np.empty(len(y)), np.empty((len(new), len(y)))
    for i in range(len(y)):
        kept = np.arange(len(y)) != i
        mean, level = H[kept].mean(axis=0), y[kept].mean()
        G = (H[kept] - mean).T @ (H[kept] - mean) + alpha * np.eye(H.shape[1])
        beta = np.linalg.solve(G, (H[kept] - mean).T @ (y[kept] - level))
        errors[i] = y[i] - (H[i] - mean) @ beta - level
        others[:, i] = (new - mean) @ beta + level
    return errors, others


def test_jackknife_plus_is_that_of_as_many_refits():
    X, y = table(60, 0)
    new = table(25, 1)[0]
    model = ELMRegressor(n_hidden=20, random_state=0).fit(X, y)
    H, Hn = model.model_.features(X), model.model_.features(new)
    errors, others = refits(H, y, Hn, model.alpha_)
    inverse = np.linalg.inv((H - H.mean(0)).T @ (H - H.mean(0)) + model.alpha_ * np.eye(20))

    def leverage(rows):
        centred = rows - H.mean(axis=0)
        return np.einsum("ij,jk,ik->i", centred, inverse, centred) + 1 / 60

    scores = np.abs(errors) * np.sqrt(1 - leverage(H))
    reach = np.sqrt(1 + leverage(Hn))[:, None] * scores
    high = np.sort(others + reach, axis=1)[:, int(np.ceil(0.8 * 61)) - 1]
    low = np.sort(others - reach, axis=1)[:, int(np.floor(0.2 * 61 + 1e-9)) - 1]
    found = model.predict_interval(new, coverage=0.8)
    np.testing.assert_allclose(found[1], high, rtol=1e-7)
    np.testing.assert_allclose(found[0], low, rtol=1e-7)


@pytest.mark.parametrize("noise", ["plain", "growing"])
@pytest.mark.parametrize(
    ("n", "tables", "make"),
    [
        (200, 6, lambda: ELMRegressor(n_hidden=60, random_state=0)),
        (200, 6, KernelELMRegressor),
        (1000, 2, KernelELMRegressor),
        (5000, 1, lambda: ELMRegressor(n_hidden=60, random_state=0)),
    ],
    ids=["few rows", "few rows, kernel", "kernel", "many rows"],
)
def test_coverage_is_as_asked(noise, n, tables, make):
    inside = []
    for seed in range(tables):
        X, y = table(n, seed, noise)
        new, true = table(2000, 100 + seed, noise)
        low, high = make().fit(X, y).predict_interval(new, coverage=0.9)
        inside.append(np.mean((low <= true) & (true <= high)))
    # Binomial errors of the rows of the fit and of the new ones, three of them.
    error = 3 * np.sqrt(0.09 / (n * tables) + 0.09 / (2000 * tables))
    assert abs(np.mean(inside) - 0.9) < error


@pytest.mark.parametrize(
    "kind",
    [
        ELMRegressor(n_hidden=30, random_state=0),
        ELMRegressor(n_hidden=30, solver="rsvd", rank=10, random_state=0),
        ELMRegressor(n_hidden=30, dtype="float32", random_state=0),
        KernelELMRegressor(),
        KernelELMRegressor(solver="nystroem", rank=20, random_state=0),
        DeepELMRegressor((5,), n_hidden=30, random_state=0),
        TwoStageELMRegressor(n_hidden=30, random_state=0),
    ],
    ids=lambda kind: type(kind).__name__,
)
@pytest.mark.parametrize("n", [100, 600])
def test_every_regressor_has_intervals_that_are_saved_to_the_bit(tmp_path, kind, n):
    X, y = table(n, 0)
    model = kind.fit(X, y)
    low, high = model.predict_interval(X)
    assert (low < high).all()
    assert np.mean((low <= y) & (y <= high)) > 0.8
    model.save(tmp_path / "model.samara")
    again = samara.load(tmp_path / "model.samara").predict_interval(X)
    np.testing.assert_array_equal(again, (low, high))


@pytest.mark.parametrize("kind", [ELMRegressor, KernelELMRegressor])
@pytest.mark.parametrize("link", [None, "log"])
def test_a_fit_may_do_without(tmp_path, kind, link):
    X, y = table(100, 0)
    y = np.exp(y)
    with_them = kind(link=link, random_state=0).fit(X, y)
    model = kind(link=link, intervals=False, random_state=0).fit(X, y)
    assert model.intervals_ is None
    np.testing.assert_array_equal(model.predict(X), with_them.predict(X))
    with pytest.raises(InputError, match="fit it with intervals=True"):
        model.predict_interval(X)
    model.save(tmp_path / "m.samara")
    again = samara.load(tmp_path / "m.samara")
    assert again.intervals is False
    assert again.intervals_ is None
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_each_target_has_its_own_and_a_wider_coverage_a_wider_one():
    X, y = table(300, 0)
    both = ELMRegressor(n_hidden=30, random_state=0).fit(X, np.column_stack([y, 100 * y]))
    low, high = both.predict_interval(X[:9])
    np.testing.assert_allclose((high - low)[:, 1], 100 * (high - low)[:, 0], rtol=1e-6)
    wide = both.predict_interval(X[:9], coverage=0.99)
    assert (wide[0] < low).all()
    assert (wide[1] > high).all()


def test_rows_far_from_those_of_the_fit_have_wider_intervals():
    X, y = table(2000, 0)
    model = ELMRegressor(n_hidden=50, random_state=0).fit(X, y)
    low, high = model.predict_interval(np.array([[0.0, 0, 0], [9, 9, 9]]))
    assert high[1] - low[1] > 1.2 * (high[0] - low[0])


def test_too_few_rows_for_a_coverage_give_no_end():
    X, y = table(12, 0)
    model = ELMRegressor(n_hidden=5, random_state=0).fit(X, y)
    low, high = model.predict_interval(X, coverage=0.95)
    assert np.isneginf(low).all()
    assert np.isposinf(high).all()


def test_many_errors_are_told_by_their_quantiles():
    rng = np.random.default_rng(0)
    y, weight = rng.normal(size=(20_000, 1)), rng.uniform(0.5, 2, 20_000)
    kept = Intervals.learned(LeftOut(0 * y, y, weight, np.ones(20_000)))
    assert kept.scores.shape == (KEPT, 1)
    order = np.argsort(np.abs(y[:, 0]))
    share = np.cumsum(weight[order]) / weight.sum()
    true = np.abs(y[order[np.searchsorted(share, 0.9)], 0])
    np.testing.assert_allclose(kept.around(np.zeros((1, 1)), None, 0.9)[1], true, rtol=2e-3)


def test_the_size_of_all_weights_does_not_matter():
    X, y = table(100, 0)
    ends = []
    for size in (1.0, 1e-3):
        weight = size * np.random.default_rng(0).uniform(0.5, 2, 100)
        model = ELMRegressor(n_hidden=20, alpha=size, random_state=0).fit(X, y, sample_weight=weight)
        ends.append(model.predict_interval(X))
    np.testing.assert_allclose(ends[0], ends[1], rtol=1e-7)


def test_intervals_of_a_scan_are_those_of_its_rows(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    X, y = table(700, 0)
    pq.write_table(pa.table({**dict(zip("abc", X.T, strict=True)), "y": y}), tmp_path / "rows.parquet")
    scan = samara.scan(tmp_path / "rows.parquet", target="y")
    streamed = ELMRegressor(n_hidden=20, random_state=0).fit(scan)
    ends = streamed.predict_interval(scan)
    held = ELMRegressor(n_hidden=20, random_state=0).fit(X, y).predict_interval(X)
    np.testing.assert_allclose(ends, held, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("n", [60, 600])
@pytest.mark.parametrize(
    "model",
    [
        ELMRegressor(n_hidden=20, alpha=0.1, random_state=0),
        ELMRegressor(n_hidden=20, alpha=[0.1, 1.0], alpha_per_target=True, random_state=0),
        KernelELMRegressor(),
        KernelELMRegressor(alpha=0.1),
    ],
    ids=["elm", "a ridge each", "kernel", "kernel, one ridge"],
)
def test_weights_of_one_are_no_weights(model, n):
    X, y = table(n, 0)
    Y = np.column_stack([y, X[:, 2] - y])
    shares = 0.8, 0.97, 0.99  # of 60 rows none can promise the last
    plain = [model.fit(X, Y).predict_interval(X[:9], share) for share in shares]
    weighed = [model.fit(X, Y, np.ones(n)).predict_interval(X[:9], share) for share in shares]
    assert np.isinf(plain[2]).all() == (n == 60)
    np.testing.assert_allclose(weighed, plain, rtol=1e-7)


@pytest.mark.parametrize("size", [1e-20, 1.0, 1e20])
def test_too_few_weighted_rows_give_no_end(size):
    """30 rows can promise 30/31 where their weights are near each other, and less where one has the most."""
    rng = np.random.default_rng(0)
    y, weight = rng.normal(size=(30, 2)), size * rng.uniform(0.9, 1.1, 30)
    found = Intervals.learned(LeftOut(0 * y, y, weight, np.ones(30)))
    assert np.isposinf(found.around(np.zeros((1, 2)), None, 0.99)[1]).all()
    ends = found.around(np.zeros((1, 2)), None, 0.8)[1][0]
    for column, end in zip(np.abs(y).T, ends, strict=True):
        below = [weight[column <= value].sum() / (weight.sum() + weight.mean()) for value in np.sort(column)]
        assert end == np.sort(column)[np.searchsorted(below, 0.8)]
