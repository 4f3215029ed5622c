"""Squared errors of a model over rows, against their definition."""

import pickle

import numpy as np
import pytest

from samara.core import Block
from samara.maps import AsFloat
from samara.summaries import SquaredErrors

RNG = np.random.default_rng(0)
X, COEF, INTERCEPT = RNG.standard_normal((600, 3)), RNG.standard_normal((3, 2)), np.array([1.0, -2.0])
Y = X @ COEF + RNG.standard_normal((600, 2)) + 100
WEIGHT = RNG.random(600) + 0.5


def block(rows, weight=WEIGHT):
    weights = None if weight is None else weight[rows]
    return Block(X[rows], Y[rows], weights, 0, maps=(AsFloat(3, np.dtype(float)),))


def made(centre=100.0):
    return SquaredErrors(COEF, INTERCEPT, np.full(2, centre))


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("centre", [0.0, 100.0])
def test_it_is_one_minus_r_squared(weight, centre):
    summary = made(centre)
    summary.update(block(slice(None), weight))
    errors = np.average((X @ COEF + INTERCEPT - Y) ** 2, axis=0, weights=weight)
    mean = np.average(Y, axis=0, weights=weight)
    variance = np.average((Y - mean) ** 2, axis=0, weights=weight)
    assert summary.relative() == pytest.approx(np.mean(errors / variance), rel=1e-9)


def test_parts_add_up_and_travel_without_the_model():
    whole, left, right = made(), made(), made()
    whole.update(block(slice(None)))
    left.update(block(slice(0, 250)))
    right.update(block(slice(250, None)))
    left.merge(pickle.loads(pickle.dumps(right)))
    np.testing.assert_allclose(left.sums, whole.sums, rtol=1e-12)
    assert left.relative() == pytest.approx(whole.relative())


def test_without_rows_or_variance_there_is_no_number():
    assert np.isnan(made().relative())
    flat = SquaredErrors(COEF[:, :1], INTERCEPT[:1], np.ones(1))
    flat.update(Block(X, np.ones((600, 1)), None, 0, maps=(AsFloat(3, np.dtype(float)),)))
    assert np.isnan(flat.relative())
