"""The compiled products against NumPy: narrow and wide layers, Gram matrices, keys, carried sums."""

import numpy as np
import pytest

from samara.linalg import kernels
from samara.maps import AdditiveNodes, AsFloat, RadialNodes, fused
from samara.rowkeys import row_keys

pytestmark = pytest.mark.skipif(not kernels.compiled(), reason="installed without a C compiler")
BOTH = pytest.mark.parametrize("dtype", [np.float32, np.float64])
ALL = ("sigmoid", "tanh", "relu", "linear", "rbf", "multiquadric")


def nodes_of(function, d, L, dtype, rng):
    if function in ("rbf", "multiquadric"):
        return RadialNodes(rng.standard_normal((L, d)).astype(dtype), np.full(L, 0.3 / d, dtype), function)
    return AdditiveNodes((rng.standard_normal((d + 1, L)) / np.sqrt(d)).astype(dtype), function)


@BOTH
@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("d", [1, 2, 127, 128, 129, 158, 159, 160])
@pytest.mark.parametrize(("n", "L"), [(1, 1), (5, 63), (4, 64), (515, 131)])
def test_layers_of_any_width_are_those_of_float64(function, dtype, d, n, L):
    rng = np.random.default_rng(d + n)
    X, nodes = rng.standard_normal((n, d)).astype(dtype), nodes_of(function, d, L, dtype, rng)
    (one,) = fused((AsFloat(d, np.dtype(dtype)), nodes), sparse=False)
    shift, room = rng.random(L).astype(dtype), np.full((n + 1, L + 9), 7, dtype)
    one.fill(X, room[:n, 4 : 4 + L], shift)
    exact = (
        RadialNodes(nodes.centres.astype(float), nodes.gamma.astype(float), function)
        if isinstance(nodes, RadialNodes)
        else AdditiveNodes(nodes.weights.astype(float), function)
    )
    expected = exact(X.astype(float)) - shift
    size = np.finfo(dtype).eps * (8 + np.sqrt(d)) * (1 + abs(expected).max())
    np.testing.assert_allclose(room[:n, 4 : 4 + L], expected, rtol=0, atol=4 * size)
    room[:n, 4 : 4 + L] = 7
    assert (room == 7).all()


@BOTH
@pytest.mark.parametrize("function", ALL)
@pytest.mark.parametrize("d", [3, 200])
def test_a_missing_input_gives_a_missing_row_and_no_other(function, dtype, d):
    rng = np.random.default_rng(5)
    X = rng.standard_normal((9, d)).astype(dtype)
    X[4, 2] = np.nan
    (one,) = fused((AsFloat(d, np.dtype(dtype)), nodes_of(function, d, 70, dtype, rng)), sparse=False)
    missing = np.isnan(one(X))
    assert missing[4].all()
    assert not missing[[0, 1, 2, 3, 5, 6, 7, 8]].any()


@BOTH
@pytest.mark.parametrize("n", [1, 191, 192, 193, 400])
@pytest.mark.parametrize("width", [64, 65, 79, 95, 96, 97, 111, 200, 1060])
def test_gram_adds_to_the_upper_triangle_alone(dtype, n, width):
    rng = np.random.default_rng(n + width)
    Z = rng.standard_normal((n, width + 5)).astype(dtype)[:, 2 : 2 + width]
    gram = rng.standard_normal((width + 1, width + 3)).astype(dtype)
    before = gram.copy()
    kernels.add_gram(Z, gram[:width, 1 : 1 + width])
    expected = before.astype(float)
    expected[:width, 1 : 1 + width] += np.triu(Z.astype(float).T @ Z.astype(float))
    rounding = np.finfo(dtype).eps * (8 + np.sqrt(n)) * abs(expected).max()
    np.testing.assert_allclose(gram, expected, rtol=0, atol=rounding)
    untouched = np.ones(gram.shape, bool)
    untouched[:width, 1 : 1 + width] = np.tril(np.ones((width, width), bool), -1)
    assert (gram == before)[untouched].all()


def test_gram_of_other_shapes_is_refused():
    for gram in (np.zeros((99, 99)), np.zeros((100, 100), np.float32), np.zeros((200, 200))[::2, ::2]):
        with pytest.raises(TypeError):
            kernels.add_gram(np.zeros((5, 100)), gram)


