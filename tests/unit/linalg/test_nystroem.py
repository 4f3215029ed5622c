"""The Nyström approximation: near the best, honest about its error, and only for what it is meant for."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from samara import InputError
from samara.linalg import nystroem


def psd(eigenvalues, n=120, seed=0):
    """A symmetric matrix with given eigenvalues."""
    V = np.linalg.qr(np.random.default_rng(seed).normal(size=(n, len(eigenvalues))))[0]
    M = (V * np.asarray(eigenvalues, float)) @ V.T
    return (M + M.T) / 2


def kernel():
    """A Gaussian kernel matrix."""
    X = np.random.default_rng(0).normal(size=(150, 3))
    return np.exp(-((X[:, None] - X) ** 2).sum(-1) / 6)


MATRICES = {
    "fast decay": psd(100 * 0.7 ** np.arange(120)),
    "slow decay": psd(1 / np.arange(1, 121)),
    "low rank": psd(np.full(10, 3.0)),
    "identity": np.eye(120),
    "steep": psd(np.geomspace(1e8, 1e-8, 60)),
    "kernel": kernel(),
}


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("rank", [1, 8, 40])
def test_the_error_estimate_is_within_a_factor_two(name, rank):
    """Of the true Frobenius error, or both are rounding errors; eigenvectors are orthonormal."""
    M = MATRICES[name]
    for seed in range(8):
        found = nystroem(M, rank, random_state=seed)
        truth = np.linalg.norm(M - found.dense())
        if max(found.error, truth) > 1e-12 * np.linalg.norm(M):
            assert truth / 2 <= found.error <= 2 * truth
        assert np.abs(found.U.T @ found.U - np.eye(found.rank)).max() < 1e-10
        assert (found.eigenvalues > 0).all()
        assert (np.diff(found.eigenvalues) <= 0).all()
        assert found.met


@pytest.mark.parametrize("name", ["kernel", "fast decay", "low rank", "steep"])
def test_it_is_near_the_best_where_eigenvalues_fall(name):
    """Within a small factor of the best approximation of the rank."""
    M = MATRICES[name]
    eigenvalues = np.sort(np.linalg.eigvalsh(M))[::-1]
    found = nystroem(M, 20, oversampling=20, random_state=0)
    best = np.sqrt(np.sum(eigenvalues[20:] ** 2))
    assert np.linalg.norm(M - found.dense()) <= 2 * best + 1e-12 * eigenvalues[0]
    np.testing.assert_allclose(found.eigenvalues[:3], eigenvalues[:3], rtol=1e-2)


def test_full_rank_gives_the_matrix():
    """All columns: to rounding."""
    M = MATRICES["slow decay"]
    found = nystroem(M, len(M), random_state=0)
    np.testing.assert_allclose(found.dense(), M, atol=1e-12)


def test_the_history_is_the_energy_left():
    """Estimated by the probes; it begins with 1 and ends with the error."""
    M = MATRICES["slow decay"]
    found = nystroem(M, 12, random_state=0)
    assert found.history.shape == (13,)
    assert found.history[0] == 1
    for j in (1, 5, 12):
        left = M - (found.U[:, :j] * found.eigenvalues[:j]) @ found.U[:, :j].T
        assert np.sqrt(found.history[j]) == pytest.approx(np.linalg.norm(left) / np.linalg.norm(M), rel=0.5)


@pytest.mark.parametrize("make", [sparse.csr_array, aslinearoperator, np.asfortranarray, lambda M: M[:, ::1]])
def test_other_kinds_of_matrices_give_the_same(make):
    """The same Ω, the same decomposition."""
    M = MATRICES["fast decay"]
    expected, found = (nystroem(A, 9, random_state=0) for A in (M, make(M)))
    np.testing.assert_allclose(found.dense(), expected.dense(), atol=1e-10)


def test_float32_stays():
    """In float32 the estimate is as honest."""
    M = MATRICES["kernel"].astype(np.float32)
    found = nystroem(M, 20, random_state=0)
    assert found.U.dtype == found.eigenvalues.dtype == np.float32
    truth = np.linalg.norm(M.astype(float) - found.dense().astype(float))
    assert truth / 2 <= found.error <= 2 * truth


def test_a_zero_matrix():
    """Rank 0, no error."""
    found = nystroem(np.zeros((7, 7)), 3, random_state=0)
    assert (found.U.shape, found.rank, found.error) == ((7, 0), 0, 0.0)


def test_a_random_state_decides_everything():
    """The same bits for the same seed."""
    first, second = (nystroem(MATRICES["kernel"], 8, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(first.U, second.U)


@pytest.mark.parametrize(
    ("M", "word"),
    [
        (np.triu(np.ones((40, 40))), "not symmetric"),
        (np.eye(40) + np.eye(40, k=3) * 1e-3, "not symmetric"),
        (-np.eye(40), "not positive semidefinite"),
        (psd([5.0, 4.0, 3.0, *[-1.0] * 30]), "not positive semidefinite"),
        (psd([*np.full(8, 1e3), -1.0]), "not positive semidefinite"),
        (np.ones((4, 5)), "square, got 4 × 5"),
        (np.ones(5), "two dimensions, got 1"),
    ],
    ids=["triangle", "a little", "negative", "indefinite", "one negative", "not square", "vector"],
)
def test_it_refuses(M, word):
    """What is not symmetric positive semidefinite, by probing it."""
    with pytest.raises(InputError, match=word):
        nystroem(M, 3, random_state=0)


@pytest.mark.parametrize(("rank", "oversampling"), [(0, 10), (151, 10), (-1, 10), (3, -1)])
def test_impossible_numbers_are_refused(rank, oversampling):
    """One sentence that names the parameter."""
    with pytest.raises(InputError, match="must be a whole number"):
        nystroem(MATRICES["kernel"], rank, oversampling)


def test_rounding_below_zero_is_no_reason_to_refuse():
    """A kernel matrix has eigenvalues of −1e-16."""
    M = np.ones((60, 60)) - 1e-14 * np.eye(60)
    assert nystroem(M, 5, random_state=0).eigenvalues[0] == pytest.approx(60)
