"""The rows that a search draws: as many distinct ones as there are, whatever the table."""

import numpy as np
import pytest
from scipy import sparse

from samara.engines import Threads
from samara.search.rows import gathered
from samara.sources import ArraySource

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")
MOST = (60, 90)


def binary(n=3000, seed=0):
    """Four columns of 0 and 1: sixteen rows and their copies."""
    return np.random.default_rng(seed).integers(0, 2, (n, 4)).astype(float)


def drawn(X, Y, weight=None, workers=1, block_rows=200):
    engine = Threads(workers, block_rows)
    return gathered(ArraySource(X, Y, weight), engine, MOST, False)


@pytest.mark.parametrize("as_given", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_copies_of_few_rows_are_all_drawn(as_given):
    X = binary()
    found = drawn(as_given(X), X[:, :1] * X[:, 1:2])
    assert len(found.Y) == 16
    assert found.weight.sum() == len(X)
    assert found.n_all == len(X)
    assert len(found.folds) > 1


def test_copies_of_one_row():
    found = drawn(np.ones((3000, 2)), np.ones((3000, 1)))
    assert found.weight.tolist() == [3000.0]
    assert not found.folds


def test_of_few_inputs_with_many_targets_no_more_are_drawn_than_wanted():
    """Sixteen inputs, every target another: some rows of each."""
    X = binary()
    Y = np.random.default_rng(1).standard_normal((len(X), 1))
    found = drawn(X, Y)
    assert len(found.Y) == sum(MOST)
    assert len(np.unique(found.X, axis=0)) == 16
    for fold in found.folds:
        assert not set(found.keys[fold.fit]) & set(found.keys[fold.scored])


def test_how_the_rows_are_cut_changes_nothing():
    rng = np.random.default_rng(2)
    X = binary()
    Y = rng.standard_normal((len(X), 1))
    weight = rng.integers(1, 3, len(X)).astype(float)
    copies = rng.permutation(np.repeat(np.arange(len(X)), weight.astype(int)))
    one = drawn(X, Y, weight)
    for other in (
        drawn(X, Y, weight, 2, 70),
        drawn(X[copies], Y[copies]),
        drawn(X[copies], Y[copies], None, 3),
    ):
        assert (other.X == one.X).all()
        assert np.abs(other.Y - one.Y).max() < 1e-9
        assert other.weight == pytest.approx(one.weight)


def test_rows_that_differ_are_drawn_in_one_pass():
    passes = []
    X = np.random.default_rng(3).standard_normal((3000, 2))
    engine = Threads(1, 200, lambda name, rows, total: passes.append(name))
    found = gathered(ArraySource(X, X[:, :1]), engine, MOST, False)
    assert 100 < len(found.Y) < 250
    assert len(passes) <= 15
