"""The band: the same matrix, and for every ridge the same inverse as a dense one."""

import tracemalloc

import numpy as np
import pytest

from samara import InputError
from samara.linalg import reduce_to_band
from samara.linalg.blas import add_outer, multiply, multiply_symmetric, subtract_both

SIZES = [(1, 1), (1, 4), (2, 1), (5, 1), (5, 5), (5, 9), (6, 5), (17, 16), (64, 16), (103, 16), (140, 96)]


def symmetric(n, eigenvalues=None, seed=0):
    """A symmetric matrix, with given eigenvalues or those of a random gram."""
    rng = np.random.default_rng(seed)
    V = np.linalg.qr(rng.normal(size=(n, n)))[0]
    A = (V * (rng.uniform(0.1, 4, n) if eigenvalues is None else eigenvalues)) @ V.T
    return (A + A.T) / 2


def reduced(A, block):
    """The band, from an upper triangle over a lower one of NaNs."""
    return reduce_to_band(np.triu(A) + np.tril(np.full(A.shape, np.nan), -1), block)


def banded(band):
    """B as a dense matrix."""
    B = np.zeros((band.n, band.n))
    for index, (lo, hi) in enumerate(band.edges):
        B[lo:hi, lo:hi] = band.diagonal[index]
        if index < len(band.above):
            end = band.edges[index + 1][1]
            B[lo:hi, hi:end] = band.above[index]
            B[hi:end, lo:hi] = band.above[index].T
    return B


