"""The compiled kernels against NumPy; without a compiler at installation there is nothing to test here."""

import numpy as np
import pytest

from samara import ELMRegressor
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.kernels import TileForm, TileSide
from samara.linalg.tiles import kernel_tile
from samara.maps import AdditiveNodes, AsFloat, RadialNodes, Standardize, fused
from samara.summaries.profile import ColumnMoments

needs_kernels = pytest.mark.skipif(not kernels.compiled(), reason="installed without a C compiler")
ADDITIVE = ("sigmoid", "tanh", "relu", "linear")
RADIAL = ("rbf", "multiquadric")


def layer(function, d, L, dtype, rng):
    if function in RADIAL:
        return RadialNodes(
            rng.standard_normal((L, d)).astype(dtype), rng.uniform(0.05, 2, L).astype(dtype), function
        )
    return AdditiveNodes(rng.standard_normal((d + 1, L)).astype(dtype), function)


@needs_kernels
@pytest.mark.parametrize("function", [*ADDITIVE, *RADIAL])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("inputs", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize(("n", "d", "L"), [(1, 1, 1), (7, 3, 5), (500, 11, 130)])
def test_fill_is_what_the_maps_give(function, dtype, inputs, n, d, L):
    rng = np.random.default_rng(n + d)
    X = (10 * rng.standard_normal((n, d))).astype(inputs)
    scaling = Standardize(X.mean(axis=0), X.std(axis=0) + 1, np.dtype(dtype))
    nodes = layer(function, d, L, dtype, rng)
    (one,) = fused((scaling, nodes), sparse=False)
    shift = rng.random(L).astype(dtype)
    room = np.full((n, L + 9), 7, dtype)
    one.fill(X, room[:, 4 : 4 + L], shift)
    expected = nodes(scaling(X)) - shift
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(
        room[:, 4 : 4 + L], expected, rtol=64 * eps, atol=64 * eps * abs(expected).max()
    )
    assert (room[:, :4] == 7).all()
    assert (room[:, 4 + L :] == 7).all()


@needs_kernels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_of_two_saturate_where_the_type_ends(dtype):
    X = np.array([[-1e4], [-700.0], [-50.0], [0.0], [50.0], [700.0], [1e4]], dtype)
    for function, limits in (("sigmoid", (0, 1)), ("tanh", (-1, 1))):
        (one,) = fused(
            (AsFloat(1, np.dtype(dtype)), AdditiveNodes(np.array([[1], [0]], dtype), function)), False
        )
        H = one(X).ravel()
        exact = np.tanh(X.astype(float)) if function == "tanh" else (1 + np.tanh(X.astype(float) / 2)) / 2
        np.testing.assert_allclose(H, exact.ravel(), atol=2 * np.finfo(dtype).eps)
        assert (H[0], H[-1]) == pytest.approx(limits, abs=1e-30 if function == "sigmoid" else 1e-7)


@needs_kernels
def test_strided_reversed_and_big_endian_inputs_are_read_right():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 6))
    nodes = layer("tanh", 3, 8, np.float64, rng)
    (one,) = fused((AsFloat(3, np.dtype(float)), nodes), sparse=False)
    for odd in (X[:, ::2], X[::-1, :3], np.asfortranarray(X[:, :3]), X[:, :3].astype(">f8")):
        np.testing.assert_allclose(one(odd), nodes(np.ascontiguousarray(odd, float)), rtol=1e-13, atol=1e-14)


@needs_kernels
def test_sparse_rows_and_other_maps_are_left_alone():
    rng = np.random.default_rng(2)
    maps = (AsFloat(3, np.dtype(float)), layer("tanh", 3, 8, np.float64, rng))
    assert fused(maps, sparse=True) == maps
    cosines = (maps[0], AdditiveNodes(np.ones((4, 2)), "fourier"))
    assert fused(cosines, sparse=False) == cosines


@needs_kernels
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_column_moments_are_those_of_numpy(weighted, dtype, monkeypatch):
    rng = np.random.default_rng(3)
    X = (rng.standard_normal((301, 7)) * 10.0 ** np.arange(-3, 4) + 100).astype(dtype)
    weight = rng.random(301) if weighted else None
    ours = ColumnMoments.of(X, weight)
    monkeypatch.setattr(kernels, "compiled", lambda: False)
    theirs = ColumnMoments.of(X, weight)
    for name in ("low", "high", "mean", "squares"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-9)


