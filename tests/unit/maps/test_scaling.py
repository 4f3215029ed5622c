"""Scaling of inputs and coding of classes."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.special import ndtri
from scipy.stats import norm, rankdata

from samara.maps import AsFloat, ClassCodes, QuantileNormal, Standardize, UnitRows

F8 = np.dtype(float)


def test_standardize():
    """(x − mean)/spread in the working precision."""
    X = np.random.default_rng(0).normal(3, 2, (40, 2))
    scaling = Standardize(X.mean(axis=0), X.std(axis=0), np.dtype("float32"))
    found = scaling(X)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, (X - X.mean(axis=0)) / X.std(axis=0), rtol=1e-5, atol=1e-6)


def test_as_float_keeps_the_values():
    """Integers and booleans become floats of the same value."""
    np.testing.assert_array_equal(AsFloat(2, F8)(np.array([[True, False]])), [[1.0, 0.0]])


def test_unit_rows_point_where_the_rows_do():
    """x/‖x‖, the same of sparse rows; zeros stay, and a length that overflows single precision does not."""
    X = np.array([[3.0, -4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1e-8, 0.0], [1e30, 0.0, 1e30]])
    expected = [[0.6, -0.8, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5**0.5, 0.0, 0.5**0.5]]
    scaling = UnitRows(3, np.dtype("float32"))
    assert scaling(X).dtype == np.float32
    np.testing.assert_allclose(scaling(X), expected, rtol=1e-6)
    kept = scaling.kept_sparse(csr_array(X))
    np.testing.assert_allclose(kept.toarray(), expected, rtol=1e-6)
    assert kept.nnz == 5


def test_quantile_scores_of_the_sample_are_its_normal_ranks():
    """A value of the sample gets the normal score of the middle of its ranks, ties together."""
    sample = np.random.default_rng(1).integers(0, 20, (200, 1)).astype(float)
    expected = norm.ppf((rankdata(sample[:, 0]) - 0.5) / 200)
    np.testing.assert_allclose(QuantileNormal.learn(sample, F8)(sample)[:, 0], expected, rtol=1e-10)


def test_quantiles_make_any_column_normal():
    """However skewed the inputs, their scores have mean 0 and deviation 1, and keep their order."""
    sample = np.exp(np.random.default_rng(2).normal(size=(4000, 2)) * [1, 4])
    scores = QuantileNormal.learn(sample, F8)(sample)
    assert np.abs(scores.mean(axis=0)).max() < 0.01
    np.testing.assert_allclose(scores.std(axis=0), 1, atol=0.02)
    order = np.argsort(sample[:, 1])
    assert (np.diff(scores[order, 1]) >= 0).all()


def test_values_beyond_the_sample_get_its_extreme_scores():
    """Nothing new at prediction can be further out than the sample was."""
    scaling = QuantileNormal.learn(np.arange(10.0)[:, None], F8)
    np.testing.assert_allclose(scaling(np.array([[-1e300], [1e300]]))[:, 0], ndtri([0.05, 0.95]))


def test_a_constant_column_scores_zero():
    """One value only says nothing."""
    scaling = QuantileNormal.learn(np.full((10, 1), 4.0), F8)
    np.testing.assert_array_equal(scaling(np.array([[4.0], [5.0], [-5.0]])), np.zeros((3, 1)))


@pytest.mark.parametrize("labels", [["a", "b"], [0, 1], [-1, 1], [False, True]])
def test_two_classes_are_one_column(labels):
    """−1 for the first, +1 for the second."""
    classes = np.array(labels)
    codes = ClassCodes(classes)
    assert codes.n_out == 1
    np.testing.assert_array_equal(codes(classes[[0, 1, 1], None]), [[-1], [1], [1]])


@pytest.mark.parametrize("labels", [["a", "bc", "d"], [3, 5, 9, 11]])
def test_more_classes_are_a_column_each(labels):
    """+1 where it is the class, −1 elsewhere."""
    classes = np.array(labels)
    codes = ClassCodes(classes)
    np.testing.assert_array_equal(codes(classes[:, None]), 2 * np.eye(len(labels)) - 1)
