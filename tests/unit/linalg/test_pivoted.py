"""Randomly pivoted Cholesky: its error is what it says, and no pivot is a rounding error."""

import numpy as np
import pytest

from samara import InputError
from samara.linalg import pivoted_cholesky


def kernel(n=200, width=1.0, dimensions=3, seed=0):
    """A Gaussian kernel matrix."""
    X = np.random.default_rng(seed).normal(size=(n, dimensions))
    return np.exp(-((X[:, None] - X) ** 2).sum(-1) / (2 * width**2))


def psd(eigenvalues, seed=0):
    """A symmetric matrix with given eigenvalues."""
    n = len(eigenvalues)
    V = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, n)))[0]
    M = (V * np.asarray(eigenvalues, float)) @ V.T
    return (M + M.T) / 2


class Counted:
    """A matrix that is never there as a whole, and counts what is read."""

    def __init__(self, K):
        self.K, self.shape, self.dtype, self.read = K, K.shape, K.dtype, 0

    def diagonal(self):
        return self.K.diagonal()

    def tile(self, rows, columns, out=None):
        found = self.K[rows][:, columns]
        self.read += found.size
        if out is None:
            return found
        out[...] = found
        return out


@pytest.mark.parametrize("block", [1, 7, 64, 500])
@pytest.mark.parametrize("rank", [1, 10, 60])
def test_the_error_is_the_nuclear_norm(block, rank):
    """The trace left, entry by entry, and what is left is positive semidefinite."""
    K = kernel()
    found = pivoted_cholesky(K, rank, block=block, random_state=0)
    left = K - found.F.T @ found.F
    assert found.rank == rank == len(set(found.pivots.tolist()))
    np.testing.assert_allclose(found.residual, np.diag(left), atol=1e-12)
    np.testing.assert_allclose(found.error, np.abs(np.linalg.eigvalsh(left)).sum(), rtol=1e-10)
    np.testing.assert_allclose(left[found.pivots], 0, atol=1e-12)
    assert found.history[0] == np.trace(K)
    assert found.history[-1] == found.error
    assert (np.diff(found.history) <= 0).all()


@pytest.mark.parametrize("block", [1, 16, 128])
def test_exact_at_full_rank(block):
    """n pivots give the matrix back."""
    K = psd(np.geomspace(1, 1e-3, 80))
    found = pivoted_cholesky(K, 80, block=block, random_state=1)
    assert found.rank == 80
    np.testing.assert_allclose(found.F.T @ found.F, K, atol=1e-13)
    assert found.error == 0


