"""The blocked range finder is the printed algorithm: same columns, same counts, honest error estimates."""

import numpy as np
import pytest

from samara.linalg import EnergyStop, ErrorStop, GradientStop, RidgeStop, range_finder
from samara.linalg.operands import DenseOperand
from tests.oracles_lowrank import construct_q, construct_qg, gaussian_columns, rbf_nodes, spectrum_matrix

MATRICES = {
    "rbf nodes": rbf_nodes(400, 150, inputs=3),
    "fast decay": spectrum_matrix(300, 200, 100 * 0.8 ** np.arange(200)),
    "slow decay": spectrum_matrix(200, 300, 10 / np.arange(1, 201)),
    "low rank": spectrum_matrix(300, 200, np.full(20, 5.0)),
    "wide": spectrum_matrix(60, 500, 3 * 0.9 ** np.arange(60)),
    "square": spectrum_matrix(120, 120, np.geomspace(50, 1e-3, 120)),
}
RELATIVE_ROUNDING = 1e-12


def residual(A, Q):
    """‖A − QQᵀA‖_F."""
    return np.linalg.norm(A - Q @ (Q.T @ A))


def assert_within_factor_two(estimate, truth, norm):
    """Within a factor 2, or both rounding errors."""
    if max(estimate, truth) > RELATIVE_ROUNDING * norm:
        assert truth / 2 <= estimate <= 2 * truth


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("seed", range(3))
def test_error_stop_is_algorithm_2(name, seed):
    """Count, watched values and range of the column-by-column algorithm with the same Ω."""
    A = MATRICES[name]
    Q, watched = construct_q(A, 0.1, 10, gaussian_columns(seed, A.shape[1]), min(A.shape))
    found = range_finder(A, ErrorStop(), random_state=seed)
    assert found.met
    assert found.rank == Q.shape[1]
    np.testing.assert_allclose(found.history, watched, rtol=1e-6, atol=1e-11 * watched[0])
    assert residual(Q, found.Q) < 1e-6


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("r", "tau"), [(10, 0.02), (4, 0.1)])
def test_gradient_stop_is_algorithm_4(name, seed, r, tau):
    """Count and watched values of the column-by-column algorithm with the same Ω."""
    A = MATRICES[name]
    Q, watched = construct_qg(A, 0.1, r, tau, gaussian_columns(seed, A.shape[1]), min(A.shape))
    found = range_finder(A, GradientStop(r=r, tau=tau), random_state=seed)
    assert found.met
    assert found.rank == Q.shape[1]
    np.testing.assert_allclose(found.history, watched, rtol=1e-6, atol=1e-11 * watched[0])


@pytest.mark.parametrize(
    "stop", [ErrorStop(), GradientStop(), EnergyStop(0.01)], ids=lambda s: type(s).__name__
)
@pytest.mark.parametrize("width", [1, 7, 400])
def test_the_width_of_the_blocks_changes_nothing(stop, width, monkeypatch):
    """Same count, same span."""
    A = MATRICES["rbf nodes"]
    expected = range_finder(A, stop, random_state=4)
    monkeypatch.setattr(DenseOperand, "least_columns", width)
    found = range_finder(A, stop, random_state=4)
    assert found.rank == expected.rank
    np.testing.assert_allclose(found.history, expected.history, rtol=1e-6, atol=1e-12)
    assert residual(expected.Q, found.Q) < 1e-6


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "stop",
    [
        ErrorStop(),
        ErrorStop(5.0),
        ErrorStop(1e-7),
        GradientStop(),
        EnergyStop(0.1),
        EnergyStop(1e-5),
        RidgeStop(1e-2),
    ],
    ids=str,
)
def test_the_error_estimate_is_within_a_factor_two(name, seed, stop):
    """Of the true Frobenius error; where A's range is exhausted both are rounding errors."""
    A = MATRICES[name]
    found = range_finder(A, stop, random_state=seed)
    assert_within_factor_two(found.error, residual(A, found.Q), np.linalg.norm(A))
    assert len(found.history) == found.rank + 1


@pytest.mark.parametrize("name", MATRICES)
def test_the_error_stop_keeps_its_promise(name):
    """‖A − QQᵀA‖₂ ≤ ε."""
    A = MATRICES[name]
    for seed in range(5):
        Q = range_finder(A, ErrorStop(0.5), random_state=seed).Q
        assert np.linalg.norm(A - Q @ (Q.T @ A), 2) <= 0.5


@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-5])
@pytest.mark.parametrize("name", MATRICES)
def test_the_energy_stop_is_exact(name, tol):
    """The first count with a relative error of at most tol."""
    A = MATRICES[name]
    found = range_finder(A, EnergyStop(tol), random_state=0)
    norm = np.linalg.norm(A)
    assert residual(A, found.Q) <= 1.0001 * tol * norm
    assert residual(A, found.Q[:, :-1]) > 0.9999 * tol * norm


