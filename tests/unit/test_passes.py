"""A plan says how often the rows will be read; after the fit, how often they were."""

import inspect
from dataclasses import replace

import numpy as np
import pytest

from samara import ELMRegressor
from samara.costs import Shape, passes
from samara.engines import Held, Threads
from samara.linalg import ErrorStop
from samara.plans import Budget, Plan, make_plan
from samara.solvers import SOLVERS, FastSvd, Lsqr, Precondition, Rsvd, Sketch, Tiles
from samara.weighing import when_low_rank_pays
from tests.problems import make_problem

PROBLEM = make_problem(1, 3000, 3, 1, False)
WIDE = PROBLEM.rows(np.arange(150))
CASES = [
    (PROBLEM, {"solver": "gram"}),
    (PROBLEM, {"solver": "gram", "alpha": "auto"}),
    (PROBLEM, {"solver": "qr", "alpha": [1.0, 2.0], "selection": "loo"}),
    (PROBLEM, {"solver": "rsvd", "rank": 10}),
    (PROBLEM, {"solver": Rsvd(power=3), "rank": 10}),
    (PROBLEM, {"solver": Rsvd(power=2)}),
    (PROBLEM, {"solver": "rsvd", "rank": 10, "alpha": [1.0, 2.0], "selection": "loo"}),
    (PROBLEM, {"solver": "rsvd", "n_hidden": 600, "hidden": "rbf"}),
    (PROBLEM, {"solver": "fast_svd", "rank": 10}),
    (PROBLEM, {"solver": "fast_svd"}),
    (PROBLEM, {"solver": FastSvd(ErrorStop(50.0)), "n_hidden": 600}),
    (WIDE, {"solver": "fast_svd", "n_hidden": 600}),
    (WIDE, {"solver": "rsvd", "n_hidden": 600, "hidden": "fourier", "alpha": 1e-4}),
    (PROBLEM, {"solver": "sketch", "rank": 10}),
    (PROBLEM, {"solver": Sketch(power=0), "alpha": "auto", "rank": 10}),
    (PROBLEM, {"solver": "sketch"}),
    (PROBLEM, {"solver": "lsqr", "alpha": [1.0, 10.0]}),
    (PROBLEM, {"solver": Lsqr(max_iter=300)}),
    (PROBLEM, {"solver": "precondition", "n_hidden": 60, "alpha": 1e-8}),
    (PROBLEM, {"solver": "precondition", "n_hidden": 60, "alpha": 1e2}),
    (PROBLEM, {"solver": "precondition", "n_hidden": 60, "alpha": [1e-8, 1.0]}),
    (PROBLEM, {"solver": Precondition(20, 1e-6), "n_hidden": 60, "alpha": [1e-8, 1.0]}),
    (PROBLEM, {"solver": Precondition(4, 1e-12), "n_hidden": 60, "alpha": 1e-8}),
    (PROBLEM, {"solver": "precondition"}),
    (PROBLEM, {"solver": "submodels"}),
    (PROBLEM, {"solver": "submodels", "alpha": [1.0, 10.0]}),
    (PROBLEM, {"solver": Tiles(100), "alpha": [1.0, 10.0]}),
]


@pytest.mark.parametrize(("problem", "parameters"), CASES, ids=str)
def test_the_passes_made_are_those_planned(monkeypatch, problem, parameters):
    """Every pass is counted, and lies between the fewest and the most that were planned."""
    made, plans = [], []

    def counted(done):
        def run(engine, source, *args, **options):
            made.extend([1] * (not isinstance(source, Held)))
            return done(engine, source, *args, **options)

        return run

    for verb in ("summarize", "hold"):
        monkeypatch.setattr(Threads, verb, counted(getattr(Threads, verb)))

    def planned(shape, rank_kind, *args):
        plans.append(make_plan(shape, *args))
        return plans[-1]

    monkeypatch.setattr("samara.settings._planned", planned)
    options = {"n_hidden": 250, "alpha": 1.0, "random_state": 0, **parameters}
    plan = problem.fit(ELMRegressor(**options)).plan_
    assert plan.passes == plan.most_passes == len(made)
    assert plans[-1].passes <= len(made) <= plans[-1].most_passes


def test_passes_that_are_known_are_said_and_others_are_a_range():
    """Power iterations, sketches and steps."""
    shape = Shape(50_000, 20, 2, 300, rank=20)
    assert passes(shape, "rsvd") == (3, 3)
    assert passes(replace(shape, power=2), "rsvd") == (5, 5)
    assert passes(replace(shape, power=1), "sketch") == (4, 4)
    few, most = passes(replace(shape, rank="auto"), "precondition")
    assert 8 < few < 15 < 32 <= most < 40
    text = str(make_plan(replace(shape, rank="auto"), "lsqr", Budget(), "why"))
    assert "3 to 302 passes" in text


def test_the_rank_that_pays_counts_the_systems_of_the_folds():
    """Rank 300 of 3,000 nodes was four times as fast with K-fold: below the rank that pays."""
    alone = Shape(20_000, 4, 1, 3000)
    chosen = replace(alone, selection="kfold", n_folds=5, n_alphas=10)
    ranks = [int(when_low_rank_pays(s).split("about ")[1].replace(",", "")) for s in (alone, chosen)]
    assert ranks[0] < 500 < ranks[1]
    assert "51 systems of k³/3 against L³/3" in when_low_rank_pays(chosen)
    assert "n²L" in when_low_rank_pays(replace(alone, n_rows=1000))


def test_many_targets_by_lsqr_are_weighed():
    """26 targets and 5 folds are 156 columns a pass."""
    shape = Shape(20_000, 16, 26, 500, selection="kfold", n_folds=5, n_alphas=10)
    reasons = make_plan(shape, "lsqr", Budget(), "why").reasons
    assert any("156 columns" in reason and "about 1 passes" in reason for reason in reasons)


def test_solvers_show_their_settings():
    """No `<factory>` in the reference, every parameter documented, every solver in the plan's docstring."""
    for name, made in SOLVERS.items():
        signature = inspect.signature(made)
        assert "factory" not in str(signature)
        for parameter in signature.parameters:
            assert f"    {parameter} : " in inspect.getdoc(made).replace("\n", "\n    ")
        assert f"``{name}``" in inspect.getdoc(Plan)


def test_equal_shapes_are_planned_once_and_a_share_is_no_number():
    """A rank of 1 is one direction, of 1.0 all of them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    options = {"n_hidden": 40, "alpha": 1.0, "solver": "rsvd", "random_state": 0}
    plans = [ELMRegressor(rank=rank, **options).fit(X, X[:, 0]).plan_ for rank in (1, 1.0, 1, 1.0)]
    assert plans[0] == plans[2]
    assert plans[1] == plans[3]
    assert plans[0].flops < plans[1].flops


@pytest.mark.parametrize("alpha", [1e-14, 1.0])
def test_a_ridge_below_the_rounding_of_the_rows_is_seen_by_the_second_plan(alpha):
    """The first one knows no row; the trace of few small ones and many large ones differ."""
    X = np.random.default_rng(0).normal(size=(500, 3))
    model = ELMRegressor(n_hidden=10, alpha=alpha, random_state=0).fit(X, X[:, 0])
    assert model.plan_.solver == ("qr" if alpha < 1e-10 else "gram")
