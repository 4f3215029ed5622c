"""Rows brought together keep their order, weights and keys."""

import numpy as np
import pytest
import scipy.sparse as sp

from samara.engines import Threads
from samara.maps import Standardize
from samara.rowkeys import row_keys
from samara.sources import ArraySource
from samara.summaries import Gathered

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")

X = np.random.default_rng(0).normal(size=(1000, 3))
Y = np.arange(1000.0)[:, None]
SCALING = Standardize(X.mean(axis=0), X.std(axis=0), np.dtype(float))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("engine", [Threads(1, 5000), Threads(3, 70)], ids=["one", "several"])
def test_rows_come_in_their_order(engine, weighted):
    """Scaled, with the keys of what was read; rows of weight 0 stay away."""
    weight = np.arange(1000) % 3.0 if weighted else None
    there = np.full(1000, True) if weight is None else weight > 0
    done = engine.summarize(ArraySource(X, Y, weight).map(SCALING), Gathered)
    np.testing.assert_array_equal(np.concatenate(done.targets), Y[there])
    np.testing.assert_array_equal(np.concatenate(done.inputs), SCALING(X[there]))
    np.testing.assert_array_equal(np.concatenate(done.keys), row_keys(X[there]))
    assert bool(done.weights) == weighted
    inputs, targets, weights, keys = done.joined()
    np.testing.assert_array_equal(inputs, SCALING(X[there]))
    np.testing.assert_array_equal(targets, Y[there])
    np.testing.assert_array_equal(keys, row_keys(X[there]))
    assert weights is None if weight is None else np.array_equal(weights, weight[there])
    if weight is not None:
        np.testing.assert_array_equal(np.concatenate(done.weights), weight[there])


def test_rows_as_they_are():
    """Not through any map: CSR stays CSR."""
    rows = sp.csr_matrix(X)
    done = Threads(2, 300).summarize(ArraySource(rows, Y).map(SCALING), lambda: Gathered(True))
    assert all(sp.issparse(piece) for piece in done.inputs)
    np.testing.assert_array_equal(sp.vstack(done.inputs).toarray(), X)
    joined = done.joined()[0]
    assert joined.format == "csr"
    np.testing.assert_array_equal(joined.toarray(), X)