@pytest.mark.parametrize(
    "A",
    [
        spectrum_matrix(300, 200, np.geomspace(1, 1e-15, 200)),
        spectrum_matrix(200, 300, np.geomspace(1e8, 1e-12, 200)),
        spectrum_matrix(300, 200, [1e6, *[1e-6] * 100]),
        np.ones((150, 100)),
        np.vander(np.linspace(0, 1, 120), 60),
        spectrum_matrix(100, 100, np.geomspace(1, 1e-10, 100)),
    ],
    ids=["geometric", "wide", "two scales", "ones", "vandermonde", "square"],
)
@pytest.mark.parametrize("stop", [ErrorStop(1e-13), ErrorStop(1e-300), EnergyStop(0)], ids=str)
def test_columns_are_orthonormal_however_ill_conditioned(A, stop):
    """To 1e-10, rounding errors among the columns or not."""
    Q = range_finder(A, stop, random_state=0).Q
    assert np.abs(Q.T @ Q - np.eye(Q.shape[1])).max() < 1e-10


def test_an_exhausted_range_ends_the_search():
    """Noise is not normalized: an error that can't be reached gives the numerical rank, and says so."""
    A = spectrum_matrix(300, 200, np.full(20, 5.0))
    found = range_finder(A, ErrorStop(1e-30), random_state=0)
    assert not found.met
    assert 20 <= found.rank <= 22
    assert found.error < 1e-11


def test_a_stop_that_max_rank_cuts_off():
    """As many columns as allowed, not met; the same ones as without the limit."""
    A = MATRICES["slow decay"]
    found = range_finder(A, ErrorStop(), random_state=1, max_rank=15)
    assert (found.rank, found.met) == (15, False)
    assert residual(found.Q, range_finder(A, ErrorStop(), random_state=1).Q) < 1e-9
    assert not range_finder(A, EnergyStop(1e-3), random_state=1, max_rank=15).met
    assert_within_factor_two(found.error, residual(A, found.Q), np.linalg.norm(A))


@pytest.mark.parametrize("shape", [(30, 20), (20, 30)])
def test_a_matrix_of_full_rank(shape):
    """All columns, and nothing left."""
    A = np.random.default_rng(0).normal(size=shape)
    for stop in (ErrorStop(1e-9), GradientStop(1e-9, tau=0), EnergyStop(0)):
        found = range_finder(A, stop, random_state=0)
        assert found.rank == 20
        assert residual(A, found.Q) < 1e-12


@pytest.mark.parametrize("shape", [(1, 1), (1, 8), (8, 1), (3, 2)])
def test_tiny_matrices(shape):
    """Fewer rows or columns than probes."""
    A = np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    found = range_finder(A, ErrorStop(1e-6), random_state=0)
    assert found.rank == min(shape)
    assert residual(A, found.Q) < 1e-12


@pytest.mark.parametrize("stop", [ErrorStop(), GradientStop(), EnergyStop(0.1), RidgeStop(1.0)], ids=str)
def test_a_zero_matrix_has_no_columns(stop):
    """Rank 0, met, no error."""
    found = range_finder(np.zeros((6, 4)), stop, random_state=0)
    assert found.Q.shape == (6, 0)
    assert (found.rank, found.met, found.error) == (0, True, 0.0)
    np.testing.assert_array_equal(found.history, [0.0])


@pytest.mark.parametrize(
    ("dtype", "scale"), [(float, 1e-140), (float, 1e140), (np.float32, 1e-22), (np.float32, 1e15)]
)
def test_the_scale_of_the_matrix_changes_nothing(dtype, scale):
    """Squares that leave the range of the numbers are taken where they fit."""
    A = MATRICES["rbf nodes"].astype(dtype)
    for stop, scaled in (
        (EnergyStop(0.02), EnergyStop(0.02)),
        (ErrorStop(1.0), ErrorStop(scale)),
        (GradientStop(), GradientStop(0.1 * scale, tau=0.02 * scale)),
    ):
        expected, found = (
            range_finder(A, stop, random_state=0),
            range_finder(A * dtype(scale), scaled, random_state=0),
        )
        assert found.rank == expected.rank
        assert found.error / scale == pytest.approx(expected.error, rel=1e-2)


def test_a_random_state_decides_everything():
    """The same seed gives the same bits, another one other columns; a generator moves on."""
    A = MATRICES["rbf nodes"]
    first, second, third = (range_finder(A, random_state=seed).Q for seed in (3, 3, 4))
    np.testing.assert_array_equal(first, second)
    assert first.shape != third.shape or np.abs(first - third).max() > 1e-3
    rng = np.random.default_rng(3)
    np.testing.assert_array_equal(range_finder(A, random_state=rng).Q, first)
    assert not np.array_equal(range_finder(A, random_state=rng).Q[:, :5], first[:, :5])


def test_the_matrix_is_left_alone():
    """Nothing is written to it."""
    A = MATRICES["rbf nodes"].copy()
    range_finder(A, random_state=0)
    np.testing.assert_array_equal(A, MATRICES["rbf nodes"])
