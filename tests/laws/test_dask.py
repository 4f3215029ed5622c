"""The laws on a Dask cluster: who merges changes nothing."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor
from samara.engines import DaskEngine, Threads
from tests.oracles import relative_gap
from tests.problems import make_problem
from tests.raw_tables import mixed_table

WHOLE = Threads(workers=1, block_rows=10_000)


def _gap(one, other):
    return max(
        relative_gap(one.model_.coef, other.model_.coef),
        relative_gap(one.model_.intercept, other.model_.intercept),
    )


def test_an_address_is_as_good_as_a_client(cluster):
    """In both spellings; pandas rows too."""
    problem = make_problem(14, 600, 3, 1, weighted=False)
    X = pd.DataFrame(problem.X, columns=list("abc"))
    address = cluster.scheduler.address
    model = ELMRegressor(8, alpha=1.0, random_state=0)
    expected = clone(model).set_params(engine=cluster).fit(X, problem.y).coef_
    for engine in (address, address.replace("tcp://", "dask://"), DaskEngine(address)):
        np.testing.assert_array_equal(
            clone(model).set_params(engine=engine).fit(X, problem.y).coef_, expected
        )


@pytest.mark.parametrize("on_cluster", [True, False])
def test_dask_arrays(cluster, on_cluster):
    """Their chunks are the parts; with threads they are made one after the other."""
    da = pytest.importorskip("dask.array")
    problem = make_problem(15, 1300, 4, 2, weighted=True)
    X, y, w = (
        da.from_array(problem.X, chunks=(300, 3)),
        da.from_array(problem.y, chunks=(300, 2)),
        da.from_array(problem.weight, chunks=300),
    )
    here = problem.fit(ELMRegressor(15, alpha=1.0, random_state=0))
    there = ELMRegressor(15, alpha=1.0, random_state=0, engine=cluster if on_cluster else None).fit(X, y, w)
    assert _gap(there, here) < 1e-9
    np.testing.assert_allclose(there.predict(X), here.predict(problem.X), rtol=1e-8)
    score = here.score(problem.X, problem.y, problem.weight)
    assert there.score(X, y, w) == pytest.approx(score, rel=1e-9)


def test_dask_frames(cluster):
    """Texts, dates and gaps, an empty partition, labels beside the frame or in it."""
    dd = pytest.importorskip("dask.dataframe")
    frame = mixed_table(1500).to_pandas().drop(columns=["w"])
    frame["kind"] = np.where(frame.pop("y") > 0, "more", "less")
    whole = dd.from_pandas(frame, npartitions=4)
    rows = dd.concat([whole, whole[whole["rooms"] > 1000]])
    assert rows.npartitions == 8
    frame = rows.compute()  # Dask has made texts of Python objects
    X, kind = frame.drop(columns="kind"), frame["kind"]
    model = ELMClassifier(15, alpha=1.0, random_state=0)
    here = clone(model).fit(X, kind)
    model.set_params(engine=cluster)
    beside = clone(model).fit(rows.drop(columns="kind"), rows["kind"])
    within = clone(model).fit(samara.scan(rows, target="kind"))
    assert _gap(beside, here) < 1e-9
    assert _gap(within, here) < 1e-9
    assert (beside.predict(rows.drop(columns="kind")) == here.predict(X)).all()
    assert (beside.predict(X) == here.predict(X)).all()
    assert within.score(samara.scan(rows, target="kind")) == here.score(X, kind)
