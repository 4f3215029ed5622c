"""Batches give the model of one fit on all their rows, however they are cut."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from samara import ELMRegressor
from samara.maps import Additive, Radial
from tests.oracles import relative_gap
from tests.problems import engines, make_problem, problems, ridges
from tests.streams import batches, cuts, frozen_by, gap, streamed

ONE = make_problem(3, 150, 3, 1, weighted=False)
THREE = make_problem(4, 150, 3, 3, weighted=True)
PIECES = batches(150, [0.1, 0.11, 0.5])
KINDS = {
    "float32": lambda X: X.astype(np.float32),
    "fortran": np.asfortranarray,
    "csr": lambda X: sp.csr_matrix(np.where(X > 0, X, 0.0)),
    "csr_array": lambda X: sp.csr_array(np.where(X > 0, X, 0.0)),
    "integers": lambda X: np.round(X).astype(int),
}
FRAMES = {"pandas": pd.DataFrame, "polars": lambda d: pl.DataFrame({k: v.to_numpy() for k, v in d.items()})}


def _agree(problem, model, pieces, most=1e-9):
    learned = streamed(model, problem.X, problem.y, pieces, problem.weight)
    whole = problem.fit(clone(model))
    assert gap(learned, whole, problem.X) < most
    np.testing.assert_allclose(learned.alpha_, whole.alpha_, rtol=1e-9)
    assert learned.n_hidden_ == whole.n_hidden_
    return learned, whole


@given(
    problem=problems(rows=(2, 200)),
    shares=cuts(),
    alpha=ridges(),
    n_hidden=st.integers(1, 40),
    engine=engines(),
)
def test_any_batches_give_one_fit(problem, shares, alpha, n_hidden, engine):
    """Batches of any lengths, more or fewer rows than nodes, one target or three, weighted or not."""
    model = ELMRegressor(n_hidden, alpha=alpha, scale=None, random_state=problem.seed, engine=engine)
    learned, whole = _agree(problem, model, batches(len(problem.y), shares))
    assert relative_gap(learned.coef_, whole.coef_) < 1e-9


@given(problem=problems(rows=(2, 40)), n_hidden=st.integers(1, 30))
def test_rows_one_by_one_give_one_fit(problem, n_hidden):
    """No first batch is too short."""
    model = ELMRegressor(n_hidden, alpha=0.5, scale=None, random_state=problem.seed)
    _agree(problem, model, [slice(i, i + 1) for i in range(len(problem.y))])


@given(problem=problems(rows=(30, 300)), shares=cuts(), per_target=st.booleans())
def test_the_ridge_chosen_is_that_of_one_fit(problem, shares, per_target):
    """The grid, the scores and the ridge of each target come from the running moments of the folds."""
    model = ELMRegressor(20, scale=None, alpha_per_target=per_target, random_state=problem.seed)
    learned, whole = _agree(problem, model, batches(len(problem.y), shares), 1e-7)
    scores = whole.selection_.target_scores
    np.testing.assert_allclose(learned.selection_.target_scores, scores, rtol=1e-6)


@given(problem=problems(rows=(40, 200)), shares=cuts())
def test_the_size_chosen_is_that_of_one_fit(problem, shares):
    """A list of sizes and a list of ridges."""
    model = ELMRegressor([3, 10, 25], alpha=[0.1, 1.0, 10.0], scale=None, random_state=problem.seed)
    _agree(problem, model, batches(len(problem.y), shares))


@pytest.mark.parametrize("selection", ["kfold", "gcv", "lcurve"])
@given(problem=problems(rows=(60, 200), targets=(1, 1)), shares=cuts())
def test_every_selection_without_rows(selection, problem, shares):
    """K-fold, generalised cross-validation and the L-curve."""
    model = ELMRegressor(12, scale=None, selection=selection, random_state=problem.seed)
    _agree(problem, model, batches(len(problem.y), shares), 1e-7)


@pytest.mark.parametrize(
    "hidden", ["sigmoid", "tanh", "relu", "sine", "fourier", "hardlim", "linear", Additive("relu", gain=2.0)]
)
@pytest.mark.parametrize("options", [{}, {"direct_link": True}, {"fit_intercept": False}], ids=str)
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_every_additive_layer(hidden, options, alpha):
    """Layers that are drawn without rows, with a direct link or without an intercept."""
    model = ELMRegressor(15, hidden=hidden, alpha=alpha, scale=None, random_state=0, **options)
    for problem in (ONE, THREE):
        _agree(problem, model, PIECES, 1e-8)


@pytest.mark.parametrize("hidden", ["rbf", "multiquadric", Radial("rbf", width=2.0)])
@pytest.mark.parametrize("scale", [None, "quantile", "standard"])
def test_centres_and_scaling_are_frozen_by_the_first_batch(hidden, scale):
    """The model is the ridge regression of all rows on the features that the first batch drew."""
    model = ELMRegressor(12, hidden=hidden, scale=scale, alpha=0.3, random_state=0)
    first = clone(model).partial_fit(THREE.X[PIECES[0]], THREE.y[PIECES[0]], THREE.weight[PIECES[0]])
    learned = streamed(model, THREE.X, THREE.y, PIECES, THREE.weight)
    H = first.transform(THREE.X)
    assert relative_gap(learned.transform(THREE.X), H) == 0
    again = ELMRegressor(hidden="linear", alpha=0.3).set_params(hidden=_Known(H, THREE.X), scale=None)
    assert gap(learned, THREE.fit(again), THREE.X) < 1e-9


class _Known:
    """Features that are known for some rows."""

    def __init__(self, H, X):
        self.n_out, self._H, self._rows = H.shape[1], H, {row.tobytes(): i for i, row in enumerate(X)}

    def __call__(self, X, out=None):
        """Look them up."""
        found = self._H[[self._rows[np.ascontiguousarray(row).tobytes()] for row in X]]
        if out is None:
            return found
        out[...] = found
        return out


@given(problem=problems(rows=(20, 150)), shares=cuts())
def test_standard_scaling_is_that_of_the_first_batch(problem, shares):
    """As if it had been given up front, to a fit or to another stream."""
    pieces = batches(len(problem.y), shares)
    weight = None if problem.weight is None else problem.weight[pieces[0]]
    learned = streamed(
        ELMRegressor(10, alpha=1.0, random_state=problem.seed), problem.X, problem.y, pieces, problem.weight
    )
    given_up_front = ELMRegressor(
        10, alpha=1.0, scale=frozen_by(problem.X[pieces[0]], weight), random_state=problem.seed
    )
    assert gap(learned, problem.fit(given_up_front), problem.X) < 1e-9


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("alpha", [1.0, "auto"])
def test_every_kind_of_table(kind, alpha):
    """Rows of other types, dense and sparse."""
    X = KINDS[kind](ONE.X)
    model = ELMRegressor(15, alpha=alpha, scale=None, random_state=0)
    assert gap(streamed(model, X, ONE.y, PIECES), clone(model).fit(X, ONE.y), X) < 1e-9


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("scale", [None, "standard"])
def test_dense_and_sparse_batches_mix(first, scale):
    """The first batch may be either."""
    X = np.where(ONE.X > 0, ONE.X, 0.0)
    same = streamed(ELMRegressor(15, alpha=1.0, scale=scale, random_state=0), X, ONE.y, PIECES)
    mixed = ELMRegressor(15, alpha=1.0, scale=scale, random_state=0)
    for number, piece in enumerate(PIECES):
        mixed.partial_fit(sp.csr_matrix(X[piece]) if (number % 2 == 0) == first else X[piece], ONE.y[piece])
    assert gap(mixed, same, X) < 1e-9


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_keep_their_names(frame):
    """Rows of a data frame."""
    table = pd.DataFrame(ONE.X, columns=["a", "b", "c"])
    made = ELMRegressor(15, alpha=1.0, scale=None, random_state=0)
    for piece in PIECES:
        made.partial_fit(FRAMES[frame](table[piece]), ONE.y[piece])
    assert made.feature_names_in_.tolist() == ["a", "b", "c"]
    whole = ELMRegressor(15, alpha=1.0, scale=None, random_state=0).fit(table, ONE.y)
    assert gap(made, whole, table) < 1e-9


@given(problem=problems(rows=(20, 150)), shares=cuts())
def test_weights_of_zero_leave_rows_out(problem, shares):
    """As in a fit; a weight of 2 is the row twice."""
    weight = np.arange(len(problem.y)) % 3.0
    pieces = [piece for piece in batches(len(problem.y), shares) if weight[piece].any()]
    kept = np.concatenate([np.arange(len(problem.y))[piece] for piece in pieces])
    model = ELMRegressor(10, scale=None, random_state=problem.seed)
    learned = streamed(model, problem.X, problem.y, pieces, weight)
    twice = np.repeat(kept, weight[kept].astype(int))
    if len(twice) > 1:
        assert gap(learned, clone(model).fit(problem.X[twice], problem.y[twice]), problem.X) < 1e-7


@given(problem=problems(rows=(100, 400)), shares=cuts())
def test_single_precision(problem, shares):
    """To the digits that float32 has."""
    model = ELMRegressor(
        15, alpha=1.0, dtype="float32", scale=frozen_by(problem.X), random_state=problem.seed
    )
    _agree(problem, model, batches(len(problem.y), shares), 2e-3)
