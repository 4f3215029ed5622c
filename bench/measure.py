"""Run one contender once, in this process, and print what it took as one line of JSON.

The harness starts it afresh for every run: ``python -m bench.measure '{"function": "module:name", ...}'``;
`bench.forked` calls it in a fork. It needs the standard library alone, so that it also runs in the
environments of other libraries.
"""

import contextlib
import ctypes
import gc
import importlib
import importlib.metadata
import json
import os
import platform
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MEGABYTE = 1e6
SETTLE = 0.2  # seconds; threads of OpenBLAS that have nothing to do look for work in a loop for 0.13 s
MOST_TRIES = 15
LIBRARIES = (
    "samara",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "hpelm",
    "scikit-elm",
    "gfdl",
    "pyoselm",
    "scikit-learn-intelex",
    "lightgbm",
)


def nothing(_: Any = None) -> dict[str, Any]:
    """Report no results."""
    return {}


@dataclass(frozen=True, slots=True)
class Trial:
    """One call to measure. Its input is made before, so the clock and the peak see the call alone.

    ``describe`` turns what ``run`` returned into results worth reporting. ``warm_up`` runs first, unmeasured,
    so that late imports are not timed; keep it tiny, or the buffers it leaves behind hide those of the call.
    ``predict`` is measured on its own where there is one; ``describe`` then gets the predictions.
    """

    run: Callable[[], Any]
    describe: Callable[[Any], dict[str, Any]] = nothing
    warm_up: Callable[[], Any] = nothing
    predict: Callable[[Any], Any] | None = None


class PeakMeter:
    """The most resident memory a ``with`` body holds above what was held when it began."""

    def __enter__(self) -> "PeakMeter":
        gc.collect()
        self._return_free_memory()
        self.exact = self._reset_high_water()
        self._before = self._kilobytes("VmRSS")
        return self

    def __exit__(self, *_: object) -> None:
        self.megabytes = max(0.0, (self._kilobytes("VmHWM") - self._before) * 1024 / MEGABYTE)

    @staticmethod
    def _return_free_memory() -> None:
        # What making the input freed may still be resident; a call that reuses it would seem to need nothing.
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)

    @staticmethod
    def _reset_high_water() -> bool:
        """Set the high-water mark to what is resident now; False where the system cannot."""
        try:
            with open("/proc/self/clear_refs", "w") as control:
                control.write("5")
        except OSError:
            return False
        return True

    @staticmethod
    def _kilobytes(field: str) -> float:
        try:
            with open("/proc/self/status") as status:
                return float(next(line for line in status if line.startswith(field)).split()[1])
        except (OSError, StopIteration):
            # No /proc: only the peak of the whole process is known (bytes on macOS): a lower bound.
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            return peak / 1024 if sys.platform == "darwin" else float(peak)


def available_cores() -> int:
    """Cores this process may use, which a container or ``taskset`` can make fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def keep_to_cores(count: int) -> None:
    """Hold this process to ``count`` cores: not every contender's own threads obey the BLAS settings."""
    if hasattr(os, "sched_setaffinity") and count < available_cores():
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:count])


def installed_versions() -> dict[str, str]:
    """Versions of the libraries that matter, in the environment this process runs in."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def loaded_blas() -> list[str]:
    """The BLAS libraries this process has loaded, with the threads each may use."""
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return []
    return sorted(
        f"{pool['internal_api']} {pool.get('version')} {pool.get('architecture', '')} x{pool['num_threads']}"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    )


def clocked(call: Callable[[], Any]) -> tuple[Any, dict[str, Any]]:
    """What the call returns, its seconds and its peak."""
    with PeakMeter() as meter:
        start = time.perf_counter()
        outcome = call()
        seconds = time.perf_counter() - start
    return outcome, {"seconds": seconds, "peak_mb": meter.megabytes, "peak_is_exact": meter.exact}


def measure(function: str, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Make the trial that ``module:name`` describes, run it once, and report time, peak and results."""
    trial = made(function, kwargs)
    trial.warm_up()
    return {**measured(trial), **surroundings()}


def made(function: str, kwargs: dict[str, Any]) -> Trial:
    """The trial that ``module:name`` describes."""
    module, name = function.split(":")
    trial: Trial = getattr(importlib.import_module(module), name)(**kwargs)
    return trial


def surroundings() -> dict[str, Any]:
    """What the libraries of this process are."""
    return {"versions": installed_versions(), "blas": loaded_blas()}


def measured(trial: Trial) -> dict[str, Any]:
    """Time, peak and results of one run."""
    outcome, taken = clocked(trial.run)
    if trial.predict:
        predict, model = trial.predict, outcome
        outcome, predicting = clocked(lambda: predict(model))
        taken |= {"predict_seconds": predicting["seconds"], "predict_peak_mb": predicting["peak_mb"]}
    return {**taken, "results": trial.describe(outcome)}


def settle() -> None:
    """Keep one core at work for a while, as whoever made the rows would: one that slept is slow at first."""
    until = time.perf_counter() + SETTLE
    while time.perf_counter() < until:
        pass


def measure_each(
    function: str, kwargs: dict[str, Any], each: list[dict[str, Any]], enough: float, brief: float
) -> list[dict[str, Any]]:
    """One trial after the other, each with keywords of its own; none after one of ``enough`` seconds.

    One that takes less than ``brief`` seconds is repeated until the repetitions take as long, or there are
    `MOST_TRIES`, and the fastest counts: what slows some of them down is the machine. Before the first,
    threads that starting and warming up left looking for work go to sleep.
    """
    runs: list[dict[str, Any]] = []
    for more in each:
        trial = made(function, {**kwargs, **more})
        if not runs:
            trial.warm_up()
            settle()
            gc.freeze()  # or collecting garbage before each run would walk all libraries, and cool the caches
        tries = [measured(trial)]
        while len(tries) < MOST_TRIES and sum(run["seconds"] for run in tries) < brief:
            tries.append(measured(trial))
        runs.append(min(tries, key=lambda run: run["seconds"]))
        if runs[-1]["seconds"] + runs[-1].get("predict_seconds", 0) >= enough:
            break
    told = surroundings()
    return [{**run, **told} for run in runs]


if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    keep_to_cores(order.pop("threads"))
    print(json.dumps(measure(**order)))
