"""Progress of a fit: scikit-learn's callbacks where the installed version has them, else a plain line."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Lock
from typing import Any, TextIO, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

try:
    from sklearn.callback import CallbackSupportMixin as Reports
    from sklearn.callback import with_callbacks
except ImportError:  # scikit-learn before 1.9

    class Reports:  # type: ignore[no-redef]
        """Stands in for scikit-learn's mixin."""

    def with_callbacks(method: Any) -> Any:
        """Stand in for scikit-learn's decorator."""
        return method


def reporting(method: F) -> F:
    """Let the callbacks of the estimator, where it has any, follow its fit to the end."""
    return cast("F", with_callbacks(method))


__all__ = ["CallbackProgress", "PlainProgress", "Reports", "reporting"]

STEPS = 20  # events a pass reports to the callbacks


class PlainProgress:
    """One line on standard error, rewritten: pass, share done, rows per second, time left."""

    def __init__(self, stream: TextIO | None = None, every: float = 0.2) -> None:
        self._stream, self._every = stream or sys.stderr, every
        self._lock = Lock()
        self._name = ""
        self._done, self._began, self._shown = 0, 0.0, 0.0

    def __call__(self, name: str, rows: int, total: int) -> None:
        """Take note of some rows; rewrite the line at most every 0.2 s, and at the end of a pass.

        What follows a semicolon in the name is a remark: the pass is one of steps, and goes on.
        """
        name, _, remark = name.partition("; ")
        with self._lock:
            now = time.monotonic()
            if name != self._name or self._done >= total:
                self._name, self._done, self._began, self._shown = name, 0, now, now
            self._done += rows
            ended = self._done >= total
            if not ended and now - self._shown < self._every:
                return
            self._shown = now
            speed = self._done / max(now - self._began, 1e-9)
            left = f"{(total - self._done) / speed:.1f} s left" if now > self._began else "…"
            pace = f"{speed:.3g} steps/s  {left}  {remark}" if remark else f"{speed:,.0f} rows/s  {left}"
            line = f"\r{name}: {100 * self._done / total:3.0f} %  {pace}"
            self._stream.write(f"{line:<72}" + ("\n" if ended else ""))
            self._stream.flush()


class CallbackProgress:
    """Reports each pass as a task of the fit, with a subtask for every 5 % of its rows."""

    def __init__(self, estimator: Any, root: Any) -> None:
        self._estimator, self._root = estimator, root
        self._lock = Lock()
        self._pass: Any = None
        self._name = ""
        self._done = self._reported = 0

    def __call__(self, name: str, rows: int, total: int) -> None:
        """Take note of some rows."""
        name = name.partition("; ")[0]
        with self._lock:
            if self._pass is None or name != self._name:
                self.close()
                self._name, self._done, self._reported = name, 0, 0
                self._pass = self._root.subcontext(task_name=name, max_subtasks=STEPS)
                self._pass.call_on_fit_task_begin(estimator=self._estimator)
            self._done += rows
            while self._reported < min(STEPS, self._done * STEPS // total):
                step = self._pass.subcontext(task_name=f"{name} rows")
                step.call_on_fit_task_begin(estimator=self._estimator)
                step.call_on_fit_task_end(estimator=self._estimator)
                self._reported += 1
            if self._done >= total:
                self.close()

    def close(self) -> None:
        """End the pass under way."""
        if self._pass is not None:
            self._pass.call_on_fit_task_end(estimator=self._estimator)
            self._pass = None
