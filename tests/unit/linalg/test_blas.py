"""BLAS in place agrees with NumPy, for strided rows and both precisions, and refuses what it can't take."""

import numpy as np
import pytest

from samara.linalg.blas import add_gram, factor_upper, mirror_upper, solve_from_right, solve_upper


def _strided(rng, rows, columns, dtype):
    """Contiguous rows with a gap between them."""
    return rng.normal(size=(rows, columns + 5)).astype(dtype)[:, 2 : 2 + columns]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (7, 3), (3, 7), (50, 20)])
def test_add_gram_adds_to_the_upper_triangle(dtype, rows, columns):
    """The upper triangle gains ZᵀZ; the lower one is left as it is."""
    rng = np.random.default_rng(0)
    Z = _strided(rng, rows, columns, dtype)
    gram = _strided(rng, columns, columns, dtype)
    expected = np.triu(gram + Z.T @ Z) + np.tril(gram, -1)
    add_gram(Z, gram)
    np.testing.assert_allclose(gram, expected, rtol=1e-4 if dtype == np.float32 else 1e-12)


@pytest.mark.parametrize(
    ("Z", "gram"),
    [
        (np.zeros((5, 3)), np.zeros((4, 4))),
        (np.zeros((5, 3)), np.zeros((3, 4))),
        (np.zeros((5, 3)), np.zeros((3, 3), np.float32)),
        (np.zeros((5, 3)).T.copy().T, np.zeros((3, 3))),
        (np.zeros((5, 3)), np.zeros((6, 6))[::2, ::2]),
    ],
    ids=["wrong size", "not square", "other dtype", "columns contiguous", "gram with gaps in its rows"],
)
def test_add_gram_refuses(Z, gram):
    """A wrong shape, dtype or stride is an error, never a write past the end."""
    with pytest.raises(TypeError):
        add_gram(Z, gram)


@pytest.mark.parametrize("size", [1, 2, 17, 300])
def test_factor_upper_is_cholesky(size):
    """A becomes R with RᵀR = A."""
    rng = np.random.default_rng(1)
    B = rng.normal(size=(size + 3, size))
    A = B.T @ B + np.eye(size)
    R = A.copy()
    assert factor_upper(R)
    np.testing.assert_allclose(np.triu(R), np.linalg.cholesky(A).T, rtol=1e-9, atol=1e-9)


def test_factor_upper_says_no():
    """A matrix that is not definite gives False, no exception."""
    assert not factor_upper(np.diag([1.0, -1.0, 1.0]))


@pytest.mark.parametrize("transposed", [False, True])
def test_solve_upper_reads_only_the_upper_triangle(transposed):
    """R⁻¹B and R⁻ᵀB in place, whatever lies below the diagonal."""
    rng = np.random.default_rng(2)
    R = _strided(rng, 30, 30, float)
    R[np.diag_indices(30)] += 10
    upper = np.triu(R).T if transposed else np.triu(R)
    B = _strided(rng, 30, 4, float)
    expected = np.linalg.solve(upper, B)
    assert solve_upper(R, B, transposed=transposed) is B
    np.testing.assert_allclose(B, expected, rtol=1e-10)


@pytest.mark.parametrize("size", [1, 5, 256, 257, 600])
def test_mirror_upper(size):
    """The lower triangle becomes the upper one's mirror, across the bands it works in."""
    A = np.random.default_rng(3).normal(size=(size, size))
    expected = np.triu(A) + np.triu(A, 1).T
    np.testing.assert_array_equal(mirror_upper(A), expected)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("rows", "columns"), [(0, 3), (1, 1), (7, 3), (3, 40)])
def test_solve_from_right_undoes_the_product(dtype, rows, columns):
    """B R⁻¹ in place, for strided rows, with the lower part of R left unread."""
    rng = np.random.default_rng(5)
    R = _strided(rng, columns, columns, dtype)
    R[...] = np.triu(0.1 * R) + 3 * np.eye(columns)
    product = _strided(rng, rows, columns, dtype)
    B = product.copy()
    product[...] = B @ R
    R += np.tril(np.full_like(R, np.nan), -1)
    assert solve_from_right(R, product) is product
    np.testing.assert_allclose(product, B, atol=50 * np.finfo(dtype).eps)


def test_solve_from_right_refuses_what_does_not_fit():
    """Another precision, or a triangle of another size."""
    for R in (np.eye(3, dtype=np.float32), np.eye(4)):
        with pytest.raises(TypeError, match="a triangle of"):
            solve_from_right(R, np.ones((2, 3)))


def test_a_large_matrix_is_factorized_in_blocks(monkeypatch):
    """The same triangle whatever the blocks; a matrix that is not definite further down is refused."""
    A = np.random.default_rng(3).standard_normal((50, 40))
    A = A.T @ A
    whole, blocks, bad = A.copy(), A.copy(), A.copy()
    bad[33, 33] = -1
    assert factor_upper(whole)
    monkeypatch.setattr("samara.linalg.blas._CHOLESKY_ROWS", 16)
    assert factor_upper(blocks)
    np.testing.assert_allclose(np.triu(blocks), np.triu(whole), rtol=1e-12, atol=1e-12)
    assert not factor_upper(bad)