@pytest.mark.parametrize("block", [1, 20])
@pytest.mark.parametrize("name", ["kernel", "geometric", "algebraic"])
def test_near_the_best_on_a_decaying_spectrum(name, block):
    """On average within twice the best of half the rank, the bound's shape; and never below the best."""
    spectra = {"geometric": 0.8 ** np.arange(150), "algebraic": 1 / np.arange(1, 151) ** 2}
    K = kernel(150) if name == "kernel" else psd(spectra[name])
    eigenvalues = np.linalg.eigvalsh(K)[::-1].clip(0)
    for rank in [10, 40]:
        errors = [pivoted_cholesky(K, rank, block=block, random_state=s).error for s in range(20)]
        assert min(errors) >= eigenvalues[rank:].sum() * (1 - 1e-9)
        assert np.mean(errors) <= 2 * eigenvalues[rank // 2 :].sum()


def test_pivots_are_distributed_as_if_they_came_one_at_a_time():
    """The mean error of large blocks is that of single pivots."""
    K = psd(0.9 ** np.arange(100))
    means = [
        np.mean([pivoted_cholesky(K, 20, block=block, random_state=s).error for s in range(200)])
        for block in (1, 50)
    ]
    np.testing.assert_allclose(means[0], means[1], rtol=0.03)


def test_block_one_is_the_plain_algorithm():
    """Pivot by pivot, with the same draws."""
    K = kernel(60)
    rng, d, F, pivots = np.random.default_rng(3), np.ones(60), np.zeros((0, 60)), []
    while len(pivots) < 15:
        i = int(np.searchsorted(np.cumsum(d), rng.random() * d.cumsum()[-1], side="right"))
        rng.random()
        left = K[i] - F[:, i] @ F
        F = np.vstack([F, left / np.sqrt(left[i])])
        d = (d - F[-1] ** 2).clip(0)
        d[i] = 0
        pivots.append(i)
    found = pivoted_cholesky(K, 15, block=1, random_state=3)
    assert found.pivots.tolist() == pivots
    np.testing.assert_allclose(found.F, F, atol=1e-12)


def test_same_seed_same_bits():
    """And another seed, other pivots."""
    K = kernel()
    a, b, c = (pivoted_cholesky(K, 30, block=8, random_state=s) for s in (5, np.random.default_rng(5), 6))
    assert a.F.tobytes() == b.F.tobytes()
    assert a.pivots.tolist() == b.pivots.tolist() != c.pivots.tolist()


@pytest.mark.parametrize("block", [1, 8, 100])
def test_rows_that_are_there_twice(block):
    """Ten different rows, each ten times: ten pivots, and nothing is left."""
    K = np.tile(kernel(10, width=0.5), (10, 10))
    found = pivoted_cholesky(K, 50, block=block, random_state=0)
    assert found.rank == 10
    assert len(set((found.pivots % 10).tolist())) == 10
    np.testing.assert_allclose(found.F.T @ found.F, K, atol=1e-13)


def test_a_smooth_kernel_runs_out_of_rank():
    """It ends by itself, near rounding, with a finite factor."""
    K = kernel(300, width=10, dimensions=1)
    found = pivoted_cholesky(K, 300, random_state=0)
    assert found.rank < 60
    assert found.error < 1e-11 * np.trace(K)
    assert np.abs(found.F.T @ found.F - K).max() < 1e-12


def test_float32_stays_float32():
    """The factor in single precision, its error in double, right to single precision."""
    K = kernel().astype(np.float32)
    found = pivoted_cholesky(K, 60, random_state=0)
    assert found.F.dtype == np.float32
    assert found.residual.dtype == np.float64
    left = K.astype(float) - found.F.astype(float).T @ found.F.astype(float)
    np.testing.assert_allclose(found.residual, np.diag(left), atol=3e-6)
    smooth = kernel(300, width=10, dimensions=1).astype(np.float32)
    assert pivoted_cholesky(smooth, 300, random_state=0).rank < 30
    assert pivoted_cholesky(np.eye(5, dtype=int), 5, random_state=0).F.dtype == np.float64


def test_stops():
    """On the tolerance, on the rank, and when it is told to."""
    K = kernel()
    found = pivoted_cholesky(K, 200, tol=1e-2, block=4, random_state=0)
    assert found.error <= 1e-2 * np.trace(K) < found.history[-2]
    asked = []

    def grow(rank, trace_left):
        asked.append((rank, trace_left))
        return rank < 20

    found = pivoted_cholesky(K, 200, block=8, random_state=0, grow=grow)
    assert 20 <= found.rank < 28
    assert asked[0] == (0, 200.0)
    assert asked[-1] == (found.rank, found.error)
    assert pivoted_cholesky(K, 9, grow=lambda *_: False).rank == 0


def test_zero_and_partly_zero():
    """Nothing to take; nothing is taken where nothing is."""
    found = pivoted_cholesky(np.zeros((7, 7)), 3)
    assert (found.rank, found.error, found.F.shape) == (0, 0.0, (0, 7))
    K = np.zeros((7, 7))
    K[2:4, 2:4] = [[2, 1], [1, 2]]
    for seed in range(20):
        assert sorted(pivoted_cholesky(K, 7, random_state=seed).pivots.tolist()) == [2, 3]


def test_only_the_rows_of_the_pivots_are_read():
    """And the entries among the drawn."""
    K = Counted(kernel(400))
    found = pivoted_cholesky(K, 40, block=10, random_state=0)
    assert K.read <= 40 * 400 + (len(found.history) - 1) * 10**2


@pytest.mark.parametrize(
    ("K", "rank", "options", "message"),
    [
        (np.eye(3), 4, {}, "from 1 to 3"),
        (np.eye(3), 0, {}, "from 1 to 3"),
        (np.zeros((3, 4)), 1, {}, "square"),
        (np.diag([1.0, -1e-9]), 1, {}, "not positive semidefinite"),
        (np.array([[1.0, 2.0], [2.0, 1.0]]), 2, {}, "not positive semidefinite"),
        (np.diag([1.0, np.nan]), 1, {}, "NaN"),
        (np.array([[1.0, np.nan], [np.nan, 1.0]]), 2, {}, "NaN"),
        (np.eye(3), 1, {"tol": -1.0}, "tol"),
        (np.eye(3), 1, {"tol": np.nan}, "tol"),
        (np.eye(3), 1, {"block": 0}, "block"),
    ],
)
def test_refusals(K, rank, options, message):
    """One sentence each."""
    with pytest.raises(InputError, match=message):
        pivoted_cholesky(K, rank, random_state=0, **options)


def test_a_slightly_indefinite_matrix_is_clipped():
    """Rounding errors below zero count as nothing."""
    K = kernel(100, width=10, dimensions=1)
    K = K - 1e-14 * np.eye(100)
    found = pivoted_cholesky(K, 100, random_state=0)
    assert found.residual.min() >= 0
