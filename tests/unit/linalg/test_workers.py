"""Threads share work out, and BLAS has one thread meanwhile."""

from threading import Event, get_ident
from time import sleep
from types import SimpleNamespace

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from samara.linalg import workers as room
from samara.linalg.workers import in_threads, single_blas_thread
from tests.faults.checks import python


def _blas_threads():
    """Threads of every BLAS that is loaded."""
    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_one_thread_until_the_outermost_is_left():
    """Asking within changes nothing, nor does leaving by an error; then BLAS has what it had."""
    with threadpool_limits(2, user_api="blas"):
        before = _blas_threads()
        for _ in range(2):
            with single_blas_thread():
                with pytest.raises(ZeroDivisionError), single_blas_thread():
                    raise ZeroDivisionError
                assert set(_blas_threads()) == {1}
            assert _blas_threads() == before
    assert before != [1] * len(before)


OVERTAKEN = """\
from threading import Event, Thread
import os
os.environ["OPENBLAS_NUM_THREADS"] = "2"
import scipy.linalg
from threadpoolctl import threadpool_info
from samara.linalg.workers import single_blas_thread

def threads():
    return max(one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas")

def first():
    with single_blas_thread():
        inside.set()
        leave.wait(10)

inside, leave, seen, other = Event(), Event(), [threads()], Thread(target=first)
other.start()
inside.wait(10)
with single_blas_thread():
    seen.append(threads())
    leave.set()
    other.join()
    with single_blas_thread():
        seen.append(threads())
    seen.append(threads())
print(seen + [threads()] == [seen[0], 1, 1, 1, seen[0]], seen[0])
"""


def test_a_limit_that_another_thread_took_back_is_set_anew():
    """Who came second has the say when the first has left, and leaves what there was."""
    done = python("-c", OVERTAKEN)
    assert done.stdout == "True 2\n", done.stderr


@pytest.mark.parametrize("workers", [1, 2, 5, 100])
def test_results_come_in_the_order_of_the_items(workers):
    """Whoever worked on them; without items there are none."""
    assert in_threads(lambda item: item * item, iter(range(40)), workers) == [k * k for k in range(40)]
    assert in_threads(lambda item: item, [], workers) == []


def test_the_caller_is_one_of_the_workers():
    """It waits for nobody while there is something to do; the other one is started."""
    both, there = [Event(), Event()], []

    def meet(item):
        there.append(get_ident())
        both[item].set()
        assert both[1 - item].wait(10)

    in_threads(meet, [0, 1], 2)
    assert len(set(there)) == 2
    assert get_ident() in there


@pytest.mark.parametrize("bad", [0, 1, 5])
def test_after_an_error_nothing_more_is_begun(bad):
    """The error comes through as it is; the others end what they have begun."""
    begun = []

    def work(item):
        begun.append(item)
        if item == bad:
            raise OSError("no such item")
        sleep(0.001)

    with pytest.raises(OSError, match="no such item"):
        in_threads(work, range(10_000), 2)
    assert len(begun) < 100


def test_of_several_errors_that_of_the_first_item_is_raised():
    """Though that of the second came first."""
    second = Event()

    def work(item):
        if item == 0:
            assert second.wait(10)
        second.set()
        raise OSError(f"item {item}")

    for _ in range(20):
        second.clear()
        with pytest.raises(OSError, match="item 0"):
            in_threads(work, range(10), 2)


def test_threads_are_counted_the_public_way_where_symbols_are_not_looked_up():
    """Older versions of threadpoolctl have no such look-up; newer ones may not."""
    fields = {"internal_api": "openblas", "threading_layer": "pthreads", "get_num_threads": lambda: 3}
    assert room._counter(SimpleNamespace(**fields))() == 3
    assert room._counter(SimpleNamespace(**fields, _get_symbol=lambda name: None))() == 3
    assert room._counter(SimpleNamespace(**fields, _get_symbol=lambda name: lambda: 5))() == 5
    assert room._counter(SimpleNamespace(internal_api="blis", get_num_threads=lambda: 2))() == 2
