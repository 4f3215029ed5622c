"""Triangles: leading solutions, stacked ridges, condition estimates."""

import numpy as np
import pytest

from samara.linalg.triangular import (
    leading_solutions,
    quadratic_forms,
    stacked_triangle,
    triangle_condition,
)


def test_leading_solutions_equal_one_solve_a_size():
    """Each size solves with its leading block and is zero past it."""
    rng = np.random.default_rng(0)
    R = np.triu(rng.normal(size=(12, 12))) + 5 * np.eye(12)
    z = rng.normal(size=(12, 2))
    sizes = [1, 5, 12]
    found = leading_solutions(R, z, sizes)
    assert found.shape == (12, 3, 2)
    for k, size in enumerate(sizes):
        np.testing.assert_allclose(found[:size, k], np.linalg.solve(R[:size, :size], z[:size]), rtol=1e-11)
        assert not found[size:, k].any()


@pytest.mark.parametrize("rows", [0, 3, 9, 10])
def test_stacked_triangle_has_the_ridge_in_its_gram(rows):
    """RᵀR = G + αI on the regularised columns, G on the others, for a trapezoid too."""
    top = np.linalg.qr(np.random.default_rng(1).normal(size=(max(rows, 1), 10)), mode="r")[:rows]
    ridge = np.diag([4.0] * 7 + [0.0] * 3)
    R = stacked_triangle(top, 2.0, 7)
    np.testing.assert_allclose(R.T @ R, top.T @ top + ridge, atol=1e-12)
    assert not np.tril(R, -1).any()


def test_triangle_condition_is_within_a_factor_of_the_truth():
    """The estimate is at most the 1-norm condition number, and no less than a tenth of it."""
    rng = np.random.default_rng(2)
    R = np.triu(rng.normal(size=(20, 20))) + np.diag(np.geomspace(1, 1e-4, 20))
    truth = np.linalg.norm(R, 1) * np.linalg.norm(np.linalg.inv(R), 1)
    assert 0.1 * truth <= triangle_condition(R) <= 1.001 * truth


def test_triangle_condition_of_a_singular_and_of_an_empty_triangle():
    """Infinite for an exact zero on the diagonal; 1 where there is nothing."""
    assert triangle_condition(np.diag([1.0, 0.0])) == np.inf
    assert triangle_condition(np.zeros((0, 0))) == 1.0


@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 300])
def test_quadratic_forms_are_those_of_the_whole_matrix(n):
    """Blocks below the diagonal are not read."""
    rng = np.random.default_rng(n)
    U, M = rng.standard_normal((n, 3)), rng.standard_normal((n, n))
    M = M + M.T
    expected = np.einsum("ik,ij,jk->k", U, M, U)
    M[128:, :128] = np.nan
    np.testing.assert_allclose(quadratic_forms(M, U), expected, rtol=0, atol=1e-12 * (1 + n))
