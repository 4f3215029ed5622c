"""Randomized decompositions agree with LAPACK's, and their error estimates with the errors."""

import numpy as np
import pytest
from scipy import sparse

from samara import InputError
from samara.linalg import EnergyStop, ErrorStop, GradientStop, RidgeStop, fast_svd, pinv, range_finder, rsvd
from tests.oracles_lowrank import rbf_nodes, spectrum_matrix

MATRICES = {
    "rbf nodes": rbf_nodes(400, 150, inputs=3),
    "fast decay": spectrum_matrix(300, 200, 100 * 0.8 ** np.arange(200)),
    "slow decay": spectrum_matrix(300, 200, 10 / np.arange(1, 201)),
    "low rank": spectrum_matrix(300, 200, np.full(20, 5.0)),
    "tall": spectrum_matrix(3000, 30, np.geomspace(10, 1e-4, 30)),
    "wide": spectrum_matrix(40, 900, np.geomspace(10, 1e-9, 40)),
    "sparse": sparse.random_array((300, 200), density=0.02, rng=np.random.default_rng(0)).toarray(),
    "two scales": spectrum_matrix(200, 100, [1e4, *[1e-4] * 50]),
}


def assert_honest(found, A, rounding=1e-12):
    """The estimate is within a factor 2 of the true Frobenius error, or both are rounding errors."""
    A = np.asarray(A, float)
    truth = np.linalg.norm(A - found.dense().astype(float))
    if max(found.error, truth) > rounding * np.linalg.norm(A):
        assert truth / 2 <= found.error <= 2 * truth


def assert_factors(found, tolerance=1e-10):
    """Orthonormal vectors, singular values in descending order."""
    eye = np.eye(found.rank)
    assert np.abs(found.U.T @ found.U - eye).max(initial=0) < tolerance
    assert np.abs(found.Vt @ found.Vt.T - eye).max(initial=0) < tolerance
    assert (np.diff(found.s) <= 0).all()
    assert (found.s >= 0).all()


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "stop",
    [ErrorStop(), ErrorStop(1e-6), GradientStop(), EnergyStop(0.05), EnergyStop(0), RidgeStop(0.1)],
    ids=str,
)
def test_fast_svd_says_how_good_it_is(name, seed, stop):
    """U, s, Vt are factors of QQᵀA, and the error is what they leave."""
    A = MATRICES[name]
    found = fast_svd(A, stop, random_state=seed)
    assert_factors(found)
    assert_honest(found, A)
    Q = range_finder(A, stop, random_state=seed).Q
    np.testing.assert_allclose(found.dense(), Q @ (Q.T @ A), atol=1e-10 * np.linalg.norm(A))


def test_fast_svd_with_every_column_is_the_svd():
    """A range that is complete gives all singular values, to the accuracy of LAPACK's."""
    A = MATRICES["slow decay"]
    np.testing.assert_allclose(
        fast_svd(A, EnergyStop(0), random_state=0).s, np.linalg.svd(A, compute_uv=False), rtol=1e-12
    )


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("rank", [1, 7, 25])
@pytest.mark.parametrize(("oversampling", "power"), [(10, 1), (0, 0), (5, 3)])
def test_rsvd_says_how_good_it_is(name, rank, oversampling, power):
    """The estimate covers what the random range missed and what was cut off."""
    A = MATRICES[name]
    for seed in range(4):
        found = rsvd(A, rank, oversampling, power, random_state=seed)
        assert_factors(found)
        assert_honest(found, A)
        assert found.rank == rank
        assert found.met


@pytest.mark.parametrize("name", MATRICES)
def test_rsvd_is_near_the_best(name):
    """With a power step, within a few per cent of the best approximation of the rank."""
    A = MATRICES[name]
    s = np.linalg.svd(A, compute_uv=False)
    found = rsvd(A, 15, random_state=0)
    assert np.linalg.norm(A - found.dense()) <= 1.1 * np.sqrt(np.sum(s[15:] ** 2)) + 1e-12 * s[0]
    np.testing.assert_allclose(found.s[:5], s[:5], rtol=0.1)


def test_more_power_comes_nearer():
    """Singular values that fall slowly are what power iterations are for."""
    A = MATRICES["slow decay"]
    errors = [rsvd(A, 20, power=p, random_state=0).error for p in (0, 1, 4)]
    assert errors[0] > errors[1] > errors[2]


def test_the_history_of_rsvd_is_the_energy_left():
    """After 0, 1, … singular values."""
    A = MATRICES["slow decay"]
    found = rsvd(A, 12, random_state=0)
    for j in (0, 1, 5, 12):
        left = A - (found.U[:, :j] * found.s[:j]) @ found.Vt[:j]
        assert found.history[j] == pytest.approx(np.sum(left**2) / np.sum(A**2), rel=1e-8)


