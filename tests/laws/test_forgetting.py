"""What is kept of the past: weights that fade, a window that slides, rows taken out again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samara import ELMClassifier, ELMRegressor, InputError, past
from tests.oracles import relative_gap, ridge
from tests.problems import make_problem, problems
from tests.streams import batches, cuts, gap, streamed

PROBLEM = make_problem(21, 120, 3, 2, weighted=True)
X, Y, W = PROBLEM.X, PROBLEM.y, PROBLEM.weight


def _faded(n, forget, weight=None):
    """forget**age, the newest row of age 0, times the weights given."""
    with np.errstate(under="ignore"):
        return forget ** np.arange(n - 1.0, -1.0, -1.0) * (1.0 if weight is None else weight)


@given(problem=problems(rows=(5, 200)), shares=cuts(), forget=st.floats(0.8, 0.9999), rooted=st.booleans())
def test_forgetting_is_a_weight_for_each_age(problem, shares, forget, rooted):
    """Weights given and weights 0 included: a row that counts for nothing still makes the others older."""
    weight = problem.weight if problem.weight is not None else np.where(problem.X[:, 0] > 0, 1.0, 0.0)
    weight[-1] = 1.0
    update = "qr" if rooted else "information"
    model = ELMRegressor(10, alpha=0.3, scale=None, forget=forget, update=update, random_state=problem.seed)
    pieces = [piece for piece in batches(len(problem.y), shares) if weight[piece].any()]
    kept = np.concatenate([np.arange(len(problem.y))[piece] for piece in pieces])
    learned = streamed(model, problem.X, problem.y, pieces, weight)
    H, faded = learned.transform(problem.X), _faded(len(kept), forget, weight[kept])
    coef, constant = ridge(H[kept], problem.y[kept], 0.3, faded)
    expected = (H @ coef + constant).reshape(problem.y.shape)
    assert relative_gap(learned.predict(problem.X), expected) < 1e-8


@pytest.mark.parametrize("largest", [1e-3, 1.0, 50.0, 1e100])
@pytest.mark.parametrize("update", ["information", "qr"])
@pytest.mark.parametrize("rows", [1, 7, 400])
def test_weights_are_brought_back_before_they_grow_too_large(monkeypatch, largest, update, rows):
    """However often: thousands of rows, each a hundredth more than the one before."""
    monkeypatch.setitem(past.LARGEST_WEIGHT, "float64", largest)
    long = make_problem(5, 800 if rows == 1 else 4000, 3, 1, weighted=False)
    model = ELMRegressor(8, alpha=0.3, scale=None, forget=0.99, update=update, random_state=0)
    n = len(long.y)
    learned = streamed(model, long.X, long.y, [slice(i, i + rows) for i in range(0, n, rows)])
    H = learned.transform(long.X)
    coef, constant = ridge(H, long.y, 0.3, _faded(n, 0.99))
    assert relative_gap(learned.predict(long.X), (H @ coef + constant)[:, 0]) < 1e-8


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rows", [100, 3000])
def test_a_short_memory_never_overflows(dtype, rows):
    """0.5**3000 is below every float: only the last rows are left, whatever the batch."""
    long = make_problem(6, 3000, 3, 1, weighted=False)
    model = ELMRegressor(8, alpha=0.3, scale=None, forget=0.5, dtype=dtype, random_state=0)
    learned = streamed(model, long.X, long.y, [slice(i, i + rows) for i in range(0, 3000, rows)])
    last = clone(model).fit(long.X[-80:], long.y[-80:], _faded(80, 0.5))
    assert gap(learned, last, long.X) < (1e-8 if dtype == "float64" else 1e-2)


def test_forgetting_chooses_its_ridge():
    """alpha="auto" with fading weights is that of the weighted fit."""
    model = ELMRegressor(10, scale=None, forget=0.97, random_state=0)
    learned = streamed(model, X, Y, batches(120, [0.2, 0.6]), W)
    whole = clone(model).fit(X, Y, _faded(120, 0.97, W))
    np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-6)
    assert gap(learned, whole, X) < 1e-6


@given(
    problem=problems(rows=(10, 150), weighted=False),
    shares=cuts(12),
    window=st.integers(1, 60),
    rooted=st.booleans(),
)
def test_a_window_is_a_fit_on_the_last_rows(problem, shares, window, rooted):
    """At any moment, whatever the batches."""
    update = "qr" if rooted else "information"
    model = ELMRegressor(8, alpha=0.3, scale=None, window=window, update=update, random_state=problem.seed)
    learned = clone(model)
    for piece in batches(len(problem.y), shares):
        learned.partial_fit(problem.X[piece], problem.y[piece])
        last = slice(max(0, piece.stop - window), piece.stop)
        H = learned.transform(problem.X)
        coef, constant = ridge(H[last], problem.y[last], 0.3)
        expected = (H @ coef + constant).reshape(problem.y.shape)
        assert relative_gap(learned.predict(problem.X), expected) < 1e-8


@pytest.mark.parametrize("window", [1, 5, 37, 500])
@pytest.mark.parametrize(("dtype", "alpha", "most"), [("float64", "auto", 1e-7), ("float32", 0.3, 1e-2)])
def test_a_window_moves_row_by_row(window, dtype, alpha, most):
    """Weighted rows, a ridge chosen; a window of one row too."""
    model = ELMRegressor(6, alpha=alpha, scale=None, window=window, dtype=dtype, random_state=0)
    learned = clone(model)
    for i in range(120):
        learned.partial_fit(X[i : i + 1], Y[i : i + 1], W[i : i + 1])
        if i % 17 == 3:
            last = slice(max(0, i + 1 - max(window, 2)), i + 1)
            shown = np.where(np.arange(120)[last] > i - window, W[last], 0.0)
            whole = clone(model).fit(X[last], Y[last], shown)
            np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-8)
            assert gap(learned, whole, X) < most


def test_a_window_of_rows_without_weight_says_so():
    """What is left of it counts for nothing; later rows do."""
    model = ELMRegressor(6, alpha=1.0, scale=None, window=5, random_state=0).partial_fit(X[:20], Y[:20])
    model.partial_fit(X[20:26], Y[20:26], [1, 0, 0, 0, 0, 0])
    with pytest.raises(InputError, match="All rows that count have weight 0"):
        model.predict(X)
    model.partial_fit(X[26:28], Y[26:28])
    assert gap(model, clone(model).fit(X[26:28], Y[26:28]), X) < 1e-9


@given(
    problem=problems(rows=(20, 150)),
    shares=cuts(),
    taken=st.floats(0, 1),
    alpha=st.sampled_from([0.3, "auto"]),
)
def test_unlearning_is_a_fit_without_those_rows(problem, shares, taken, alpha):
    """Any rows, in any order, with the weights they had."""
    n, weight = len(problem.y), problem.weight if problem.weight is not None else np.ones(len(problem.y))
    out = np.random.default_rng(problem.seed).permutation(n)[: round(taken * (n - 2))]
    model = ELMRegressor(8, alpha=alpha, scale=None, random_state=problem.seed)
    learned = streamed(model, problem.X, problem.y, batches(n, shares), weight)
    if len(out):
        learned.unlearn(problem.X[out], problem.y[out], weight[out])
    rest = np.setdiff1d(np.arange(n), out)
    whole = clone(model).fit(problem.X[rest], problem.y[rest], weight[rest])
    np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-6)
    assert gap(learned, whole, problem.X) < 1e-6


@pytest.mark.parametrize("alpha", [0.5, "auto"])
def test_rows_with_classes_are_unlearned(alpha):
    """Also of two classes."""
    labels = np.where(Y[:, 0] > np.median(Y[:, 0]), "a", "b")
    model = ELMClassifier(8, alpha=alpha, scale=None, random_state=0)
    learned = clone(model).partial_fit(X, labels).unlearn(X[50:], labels[50:])
    whole = clone(model).fit(X[:50], labels[:50])
    np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-6)
    assert gap(learned, whole, X) < 1e-7


def test_unlearning_everything_leaves_nothing_but_a_beginning():
    """Asking is refused; the next batch is the first again."""
    model = ELMRegressor(8, alpha=0.5, random_state=0).partial_fit(X, Y).unlearn(X[:70], Y[:70])
    model.unlearn(X[70:], Y[70:])
    with pytest.raises(InputError, match="Every row was unlearned"):
        model.predict(X)
    with pytest.raises(InputError, match="only 0 were learned"):
        model.unlearn(X, Y)
    model.partial_fit(X[:40], Y[:40])
    assert gap(model, clone(model).fit(X[:40], Y[:40]), X) < 1e-9