def definite(n, width, rng):
    """A square whose first n rows and columns are positive definite, in the upper triangle; NaN below."""
    Z = rng.standard_normal((2 * n, width))
    room = np.full((width + 1, width + 3), np.nan)
    room[:width, 1 : 1 + width][np.triu_indices(width)] = (Z.T @ Z)[np.triu_indices(width)]
    return Z.T @ Z, room


@pytest.mark.parametrize("n", [1, 63, 64, 65, 71, 127, 128, 129, 136, 250, 256, 1100])
@pytest.mark.parametrize("targets", [0, 1, 17])
def test_factored_rows_are_those_of_numpy(n, targets):
    A, room = definite(n, n + targets, np.random.default_rng(n))
    square = room[: n + targets, 1 : 1 + n + targets]
    assert kernels.factor_rows(square, n)
    R = np.linalg.cholesky(A[:n, :n]).T
    rounding = 50 * np.finfo(float).eps * np.linalg.cond(A[:n, :n]) * abs(R).max()
    np.testing.assert_allclose(np.triu(square[:n, :n]), R, rtol=0, atol=rounding)
    np.testing.assert_allclose(square[:n, n:], np.linalg.solve(R.T, A[:n, n:]), rtol=0, atol=rounding)
    upper = np.zeros(room.shape, bool)
    upper[: n + targets, 1 : 1 + n + targets] = np.triu(np.ones(A.shape, bool))
    assert np.isnan(room[~upper]).all()  # neither read nor written
    product = np.triu(square[:n, :n]).T @ np.triu(square[:n, :n])
    np.testing.assert_allclose(product, A[:n, :n], rtol=0, atol=1e-14 * n * abs(A).max())


@pytest.mark.parametrize(("n", "targets"), [(500, 1), (513, 0), (640, 17), (1100, 3)])
def test_two_threads_factor_as_one_does(n, targets):
    """To the bit; and what is not definite is found by both."""
    _, room = definite(n, n + targets, np.random.default_rng(n))
    one, other = (room[: n + targets, 1 : 1 + n + targets].copy() for _ in range(2))
    assert kernels.factor_rows(one, n, 1)
    assert kernels.factor_rows(other, n, 2)
    np.testing.assert_array_equal(np.triu(one[:n]), np.triu(other[:n]))
    one[n - 7, n - 7] = -1.0
    assert not kernels.factor_rows(one, n, 2)


@pytest.mark.parametrize("at", [0, 5, 66, 130, 149])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_rows_that_are_not_definite_are_not_factored(at, value):
    A, _ = definite(150, 151, np.random.default_rng(1))
    A[at, at] = value
    assert not kernels.factor_rows(A, 150)


@pytest.mark.parametrize("triangle", [False, True])
def test_carried_sums_begin_anew(triangle):
    rng = np.random.default_rng(6)
    part, gram = rng.standard_normal((37, 37)).astype(np.float32), rng.standard_normal((37, 37))
    moved = np.triu(part) if triangle else part.copy()
    expected, left = gram + moved, part - moved
    kernels.carry_over(part, gram, triangle)
    np.testing.assert_array_equal(gram, expected)
    np.testing.assert_array_equal(part, left)


def test_sums_that_do_not_fit_are_not_carried():
    with pytest.raises(TypeError, match="carried over into"):
        kernels.carry_over(np.zeros((3, 3), np.float32), np.zeros((3, 4)), triangle=True)
    with pytest.raises(TypeError, match="contiguous"):
        kernels.carry_over(np.zeros((3, 6), np.float32)[:, ::2], np.zeros((3, 3)), triangle=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, ">f8", bool])
def test_keys_are_those_of_numpy_to_the_bit(dtype, monkeypatch):
    X = (10 * np.random.default_rng(7).standard_normal((50, 23))).astype(dtype)
    X[3, 4] = -0.0
    views = (X, X[:, ::2], X[::-1], np.asfortranarray(X))
    ours = [row_keys(view, 3) for view in views]
    monkeypatch.setattr(kernels, "compiled", lambda: False)
    for keys, view in zip(ours, views, strict=True):
        np.testing.assert_array_equal(keys, row_keys(view, 3))


def test_factors_of_other_columns_are_refused():
    with pytest.raises(TypeError, match="4 factors"):
        kernels.sums_of_words(np.zeros((3, 4)), np.ones(5, np.uint64))
