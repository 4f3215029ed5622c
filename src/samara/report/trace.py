"""The memory of the process while something runs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

import numpy as np

from samara.core import Array
from samara.resident import resident_bytes

INTERVAL = 0.02  # seconds between two looks, until there are too many
MOST_POINTS = 5000


@dataclass(frozen=True)
class Pass:
    """A pass over the rows, from its first rows to the first of the next pass."""

    name: str
    start: float
    stop: float


@dataclass(frozen=True)
class MemoryTrace:
    """Resident memory of the process over time.

    Attributes
    ----------
    seconds : ndarray of shape (n,)
        Since the trace began.
    resident : ndarray of shape (n,)
        Bytes.
    passes : tuple of Pass
        What ran when.
    """

    seconds: Array
    resident: Array
    passes: tuple[Pass, ...] = ()

    @property
    def before(self) -> int:
        """Bytes held when the trace began."""
        return int(self.resident[0])

    @property
    def peak(self) -> int:
        """The most bytes seen."""
        return int(self.resident.max())

    @property
    def duration(self) -> float:
        """Seconds from the first look to the last."""
        return float(self.seconds[-1] - self.seconds[0])


class MemoryWatch:
    """Looks at the memory of this process every 20 ms while its block runs.

    Above 5,000 looks every two become one, the larger, and the next are taken half as often: a long run
    keeps its peaks. Called with the name of a pass, the rows just done and the rows in all, as an engine
    calls its ``progress``, it notes which pass was under way.

    Attributes
    ----------
    trace : MemoryTrace
        What was seen so far.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import ELMRegressor
    >>> from samara.engines import Threads
    >>> from samara.report import MemoryWatch
    >>> X, y = load_diabetes(return_X_y=True)
    >>> with MemoryWatch() as watch:
    ...     model = ELMRegressor(50, engine=Threads(progress=watch), random_state=0).fit(X, y)
    >>> [each.name for each in watch.trace.passes]
    ['look', 'moments']
    """

    def __init__(self) -> None:
        self._lock, self._over = Lock(), Event()
        self._seconds: list[float] = []
        self._resident: list[int] = []
        self._marks: list[tuple[str, float]] = []
        self._interval = INTERVAL
        self._began = 0.0
        self._thread = Thread(target=self._look_on, name="samara-memory", daemon=True)

    def __enter__(self) -> Self:
        self._began = time.perf_counter()
        self._look()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def __call__(self, name: str, rows: int, total: int | None) -> None:
        """Take note of the pass under way. What follows a semicolon in its name is a remark."""
        name = name.partition("; ")[0]
        with self._lock:
            if self._over.is_set():  # the engine may go on, as to predict
                return
            if not self._marks or self._marks[-1][0] != name:
                self._marks.append((name, time.perf_counter() - self._began))

    @property
    def trace(self) -> MemoryTrace:
        """What was seen so far."""
        with self._lock:
            seconds, resident = np.array(self._seconds), np.array(self._resident)
            marks = list(self._marks)
        ends = [*(start for _, start in marks[1:]), float(seconds[-1])]
        passes = tuple(Pass(*mark, end) for mark, end in zip(marks, ends, strict=False))  # no mark, no pass
        return MemoryTrace(seconds, resident, passes)

    def _look_on(self) -> None:
        while not self._over.wait(self._interval):
            self._look()

    def _look(self) -> None:
        now, held = time.perf_counter() - self._began, resident_bytes() or 0
        with self._lock:
            self._seconds.append(now)
            self._resident.append(held)
            if len(self._seconds) > MOST_POINTS:
                self._seconds, self._resident = thinned(self._seconds, self._resident)
                self._interval *= 2


def thinned(seconds: list[float], resident: list[int]) -> tuple[list[float], list[int]]:
    """The first and the last point, and of every two between them the one with more memory."""
    keep = [0]
    for left in range(1, len(seconds) - 1, 2):
        right = min(left + 1, len(seconds) - 2)
        keep.append(left if resident[left] >= resident[right] else right)
    keep += [len(seconds) - 1] if len(seconds) > 1 else []
    return [seconds[k] for k in keep], [resident[k] for k in keep]
