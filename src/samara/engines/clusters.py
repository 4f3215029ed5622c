"""What is a cluster, and who works on it: Dask or Spark."""

from __future__ import annotations

from typing import Any

from samara.engines.connections import is_client
from samara.engines.dask import DaskEngine, is_dask
from samara.engines.sessions import is_session
from samara.engines.spark import SparkEngine, is_spark

KNOWN = ("dask://host:port", "a distributed.Client", "a SparkSession", "spark")


def is_cluster(given: Any) -> bool:
    """Whether this is a cluster: a connection to one, what it is found by, or an engine of one."""
    return is_dask(given) or is_spark(given)


def cluster_engine(given: Any) -> DaskEngine | SparkEngine:
    """The engine of a cluster, connected and its workers counted."""
    if is_spark(given):
        return (given if isinstance(given, SparkEngine) else SparkEngine(given)).ready()
    return (given if isinstance(given, DaskEngine) else DaskEngine(given)).ready()


def is_connection(given: Any) -> bool:
    """Whether this is a connection of this process, which can't be copied."""
    return is_client(given) or is_session(given)


def found_by(connection: Any) -> str:
    """What another process finds the same cluster by."""
    return "spark" if is_session(connection) else str(connection.scheduler.address)
