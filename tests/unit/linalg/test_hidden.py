"""Outputs of a compiled layer against NumPy, whatever rows come with one, and inputs that are no numbers."""

from itertools import pairwise

import numpy as np
import pytest

from samara import ELMRegressor
from samara.engines import Threads
from samara.errors import NonFiniteError
from samara.linalg import hidden, kernels
from samara.maps import AdditiveNodes, RadialNodes, Standardize, fused
from samara.sources import ArraySource

pytestmark = [
    pytest.mark.skipif(not kernels.compiled(), reason="installed without a C compiler"),
    pytest.mark.usefixtures("every_pass_is_worth_threads"),
]
ADDITIVE = ("sigmoid", "tanh", "relu", "linear")
RADIAL = ("rbf", "multiquadric")


def layer(function, d, L, dtype):
    """Scaling and nodes, apart and fused."""
    rng = np.random.default_rng(d + L)
    scaling = Standardize(rng.standard_normal(d), rng.uniform(1, 2, d), np.dtype(dtype))
    if function in RADIAL:
        centres, gamma = rng.standard_normal((L, d)).astype(dtype), rng.uniform(0.05, 2, L).astype(dtype)
        maps = (scaling, RadialNodes(centres, gamma, function))
    else:
        maps = (scaling, AdditiveNodes(rng.standard_normal((d + 1, L)).astype(dtype), function))
    return maps, fused(maps, sparse=False)[0]


def readout(L, t, dtype):
    rng = np.random.default_rng(t)
    return rng.standard_normal((L, t)).astype(dtype), rng.standard_normal(t).astype(dtype)


@pytest.mark.parametrize("function", [*ADDITIVE, *RADIAL])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("t", [1, 2, 8, 15, 16, 26])
@pytest.mark.parametrize(("n", "d", "L"), [(1, 1, 1), (7, 3, 5), (531, 11, 130), (203, 170, 70)])
def test_outputs_are_those_of_numpy(function, dtype, t, n, d, L):
    (scaling, nodes), one = layer(function, d, L, dtype)
    coef, intercept = readout(L, t, dtype)
    X = np.random.default_rng(n).standard_normal((n, d)).astype(dtype)
    room = np.full((n, t + 5), 7, dtype)
    one.outputs(X, coef, intercept, room[:, 3 : 3 + t])
    H = nodes(scaling(X)).astype(np.float64)
    slack = np.abs(H) @ np.abs(coef) + np.abs(intercept)  # what rounding is a share of
    expected = H @ coef.astype(np.float64) + intercept
    assert (np.abs(room[:, 3 : 3 + t] - expected) < 64 * np.finfo(dtype).eps * slack.max()).all()
    assert (room[:, :3] == 7).all()
    assert (room[:, 3 + t :] == 7).all()


