"""Ranks, solvers and settings of solvers that can't be used: refused before any row is read."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone

from samara import ConvergenceWarning, ELMClassifier, ELMRegressor, InputError
from samara.engines import Threads
from samara.linalg import EnergyStop, ErrorStop, GradientStop
from samara.solvers import FastSvd, Gram, Lsqr, Precondition, Rsvd, Sketch
from samara.sources import ArraySource
from tests.faults.checks import refused
from tests.problems import make_problem

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] + np.sin(X[:, 1])
BAD = np.full_like(X, np.nan)  # parameters are checked first
LOW_RANK = ["rsvd", "fast_svd", "fast_svd_gradient", "sketch"]
NEW = [*LOW_RANK, "lsqr", "precondition"]


@pytest.mark.parametrize("solver", [*LOW_RANK, "auto"])
@pytest.mark.parametrize(
    "rank", [0, -3, 1.5, 0.0, -0.5, True, False, "full", None, [3], np.nan, np.inf, np.True_, 3 + 0j]
)
def test_ranks_that_are_none(solver, rank):
    """A positive whole number, a share in (0, 1] or "auto"."""
    refused(ELMRegressor(20, solver=solver, rank=rank), InputError, "rank must be a positive", BAD, Y)


@pytest.mark.parametrize("solver", LOW_RANK)
@pytest.mark.parametrize(("rows", "n_hidden"), [(40, 20), (12, 20)])
def test_a_rank_above_what_h_can_have(solver, rows, n_hidden):
    """Says both dimensions; the largest that fits is taken."""
    most = min(rows, n_hidden)
    model = ELMRegressor(n_hidden, alpha=1.0, solver=solver, rank=most + 1, random_state=0)
    text = refused(model, InputError, f"rank {most + 1} is above {most}", X[:rows], Y[:rows])
    assert f"{rows} rows" in text
    assert f"{n_hidden} columns" in text
    assert np.isfinite(model.set_params(rank=most).fit(X[:rows], Y[:rows]).predict(X)).all()


@pytest.fixture
def unread(monkeypatch):
    """Rows that nobody may read."""

    def fail(*ignored, **options):
        raise AssertionError("a row was read")

    monkeypatch.setattr(Threads, "summarize", fail)
    monkeypatch.setattr(ArraySource, "parts", fail)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("solver", LOW_RANK)
@pytest.mark.parametrize(("n_hidden", "rank", "link"), [(20, 21, False), (20, 24, True), (60, 41, False)])
def test_a_rank_is_refused_before_a_row_is_read(solver, n_hidden, rank, link):
    """The shape of the table is enough to know; a direct link adds its columns."""
    model = ELMRegressor(n_hidden, alpha=1.0, solver=solver, rank=rank, direct_link=link)
    refused(model, InputError, f"rank {rank} is above", X, Y)


@pytest.mark.usefixtures("unread")
@pytest.mark.parametrize("solver", ["sketch", Sketch(3)])
def test_sketch_without_a_ridge_is_refused_before_a_row_is_read(solver):
    """Alone or among others."""
    refused(ELMRegressor(20, alpha=[0, 1.0], solver=solver), InputError, "alpha must be above 0", X, Y)


@pytest.mark.parametrize("solver", ["gram", "qr", "svd", "dual", "lsqr", "precondition"])
@pytest.mark.parametrize("rank", [5, 0.5])
def test_a_rank_for_a_solver_that_has_none(solver, rank):
    """It is not ignored."""
    refused(ELMRegressor(20, solver=solver, rank=rank), InputError, f'"{solver}" uses every', BAD, Y)


def test_a_rank_alone_asks_for_rsvd():
    """``solver="auto"`` with a rank."""
    model = ELMRegressor(20, rank=np.int64(5), random_state=0).fit(X, Y)
    assert (model.plan_.solver, model.rank_) == ("rsvd", 5)


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("sizes", [[5, 10], "auto"])
def test_sizes_are_not_chosen_by_the_new_solvers(solver, sizes):
    """They say so."""
    refused(ELMRegressor(sizes, solver=solver), InputError, "give one n_hidden", BAD, Y)


@pytest.mark.parametrize("solver", ["sketch", "lsqr", "precondition", Sketch(3), Lsqr(1e-3), Precondition()])
@pytest.mark.parametrize("selection", ["loo", "gcv", "lcurve"])
def test_selections_without_a_spectrum(solver, selection):
    """Only K-fold."""
    model = ELMRegressor(20, solver=solver, selection=selection)
    refused(model, InputError, f"has no {selection}: use selection=.kfold", BAD, Y)


@pytest.mark.parametrize("alpha", [0, [0, 1.0]])
def test_sketch_divides_by_the_ridge(alpha):
    """Zero is refused."""
    refused(ELMRegressor(20, alpha=alpha, solver="sketch"), InputError, "alpha must be above 0", X, Y)


@pytest.mark.parametrize(
    ("solver", "message"),
    [
        (FastSvd(EnergyStop(0.1)), "can't watch the energy"),
        (FastSvd("error"), "use ErrorStop"),
        (FastSvd(None), "use ErrorStop"),
        (FastSvd(ErrorStop(-1.0)), "epsilon must be"),
        (FastSvd(ErrorStop(1.0, 0)), "r must be"),
        (FastSvd(GradientStop(tau=-1)), "tau must be"),
        (Rsvd(-1), "oversampling must be.*-1"),
        (Rsvd(2.5), "oversampling must be.*2.5"),
        (Rsvd("many"), "oversampling must be.*many"),
        (Rsvd(10, -1), "power must be.*-1"),
        (Rsvd(10, 0.5), "power must be.*0.5"),
        (Sketch(-1), "oversampling must be.*-1"),
        (Sketch(10, -1), "power must be.*-1"),
        (Lsqr(0.0), "tol must be"),
        (Lsqr(1.0), "tol must be"),
        (Lsqr(-1e-8), "tol must be"),
        (Lsqr(np.nan), "tol must be"),
        (Lsqr("small"), "tol must be"),
        (Lsqr(1e-8, 0), "max_iter at least 1"),
        (Lsqr(1e-8, -4), "max_iter must be.*-4"),
        (Lsqr(1e-8, 2.5), "max_iter must be.*2.5"),
        (Precondition(1), "oversampling must be at least 2"),
        (Precondition(2.5), "oversampling must be.*2.5"),
        (Precondition(8, 0), "tol between 0 and 1"),
        (Precondition(8, None), "tol between 0 and 1"),
    ],
    ids=str,
)
def test_settings_of_solvers(solver, message):
    """An impossible number is named before any row is read."""
    refused(ELMRegressor(20, alpha=1.0, solver=solver), InputError, message, BAD, Y)


class Unknown:
    name = "unknown"

    def __call__(self, task):
        raise AssertionError


@pytest.mark.parametrize("solver", [3, None, Rsvd, Gram, Unknown(), lambda task: None, ErrorStop(), ["rsvd"]])
def test_what_is_no_solver(solver):
    """A class in place of an object, a stop in place of a solver, anything else."""
    refused(ELMRegressor(20, solver=solver), InputError, "solver must be a name or a solver", BAD, Y)


def test_a_name_that_is_nearly_right():
    """The nearest is suggested."""
    assert "'fast_svd'" in refused(ELMRegressor(solver="fastsvd"), InputError, "Did you mean", BAD, Y)


@pytest.mark.parametrize("steps", [1, 3, 4, 5, 7, 20])
def test_lsqr_that_does_not_converge_warns_once(steps):
    """It names the ridge and what is left; with more steps less is left."""
    problem = make_problem(2, 400, 3, 2, True)
    model = ELMRegressor(80, alpha=[1e-3, 1.0], solver=Lsqr(1e-10, steps), random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        problem.fit(model)
    assert len(caught) == 1
    text = str(caught[0].message)
    assert f"took {steps} steps" in text
    assert "ridge 1.0e-03" in text
    left = float(text.split("left ")[1].split(" of")[0])
    assert 1e-10 < left < (1.0 if steps > 1 else 1.1)
    assert model.rank_ == steps


def test_lsqr_that_converges_at_its_last_step_does_not_warn():
    """Whatever the number of steps."""
    problem = make_problem(2, 400, 3, 1, True)
    free = problem.fit(ELMRegressor(80, alpha=1e3, solver=Lsqr(1e-4), random_state=0)).rank_
    assert free > 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for steps in (free, free + 1, free + 3):
            problem.fit(ELMRegressor(80, alpha=1e3, solver=Lsqr(1e-4, steps), random_state=0))


@pytest.mark.parametrize(
    "solver", [Rsvd(5, 1), FastSvd(GradientStop(0.5, 5, 0.1)), Sketch(4), Lsqr(1e-6, 50), Precondition(4)]
)
def test_estimators_holding_a_solver_are_cloned_and_pickled(solver):
    """get_params gives the object, a clone and a pickle fit the same model."""
    model = ELMRegressor(10, alpha=1.0, solver=solver, random_state=0)
    assert model.get_params()["solver"] is solver
    expected = model.fit(X, Y).predict(X)
    copy = clone(model)
    assert copy.solver == solver
    np.testing.assert_array_equal(copy.fit(X, Y).predict(X), expected)
    back = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(back.predict(X), expected)
    assert back.solver == solver
    assert repr(solver)[: len(type(solver).__name__)] in repr(model)


@pytest.mark.parametrize("solver", NEW)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_rows_that_are_not_finite(solver, bad):
    """In inputs or targets: refused, nothing half-fitted."""
    rows, targets = X.copy(), Y.copy()
    rows[7, 1] = bad
    refused(ELMRegressor(5, solver=solver), ValueError, "NaN|[Ii]nf", rows, Y)
    targets[3] = bad
    refused(ELMRegressor(5, solver=solver), ValueError, "NaN|[Ii]nf", X, targets)


@pytest.mark.parametrize("solver", NEW)
def test_one_class(solver):
    """Nothing to tell apart."""
    with pytest.raises(ValueError, match="class"):
        ELMClassifier(5, solver=solver).fit(X, np.ones(40))