def check(band, A, alpha, rtol):
    """Everything a factor gives, against the dense inverse."""
    factor = band.factor(alpha)
    inverse = np.linalg.inv(A + alpha * np.eye(len(A)))
    atol = rtol * np.abs(inverse).max()
    Y = np.random.default_rng(5).normal(size=(len(A), 3))
    np.testing.assert_allclose(factor.solve(Y), inverse @ Y, atol=10 * atol)
    np.testing.assert_allclose(factor.solve(Y[:, 1]), inverse @ Y[:, 1], atol=10 * atol)
    np.testing.assert_allclose(factor.inverse_diagonal(), np.diag(inverse), rtol=rtol)
    rows = np.random.default_rng(6).permutation(len(A))[: -(-len(A) // 3)]
    np.testing.assert_allclose(factor.inverse_block(rows), inverse[np.ix_(rows, rows)], atol=atol)


@pytest.mark.parametrize(("n", "block"), SIZES)
def test_it_is_the_same_matrix(n, block):
    """QBQᵀ = A with Q orthogonal and nothing outside of the band; Q is where A was."""
    A = symmetric(n)
    given = A.copy()
    band = reduce_to_band(given, block)
    assert band.Q is given
    assert band.n == n
    np.testing.assert_allclose(band.Q.T @ band.Q, np.eye(n), atol=1e-13)
    B = banded(band)
    assert not np.triu(B, min(block, n) + 1).any()
    np.testing.assert_allclose(band.Q @ B @ band.Q.T, A, atol=1e-12)


@pytest.mark.parametrize(("n", "block"), SIZES)
def test_every_ridge_has_its_inverse(n, block):
    """Solutions, the diagonal and a block of the inverse, from the upper triangle alone."""
    A = symmetric(n)
    band = reduced(A, block)
    for alpha in [0.0, 1e-3, 1.0, 1e4]:
        check(band, A, alpha, 1e-10)


@pytest.mark.parametrize("alpha", [1e-5, 1e-2, 10.0])
def test_a_condition_of_1e10(alpha):
    """A ridge that leaves a condition of at most 1e5 is exact to 1e-10."""
    A = symmetric(150, np.geomspace(1, 1e-10, 150))
    check(reduced(A, 32), A, alpha, 1e-10)


def test_without_a_ridge_the_error_is_that_of_the_condition():
    """The eigenvalues of A are off by eps·‖A‖, and so is everything that divides by the smallest."""
    A = symmetric(150, np.geomspace(1, 1e-10, 150))
    check(reduced(A, 32), A, 0.0, 150 * np.finfo(float).eps * 1e10)


def test_more_rows_than_a_slab_and_than_a_tile(monkeypatch):
    """The products in slabs and the tiles of rows join."""
    monkeypatch.setattr("samara.linalg.band._TILE_ROWS", 100)
    A = symmetric(1100)
    check(reduce_to_band(A.copy()), A, 0.1, 1e-10)


def test_no_factor_where_the_ridge_leaves_it_indefinite():
    """None below minus the smallest eigenvalue, the inverse above."""
    A = symmetric(60, np.linspace(-1, 5, 60))
    band = reduced(A, 8)
    assert band.factor(0.0) is None
    assert band.factor(0.999) is None
    check(band, A, 1.01, 1e-10)


@pytest.mark.parametrize("block", [1, 4, 64])
@pytest.mark.parametrize(
    "A",
    [np.zeros((30, 30)), np.diag(np.arange(30.0)), np.eye(30), np.outer(np.arange(30), np.arange(30.0))],
    ids=["zero", "diagonal", "identity", "rank one"],
)
def test_matrices_with_nothing_to_eliminate(A, block):
    """Zero columns make reflections by nothing; a singular matrix needs its ridge."""
    band = reduced(A, block)
    np.testing.assert_allclose(band.Q @ banded(band) @ band.Q.T, A, atol=1e-11)
    check(band, A, 0.5, 1e-10)
    assert np.any(A != 0) or band.factor(0.0) is None


@pytest.mark.parametrize(("n", "block"), SIZES)
def test_eigenvalues(n, block):
    """Those of eigvalsh, the largest first."""
    A = symmetric(n, np.random.default_rng(3).normal(size=n))
    band = reduced(A, block)
    truth = np.linalg.eigvalsh(A)
    np.testing.assert_allclose(band.eigenvalues(), truth[::-1], atol=1e-12)
    np.testing.assert_allclose(band.extremes(), truth[[0, -1]], atol=1e-12)


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.zeros((3, 4)), "square"),
        (np.zeros((0, 0)), "has rows"),
        (np.zeros((3, 3), np.float32), "float64"),
        (np.zeros((3, 3), order="F")[:, ::-1], "C-ordered"),
    ],
)
def test_what_can_not_be_reduced_in_place(A, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        reduce_to_band(A)


def test_a_block_has_a_size():
    """No band of width 0."""
    with pytest.raises(InputError, match="block must be at least 1"):
        reduce_to_band(np.eye(3), 0)


def test_no_second_matrix():
    """Beside A and a few blocks of columns nothing is held, in the reduction and for a ridge."""
    A = symmetric(720)  # so large that what other threads of the process allocate does not decide
    reduce_to_band(A.copy(), 4).factor(1.0).inverse_diagonal()  # what the first call looks up once
    tracemalloc.start()  # sees what is too small for pages of its own, as everything here is
    reduce_to_band(A, 4).factor(1.0).inverse_diagonal()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < A.nbytes / 2


def test_products_where_they_lie():
    """On pieces of larger arrays, with transposes, and rows or columns of one."""
    rng = np.random.default_rng(0)
    big = rng.normal(size=(40, 50))
    for a, b, c in [(3, 4, 5), (1, 4, 5), (3, 1, 5), (3, 4, 1), (1, 1, 1)]:
        for A in (big[2 : 2 + a, 3 : 3 + b], big[2 : 2 + b, 3 : 3 + a].T):
            for B in (big[9 : 9 + b, 7 : 7 + c], big[9 : 9 + c, 7 : 7 + b].T):
                out = big.copy()[20 : 20 + a, 20 : 20 + c]
                expected = 0.5 * out - 2 * A @ B
                np.testing.assert_allclose(multiply(A, B, out, -2, 0.5), expected, atol=1e-13)


def test_symmetric_updates_touch_only_the_upper_triangle():
    """Also with more rows than a slab."""
    rng = np.random.default_rng(1)
    A, V, W = symmetric(700), rng.normal(size=(3, 700)), rng.normal(size=(3, 700))
    upper = np.triu(A) + np.tril(np.full(A.shape, np.nan), -1)
    np.testing.assert_allclose(multiply_symmetric(V, upper, np.empty_like(V)), V @ A, atol=1e-12)
    subtract_both(V, W, upper)
    np.testing.assert_allclose(np.triu(upper), np.triu(A - V.T @ W - W.T @ V), atol=1e-12)
    assert np.isnan(upper[1, 0])
    gram = np.zeros((3, 3))
    add_outer(V, gram)
    np.testing.assert_allclose(gram, np.triu(V @ V.T))
