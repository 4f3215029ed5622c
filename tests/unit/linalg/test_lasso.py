"""Sparse least squares from moments: optimal by its own conditions, and against other ways to the same."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Lasso

from samara.linalg.lasso import Lasso as Problem


def moments(seed, n=60, L=8, t=3):
    """Rows, targets and the problem of their moments."""
    rng = np.random.default_rng(seed)
    H = rng.normal(size=(n, L)) @ rng.normal(size=(L, L))
    T = H[:, : L // 2] @ rng.normal(size=(L // 2, t)) + rng.normal(size=(n, t))
    return H, T, Problem(H.T @ H, H.T @ T, (T**2).sum(axis=0))


@given(seed=st.integers(0, 10**6), share=st.floats(0.01, 0.9))
def test_optimality_conditions(seed, share):
    """By brute force, coefficient by coefficient: the gradient is ∓λ, or within λ at a zero."""
    H, T, problem = moments(seed)
    penalty = share * problem.largest
    beta, converged = problem.solve(penalty, tol=1e-13, most=50_000)
    assert converged
    residual = H @ beta - T
    for node, target in np.ndindex(*beta.shape):
        slope = 2 * H[:, node] @ residual[:, target]
        if beta[node, target]:
            assert slope == pytest.approx(-penalty * np.sign(beta[node, target]), rel=1e-4)
        else:
            assert abs(slope) <= penalty * (1 + 1e-4)


def test_agrees_with_coordinate_descent():
    """scikit-learn's Lasso minimises ‖y − Xw‖²/2n + α‖w‖₁: its α is λ/2n."""
    H, T, problem = moments(3)
    penalty = 0.05 * problem.largest
    beta, _ = problem.solve(penalty, tol=1e-14, most=50_000)
    other = Lasso(alpha=penalty / 2 / len(H), fit_intercept=False, tol=1e-12, max_iter=100_000).fit(H, T)
    np.testing.assert_allclose(beta, other.coef_.T, atol=1e-6)


@given(seed=st.integers(0, 10**6), share=st.floats(0.01, 0.9), steps=st.integers(1, 40))
def test_gap_bounds_the_excess(seed, share, steps):
    """Wherever the search stands, its objective is at most the gap above the least one."""
    H, T, problem = moments(seed)
    penalty = share * problem.largest

    def objective(beta):
        return ((H @ beta - T) ** 2).sum(axis=0) + penalty * abs(beta).sum(axis=0)

    best, _ = problem.solve(penalty, tol=1e-13, most=50_000)
    early, _ = problem.solve(penalty, tol=0.0, most=steps)
    excess, gap = objective(early) - objective(best), problem.gap(penalty, early)
    assert (excess <= gap + 1e-9 * problem.squares).all()
    assert (problem.gap(penalty, best) <= 1e-9 * problem.squares).all()


def test_ends_of_the_path():
    """Everything zero from the largest penalty on, and not before; least squares at a tiny one."""
    H, T, problem = moments(5, L=4)
    beta, converged = problem.solve(problem.largest)
    assert converged
    assert not beta.any()
    assert problem.solve(0.99 * problem.largest)[0].any()
    beta, _ = problem.solve(1e-10 * problem.largest, tol=1e-15, most=100_000)
    np.testing.assert_allclose(beta, np.linalg.lstsq(H, T, rcond=None)[0], rtol=1e-6, atol=1e-7)


def test_start_and_steps():
    """A start at the solution stays there; too few steps are told; no features give nothing."""
    _, _, problem = moments(7)
    penalty = 0.02 * problem.largest
    beta, _ = problem.solve(penalty, tol=1e-14, most=50_000)
    again, converged = problem.solve(penalty, start=beta, tol=1e-10, most=10)
    assert converged
    np.testing.assert_allclose(again, beta, atol=1e-6)
    assert not problem.solve(penalty, tol=1e-14, most=3)[1]
    nothing, converged = Problem(np.zeros((3, 3)), np.zeros((3, 2)), np.zeros(2)).solve(1.0)
    assert converged
    assert not nothing.any()


def test_features_that_are_alike():
    """Copies of a feature have no single solution; the search ends all the same, with the least objective."""
    H, T, problem = moments(9, L=5)
    copies = np.column_stack([H, H])
    double = Problem(copies.T @ copies, copies.T @ T, problem.squares)
    penalty = 0.1 * problem.largest
    (one, _), (two, converged) = problem.solve(penalty, tol=1e-10), double.solve(penalty, tol=1e-10)
    assert converged
    np.testing.assert_allclose(copies @ two, H @ one, atol=1e-3 * abs(T).max())
