"""The Spark engine alone: order, what travels and how often, summaries that stay, progress."""

import gc
import pickle
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from samara.engines import SparkEngine
from samara.engines import spark as module
from samara.engines.held import Unmapped
from samara.sources import ArraySource


class Seen:
    """A summary that notes which rows it saw, in which order."""

    def __init__(self):
        self.rows = []

    def update(self, block):
        assert len(block) <= 100
        self.rows.extend(block.X[:, 0].astype(int).tolist())

    def merge(self, other):
        self.rows.extend(other.rows)


class Together:
    """A summary of summaries that were held."""

    def __init__(self):
        self.rows = []

    def update(self, held):
        self.rows.append(held.rows)

    def merge(self, other):
        self.rows.extend(other.rows)


def _source(n=1500, **options):
    return ArraySource(np.arange(n, dtype=float)[:, None], np.zeros((n, 1)), **options)


@pytest.mark.parametrize("parts", [1, 5])
def test_parts_are_merged_in_their_order(spark, parts):
    """All rows, once each, in the order of the table; more parts than one task merges."""
    engine = SparkEngine(spark, block_rows=100, processes=parts).ready()
    assert engine.summarize(_source(), Seen).rows == list(range(1500))


def test_cores_are_counted(spark):
    """One Python worker each; an engine is copied with its session, and travels without it."""
    engine = SparkEngine("spark").ready()
    assert (engine.session, engine.workers, engine.processes) == (spark, 1, 2)
    assert deepcopy(engine) is engine
    assert pickle.loads(pickle.dumps(engine)) == SparkEngine("spark", processes=2)


def test_large_parts_are_sent_once_in_slices(spark, monkeypatch):
    """And kept by the executors until the engine, or another table, lets them go."""
    monkeypatch.setattr(module, "TASK_BYTES", 1000)
    monkeypatch.setattr(module, "SLICE_BYTES", 999)
    context = spark.sparkContext
    before = len(context._jsc.getPersistentRDDs())
    engine = SparkEngine(spark, block_rows=100).ready()
    source = _source()
    assert engine.summarize(source, Seen).rows == list(range(1500))
    (sent,) = engine._sent.parts
    assert sent.is_cached
    assert sent.getNumPartitions() == 2
    again = engine.planned(1, 50, None)
    assert sorted(again.summarize(source.folded(3), Seen).rows) == list(range(1500))
    assert again._sent.parts == [sent]
    assert len(context._jsc.getPersistentRDDs()) == before + 1
    engine.summarize(_source(900), Seen)
    assert not sent.is_cached
    del engine, again
    gc.collect()
    assert len(context._jsc.getPersistentRDDs()) == before


def test_summaries_stay_with_the_executors(spark):
    """One a part, in order, for as many passes as are wanted, until the source is let go."""
    context, told = spark.sparkContext, []
    before = len(context._jsc.getPersistentRDDs())
    engine = SparkEngine(spark, 100, lambda *what: told.append(what), processes=3).ready()
    held = engine.hold(_source(), Seen, "tiles")
    assert {(name, total) for name, _, total in told} == {("tiles", 1500)}
    for _ in range(2):
        rows = engine.summarize(held, Together, "products").rows
        assert rows == [list(range(500)), list(range(500, 1000)), list(range(1000, 1500))]
    assert "products" not in {name for name, _, _ in told}  # summaries are no rows
    assert len(context._jsc.getPersistentRDDs()) == before + 1
    del held
    gc.collect()
    assert len(context._jsc.getPersistentRDDs()) == before


@dataclass(frozen=True)
class Twice(Unmapped):
    """A source of two parts, each of which goes through all rows of another."""

    rows: Any
    given: tuple = ()

    @property
    def n_rows(self):
        return 2 * self.rows.n_rows

    @property
    def held(self):
        return self.rows.held

    def shell(self):
        return replace(self, rows=self.rows.shell())

    def over(self, parts):
        return replace(self, given=tuple(parts))

    def parts(self, count):
        return [Pass(0), Pass(1)]


@dataclass(frozen=True)
class Pass:
    """All rows once."""

    number: int
    source: Any = None

    def alone(self):
        return Pass(self.number)

    def within(self, shell):
        return Pass(self.number, shell)

    def blocks(self, rows):
        for part in self.source.given:
            yield from part.blocks(rows)


def test_parts_that_go_through_all_rows(spark):
    """Whichever worker has them, and whatever parts of the rows themselves were sent before."""
    engine, source = SparkEngine(spark, block_rows=100).ready(), _source(600)
    engine.summarize(source, Seen)
    held = engine.hold(Twice(source), Seen)
    assert engine.summarize(held, Together).rows == [list(range(600))] * 2
    assert engine.summarize(source, Seen).rows == list(range(600))


def test_progress_adds_up(spark):
    """Rows are told as parts end, under the name of the pass."""
    told = []
    engine = SparkEngine(spark, 100, lambda *what: told.append(what), processes=6).ready()
    engine.summarize(_source(), Seen, name="some pass")
    assert len(told) == 5  # 1500 rows are worth five parts
    assert sum(rows for _, rows, _ in told) == 1500
    assert {(name, total) for name, _, total in told} == {("some pass", 1500)}