@pytest.mark.parametrize("stop", [ErrorStop(1e-8), EnergyStop(0)], ids=str)
@pytest.mark.parametrize("name", ["slow decay", "low rank", "tall"])
def test_pinv_is_the_pseudo_inverse(name, stop):
    """Applied to one and to several right-hand sides, and multiplied out."""
    A = MATRICES[name]
    expected = np.linalg.pinv(A)
    found = pinv(A, stop, random_state=0)
    scale = np.abs(expected).max()
    Y = np.random.default_rng(0).normal(size=(len(A), 3))
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.dense(), expected, atol=1e-7 * scale)
    np.testing.assert_allclose(found @ Y, expected @ Y, atol=1e-5 * scale)
    np.testing.assert_allclose(found @ Y[:, 0], expected @ Y[:, 0], atol=1e-5 * scale)


def test_pinv_drops_singular_values_that_are_rounding_errors():
    """Below max(m, n)·eps·s₁."""
    A = spectrum_matrix(100, 60, [1.0, 0.1, 1e-10, *[1e-17] * 10])
    found = pinv(A, ErrorStop(1e-300), random_state=0)
    assert found.rank == 3
    assert not found.met


def test_pinv_refuses_other_shapes():
    """A right-hand side has one row a row of A."""
    found = pinv(MATRICES["tall"], random_state=0)
    with pytest.raises(InputError, match=r"\(30, 3000\) can't be applied to shape \(30, 2\)"):
        found @ np.zeros((30, 2))


def test_lapack_may_fail_once(monkeypatch):
    """Where divide and conquer does not converge, QR iteration takes its place."""

    def fails(*_, **__):
        raise np.linalg.LinAlgError("SVD did not converge")

    A = MATRICES["rbf nodes"]
    expected = fast_svd(A, random_state=0), rsvd(A, 100, random_state=0)
    monkeypatch.setattr(np.linalg, "svd", fails)
    found = fast_svd(A, random_state=0), rsvd(A, 100, random_state=0)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.s, other.s, rtol=1e-8, atol=1e-12)
        np.testing.assert_allclose(one.dense(), other.dense(), atol=1e-11)


def test_a_zero_matrix():
    """Rank 0 and factors with no columns; its pseudo-inverse gives zeros."""
    A = np.zeros((6, 4))
    for found in (fast_svd(A, random_state=0), rsvd(A, 3, random_state=0), pinv(A, random_state=0)):
        assert (found.U.shape, found.s.shape, found.Vt.shape) == ((6, 0), (0,), (0, 4))
        assert (found.rank, found.met, found.error) == (0, True, 0.0)
        assert not found.dense().any()
    np.testing.assert_array_equal(pinv(A) @ np.ones((6, 2)), np.zeros((4, 2)))


def test_a_random_state_decides_everything():
    """The same bits for the same seed."""
    A = MATRICES["rbf nodes"]
    for solve in (fast_svd, pinv, lambda A, random_state: rsvd(A, 5, random_state=random_state)):
        first, second, other = (solve(A, random_state=seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(first.U, second.U)
        assert first.error == second.error
        assert not np.array_equal(first.s, other.s)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"rank": 0}, "rank must be a whole number from 1 to 30"),
        ({"rank": -2}, "rank must be"),
        ({"rank": 31}, "got 31"),
        ({"rank": 2.0}, "rank must be"),
        ({"rank": 3, "oversampling": -1}, "oversampling must be"),
        ({"rank": 3, "power": -1}, "power must be"),
        ({"rank": 3, "power": 0.5}, "power must be"),
    ],
)
def test_rsvd_refuses(arguments, word):
    """One sentence that names the parameter and its bounds."""
    with pytest.raises(InputError, match=word):
        rsvd(MATRICES["tall"], **arguments)


@pytest.mark.parametrize("max_rank", [0, -1, 31, 2.5])
def test_an_impossible_max_rank_is_refused(max_rank):
    """By everything that takes one."""
    for solve in (range_finder, fast_svd, pinv):
        with pytest.raises(InputError, match="max_rank must be a whole number from 1 to 30"):
            solve(MATRICES["tall"], max_rank=max_rank)


def test_an_impossible_stop_is_refused():
    """Before anything is multiplied."""
    for solve in (range_finder, fast_svd, pinv):
        with pytest.raises(InputError, match="epsilon"):
            solve(MATRICES["tall"], ErrorStop(-1))