@pytest.mark.skipif(not kernels.library().wide_registers(), reason="SciPy's products depend on the cut")
@pytest.mark.parametrize("function", ["sigmoid", "rbf", "linear"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("t", [1, 3, 15])
def test_a_row_gives_the_same_bits_in_any_company(function, dtype, t):
    _, one = layer(function, 9, 333, dtype)
    coef, intercept = readout(333, t, dtype)
    X = np.random.default_rng(0).standard_normal((700, 9))
    whole, cut = np.empty((700, t), dtype), np.empty((700, t), dtype)
    one.outputs(X, coef, intercept, whole)
    edges = [0, 1, 2, 4, 7, 12, 529, 700]
    for lo, hi in pairwise(edges):
        one.outputs(X[lo:hi], coef, intercept, cut[lo:hi])
    np.testing.assert_array_equal(cut, whole)


@pytest.mark.parametrize("bad", [np.nan, -np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("inputs", [np.float32, np.float64])
@pytest.mark.parametrize("t", [1, 26])
@pytest.mark.parametrize("place", [(0, 0), (600, 3), (699, 6)])
def test_an_input_that_is_no_number_is_refused(bad, inputs, t, place):
    _, one = layer("relu", 7, 20, np.float64)
    X = np.full((700, 7), np.finfo(inputs).max, inputs)
    X[1::2] *= -1
    out = np.empty((700, t))
    with np.errstate(over="ignore", invalid="ignore"):
        one.outputs(X, *readout(20, t, np.float64), out)  # as large as can be is still a number
    X[place] = bad
    with pytest.raises(NonFiniteError, match="NaN or infinity"):
        one.outputs(X, *readout(20, t, np.float64), out)


def test_strided_reversed_and_whole_numbers_are_read_right():
    (scaling, nodes), one = layer("tanh", 3, 40, np.float64)
    coef, intercept = readout(40, 2, np.float64)
    X = np.random.default_rng(1).standard_normal((50, 6)) * 3
    for odd in (X[:, ::2], X[::-1, :3], np.asfortranarray(X[:, :3]), X[:, :3].astype(int), X[:, 1:4]):
        out = np.empty((50, 2))
        one.outputs(odd, np.asfortranarray(coef), intercept, out)
        np.testing.assert_allclose(out, nodes(scaling(odd)) @ coef + intercept, rtol=1e-11, atol=1e-12)


def test_room_of_another_shape_or_precision_is_refused():
    one = hidden.Layer(np.zeros(1), np.ones(1), np.ones((2, 4)), kernels.LINEAR)
    X = np.ones((3, 1))
    with pytest.raises(TypeError, match="no room"):
        hidden.fill_rows(X, one, np.zeros(4), np.zeros((3, 5)))
    with pytest.raises(TypeError, match="no room"):
        hidden.fill_outputs(X, one, np.ones((4, 2)), np.zeros(2), np.zeros((3, 1)))
    with pytest.raises(TypeError, match="4 nodes need as many float64 coefficients"):
        hidden.fill_outputs(X, one, np.ones((5, 2)), np.zeros(2), np.zeros((3, 2)))
    with pytest.raises(TypeError, match="not \\(4, 2\\) float32"):
        hidden.fill_outputs(X, one, np.ones((4, 2), np.float32), np.zeros(2), np.zeros((3, 2)))
    with pytest.raises(TypeError, match="contiguous"):
        hidden.fill_rows(X, one._replace(weights=np.ones((2, 8))[:, ::2]), np.zeros(4), np.zeros((3, 4)))


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("hidden_layer", ["sigmoid", "fourier"])
def test_a_prediction_names_the_cell_that_is_no_number(compiled, hidden_layer, monkeypatch):
    rng = np.random.default_rng(2)
    X = rng.standard_normal((3000, 4))
    model = ELMRegressor(8, hidden=hidden_layer, alpha=1.0, random_state=0).fit(X, X[:, 0])
    monkeypatch.setattr(kernels, "compiled", lambda: compiled)
    for value, word in ((np.nan, "NaN"), (-np.inf, "infinity")):
        bad = X.copy()
        bad[2711, 2] = value
        with pytest.raises(NonFiniteError, match=rf"^Input X contains {word} \(column 2, row 2711\)\.$"):
            model.predict(bad)
        with pytest.raises(NonFiniteError, match=rf"^Input X contains {word} \(column 2, row 2711\)\.$"):
            model.transform(bad)


def test_a_map_in_front_is_applied_to_the_block():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((600, 4))
    model = ELMRegressor(12, alpha=1.0, random_state=0).fit(X, X[:, 0] ** 2).model_

    class Doubled:
        n_out = 4

        def __call__(self, X, out=None):
            return 2 * X

    engine = Threads(workers=2, block_rows=100)
    behind = model.predict(ArraySource(X / 2, np.empty((600, 0))).map(Doubled()), engine)
    np.testing.assert_array_equal(behind, model.predict(ArraySource(X, np.empty((600, 0))), engine))
