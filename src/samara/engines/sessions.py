"""Spark sessions: found or started, checked, and in words what goes wrong with them."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from samara.errors import ClusterError, InputError, SamaraError

# Each task is tried four times, as on a cluster; nobody on another machine can reach the session.
LOCAL = {
    "spark.master": "local[*,4]",
    "spark.app.name": "samara",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_MISSING = re.compile(r"ModuleNotFoundError: No module named '([^']+)'")
_OTHER_PYTHON = re.compile(r"different version: ([\d.]+) than that in driver:? ([\d.]+)")


def is_session(given: Any) -> bool:
    """Whether this is a Spark session; nothing is imported to find out."""
    name = type(given).__module__
    return name.partition(".")[0] == "pyspark" and type(given).__name__ == "SparkSession"


def opened(given: Any) -> Any:
    """The session given, or the one that is active, or one on this machine."""
    if not isinstance(given, str):
        return _classic(given)
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError:
        raise InputError("Spark needs the package pyspark: pip install samara[spark].") from None
    from pyspark.errors import PySparkRuntimeError

    try:
        active = _classic(SparkSession.active())
        if not is_stopped(active.sparkContext):
            return active
    except PySparkRuntimeError:  # there is none
        pass
    builder = SparkSession.builder
    for key, value in LOCAL.items():
        builder = builder.config(key, value)
    try:
        made = builder.getOrCreate()
    except PySparkRuntimeError as error:
        raise ClusterError(
            "No Spark session could be started here: it needs Java 17 or later, found by JAVA_HOME or PATH."
        ) from error
    if "PYSPARK_PYTHON" not in os.environ:  # else workers are any python3 that there is
        made.sparkContext.pythonExec = sys.executable
    return made


def _classic(session: Any) -> Any:
    """The session, if it can run tasks of ours."""
    if ".connect." in type(session).__module__:
        raise InputError(
            "A Spark Connect session can't run the passes of a fit: give a session of the driver itself."
        )
    return session


def is_stopped(context: Any) -> bool:
    """Whether a context does no work any more."""
    if context._jsc is None:
        return True
    try:
        return bool(context._jsc.sc().isStopped())
    except Exception:  # its Java process is gone
        return True


@contextmanager
def explained(context: Any) -> Iterator[None]:
    """What goes wrong with Spark, in words."""
    try:
        yield
    except SamaraError:
        raise
    except ModuleNotFoundError as error:
        raise ClusterError(f"A worker has no package {error.name}: install it on all of them.") from error
    except Exception as error:
        if is_stopped(context):
            raise ClusterError(
                "The Spark session was stopped: start one and fit again. A checkpoint keeps finished passes."
            ) from error
        if not type(error).__module__.startswith(("py4j", "pyspark")):
            raise
        raise ClusterError(_in_words(str(error))) from error


def _in_words(said: str) -> str:
    """One sentence out of the pages that Spark says."""
    missing, python = _MISSING.search(said), _OTHER_PYTHON.search(said)
    if missing:
        return (
            f"A worker has no package {missing[1]}: install it on all of them, or set PYSPARK_PYTHON to a "
            "Python that has it."
        )
    if python:
        return (
            f"The workers run Python {python[1]}, this process {python[2]}: set PYSPARK_PYTHON to the same "
            "version before the session starts."
        )
    if "Python worker exited unexpectedly" in said or "ExecutorLostFailure" in said:
        return "Workers of Spark died again and again: they may need more memory, or smaller block_rows."
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("Caused by:")] or lines[1:2] or lines
    return f"Spark could not do a pass: {causes[-1].removeprefix('Caused by:').strip().rstrip('.')}."
