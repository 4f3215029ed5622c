"""The memory of the process over time."""

import time

import numpy as np
import pytest

from samara import ELMRegressor
from samara.engines import Threads
from samara.report import MemoryWatch, trace
from samara.report.trace import MemoryTrace, thinned


def test_a_large_array_shows_in_the_trace():
    with MemoryWatch() as watch:
        held = np.ones(8_000_000)
        time.sleep(0.1)
        del held
    seen = watch.trace
    assert seen.peak - seen.before > 50e6
    assert (np.diff(seen.seconds) > 0).all()
    assert seen.duration >= 0.1
    assert len(seen.seconds) == len(seen.resident) >= 3


def test_it_notes_the_passes_of_an_engine_but_none_after_its_block():
    X = np.random.default_rng(0).standard_normal((500, 3))
    with MemoryWatch() as watch:
        model = ELMRegressor(20, engine=Threads(progress=watch), random_state=0).fit(X, X[:, 0])
    model.predict(X)
    passes = watch.trace.passes
    assert [each.name for each in passes] == ["look", "moments"]
    assert passes[0].stop == passes[1].start
    assert passes[1].stop == watch.trace.seconds[-1]
    assert all(each.stop >= each.start for each in passes)


def test_remarks_are_no_names():
    with MemoryWatch() as watch:
        watch("lsqr; residual 1", 1, 3)
        watch("lsqr; residual 0.1", 1, 3)
    assert [each.name for each in watch.trace.passes] == ["lsqr"]


def test_it_ends_with_its_block_even_by_an_error():
    with pytest.raises(ZeroDivisionError), MemoryWatch() as watch:
        _ = 1 / 0
    assert not watch._thread.is_alive()
    assert len(watch.trace.seconds) >= 2


def test_many_looks_become_fewer_and_keep_the_peak(monkeypatch):
    monkeypatch.setattr(trace, "MOST_POINTS", 50)
    heights = iter(np.random.default_rng(0).permutation(500).tolist())
    monkeypatch.setattr(trace, "resident_bytes", lambda: next(heights))
    watch = MemoryWatch()
    for _ in range(400):
        watch._look()
    seen = watch.trace
    assert len(seen.seconds) <= 50
    assert seen.peak == max(np.random.default_rng(0).permutation(500).tolist()[:400])
    assert watch._interval > trace.INTERVAL


@pytest.mark.parametrize("count", [1, 2, 3, 4, 9, 10])
def test_thinning_keeps_both_ends_and_the_largest(count):
    seconds, heights = [float(k) for k in range(count)], [(7 * k) % 10 for k in range(count)]
    times, kept = thinned(seconds, heights)
    assert (times[0], times[-1], max(kept)) == (seconds[0], seconds[-1], max(heights))
    assert len(kept) <= count // 2 + 2
    assert times == sorted(set(times))


def test_a_trace_knows_its_peak_and_beginning():
    seen = MemoryTrace(np.array([0.0, 1.0, 3.0]), np.array([10, 40, 20]))
    assert (seen.before, seen.peak, seen.duration) == (10, 40, 3.0)
