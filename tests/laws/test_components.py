"""AdaptivePCA is scikit-learn's PCA, however the rows come and whichever side of them is used."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.decomposition import PCA

import samara
from samara import AdaptivePCA
from samara.components import press_rank
from samara.linalg import EnergyStop, ErrorStop, GradientStop

ATTRIBUTES = (
    *("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"),
    *("noise_variance_", "n_components_", "n_samples_"),
)


def rows_of(seed, n, d, offset=3.0):
    """Rows of well separated variances, far from zero."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((d, d)))[0]
    return rng.standard_normal((n, d)) * np.geomspace(10, 0.1, d) @ turn + offset


def same(left, right, tol=1e-8):
    """The attributes of two fits agree."""
    for name in ATTRIBUTES:
        np.testing.assert_allclose(
            getattr(left, name), getattr(right, name), rtol=tol, atol=tol, err_msg=name
        )


@settings(max_examples=15)
@given(st.integers(0, 99), st.integers(2, 40), st.integers(1, 40), st.data())
def test_it_is_scikit_learns(seed, n, d, data):
    """To 1e-8, at every rank that centred rows have."""
    k = data.draw(st.integers(1, max(1, min(n - 1, d))))
    X = rows_of(seed, n, d)
    ours, theirs = AdaptivePCA(k).fit(X), PCA(k, svd_solver="full").fit(X)
    same(ours, theirs)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-7)


@settings(max_examples=8)
@given(st.integers(0, 99), st.integers(3, 30), st.integers(2, 30))
def test_dual_is_primal_and_both_are_what_products_give(seed, n, d):
    X = rows_of(seed, n, d)
    k = min(n - 1, d, 4)
    gram = AdaptivePCA(k, solver="gram").fit(X)
    for solver in ("dual", "random") if n <= d else ("random",):
        same(AdaptivePCA(k, solver=solver, random_state=0).fit(X), gram, 1e-6)


@pytest.mark.parametrize("solver", ["gram", "dual", "random"])
def test_sparse_is_dense(solver):
    X = sparse.random(20, 30, 0.3, format="csr", random_state=0)
    same(
        AdaptivePCA(5, solver=solver, random_state=0).fit(X),
        AdaptivePCA(5, solver=solver, random_state=0).fit(X.toarray()),
    )
    fitted = AdaptivePCA(5, solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(fitted.transform(X), fitted.transform(X.toarray()), atol=1e-12)


@settings(max_examples=8)
@given(st.integers(0, 99), st.lists(st.integers(1, 59), max_size=5, unique=True))
def test_batches_change_nothing(seed, cuts):
    X = rows_of(seed, 60, 7)
    batches = AdaptivePCA(3)
    for rows in np.split(X, sorted(cuts)):
        batches.partial_fit(rows)
    same(batches, AdaptivePCA(3, solver="gram").fit(X), 1e-9)


def test_batches_go_on_from_a_fit():
    X = rows_of(0, 60, 7)
    same(AdaptivePCA(3).fit(X[:40]).partial_fit(X[40:]), AdaptivePCA(3).fit(X), 1e-9)


def test_wide_batches_keep_the_leading_directions(monkeypatch):
    """Rows of rank 6, of which 14 directions are kept: nothing is lost."""
    monkeypatch.setattr("samara.estimators.pca.GRAM_COLUMNS", 20)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 6)) * np.arange(1, 7) @ rng.standard_normal((6, 40)) + 2
    batches = AdaptivePCA(4)
    for rows in np.split(X, [20, 31]):
        batches.partial_fit(rows)
    assert batches.solver_ == "update"
    same(batches, AdaptivePCA(4).fit(X), 1e-8)


def test_files_are_arrays(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    X = rows_of(0, 300, 4)
    names = list("abcd")
    pq.write_table(
        pa.table({name: X[:, j] for j, name in enumerate(names)}), tmp_path / "x.parquet", row_group_size=70
    )
    scan = samara.scan(tmp_path / "x.parquet")
    for solver in ("gram", "random"):
        fitted = AdaptivePCA(2, solver=solver, random_state=0).fit(scan)
        same(fitted, AdaptivePCA(2).fit(X))
        assert fitted.feature_names_in_.tolist() == names
        np.testing.assert_allclose(fitted.transform(scan), AdaptivePCA(2).fit(X).transform(X), atol=1e-8)


def test_whitened_rows_have_unit_variance_and_come_back():
    X = rows_of(0, 200, 6)
    fitted = AdaptivePCA(6, whiten=True).fit(X)
    Z = fitted.transform(X)
    np.testing.assert_allclose(np.cov(Z.T), np.eye(6), atol=1e-8)
    np.testing.assert_allclose(fitted.inverse_transform(Z), X, atol=1e-8)


def test_a_share_of_the_variance_is_met_by_as_few_as_can_be():
    X = rows_of(0, 100, 12)
    for share in (0.5, 0.9, 0.999):
        ours = AdaptivePCA(share).fit(X)
        assert ours.n_components_ == PCA(share, svd_solver="full").fit(X).n_components_
        assert ours.explained_variance_ratio_.sum() >= share > ours.explained_variance_ratio_[:-1].sum()


@pytest.mark.parametrize("stop", [EnergyStop(0.3), EnergyStop(0.05), ErrorStop(2.0), GradientStop()], ids=str)
def test_the_error_told_is_the_error(stop):
    X = rows_of(1, 120, 40)
    fitted = AdaptivePCA(stop=stop, random_state=0).fit(X)
    A = X - X.mean(axis=0)
    left = A - A @ fitted.components_.T @ fitted.components_
    assert fitted.error_ == pytest.approx(np.linalg.norm(left) / np.linalg.norm(A), abs=1e-6)
    if isinstance(stop, EnergyStop):
        assert fitted.error_ <= stop.tol
    if isinstance(stop, ErrorStop):
        assert np.linalg.norm(left, 2) <= stop.epsilon


@settings(max_examples=10)
@given(st.integers(0, 99), st.integers(1, 5))
def test_press_finds_the_number_of_signals(seed, k):
    rng = np.random.default_rng(seed)
    X = 5 * rng.standard_normal((200, k)) @ rng.standard_normal((k, 20)) + rng.standard_normal((200, 20))
    assert AdaptivePCA(stop="press").fit(X).n_components_ == k


def test_press_is_the_formula():
    squares, n, d = np.array([9.0, 4.0, 1.0, 0.5]), 10, 4
    scores = [squares[k:].sum() / (n * d - d - k * (n + d - k - 1)) ** 2 for k in range(4)]
    assert press_rank(squares, n, d) == max(1, int(np.argmin(scores)))


def test_saved_is_fitted(tmp_path):
    X = rows_of(0, 50, 5)
    fitted = AdaptivePCA(0.9, whiten=True).fit(X)
    fitted.save(tmp_path / "pca.samara")
    loaded = samara.load(tmp_path / "pca.samara")
    assert np.array_equal(loaded.transform(X), fitted.transform(X))
    same(loaded, fitted, 0)
    assert samara.inspect(tmp_path / "pca.samara").estimator == "AdaptivePCA"
    assert clone(loaded).get_params() == fitted.get_params()