@needs_kernels
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_column_moments_show_a_value_that_is_not_finite(bad):
    X = np.ones((50, 3))
    X[17, 1] = bad
    low, high, *_ = kernels.column_moments(X, None, 50.0)
    assert np.isfinite(low).tolist() == np.isfinite(high).tolist() == [True, False, True]


@needs_kernels
@pytest.mark.parametrize("hidden", ["sigmoid", "rbf", "relu"])
def test_a_fit_is_the_same_without_the_kernels(hidden, monkeypatch):
    rng = np.random.default_rng(4)
    X = rng.standard_normal((400, 5))
    y = np.sin(X[:, 0]) + X[:, 1]
    with_kernels = ELMRegressor(n_hidden=30, hidden=hidden, alpha=0.1, random_state=0).fit(X, y)
    monkeypatch.setattr(kernels, "compiled", lambda: False)
    without = ELMRegressor(n_hidden=30, hidden=hidden, alpha=0.1, random_state=0).fit(X, y)
    np.testing.assert_allclose(with_kernels.coef_, without.coef_, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(with_kernels.predict(X), without.predict(X), rtol=1e-9, atol=1e-10)


def side(n, width, dtype, seed):
    rows = np.random.default_rng(seed).standard_normal((n, width)).astype(dtype)
    return TileSide(rows, (-0.5 * (rows.astype(float) ** 2).sum(axis=1)).astype(dtype))


FORMS = (
    TileForm(kernels.GAUSSIAN),
    TileForm(kernels.LAPLACIAN),
    TileForm(kernels.TANH, 0.3),
    TileForm(kernels.LINEAR, -0.7),
    *(TileForm(kernels.POWER, 0.5, power) for power in (1, 2, 3, 6)),
)


@needs_kernels
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("n", "m", "width"), [(1, 1, 1), (3, 64, 2), (5, 63, 5), (6, 1100, 7), (258, 515, 200), (9, 40, 1500)]
)
def test_tiles_are_those_of_numpy(form, dtype, n, m, width, monkeypatch):
    left, right = side(n, width, dtype, 0), side(m, width, dtype, 1)
    scale = dtype(1 / np.sqrt(width))
    left, right = (TileSide(one.rows * scale, one.halves * scale**2) for one in (left, right))
    shift = np.random.default_rng(2).random(m).astype(dtype)
    ours, plain = np.full((2, n, m + 9), 7, dtype)
    kernel_tile(left, right, form, ours[:, 4 : 4 + m], shift)
    monkeypatch.setattr(kernels, "compiled", lambda: False)
    kernel_tile(left, right, form, plain[:, 4 : 4 + m], shift)
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(ours, plain, rtol=0, atol=eps * (20 + width**0.5) * abs(plain[:, 4:-5]).max())
    assert (ours[:, :4] == 7).all()
    assert (ours[:, 4 + m :] == 7).all()


@needs_kernels
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_of_two_fade_to_zero_and_are_right_to_the_last_place(dtype):
    # One column: the distance is exact, and so the exponent.
    x = np.linspace(0, 140 if dtype == np.float32 else 1100, 4001).astype(dtype)[:, None]
    zero, room = np.zeros((1, 1), dtype), np.empty((4001, 1), dtype)
    K = kernel_tile(TileSide(x), TileSide(zero), TileForm(kernels.LAPLACIAN), room)
    exact = np.exp2(-x.astype(np.longdouble))
    normal = exact >= np.finfo(dtype).smallest_normal
    assert (abs(K[normal] / exact[normal] - 1)).max() < np.finfo(dtype).eps
    assert (K[~normal] == 0).all()
    assert K[0, 0] == 1


def test_sides_that_do_not_fit_are_refused():
    left, right = side(4, 3, float, 0), side(5, 3, float, 1)
    for out in (np.empty((4, 4)), np.empty((5, 5)), np.empty((4, 5), np.float32)):
        with pytest.raises(TypeError, match="another length or precision"):
            kernel_tile(left, right, TileForm(), out)
    with pytest.raises(InputError, match="4 columns, those of the other side 3"):
        kernel_tile(side(4, 4, float, 0), right, TileForm(), np.empty((4, 5)))


@needs_kernels
def test_tiles_in_columns_apart_are_refused():
    left, right = side(4, 3, float, 0), side(5, 3, float, 1)
    with pytest.raises(TypeError, match="contiguous"):
        kernel_tile(left, right, TileForm(), np.empty((4, 10))[:, ::2])
