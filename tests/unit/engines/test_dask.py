"""The Dask engine alone: order, what travels and how often, progress."""

import pickle

import cloudpickle
import numpy as np
import pytest

from samara import ELMRegressor
from samara.core import Block
from samara.engines import DaskEngine, Threads
from samara.sources import ArraySource
from samara.summaries import Layout, Moments


class Seen:
    """A summary that notes which rows it saw, in which order."""

    def __init__(self):
        self.rows = []

    def update(self, block):
        assert len(block) <= 100
        self.rows.extend(block.X[:, 0].astype(int).tolist())

    def merge(self, other):
        self.rows.extend(other.rows)


def _source(n=1500, **options):
    return ArraySource(np.arange(n, dtype=float)[:, None], np.zeros((n, 1)), **options)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_parts_are_merged_in_their_order(cluster, workers):
    """All rows, once each, in the order of the table; an odd number of parts too."""
    engine = DaskEngine(cluster, workers, block_rows=100, processes=1).ready()
    assert engine.summarize(_source(), Seen).rows == list(range(1500))


def test_workers_are_counted(cluster):
    """All threads of all processes, unless told otherwise; an engine is copied with its connection."""
    from copy import deepcopy

    engine = DaskEngine(cluster).ready()
    assert (engine.workers, engine.processes) == (1, 2)
    assert deepcopy(engine).client is cluster


def test_rows_travel_once(cluster):
    """A second pass over the same rows, with other folds, finds them there; one over others does not."""
    engine = DaskEngine(cluster, block_rows=100).ready()
    source = _source()
    engine.summarize(source, Seen)
    first = [part.key for part in engine._sent.parts]
    assert sorted(engine.planned(1, 50, None).summarize(source.folded(3), Seen).rows) == list(range(1500))
    assert [part.key for part in engine._sent.parts] == first
    engine.summarize(_source(), Seen)
    assert not {part.key for part in engine._sent.parts} & set(first)


def test_a_part_carries_its_own_rows_only():
    """And none of the maps, which all parts share."""
    rng = np.random.default_rng(0)
    whole = ArraySource(rng.normal(size=(4000, 50)), rng.normal(size=(4000, 1)), rng.random(4000))
    model = ELMRegressor(400, alpha=1.0, engine=Threads(1), random_state=0).fit(whole.X, whole.y[:, 0])
    mapped = whole.map(model.model_.maps[-1])
    parts = mapped.parts(4)
    assert 1000 * 52 * 8 < len(pickle.dumps(parts[2].alone())) < 1000 * 52 * 8 + 2000
    assert len(pickle.dumps(mapped.shell())) < 52 * 401 * 8
    blocks = (
        parts[2].blocks(300),
        pickle.loads(pickle.dumps(parts[2].alone())).within(mapped.shell()).blocks(300),
    )
    for one, other in zip(*blocks, strict=True):
        assert one.start == other.start
        np.testing.assert_array_equal(one.X, other.X)
        np.testing.assert_array_equal(one.weight, other.weight)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_half_of_a_symmetric_matrix_travels(dtype):
    """L²/2 words for each fold; what arrives is the same, and goes on the same."""
    rng = np.random.default_rng(1)
    layout = Layout(np.zeros(150, dtype), np.zeros(1), np.ones(1), np.dtype(dtype))
    blocks = [
        Block(rng.normal(size=(80, 150)), rng.normal(size=(80, 1)), None, 0, fold) for fold in (0, 1, 1)
    ]
    moments = Moments(layout, 2, 80)
    for block in blocks[:2]:
        moments.update(block)
    other = pickle.loads(pickle.dumps(moments))
    assert moments.pending is None or other.pending is not moments.pending
    for one in (moments, other):
        one.update(blocks[2])
        one.finish()
    for mine, theirs in zip(moments.grams, other.grams, strict=True):
        np.testing.assert_array_equal(np.triu(mine), np.triu(theirs))
    words = 2 * 152 * 153 // 2
    assert words * 8 < len(cloudpickle.dumps(moments)) < words * 8 + 4000


def test_progress_adds_up(cluster):
    """Rows are told as parts end, under the name of the pass."""
    told = []
    engine = DaskEngine(cluster, workers=3, block_rows=100, progress=lambda *what: told.append(what)).ready()
    engine.summarize(_source(), Seen, name="some pass")
    assert len(told) == 5  # 1500 rows are worth five parts
    assert sum(rows for _, rows, _ in told) == 1500
    assert {(name, total) for name, _, total in told} == {("some pass", 1500)}
