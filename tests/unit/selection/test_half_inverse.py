"""Roots of inverses against the inverse itself, whichever way the system was solved."""

import numpy as np
import pytest

from samara.selection.half_inverse import OfAxes, OfRows, half_inverse
from samara.shapes import safe_ridge
from samara.solvers.rows import FAR, RowSystem

ROWS, COLUMNS, USED = 30, 80, 70


@pytest.fixture(params=[0, 6])
def system(request):
    """Rows with weights, the columns of very different sizes."""
    rng = np.random.default_rng(3)
    H = rng.standard_normal((ROWS, COLUMNS)) * np.logspace(0, -request.param, COLUMNS)
    roots = np.sqrt(rng.uniform(0.5, 2, (ROWS, 1)))
    rows = np.hstack([roots, roots * H, roots * rng.standard_normal((ROWS, 2))])
    return RowSystem(rows, COLUMNS, fit_intercept=True, method="dual", n_rows=ROWS)


def inverse_of(system, alpha):
    """(HᵀH + αI)⁻¹ of the columns in use, from the SVD of H."""
    _, s, Vt = np.linalg.svd(system.H[:, :USED], full_matrices=True)
    return (Vt.T / (np.append(s**2, np.zeros(USED - ROWS)) + alpha)) @ Vt


@pytest.mark.parametrize("times", [2.0, 1e4, 1e8])
def test_rows_alone_give_the_root(system, times):
    alpha = times * FAR * safe_ridge(system.trace, "float64")
    half, true = half_inverse(system, alpha, USED), inverse_of(system, alpha)
    assert isinstance(half, OfRows)
    Z, tolerance = system.H[:, :USED], 1e-6 / times
    N = half.after(np.eye(USED))
    np.testing.assert_allclose(N @ N.T, true, atol=(tolerance + 1e-12) * np.abs(true).max())
    leverages = np.sum(half.after(Z.copy()) ** 2, axis=1)
    np.testing.assert_allclose(leverages, np.einsum("ij,jk,ik->i", Z, true, Z), atol=tolerance + 1e-12)
    found, wanted = half.times(half.after(Z.copy()).T.copy()), true @ Z.T
    np.testing.assert_allclose(found, wanted, atol=(tolerance + 1e-12) * np.abs(wanted).max())


def test_a_sketch_is_that_of_the_eigenvectors(system):
    alpha = 1e4 * FAR * safe_ridge(system.trace, "float64")
    values, vectors, _ = system.spectrum(USED)
    axes = OfAxes(vectors, 1 / (values + alpha), alpha)
    found = half_inverse(system, alpha, USED).sketched(np.random.default_rng(0))
    wanted = axes.sketched(np.random.default_rng(0))
    np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())


@pytest.mark.parametrize("alpha", [0.0, 1e-12])
def test_a_ridge_too_small_for_products_of_rows_takes_the_svd(system, alpha):
    half = half_inverse(system, alpha, USED)
    assert isinstance(half, OfAxes)
    s = np.linalg.svd(system.H[:, :USED], compute_uv=False)[: ROWS - 1]  # one direction went with the mean
    found = np.linalg.svd(half.after(system.H[:, :USED].copy()), compute_uv=False)[: ROWS - 1]
    np.testing.assert_allclose(found, s / np.sqrt(s**2 + alpha), rtol=1e-6)


def test_eigenvectors_are_those_of_the_columns_asked_for(system):
    alpha = 1e8 * FAR * safe_ridge(system.trace, "float64")
    for size in (USED, COLUMNS, USED):
        values, along = system.along_rows(alpha, size)
        H = system.H[:, :size]
        np.testing.assert_allclose(np.diagonal(along @ along.T), values, atol=1e-12 * values[0])
        np.testing.assert_allclose(along.T @ along, H.T @ H, atol=1e-12 * values[0])
