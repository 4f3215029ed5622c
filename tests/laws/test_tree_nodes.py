"""Laws of leaves as nodes: how rows come, in which order and how often, changes nothing."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara import TreeELMClassifier, TreeELMRegressor
from samara.engines import Threads
from tests.oracles import relative_gap

WHOLE = Threads(workers=1, block_rows=10_000)
SEEDS = range(5)


def rows_of(seed, n=500, d=4):
    """Rows of which some columns have few values, and a target that jumps and bends."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    X[:, 0] = np.round(X[:, 0], 1)
    return X, np.sin(2 * X[:, 1]) + (X[:, 0] > 0.3) * X[:, 2] + 0.1 * rng.standard_normal(n)


def trees_of(seed, **settings):
    return TreeELMRegressor(6, leaves=8, least=5.0, random_state=seed, **{"alpha": 2.0, **settings})


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("alpha", [2.0, "auto"])
def test_cutting(seed, alpha):
    """Blocks of any length and any number of threads give the model of one long block."""
    X, y = rows_of(seed)
    whole = trees_of(seed, engine=WHOLE, alpha=alpha).fit(X, y)
    for workers, block_rows in ((1, 7), (2, 64), (3, 33)):
        crew = Threads(workers=workers, block_rows=block_rows)
        other = trees_of(seed, engine=crew, alpha=alpha).fit(X, y)
        np.testing.assert_array_equal(other.model_.maps[-1].cut, whole.model_.maps[-1].cut)
        assert relative_gap(other.predict(X), whole.predict(X)) < 1e-10
        assert other.alpha_ == whole.alpha_


@pytest.mark.parametrize("seed", SEEDS)
def test_order(seed):
    """Rows in another order give the same trees, to the bit."""
    X, y = rows_of(seed)
    order = np.random.default_rng(seed).permutation(len(X))
    one, other = trees_of(seed).fit(X, y), trees_of(seed).fit(X[order], y[order])
    np.testing.assert_array_equal(other.model_.maps[-1].cut, one.model_.maps[-1].cut)
    assert relative_gap(other.predict(X), one.predict(X)) < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_weights_are_repeats(seed):
    """A row of weight 2 counts as two, one of weight 0 not at all: bins, halves, trees and ridge."""
    X, y = rows_of(seed)
    weight = np.random.default_rng(seed).integers(0, 4, len(X))
    weighed = trees_of(seed).fit(X, y, weight.astype(float))
    repeated = trees_of(seed).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_array_equal(weighed.model_.maps[-1].cut, repeated.model_.maps[-1].cut)
    assert relative_gap(weighed.predict(X), repeated.predict(X)) < 1e-9


def test_files(tmp_path):
    """Rows read from files, a piece at a time, give the model of the frame in memory."""
    X, y = rows_of(0, n=900)
    table = pa.table({**{f"x{j}": column for j, column in enumerate(X.T)}, "y": y})
    for part in range(3):
        pq.write_table(table.slice(part * 300, 300), tmp_path / f"{part}.parquet", row_group_size=100)
    here = trees_of(0, engine=WHOLE).fit(table.drop_columns("y").to_pandas(), y)
    there = trees_of(0).fit(samara.scan(tmp_path, target="y"))
    frame = table.drop_columns("y").to_pandas()
    assert relative_gap(there.predict(frame), here.predict(frame)) < 1e-10


def test_text_and_gaps_in_a_table():
    """A raw table with texts and gaps is fitted as it is."""
    X, y = rows_of(1)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["colour"] = np.where(X[:, 0] > 0.3, "red", "blue")
    frame.loc[::7, "b"] = np.nan
    model = TreeELMClassifier(10, random_state=0).fit(frame, np.where(y > 0, "up", "down"))
    assert model.score(frame, np.where(y > 0, "up", "down")) > 0.8


def test_a_share_of_the_rows(monkeypatch):
    """Beyond the most that trees are grown on, a share drawn by content is; the ridge is of all rows."""
    monkeypatch.setattr("samara.tree_fit.MOST_ROWS", 200)
    X, y = rows_of(2)
    one = trees_of(2, engine=WHOLE).fit(X, y)
    other = trees_of(2, engine=Threads(workers=2, block_rows=31)).fit(X[::-1], y[::-1])
    np.testing.assert_array_equal(other.model_.maps[-1].cut, one.model_.maps[-1].cut)
    assert relative_gap(other.predict(X), one.predict(X)) < 1e-10
    H = one.model_.features(X)
    centred = H - H.mean(axis=0)
    coef = np.linalg.solve(centred.T @ centred + 2 * np.eye(H.shape[1]), centred.T @ (y - y.mean()))
    np.testing.assert_allclose(one.coef_, coef, atol=1e-9)
