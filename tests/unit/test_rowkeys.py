"""Keys go by content alone, and spread rows evenly over folds."""

import numpy as np
import pytest
import scipy.sparse as sp

from samara.rowkeys import fold_of, row_keys


@pytest.fixture(name="X")
def make_inputs():
    rng = np.random.default_rng(0)
    return np.where(rng.random((5000, 6)) < 0.5, rng.normal(size=(5000, 6)), 0.0)


def test_sparse_rows_have_the_keys_of_dense_rows(X):
    """A zero adds nothing, stored or not."""
    keys = row_keys(X)
    np.testing.assert_array_equal(row_keys(sp.csr_matrix(X)), keys)
    stored = sp.csr_matrix(np.ones_like(X))
    stored.data[:] = X.ravel()
    np.testing.assert_array_equal(row_keys(stored), keys)


def test_negative_zero_is_zero():
    """−0.0 and 0.0 are one value."""
    np.testing.assert_array_equal(row_keys(np.array([[-0.0, 1.0]])), row_keys(np.array([[0.0, 1.0]])))
    minus = sp.csr_matrix(([-0.0, 1.0], [0, 1], [0, 2]), shape=(1, 2))
    np.testing.assert_array_equal(row_keys(minus), row_keys(np.array([[0.0, 1.0]])))


@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.int8, bool])
def test_equal_values_have_equal_keys_whatever_their_type(dtype):
    """float32 1.0, int 1, True and float64 1.0 are one value."""
    values = np.random.default_rng(1).integers(0, 2, (50, 4)).astype(dtype)
    np.testing.assert_array_equal(row_keys(values), row_keys(values.astype(float)))
    np.testing.assert_array_equal(row_keys(sp.csr_matrix(values)), row_keys(values.astype(float)))


def test_keys_move_with_their_rows(X):
    """A shuffled or strided table has the shuffled keys; memory order does not matter."""
    keys = row_keys(X)
    order = np.random.default_rng(2).permutation(len(X))
    np.testing.assert_array_equal(row_keys(X[order]), keys[order])
    np.testing.assert_array_equal(row_keys(X[::3]), keys[::3])
    np.testing.assert_array_equal(row_keys(np.asfortranarray(X)), keys)


def test_different_rows_have_different_keys():
    """No collisions among small integers, in which columns differ by their place."""
    grid = np.array(np.meshgrid(*[np.arange(12)] * 3)).reshape(3, -1).T.astype(float)
    assert len(np.unique(row_keys(grid))) == len(grid)
    assert len(np.unique(row_keys(np.array([[1.0, 2.0], [2.0, 1.0]])))) == 2


def test_a_salt_gives_other_keys_but_not_other_equalities():
    """Another salt draws another sample; equal rows stay equal."""
    rows = np.array([[1.0, 2.0], [1.0, 2.0], [3.0, 4.0]])
    plain, salted = row_keys(rows), row_keys(rows, salt=7)
    assert not np.isin(plain, salted).any()
    assert salted[0] == salted[1] != salted[2]


@pytest.mark.parametrize("kind", ["normal", "grid", "one column"])
@pytest.mark.parametrize("n_folds", [2, 5, 7])
def test_folds_are_roughly_balanced(kind, n_folds):
    """Each fold's share of distinct rows is within five standard deviations of 1/K."""
    n = 20_000
    X = {
        "normal": lambda: np.random.default_rng(3).normal(size=(n, 3)),
        "grid": lambda: np.stack([np.arange(n) // 100, np.arange(n) % 100], axis=1).astype(float),
        "one column": lambda: np.arange(n, dtype=float)[:, None],
    }[kind]()
    counts = np.bincount(fold_of(row_keys(X), n_folds), minlength=n_folds)
    assert len(counts) == n_folds
    assert np.abs(counts - n / n_folds).max() < 5 * np.sqrt(n / n_folds)


def test_folds_and_samples_are_independent():
    """Rows with the smallest keys (the sample) fall into all folds alike."""
    X = np.random.default_rng(4).normal(size=(20_000, 2))
    keys = row_keys(X)
    chosen = np.argsort(keys)[:2000]
    counts = np.bincount(fold_of(keys[chosen], 5), minlength=5)
    assert np.abs(counts - 400).max() < 5 * np.sqrt(400)


@pytest.mark.parametrize("kind", ["binary", "one-hot", "whole", "float32"])
def test_values_with_few_bits_do_not_collide(kind):
    """Zeros and ones, whole numbers and float32 have their bits at the top: keys must tell them apart too."""
    rng = np.random.default_rng(5)
    X = {
        "binary": lambda: ((np.arange(2**13)[:, None] >> np.arange(13)) & 1).astype(float),
        "one-hot": lambda: np.eye(26)[rng.integers(0, 26, (8000, 4))].reshape(8000, -1),
        "whole": lambda: rng.integers(0, 16, (8000, 16)).astype(float),
        "float32": lambda: rng.normal(size=(8000, 2)).astype(np.float32),
    }[kind]()
    assert len(np.unique(row_keys(X))) == len(np.unique(X, axis=0))
