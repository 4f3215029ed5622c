"""How rows are cut into blocks and threads changes nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor
from samara.engines import Threads
from tests.oracles import relative_gap
from tests.problems import engines, problems, ridges

WHOLE = Threads(workers=1, block_rows=10_000)


@pytest.mark.parametrize("solver", ["gram", "qr", "dual", "svd"])
@given(problem=problems(rows=(20, 1400)), engine=engines(), alpha=ridges(), n_hidden=st.integers(1, 30))
def test_cutting_keeps_coefficients(solver, problem, engine, alpha, n_hidden):
    """Any workers and any block give the coefficients of one block to 1e-9."""
    model = ELMRegressor(n_hidden, alpha=alpha, solver=solver, random_state=problem.seed)
    whole = problem.fit(model.set_params(engine=WHOLE)).model_
    cut = problem.fit(model.set_params(engine=engine)).model_
    assert relative_gap(cut.coef, whole.coef) < 1e-9
    assert relative_gap(cut.intercept, whole.intercept) < 1e-9


@pytest.mark.parametrize("solver", ["gram", "qr"])
@given(problem=problems(rows=(300, 1200), targets=(1, 1)), engine=engines(), alpha=ridges())
def test_cutting_sparse_rows_keeps_coefficients(solver, problem, engine, alpha):
    """The same for sparse rows."""
    X = sp.csr_matrix(np.where(np.abs(problem.X) > 1.5, problem.X, 0.0))
    model = ELMRegressor(12, alpha=alpha, solver=solver, random_state=problem.seed)
    whole = model.set_params(engine=WHOLE).fit(X, problem.y, problem.weight).coef_
    cut = model.set_params(engine=engine).fit(X, problem.y, problem.weight).coef_
    assert relative_gap(cut, whole) < 1e-9


@pytest.mark.parametrize("hidden", ["tanh", "relu", "fourier", "rbf", "multiquadric", "linear"])
@given(problem=problems(rows=(300, 900), targets=(1, 1)), engine=engines())
def test_cutting_keeps_every_hidden_layer(hidden, problem, engine):
    """The same for layers whose nodes are drawn from the rows."""
    model = ELMRegressor(10, hidden=hidden, alpha=1.0, solver="gram", random_state=problem.seed)
    whole = problem.fit(model.set_params(engine=WHOLE)).coef_
    cut = problem.fit(model.set_params(engine=engine)).coef_
    assert relative_gap(cut, whole) < 1e-9


@pytest.mark.parametrize("selection", ["kfold", "loo", "gcv"])
@given(problem=problems(rows=(300, 900)), engine=engines())
def test_cutting_keeps_the_choice(selection, problem, engine):
    """Scores, ridge and size chosen do not depend on the cut."""
    model = ELMRegressor([4, 12], selection=selection, alpha=[0.1, 1.0, 10.0], random_state=problem.seed)
    whole = problem.fit(model.set_params(engine=WHOLE))
    scores, alpha, size = whole.selection_.target_scores, whole.alpha_, whole.n_hidden_
    cut = problem.fit(model.set_params(engine=engine))
    np.testing.assert_allclose(cut.selection_.target_scores, scores, rtol=1e-9)
    assert (cut.alpha_, cut.n_hidden_) == (alpha, size)


@given(problem=problems(rows=(300, 900), targets=(1, 1)), engine=engines())
def test_cutting_keeps_predictions(problem, engine):
    """A fitted model predicts the same whatever the block at prediction."""
    model = problem.fit(ELMRegressor(15, alpha=1.0, random_state=problem.seed, engine=WHOLE))
    expected = model.predict(problem.X)
    np.testing.assert_allclose(
        model.set_params(engine=engine).predict(problem.X), expected, rtol=1e-11, atol=1e-11
    )


@given(problem=problems(rows=(300, 900), targets=(1, 1)), engine=engines())
def test_cutting_keeps_class_scores(problem, engine):
    """The same for a classifier of three classes."""
    labels = np.digitize(problem.y, np.quantile(problem.y, [0.3, 0.6]))
    model = ELMClassifier(15, alpha=1.0, random_state=problem.seed)
    whole = model.set_params(engine=WHOLE).fit(problem.X, labels, problem.weight).coef_
    cut = model.set_params(engine=engine).fit(problem.X, labels, problem.weight).coef_
    assert relative_gap(cut, whole) < 1e-9
