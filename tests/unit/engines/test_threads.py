"""Who merges: in order, all rows once, errors passed on."""

from concurrent.futures import ThreadPoolExecutor
from threading import Lock, get_ident
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import samara
from samara.engines import Counted, Threads, available_cores
from samara.estimators.tables import stream_of
from samara.maps import AsFloat
from samara.sources import ArraySource

pytestmark = pytest.mark.usefixtures("every_pass_is_worth_threads")


class Seen:
    """A summary that notes which rows it saw, in which order."""

    def __init__(self):
        self.rows = []

    def update(self, block):
        self.rows.extend(block.X[:, 0].astype(int).tolist())

    def merge(self, other):
        self.rows.extend(other.rows)


def source_of(n=1500, **options):
    """Rows that are their own numbers."""
    return ArraySource(np.arange(n, dtype=float)[:, None], np.zeros((n, 1)), **options)


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
@pytest.mark.parametrize("block_rows", [1, 100, 10_000])
def test_parts_are_merged_in_their_order(workers, block_rows):
    """All rows, once each, in the order of the table."""
    assert Threads(workers, block_rows).summarize(source_of(), Seen).rows == list(range(1500))


@pytest.mark.parametrize("workers", [1, 4])
def test_no_block_is_larger_than_asked_for(workers):
    """Blocks hold at most ``block_rows`` rows, folds or not."""
    sizes, lock = [], Lock()

    class Sizes(Seen):
        def update(self, block):
            with lock:
                sizes.append(len(block))

    Threads(workers, 64).summarize(source_of(), Sizes)
    Threads(workers, 64).summarize(source_of().folded(3), Sizes)
    assert max(sizes) <= 64
    assert sum(sizes) == 3000


def test_folds_share_the_rows_out():
    """Folded, every row still comes once, and a block belongs to one fold."""
    found = Threads(2, 50).summarize(source_of().folded(4), Seen)
    assert sorted(found.rows) == list(range(1500))


def test_rows_of_weight_zero_are_left_out():
    """They are never seen by a summary."""
    weight = (np.arange(1500) % 3 > 0).astype(float)
    found = Threads(2, 50).summarize(source_of(weight=weight), Seen)
    assert sorted(found.rows) == np.flatnonzero(weight).tolist()


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_a_worker_reaches_the_caller(workers):
    """The exception itself, not a wrapper, whichever part it comes from."""

    class Fails(Seen):
        def update(self, block):
            if block.X[0, 0] >= 1200:
                raise ZeroDivisionError("row 1200")

    with pytest.raises(ZeroDivisionError, match="row 1200"):
        Threads(workers, 100).summarize(source_of(), Fails)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("n_folds", [1, 4])
def test_progress_hears_of_all_rows(workers, n_folds):
    """The rows reported add up to the rows of the source, under the name of the pass."""
    heard = []
    engine = Threads(workers, 64, progress=lambda name, rows, total: heard.append((name, rows, total)))
    engine.summarize(source_of().folded(n_folds), Seen, name="moments")
    assert sum(rows for _, rows, _ in heard) == 1500
    assert {(name, total) for name, _, total in heard} == {("moments", 1500)}


def test_several_fits_may_run_at_once():
    """Engines have no state: concurrent passes do not disturb each other."""
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(lambda n: Threads(2, 50).summarize(source_of(n), Seen).rows, [300, 700, 1100, 1500])
        )
    assert [len(rows) for rows in found] == [300, 700, 1100, 1500]
    assert available_cores() >= 1


class Lengths:
    """A summary of summaries."""

    def __init__(self):
        self.found = []

    def update(self, seen):
        self.found.append(len(seen.rows))

    def merge(self, other):
        self.found.extend(other.found)


@pytest.mark.parametrize("workers", [1, 3])
def test_held_summaries_are_one_a_part(workers):
    """In their order, and not rows: they are no pass, and nobody is told of progress."""
    told = []
    engine = Counted(Threads(workers, 100, lambda name, rows, total: told.append(rows)))
    held = engine.hold(source_of(), Seen, name="held")
    assert sum(told) == 1500
    assert [seen.rows[0] for seen in held.summaries] == [k * 1500 // workers for k in range(workers)]
    assert engine.summarize(held, Lengths).found == [1500 // workers] * workers
    assert engine.passes == 1
    assert sum(told) == 1500


def test_an_error_ends_a_held_pass():
    """It is passed on as it is."""

    class Broken(Seen):
        def update(self, block):
            raise OSError("no such row")

    with pytest.raises(OSError, match="no such row"):
        Threads(2, 100).hold(source_of(), Broken)


@pytest.mark.parametrize(("rows", "runs"), [(1500, 1), (400_000, 3)])
def test_little_work_is_one_run_in_the_calling_thread(monkeypatch, rows, runs):
    """Starting threads and merging would take longer."""
    monkeypatch.undo()
    callers = set()

    class Callers(Seen):
        def update(self, block):
            callers.add(get_ident())

    engine, source = Threads(3, 1000), source_of(rows).map(AsFloat(10, np.dtype(float)))
    assert len(engine.lanes(source)) == runs
    engine.summarize(source, Callers)
    assert runs > 1 or callers == {get_ident()}


def test_rows_of_files_are_read_by_several(monkeypatch, tmp_path):
    """Reading them takes longer than anything else that is done to a few columns."""
    monkeypatch.undo()
    rows = np.random.default_rng(0).normal(size=(9000, 4))
    frame = pa.table({f"x{j}": rows[:, j] for j in range(4)})
    pq.write_table(frame, tmp_path / "table.parquet", row_group_size=1500)
    read = stream_of(samara.scan(tmp_path / "table.parquet", target="x3"))
    held = ArraySource(rows[:, :3], rows[:, 3:])
    assert [len(Threads(2, 1000).lanes(source)) for source in (read, held)] == [2, 1]


@pytest.mark.parametrize(("adds_only", "runs"), [(True, 1), (False, 2)])
def test_a_summary_that_only_adds_up_is_worth_threads_later(monkeypatch, adds_only, runs):
    """Moments of 10,000 rows of 40 columns are one run; who does more with a row has helpers."""
    monkeypatch.undo()
    source = ArraySource(np.zeros((10_000, 40)), np.zeros((10_000, 1)))
    assert len(Threads(2, 1000).lanes(source, SimpleNamespace(ADDS_ONLY=adds_only))) == runs


def test_what_is_held_is_shared_out(monkeypatch):
    """Nothing is known of the work that it takes."""
    monkeypatch.undo()
    held = Threads(3, 100).hold(source_of(), Seen)
    assert len(Threads(3, 100).lanes(held)) == 3
