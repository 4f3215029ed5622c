"""Metrics as maps."""

import numpy as np
import pytest
from scipy import sparse

from samara.fitted_checks import check_metric
from samara.maps import AdditiveNodes, ColumnFactors, Project, behind_metric, metric_map
from samara.model_checks import check_map
from samara.store import RefusedError

RNG = np.random.default_rng(0)
X = RNG.standard_normal((7, 3))
DOUBLE, SINGLE = np.dtype(float), np.dtype(np.float32)


def test_factors_multiply_columns_and_sparse_rows_stay_sparse():
    factors = np.array([2.0, 0.5, 1.0])
    weigh = metric_map(factors, DOUBLE)
    assert isinstance(weigh, ColumnFactors)
    assert weigh.n_out == 3
    np.testing.assert_array_equal(weigh(X), X * factors)
    room = np.empty_like(X)
    assert weigh(X, out=room) is room
    thin = weigh(sparse.csr_array(X))
    assert sparse.issparse(thin)
    np.testing.assert_allclose(thin.toarray(), X * factors)


def test_a_matrix_projects_in_the_precision_asked_for():
    turn = metric_map(np.eye(3), SINGLE)
    assert isinstance(turn, Project)
    assert turn.directions.dtype == SINGLE


@pytest.mark.parametrize(
    "root", [RNG.standard_normal((3, 3)), np.array([2.0, 0.5, 1.0])], ids=["full", "diagonal"]
)
def test_nodes_behind_a_metric_are_those_of_turned_rows(root):
    root = root @ root.T if root.ndim == 2 else root
    nodes = AdditiveNodes(RNG.standard_normal((4, 5)), "tanh")
    np.testing.assert_allclose(behind_metric(nodes, root)(X), nodes(metric_map(root, DOUBLE)(X)))


@pytest.mark.parametrize(
    "metric", [np.ones(2), np.eye(2), np.ones((3, 3, 3)), np.full(3, np.nan), np.array(1.0)], ids=str
)
def test_a_metric_of_another_shape_is_refused(metric):
    check_metric(np.eye(3), 3)
    check_metric(np.ones(3), 3)
    with pytest.raises(RefusedError, match="metric"):
        check_metric(metric, 3)


def test_factors_of_another_shape_are_refused():
    assert check_map(ColumnFactors(np.ones(3)), 3, "map 1") == 3
    with pytest.raises(RefusedError, match="factors of map 1"):
        check_map(ColumnFactors(np.ones(2)), 3, "map 1")
