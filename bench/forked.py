"""Interpreters that wait with their libraries imported, and run every trial in a fork of their own.

Starting Python and importing a library takes a second or two, most fits some milliseconds. The parent only
ever imports; so a fork is what a new process would be after its imports: no threads, no buffers, no results
of others. ``python -m bench.forked`` is the parent: orders in, a line each, answers out. Like
`bench.measure` it needs the standard library alone.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from bench.measure import keep_to_cores, measure_each

Answer = dict[str, Any]
THREADED = 256  # rows and columns of a product that BLAS shares out
PATIENCE = 120.0  # seconds beyond a trial's limit, for the parent's imports


class Forks:
    """One waiting interpreter for each environment, started when the first order for it comes."""

    def __init__(self, threads: int, variables: Callable[[str, int], Mapping[str, str]], folder: str) -> None:
        self._threads, self._variables, self._folder = threads, variables, folder
        self._waiting: dict[str, subprocess.Popen[str]] = {}

    def __enter__(self) -> "Forks":
        return self

    def __exit__(self, *_: object) -> None:
        for python in list(self._waiting):
            self._end(python)

    def run(self, python: str, order: Mapping[str, Any]) -> Any:
        """What the trial told, or ``{"error": ...}``; ``{"late": True, ...}`` past the limit."""
        waiting = self._waiting.get(python) or self._start(python)
        assert waiting.stdin is not None
        assert waiting.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it has ended, and says so below
            waiting.stdin.write(json.dumps({**order, "threads": self._threads}) + "\n")
            waiting.stdin.flush()
        there, _, _ = select.select([waiting.stdout], [], [], order["limit"] + PATIENCE)
        line = waiting.stdout.readline() if there else ""
        if not line:
            self._end(python)  # the next order gets a new one
            return {"error": "its interpreter ended" if there else "its interpreter does not answer"}
        return json.loads(line)["told"]

    def _start(self, python: str) -> "subprocess.Popen[str]":
        self._waiting[python] = subprocess.Popen(
            [python, "-m", "bench.forked"],
            cwd=self._folder,
            env=dict(self._variables(python, self._threads)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        return self._waiting[python]

    def _end(self, python: str) -> None:
        waiting = self._waiting.pop(python)
        waiting.kill()
        waiting.communicate()


def serve() -> None:
    """Answer orders until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what a library prints is no answer
    for line in sys.stdin:
        answer = in_a_fork(json.loads(line))
        for name in answer.pop("imported", ()):
            with contextlib.suppress(Exception):  # some can't be imported by name; forks import them again
                importlib.import_module(name)
        print(json.dumps(answer), file=answers, flush=True)


def in_a_fork(order: dict[str, Any]) -> Answer:
    """The answer of a process that ends with it."""
    limit = order.pop("limit")
    gc.collect()
    gc.freeze()  # or the collector of the fork would write to, and so copy, every page
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.setsid()
        with os.fdopen(writing, "w") as pipe:
            json.dump(answered(order), pipe)
        os._exit(0)
    os.close(writing)
    text = read_until(reading, time.monotonic() + limit)
    if text is None:
        os.killpg(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if text is None:
        return {"told": {"error": f"took longer than {limit:g} s", "late": True}}
    if not text:
        return {"told": {"error": f"ended with exit code {os.waitstatus_to_exitcode(status)}"}}
    answer: Answer = json.loads(text)
    return answer


def read_until(reading: int, deadline: float) -> str | None:
    """All that is written into a pipe; None if it is not closed in time."""
    pieces: list[bytes] = []
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            there, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not there:
                return None
            piece = pipe.read(1 << 16)
            if not piece:
                return b"".join(pieces).decode()
            pieces.append(piece)


def start_threads() -> None:
    """Let BLAS start its threads: a new process does on loading it, a fork only when they are needed."""
    if numpy := sys.modules.get("numpy"):
        square = numpy.ones((THREADED, THREADED))
        square @ square
        if scipy := sys.modules.get("scipy.linalg.blas"):  # it has threads of its own
            scipy.dgemm(1.0, square, square)


def answered(order: dict[str, Any]) -> Answer:
    """What the trials told, and what they imported, for the next fork to have it from the start."""
    before = set(sys.modules)
    keep_to_cores(order.pop("threads"))
    start_threads()
    try:
        told: Any = measure_each(**order)
    except BaseException as error:  # also one that wants to end the process: it is what the method has to say
        told = {"error": traceback.format_exception_only(error)[-1].strip()}
    return {"told": told, "imported": [name for name in sys.modules if name not in before]}


if __name__ == "__main__":
    serve()
