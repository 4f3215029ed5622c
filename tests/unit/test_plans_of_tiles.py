"""Tiles and sub-models in plans: what a worker holds, how large a tile is, and when `auto` takes them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import samara
from samara import ELMRegressor
from samara.costs import Shape, flops, passes, peak_bytes
from samara.engines import DaskEngine
from samara.plans import Budget, make_plan
from samara.solvers import Submodels, Tiles
from tests.problems import make_problem

SHAPE = Shape(n_rows=200_000, n_inputs=20, n_targets=1, n_hidden=20_000)
GIGA = 10**9


def planned(shape, memory, solver="auto", workers=1):
    """A plan in so much memory a worker."""
    return make_plan(shape, solver, Budget(memory, workers), "why")


def test_auto_takes_tiles_where_several_processes_share_them():
    """One process goes through the rows once a step; four hold the matrix between them and read them once."""
    assert planned(SHAPE, 12 * GIGA).solver == "gram"
    assert planned(SHAPE, GIGA).solver == "lsqr"
    plan = planned(replace(SHAPE, processes=4), GIGA)
    assert plan.solver == "tiles"
    assert (plan.passes, plan.most_passes) == (2, 2)
    assert plan.peak_bytes <= GIGA
    assert "is too large for one worker; tiles of the Gram matrix on 4 are not" in plan.reasons[0]
    assert "each made from all rows; a step sends 160 kB to every worker" in plan.reasons[1]
    assert planned(replace(SHAPE, processes=4), 12 * GIGA).solver == "gram"
    assert planned(replace(SHAPE, processes=2), GIGA // 2).solver == "lsqr"
    wide = replace(SHAPE, n_rows=15_000, processes=8)
    assert planned(wide, 100 * GIGA).solver == "dual"
    assert planned(wide, GIGA).solver == "tiles"


@pytest.mark.parametrize("change", [{"n_sizes": 2}, {"selection": "gcv"}, {"grows": True}])
def test_auto_does_not_take_what_cannot_choose(change):
    """Sizes and other scores need more than tiles."""
    assert planned(replace(SHAPE, processes=64, **change), 300 * GIGA).solver == "gram"
    with pytest.raises(samara.BudgetError, match="20,000 nodes by gram need"):
        planned(replace(SHAPE, processes=64, **change), GIGA)


@given(
    nodes=st.integers(1, 30_000),
    processes=st.integers(1, 50),
    workers=st.integers(1, 8),
    folds=st.sampled_from([1, 5]),
)
def test_a_tile_for_everyone(nodes, processes, workers, folds):
    """At least three for each thread, where there are so many nodes, and none above the largest."""
    selection = "kfold" if folds > 1 else None
    shape = replace(SHAPE, n_hidden=nodes, processes=processes, n_folds=folds, selection=selection)
    plan = make_plan(shape, "tiles", Budget(None, workers), "why")
    groups = replace(shape, group=plan.group).groups
    assert plan.group <= 4096
    assert groups == nodes or groups * (groups + 1) // 2 >= min(nodes // 2, 2 * processes * workers)
    more = replace(shape, processes=processes + 1)
    assert make_plan(more, "tiles", Budget(None, workers), "why").peak_bytes <= 1.2 * plan.peak_bytes


def test_less_memory_makes_smaller_tiles():
    """Fifteen tiles on four workers are four for one of them: smaller ones can be shared out more evenly."""
    shape = replace(SHAPE, processes=4)
    roomy = planned(shape, None, "tiles")
    memory = peak_bytes(replace(shape, group=roomy.group), "tiles", 128, 1) - 1
    tight = planned(shape, memory, "tiles")
    assert (roomy.group, tight.group) == (4000, 2000)
    assert tight.peak_bytes <= memory


def test_what_they_cost():
    """Sub-models save arithmetic and memory by their number; K-fold reads the rows once more."""
    shape = replace(SHAPE, n_hidden=2000, group=500)
    assert shape.groups == 4
    whole, parts = (flops(shape, solver) for solver in ("gram", "submodels"))
    assert 2 < whole / parts < 4
    assert peak_bytes(shape, "submodels", 512, 1) < peak_bytes(shape, "tiles", 512, 1)
    assert passes(shape, "submodels") == (2, 2)
    assert passes(replace(shape, selection="kfold", n_folds=5), "submodels") == (3, 3)
    assert flops(shape, "tiles") > whole


def test_candidates(cluster):
    """Tiles are weighed where processes share them, sub-models where they are asked for."""
    problem = make_problem(1, 600, 3, 1, weighted=False)

    def names(**options):
        found = samara.plan(ELMRegressor(100, alpha=1.0, **options), problem.X, problem.y).candidates
        return {candidate.solver for candidate in found}

    assert not names() & {"tiles", "submodels"}
    assert names(engine=cluster) - names() == {"tiles"}
    assert names(solver=Tiles(30)) - names() == {"tiles"}
    assert names(solver=Submodels(3)) - names() == {"submodels"}


def test_auto_on_a_cluster(cluster):
    """Chosen, inside the budget, and the model of the Gram matrix."""
    problem = make_problem(2, 2000, 3, 1, weighted=False)
    model = ELMRegressor(1200, alpha=100.0, random_state=0)
    engine = DaskEngine(cluster)
    held = engine.ready().room()[1]  # memory is that of a whole worker
    found = problem.fit(model.set_params(memory=held + 41_000_000, engine=engine))
    assert found.plan_.solver == "tiles"
    assert found.plan_.peak_bytes <= found.plan_.memory
    exact = problem.fit(ELMRegressor(1200, alpha=100.0, solver="gram", random_state=0))
    np.testing.assert_allclose(found.predict(problem.X), exact.predict(problem.X), atol=1e-7)
