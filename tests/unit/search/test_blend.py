"""Weights of a blend against every subset of members solved by least squares."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from samara.search.blend import EQUAL, blended, combined, cross_blended, nonnegative
from samara.search.candidates import Choice, Tried
from samara.search.kernel_path import KernelCandidate
from samara.search.rows import Fold, SearchRows


def made(outputs, Y, weight=None):
    """Rows that are all scored, and what several families said of them."""
    n = len(Y)
    weight = np.ones(n) if weight is None else weight
    keys = np.random.default_rng(1).integers(0, 2**63, n).astype(np.uint64)
    fold = Fold(np.arange(n), np.arange(n))
    t = Y.shape[1]
    rows = SearchRows(np.zeros((n, 1)), Y, weight, keys, (fold,), False, np.zeros(t), np.ones(t), n)
    kinds = [
        (k, f, s) for k in ("laplace", "laplacian") for f in (True, False) for s in ("standard", "quantile")
    ]
    tried = [
        Tried(KernelCandidate(*kind), Choice(0, None, 1.0), P, rows.error(P))
        for kind, P in zip(kinds, outputs, strict=False)
    ]
    return tried, rows


def brute_force(outputs, Y, weight):
    """The best of all subsets whose least squares solution is nonnegative."""
    k, roots = len(outputs), np.sqrt(weight)[:, None]
    pull = EQUAL * np.sqrt(weight.mean())
    A = np.vstack([np.stack([(roots * P).ravel() for P in outputs], axis=1), pull * np.eye(k)])
    b = np.concatenate([(roots * Y).ravel(), np.full(k, pull / k)])
    best = np.zeros(k), float(b @ b)
    for size in range(1, k + 1):
        for some in combinations(range(k), size):
            w = np.zeros(k)
            w[list(some)] = np.linalg.lstsq(A[:, some], b, rcond=None)[0]
            loss = float(((A @ w - b) ** 2).sum())
            if (w >= 0).all() and loss < best[1]:
                best = w, loss
    assert np.allclose(best[0], nnls(A, b)[0], atol=1e-6)
    return best[0]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 4), st.integers(1, 2))
def test_weights_are_those_of_the_best_subset(seed, k, t):
    rng = np.random.default_rng(seed)
    Y, weight = rng.standard_normal((30, t)), rng.uniform(0.5, 3, 30)
    outputs = [Y * rng.uniform(-0.5, 1) + rng.standard_normal(Y.shape) for _ in range(k)]
    found = nonnegative(outputs, Y, weight)
    assert (found >= 0).all()
    assert found == pytest.approx(brute_force(outputs, Y, weight), abs=1e-7)


def test_copies_share_their_weight():
    """What the rows leave open is settled towards equal weights."""
    Y = np.random.default_rng(0).standard_normal((50, 1))
    assert nonnegative([Y, Y], Y, np.ones(50)) == pytest.approx([0.5, 0.5], abs=1e-3)


def test_a_member_of_little_weight_is_dropped():
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((400, 1))
    near, far = Y + 0.1 * rng.standard_normal(Y.shape), 0.02 * Y + rng.standard_normal(Y.shape)
    tried, rows = made([far, near], Y)
    members, weights = blended(tried, rows)
    assert members == [1]
    assert weights == pytest.approx([1.0], abs=0.05)
    assert combined(tried, members, weights) == pytest.approx(weights[0] * near)


def test_a_cross_blend_does_not_choose_by_the_rows_it_is_scored_on():
    """Of many members that are noise the best looks good on the rows it was chosen by, not on others."""
    rng = np.random.default_rng(0)
    Y = rng.standard_normal((200, 1))
    tried, rows = made([rng.standard_normal(Y.shape) for _ in range(8)], Y)
    flattered = rows.score(combined(tried, *blended(tried, rows)))
    honest = rows.score(cross_blended(tried, rows))
    assert flattered > 0
    assert honest < flattered
    assert honest < 0.01
