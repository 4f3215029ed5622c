"""The same seed gives the same bits, and the order of the rows does not matter."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from samara.engines import Threads
from samara.maps import LAYERS, Radial
from tests.problems import engines, problems

HIDDEN = [*LAYERS, Radial(centres="kmeans")]
FEW = settings(max_examples=max(3, settings().max_examples // 3))  # many layers share the claim


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd"])
@FEW
@given(problem=problems(rows=(300, 900)), engine=engines(), dtype=st.sampled_from(["float32", "float64"]))
def test_same_seed_and_plan_give_the_same_bits(solver, problem, engine, dtype):
    """Coefficients and predictions of two fits are equal bit for bit, threads or not."""
    model = ELMRegressor(
        [5, 12], alpha=[0.1, 1.0], solver=solver, dtype=dtype, engine=engine, random_state=problem.seed
    )
    first = problem.fit(model)
    coef, intercept, predicted = first.coef_.copy(), first.intercept_, first.predict(problem.X)
    again = problem.fit(model)
    assert coef.tobytes() == again.coef_.tobytes()
    assert np.asarray(intercept).tobytes() == np.asarray(again.intercept_).tobytes()
    assert predicted.tobytes() == again.predict(problem.X).tobytes()


@pytest.mark.parametrize("hidden", HIDDEN, ids=str)
@FEW
@given(problem=problems(rows=(60, 600), targets=(1, 1)))
def test_shuffling_rows_keeps_predictions(hidden, problem):
    """Folds and samples go by content: predictions change by less than 1e-8 of the targets' spread."""
    order = np.random.default_rng(problem.seed).permutation(len(problem.X))
    model = ELMRegressor([4, 10], hidden=hidden, random_state=problem.seed)
    straight = problem.fit(model).predict(problem.X)
    shuffled = problem.rows(order).fit(model).predict(problem.X)
    assert np.abs(straight - shuffled).max() < 1e-8 * problem.y.std()


@pytest.mark.parametrize("scale", ["standard", "quantile", None])
@FEW
@given(problem=problems(rows=(60, 300), targets=(1, 1)))
def test_shuffling_rows_keeps_every_scaling(scale, problem):
    """The same for every scaling of the inputs, in a classifier."""
    labels = np.where(problem.y > np.median(problem.y), 1, 0)
    order = np.random.default_rng(problem.seed).permutation(len(problem.X))
    weight = None if problem.weight is None else problem.weight[order]
    model = ELMClassifier(10, scale=scale, random_state=problem.seed)
    straight = model.fit(problem.X, labels, problem.weight).decision_function(problem.X)
    shuffled = model.fit(problem.X[order], labels[order], weight).decision_function(problem.X)
    assert np.abs(straight - shuffled).max() < 1e-8


def test_another_seed_gives_other_nodes():
    """The seed is not ignored, and no seed at all draws anew (pyoselm redrew at predict: this must not)."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    nodes = [
        ELMRegressor(5, alpha=1.0, random_state=seed).fit(X, X[:, 0]).transform(X) for seed in (0, 1, None)
    ]
    assert not np.allclose(nodes[0], nodes[1])
    assert not np.allclose(nodes[0], nodes[2])
    unseeded = ELMRegressor(5, alpha=1.0).fit(X, X[:, 0])
    np.testing.assert_array_equal(unseeded.predict(X), unseeded.predict(X))


def test_global_random_state_is_left_alone():
    """A fit neither reads nor advances NumPy's global generator when seeded (hpelm did)."""
    X = np.random.default_rng(0).normal(size=(300, 3))
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    ELMRegressor(5, random_state=0, engine=Threads(2, 50)).fit(X, X[:, 0]).predict(X)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002
