"""Threads of our own, and BLAS held to one thread meanwhile."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import local
from typing import Any, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
U = TypeVar("U")
_WORTH_THREADS = 3e7  # flops: a millisecond; starting and joining threads takes half of one
_WORTH_BLAS_THREADS = 1e9  # its steps are smaller, and its threads spin for milliseconds after each


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@cache
def _controller() -> ThreadpoolController:
    """Found once: looking the libraries up takes a millisecond, as long as a small prediction."""
    return ThreadpoolController()


class _OneThread(local):
    """BLAS at one thread while this thread is inside; asking again there costs next to nothing.

    A small fit asks six times, and each limit of threadpoolctl's that is set and taken back takes 20 µs, most
    of it to describe the libraries. Another thread that had set it first may have taken its limit back
    meanwhile, so that it is set anew. To ask the libraries themselves takes 0.3 µs, by threadpoolctl 2.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._before: list[tuple[Any, int]] = []  # libraries, and threads that each had

    def __enter__(self) -> None:
        threads = [count() for count, _ in _blas()]
        if not self._depth or max(threads, default=1) != 1:
            # set back once, by the outermost
            self._before = [(one, count) for (_, one), count in zip(_blas(), threads, strict=True)]
            for one, _ in self._before:
                one.set_num_threads(1)
        self._depth += 1

    def __exit__(self, *raised: Any) -> None:
        self._depth -= 1
        if not self._depth:
            for one, count in self._before:
                one.set_num_threads(count)


@cache
def _blas() -> list[tuple[Callable[[], int], Any]]:
    """The BLAS libraries of this process: who counts the threads of each, and who sets them."""
    found = [one for one in _controller().lib_controllers if one.user_api == "blas"]
    return [(_counter(one), one) for one in found]


def _counter(one: Any) -> Callable[[], int]:
    """The function of the library itself, where threadpoolctl would look it up by its name each time.

    Its look-up is not public and not in every version that will do; without it the public way is taken.
    """
    own = one.internal_api == "openblas" and one.threading_layer == "pthreads"
    look_up = getattr(one, "_get_symbol", None) if own else None
    counter: Callable[[], int] | None = look_up("openblas_get_num_threads") if look_up else None
    return counter or one.get_num_threads


_ONE_THREAD = _OneThread()


def single_blas_thread() -> AbstractContextManager[None]:
    """Hold BLAS to one thread, so that our own threads have the cores."""
    return _ONE_THREAD


def blas_threads_for(flops: float) -> AbstractContextManager[None]:
    """Hold BLAS to one thread where all there is to do takes no longer than its threads take to meet.

    NumPy and SciPy bring a BLAS each: on two cores the inverse of 113 rows took 41 ms in place of 0.4 while
    the threads of the other one were still spinning.
    """
    return nullcontext() if worth_blas_threads(flops) else single_blas_thread()


def worth_blas_threads(flops: float) -> bool:
    """Whether BLAS may have its threads for so much work."""
    return flops >= _WORTH_BLAS_THREADS


def threads_for(flops: float, workers: int) -> int:
    """As many of the workers as so much work is worth: all, or this thread alone."""
    return workers if flops >= _WORTH_THREADS else 1


def in_threads(work: Callable[[T], U], items: Iterable[T], workers: int) -> list[U]:
    """``[work(item) for item in items]`` on several cores, BLAS held to one thread each.

    Threaded BLAS waits for its slowest thread in every small step; on a busy machine a Cholesky factor of
    1000 columns then took 0.4 s instead of 0.01 s. The calling thread is one of the workers: of two threads
    that are started while it still runs on one of two cores, both may begin on the other, and 5 ms of work
    took 5 or 7, as chance had it. After an error no further item is begun; of several that of the first item
    is raised, whoever was faster.
    """
    listed = list(items)
    helpers = min(workers, len(listed)) - 1
    if helpers < 1:  # starting a thread takes half a millisecond, a tenth of a batch of 1000 rows
        with single_blas_thread():
            return [work(item) for item in listed]
    waiting, done, failed = deque(range(len(listed))), {}, {}

    def take() -> None:
        while True:
            try:
                number = waiting.popleft()
            except IndexError:
                return
            try:
                done[number] = work(listed[number])
            except BaseException as error:
                failed[number] = error
                waiting.clear()

    with single_blas_thread(), ThreadPoolExecutor(helpers) as pool:
        others = [pool.submit(take) for _ in range(helpers)]
        try:
            take()
        finally:
            waiting.clear()  # Ctrl-C may come between two items
        for one in others:
            one.result()
    try:
        if failed:
            raise failed[min(failed)]
    finally:
        failed.clear()  # else the error, by its traceback, would keep itself
    return [done[number] for number in range(len(listed))]
