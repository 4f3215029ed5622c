"""Threads share work out, and BLAS has one thread meanwhile."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event, get_ident
from time import sleep

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from samara.linalg.workers import in_threads, single_blas_thread


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


def test_each_thread_has_its_own_limit():
    """Who comes while another holds it still leaves one thread to that one."""
    with threadpool_limits(2, user_api="blas"), single_blas_thread(), ThreadPoolExecutor(1) as pool:

        def inside():
            with single_blas_thread():
                return _blas_threads()

        assert set(pool.submit(inside).result()) == {1}
        assert set(_blas_threads()) == {1}


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
