"""What is there stays, what is missing follows from it, however the rows come."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samara
from samara import ConvergenceWarning, LowRankImputer

METHODS = ("gaussian", "soft", "hard")


def table_of(seed, n=200, d=6, rank=2, share=0.2):
    """Rows of low rank plus an offset, whole and with gaps."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d)) + np.arange(d)
    return X, np.where(rng.random((n, d)) < share, np.nan, X)


@pytest.mark.parametrize("method", METHODS)
def test_complete_rows_stay_to_the_bit(method):
    X, _ = table_of(0)
    assert np.array_equal(LowRankImputer(method=method, random_state=0).fit_transform(X), X)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=5)
@given(seed=st.integers(0, 99))
def test_what_is_there_stays_to_the_bit(method, seed):
    _, gaps = table_of(seed)
    made = LowRankImputer(method=method, random_state=0).fit_transform(gaps)
    there = ~np.isnan(gaps)
    assert np.array_equal(made[there], gaps[there])
    assert np.isfinite(made).all()


@settings(max_examples=5)
@given(seed=st.integers(0, 99), rank=st.integers(1, 2))
def test_an_exactly_low_rank_table_is_recovered(seed, rank):
    X, gaps = table_of(seed, rank=rank, share=0.1)
    made = LowRankImputer(rank, method="hard", tol=1e-10, max_iter=3000, random_state=0).fit_transform(gaps)
    there = (~np.isnan(gaps)).sum(axis=1) > rank  # with fewer values a row does not say where it is
    np.testing.assert_allclose(made[there], X[there], atol=1e-4)


def soft_imputed(gaps, shrinkage, steps):
    """Soft imputation by the book: fill, centre, shrink the singular values, fill again."""
    gone = np.isnan(gaps)
    mean, spread = np.nanmean(gaps, axis=0), np.nanstd(gaps, axis=0)
    W = np.where(gone, 0.0, (gaps - mean) / spread)
    for _ in range(steps):
        centre = W.mean(axis=0)
        U, s, Vt = np.linalg.svd(W - centre, full_matrices=False)
        shrunk = (U * np.maximum(s - shrinkage * np.sqrt(len(W)), 0)) @ Vt + centre
        W = np.where(gone, shrunk, W)
    return W * spread + mean


def test_soft_is_soft_imputation_by_the_book():
    _, gaps = table_of(3)
    made = LowRankImputer(method="soft", shrinkage=0.2, tol=1e-12, max_iter=2000, random_state=0)
    np.testing.assert_allclose(made.fit_transform(gaps), soft_imputed(gaps, 0.2, 3000), atol=1e-6)


def test_hard_at_full_rank_moves_nothing():
    """Every direction explains everything: what fills a gap is where it began, the mean of the column."""
    _, gaps = table_of(0)
    made = LowRankImputer(6, method="hard", random_state=0, max_iter=1, tol=1e9).fit_transform(gaps)
    filled = made[np.isnan(gaps)]
    assert np.isfinite(filled).all()
    assert np.abs(filled - made.mean()).max() < 100


def test_one_gaussian_is_expectation_maximization():
    """The conditional means of the covariance that maximizes the likelihood, but for the ridge."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((4, 4))
    X = rng.standard_normal((400, 4)) @ A.T
    gaps = np.where(rng.random(X.shape) < 0.2, np.nan, X)
    made = LowRankImputer(4, n_pieces=1, tol=1e-9, max_iter=500, random_state=0).fit_transform(gaps)
    mean, S = np.nanmean(gaps, axis=0), A @ A.T
    by_truth = gaps.copy()
    for row in by_truth:
        gone = np.isnan(row)
        if gone.any():
            B = np.linalg.pinv(S[np.ix_(~gone, ~gone)]) @ S[np.ix_(~gone, gone)]
            row[gone] = mean[gone] + (row[~gone] - mean[~gone]) @ B
    errors = [np.sqrt(np.mean((rows - X)[np.isnan(gaps)] ** 2)) for rows in (made, by_truth)]
    assert errors[0] < 1.05 * errors[1]


@settings(max_examples=4)
@given(seed=st.integers(0, 99))
def test_the_order_of_rows_changes_nothing(seed):
    _, gaps = table_of(seed)
    order = np.random.default_rng(seed).permutation(len(gaps))
    made = [LowRankImputer(random_state=0).fit_transform(rows) for rows in (gaps, gaps[order])]
    np.testing.assert_allclose(made[0][order], made[1], atol=1e-8)


def test_new_rows_are_filled_as_those_of_the_fit():
    _, gaps = table_of(1)
    fitted = LowRankImputer(random_state=0)
    whole = fitted.fit_transform(gaps)
    np.testing.assert_array_equal(fitted.transform(gaps[:7]), whole[:7])
    np.testing.assert_array_equal(fitted.transform(gaps[3:4]), whole[3:4])


def test_pieces_follow_a_curve():
    """y = x² has no correlation with x: one Gaussian gives the mean, pieces the curve."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 3000)
    X = np.column_stack([x, x**2, rng.standard_normal(3000)])
    gaps = X.copy()
    gaps[rng.random(3000) < 0.2, 1] = np.nan
    gone = np.isnan(gaps)
    errors = {}
    for n_pieces in (1, "auto"):
        made = LowRankImputer(n_pieces=n_pieces, random_state=0).fit(gaps)
        errors[n_pieces] = np.sqrt(np.mean((made.transform(gaps) - X)[gone] ** 2))
    assert made.n_pieces_ > 1
    assert errors["auto"] < 0.3 * errors[1]


def test_a_row_of_nothing_gets_the_means():
    X, gaps = table_of(0)
    fitted = LowRankImputer(n_pieces=1, rank=2, random_state=0).fit(gaps)
    made = fitted.transform(np.full((1, 6), np.nan))[0]
    np.testing.assert_allclose(made, X.mean(axis=0), atol=0.3)


def test_files_are_frames_and_texts_become_shares(tmp_path):
    import pandas as pd

    X, gaps = table_of(0)
    frame = pd.DataFrame(gaps, columns=list("abcdef"))
    frame["side"] = np.where(X[:, 0] > 0, "right", "left")
    frame.loc[::5, "side"] = None
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=70)
    fitted = LowRankImputer(random_state=0).fit(frame)
    made = fitted.transform(frame)
    names = fitted.get_feature_names_out().tolist()
    assert names[:6] == list("abcdef")
    assert set(names[6:]) == {"side = left", "side = right"}
    guessed = np.where(made[::5, names.index("side = right")] > 0.5, 1, -1)
    assert np.mean(guessed == np.sign(X[::5, 0])) > 0.9
    scan = samara.scan(tmp_path / "x.parquet")
    np.testing.assert_allclose(LowRankImputer(random_state=0).fit(scan).transform(scan), made, atol=1e-9)
    fitted.save(tmp_path / "gaps.samara")
    assert np.array_equal(samara.load(tmp_path / "gaps.samara").transform(frame), made)


def test_too_few_passes_are_told():
    _, gaps = table_of(0)
    with pytest.warns(ConvergenceWarning, match="after 1 passes: raise max_iter or tol"):
        assert LowRankImputer(2, method="hard", max_iter=1, tol=1e-12, random_state=0).fit(gaps).n_iter_ == 1
