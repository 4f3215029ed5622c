"""Gradients of models against differences, and their mean outer product against a loop."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from samara import DeepELMRegressor, ELMClassifier, ELMRegressor, KernelELMRegressor
from samara.engines import Threads
from samara.errors import InputError
from samara.gradients import gradient_outer_product, input_gradients, scaling_maps
from samara.maps import KernelRows, Landmarks, LocalFields, Project, Radial
from samara.maps.kernels import Kernel
from samara.model import Model
from samara.sources import ArraySource

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3)) * [1.0, 2.0, 0.5] + [0.3, 0.0, 2.0]
Y = np.column_stack([np.sin(X[:, 0]) + X[:, 1], X[:, 1] * X[:, 2]])
STEP = 1e-5


def differences(model, rows):
    """(n, t, d) by central differences."""
    made = np.empty((len(rows), model.coef.shape[1], rows.shape[1]))
    for j in range(rows.shape[1]):
        move = STEP * np.eye(rows.shape[1])[j]
        up, down = (model.features(rows + sign * move) @ model.coef for sign in (1, -1))
        made[:, :, j] = (up - down) / (2 * STEP)
    return made


def agrees(model, rows):
    found, expected = input_gradients(model, rows), differences(model, rows)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6 * np.abs(expected).max() + 1e-12)


@pytest.mark.parametrize(
    "hidden",
    ["sigmoid", "tanh", "relu", "sine", "fourier", "hardlim", "linear", "rbf", "multiquadric"],
)
@pytest.mark.parametrize("link", [False, True])
def test_every_activation_has_its_derivative(hidden, link):
    model = ELMRegressor(12, hidden=hidden, direct_link=link, alpha=0.1, random_state=0).fit(X, Y).model_
    agrees(model, RNG.normal(size=(9, 3)))


@pytest.mark.parametrize(
    "kernel",
    ["rbf", "laplace", "laplacian", "matern32", "matern52", "polynomial", "sigmoid", "linear", "cosine"],
)
def test_every_kernel_has_its_derivative(kernel):
    rows = KernelRows(Kernel(kernel, 0.3, 3, 1), X, np.dtype(float))
    agrees(Model((rows,), RNG.normal(size=(len(X), 2)), np.zeros(2)), RNG.normal(size=(9, 3)))


@pytest.mark.parametrize("scale", ["standard", "quantile", "unit", None])
def test_scalings_have_theirs(scale):
    agrees(ELMRegressor(12, scale=scale, alpha=0.1, random_state=0).fit(X, Y).model_, X[:9] + 0.0123)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "laplace"])
@pytest.mark.parametrize("made", [np.asarray, sparse.csr_array])
def test_rows_of_length_one_have_theirs(kernel, made):
    model = KernelELMRegressor(kernel, scale="unit", alpha=0.1).fit(made(X), Y).model_
    agrees(model, X[:9] + 0.0123)
    none = input_gradients(model, made(np.vstack([np.zeros(3), X[:2]])))
    assert np.array_equal(none[0], np.zeros((2, 3)))
    # Along a row nothing changes.
    np.testing.assert_allclose(np.einsum("ntd,nd->nt", none[1:], X[:2]), 0, atol=1e-12)
    assert scaling_maps(model) == 1


def test_whitened_centres_and_projections_have_theirs():
    nodes = Landmarks(Kernel("matern52", 0.5)).draw(7, 3, X, np.random.SeedSequence(1))
    turn = Project(RNG.normal(size=(3, 3)))
    agrees(Model((turn, nodes), RNG.normal(size=(7, 2)), np.zeros(2)), X[20:30])


def test_at_a_centre_of_the_laplace_kernel_the_sides_cancel():
    model = KernelELMRegressor("laplace", alpha=1.0).fit(X, Y).model_
    assert np.isfinite(input_gradients(model, X)).all()


def test_rows_may_be_sparse():
    model = ELMRegressor(12, scale=None, alpha=0.1, random_state=0).fit(sparse.csr_array(X), Y).model_
    np.testing.assert_allclose(input_gradients(model, sparse.csr_array(X)), input_gradients(model, X))


def test_inner_leaves_the_scaling_out():
    model = ELMRegressor(12, alpha=0.1, random_state=0).fit(X, Y).model_
    assert scaling_maps(model) == 1
    outer, inner = input_gradients(model, X), input_gradients(model, X, inner=1)
    np.testing.assert_allclose(outer, inner / model.maps[0].spread)


@pytest.mark.parametrize("diagonal", [False, True])
@pytest.mark.parametrize("weight", [None, RNG.integers(1, 4, len(X)).astype(float)])
def test_the_outer_product_is_that_of_a_loop(diagonal, weight):
    model = ELMRegressor(12, alpha=0.1, random_state=0).fit(X, Y).model_
    source = ArraySource(X, Y, weight)
    spread = np.array([1.0, 3.0])
    found = gradient_outer_product(
        model, source, Threads(block_rows=7), inner=1, spread=spread, diagonal=diagonal
    )
    expected, weights = np.zeros((3, 3)), np.ones(len(X)) if weight is None else weight
    for row, gradients in zip(weights, input_gradients(model, X, inner=1), strict=True):
        for gradient, unit in zip(gradients, spread, strict=True):
            expected += row * np.outer(gradient, gradient) / unit**2 / weights.sum()
    np.testing.assert_allclose(found, np.diag(expected) if diagonal else expected, rtol=1e-12)


def test_classes_are_outputs_too():
    labels = np.digitize(Y[:, 0], [-1, 1])
    model = ELMClassifier(12, alpha=0.1, random_state=0).fit(X, labels).model_
    assert input_gradients(model, X).shape == (60, 3, 3)


class Squares:
    """A map of somebody's own."""

    n_out = 3

    def __call__(self, X, out=None):
        return np.square(X, out=out)


def test_what_has_no_derivative_is_refused():
    own = ELMRegressor(hidden=Squares()).fit(X, Y).model_
    with pytest.raises(InputError, match="Squares has no derivative that is known"):
        input_gradients(own, X)
    function = KernelELMRegressor(lambda A, B: A @ B.T, alpha=1.0).fit(X, Y).model_
    with pytest.raises(InputError, match="A kernel function of your own has no derivative"):
        input_gradients(function, X)
    given = KernelELMRegressor("precomputed", alpha=1.0).fit(X @ X.T, Y).model_
    with pytest.raises(InputError, match='kernel="precomputed" has no derivative'):
        input_gradients(given, X @ X.T)


@pytest.mark.parametrize(("pool", "stride"), [(0, 1), (1, 2), (2, 3)])
def test_receptive_fields_have_theirs(pool, stride):
    layer = LocalFields((5, 6, 2), n_maps=3, size=2, pool=pool, stride=stride)
    images = RNG.normal(size=(30, 60))
    model = (
        ELMRegressor(hidden=layer, scale=None, alpha=0.1, random_state=0).fit(images, images[:, :2]).model_
    )
    agrees(model, RNG.normal(size=(4, 60)))


def test_deep_models_have_theirs():
    model = DeepELMRegressor((6, 5), n_hidden=12, alpha=0.1, random_state=0).fit(X, Y).model_
    agrees(model, RNG.normal(size=(9, 3)))


def test_kmeans_centres_have_theirs():
    layer = Radial("rbf", centres="kmeans")
    agrees(ELMRegressor(5, hidden=layer, alpha=0.1, random_state=0).fit(X, Y).model_, X[:5])
