"""Ridges below the grid, where the error still falls at its end."""

import numpy as np
import pytest

from samara import ELMRegressor, KernelELMRegressor
from samara.selection import Surface, scored
from samara.selection.further import DECADES, FURTHER, further

GRID = 10


def rows(noise=0.0, n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (n, 2))
    return X, np.exp(X[:, 0]) * np.sin(2 * X[:, 1]) + noise * rng.standard_normal(n)


def elm(**settings):
    return ELMRegressor(60, random_state=0, intervals=False, **settings)


def kernel(**settings):
    return KernelELMRegressor(gamma=0.5, solver="exact", random_state=0, intervals=False, **settings)


def surface(scores, alphas=None):
    scores = np.asarray(scores, float)[None, :, None]
    alphas = np.geomspace(1e-3, 1e3, scores.shape[1]) if alphas is None else alphas
    return Surface(np.array([5]), alphas, scores, np.zeros_like(scores))


@pytest.mark.parametrize(
    ("make", "selection", "rounding"),  # ridges asked for are solved with more care by kernel models
    [
        (elm, "kfold", 1e-6),
        (elm, "loo", 1e-6),
        (elm, "gcv", 1e-6),
        (kernel, "kfold", 0.1),
        (kernel, "loo", 0.1),
    ],
)
def test_smaller_ridges_are_scored_as_if_asked_for(make, selection, rounding):
    X, y = rows(noise=1e-4)  # above the rounding of the scores
    found = make(selection=selection).fit(X, y)
    alphas = found.selection_.alphas
    assert len(alphas) == GRID + FURTHER
    asked = make(selection=selection, alpha=alphas.tolist()).fit(X, y)
    np.testing.assert_allclose(found.selection_.scores, asked.selection_.scores, rtol=rounding)


@pytest.mark.parametrize("make", [elm, kernel])
def test_without_noise_smaller_ridges_are_better(make):
    X, y = rows()
    found = make().fit(X, y)
    usual = make(alpha=found.selection_.alphas[FURTHER:].tolist()).fit(X, y)
    assert found.alpha_ < usual.alpha_ / 10
    X_new, y_new = rows(seed=1)
    assert np.std(found.predict(X_new) - y_new) < 0.3 * np.std(usual.predict(X_new) - y_new)


@pytest.mark.parametrize("make", [elm, kernel])
def test_with_noise_the_grid_is_enough(make):
    assert len(make().fit(*rows(noise=0.3)).selection_.alphas) == GRID


@pytest.mark.parametrize("make", [elm, kernel])
def test_what_was_asked_for_is_all_that_is_tried(make):
    assert make(alpha=[1.0, 10.0]).fit(*rows()).selection_.alphas.tolist() == [1.0, 10.0]


def test_single_precision_has_no_room_below():
    assert len(elm(dtype="float32").fit(*rows()).selection_.alphas) == GRID


def test_nodes_are_appended_to_what_was_found():
    X, y = rows()
    fitted = ELMRegressor("auto", hidden="tanh", random_state=0, intervals=False).fit(X, y)
    assert len(fitted.selection_.alphas) > 0
    assert fitted.alpha_ < 1e-9 * len(X)


@pytest.mark.parametrize(
    ("scores", "floor"),
    [
        ([3.0, 2.0, 4.0], 1e-12),  # the best is inside
        ([1.0, 1.001, 2.0], 1e-12),  # it hardly falls
        ([np.nan, 2.0, 4.0], 1e-12),
        ([1.0, 2.0, 4.0], None),  # nobody asked for more
        ([1.0, 2.0, 4.0], 5e-4),  # no room
        ([1.0], 1e-12),
    ],
)
def test_the_grid_stays(scores, floor):
    assert not len(further(surface(scores), floor))


@pytest.mark.parametrize("floor", [1e-20, 1e-5])
def test_ridges_go_down_to_the_floor(floor):
    def score(alphas):
        return surface(alphas + 1e-30, alphas)

    grid = np.geomspace(1e-3, 1e3, 4)
    found = scored(score, grid, floor)
    assert np.all(np.diff(found.alphas) > 0)
    np.testing.assert_allclose(found.alphas[FURTHER:], grid)
    np.testing.assert_allclose(found.alphas[0], max(floor, 1e-3 / 10**DECADES))
    np.testing.assert_array_equal(found.scores, score(found.alphas).scores)


def test_one_of_several_targets_is_enough():
    steady, falling = np.array([2.0, 1.0, 3.0]), np.array([1.0, 2.0, 3.0])
    scores = np.stack([steady, falling], axis=1)[None]
    both = Surface(np.array([5]), np.geomspace(1e-3, 1, 3), scores, np.zeros_like(scores))
    assert len(further(both, 1e-12)) == FURTHER
