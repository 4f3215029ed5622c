"""What is left of targets and chances once a tree has been grown."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samara.linalg.bins import Bins
from samara.linalg.growth import Follow, Growth
from tests.growing import both_ways, kernels_are, seeds


@both_ways
@given(seeds, st.integers(1, 60), st.integers(1, 3), st.booleans())
def test_a_mean_of_each_leaf_is_taken_off(compiled, seed, n, targets, weighted):
    rng = np.random.default_rng(seed)
    X, left = rng.standard_normal((n, 2)), rng.standard_normal((n, targets))
    weight = rng.random(n) if weighted else None
    w = np.ones(n) if weight is None else weight
    bins, before = Bins.learn(X), left.copy()
    with kernels_are(compiled):
        tree, leaves = Growth(5, 1.0).grow((bins.put(X), bins.of_columns), left, weight)
        Follow(0.3, 2.0)(tree, leaves, left, weight)
    for leaf in range(tree.n_leaves):
        own = leaves == leaf
        mean = w[own] @ before[own] / (w[own].sum() + 2.0)
        np.testing.assert_allclose(left[own], before[own] - 0.3 * mean, atol=1e-13)


@both_ways
@given(seeds, st.integers(2, 60), st.integers(1, 3), st.booleans())
def test_newton_steps_of_the_log_loss(compiled, seed, n, targets, weighted):
    """Chances after a step are those of the logarithm of odds, moved leaf by leaf."""
    rng = np.random.default_rng(seed)
    X, ones = rng.standard_normal((n, 2)), rng.random((n, targets)) < 0.4
    weight = rng.random(n) if weighted else None
    w = (np.ones(n) if weight is None else weight)[:, None]
    score = np.zeros((n, targets))
    left, odds = ones - 0.5, np.ones((n, targets))
    bins = Bins.learn(X)
    with kernels_are(compiled):
        for _ in range(3):
            tree, leaves = Growth(4, 1.0).grow((bins.put(X), bins.of_columns), left, weight)
            chance = 1 / (1 + np.exp(-score))
            for leaf in range(tree.n_leaves):
                own = leaves == leaf
                slope = (w * (ones - chance))[own].sum(axis=0)
                bend = (w * chance * (1 - chance))[own].sum(axis=0)
                score[own] += 0.3 * np.clip(slope / (bend + 0.1), -4, 4)
            Follow(0.3, 0.1)(tree, leaves, left, weight, odds)
            np.testing.assert_allclose(odds, np.exp(-score), rtol=1e-9)
            np.testing.assert_allclose(left, ones - 1 / (1 + np.exp(-score)), atol=1e-12)


@both_ways
def test_chances_that_are_certain_stay_numbers(compiled):
    """After a thousand steps in one direction odds are at their ends, and nothing overflows."""
    left, odds = np.array([[0.5], [-0.5]]), np.ones((2, 1))
    bins = Bins.learn(np.array([[0.0], [1.0]]))
    rows = (bins.put(np.array([[0.0], [1.0]])), bins.of_columns)
    with kernels_are(compiled):
        for _ in range(1000):
            tree, leaves = Growth(2, 1.0).grow(rows, left)
            Follow(1.0, 0.0)(tree, leaves, left, None, odds)
    assert odds[0, 0] < 1e-100
    assert odds[1, 0] > 1e100
    assert np.sign(left[:, 0]).tolist() == [1, -1]
