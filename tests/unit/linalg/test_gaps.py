"""Rows with gaps: the compiled loop, the NumPy one, and the conditional means of the textbook."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara.linalg import gaps, kernels
from samara.linalg.gaps import PieceMoments, Pieces, add_moments, filled_rows


def made(seed, n, d, k):
    """Rows with gaps and pieces to fill them by; one row has nothing, one everything."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[rng.random((n, d)) < 0.3] = np.nan
    X[0] = np.nan
    X[1] = 0.5
    roots = rng.standard_normal((k, d, 2 * d))
    covariances = roots @ roots.transpose(0, 2, 1) / d
    precisions = np.linalg.inv(covariances)
    shares = rng.dirichlet(np.ones(k))
    offsets = np.log(shares) + 0.5 * np.linalg.slogdet(precisions)[1]
    return X, Pieces(rng.standard_normal((k, d)), precisions, offsets), covariances, shares


@pytest.mark.skipif(not kernels.compiled(), reason="there is no compiled loop to compare with")
@settings(max_examples=15)
@given(st.integers(0, 99), st.integers(2, 30), st.integers(1, 30), st.integers(1, 11), st.booleans())
def test_the_compiled_loop_is_the_plain_one(seed, n, d, k, uncertain):
    X, pieces, _, _ = made(seed, n, d, k)
    compiled, plain = PieceMoments(pieces), PieceMoments(pieces)
    add_moments(X, pieces, compiled, uncertain)
    out = np.empty_like(X)
    gaps._plain(X, pieces, out, plain, uncertain)
    np.testing.assert_allclose(filled_rows(X, pieces), out, atol=1e-9)
    for name in ("weights", "sums", "squares"):
        np.testing.assert_allclose(getattr(compiled, name), getattr(plain, name), atol=1e-8)


@settings(max_examples=10)
@given(st.integers(0, 99), st.integers(1, 6), st.integers(1, 3))
def test_gaps_get_their_conditional_means(seed, d, k):
    X, pieces, covariances, shares = made(seed, 6, d, k)
    for row, filled in zip(X, filled_rows(X, pieces), strict=True):
        gone = np.isnan(row)
        there = ~gone
        means, weights = [], []
        for mean, S, share in zip(pieces.means, covariances, shares, strict=True):
            z = row[there] - mean[there]
            solved = np.linalg.solve(S[np.ix_(there, there)], z) if there.any() else z
            means.append(mean[gone] + S[np.ix_(gone, there)] @ solved)
            det = np.linalg.slogdet(S[np.ix_(there, there)])[1] if there.any() else 0.0
            weights.append(np.log(share) - 0.5 * (z @ solved + det))
        weights = np.exp(np.array(weights) - max(weights))
        expected = np.average(np.array(means).reshape(k, -1), axis=0, weights=weights)
        np.testing.assert_allclose(filled[gone], expected, atol=1e-7)
        assert np.array_equal(filled[there], row[there])


def test_many_gaps_do_not_underflow():
    """A determinant of 400 small factors is below the least number that there is."""
    d = 400
    pieces = Pieces(np.zeros((2, d)), np.stack([1e-4 * np.eye(d), 1e-3 * np.eye(d)]), np.zeros(2))
    X = np.full((1, d), np.nan)
    X[0, 0] = 1.0
    assert np.isfinite(filled_rows(X, pieces)).all()
