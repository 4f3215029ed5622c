"""Who merges."""

from samara.core import Progress
from samara.engines.dask import DaskEngine
from samara.engines.held import Held, Unmapped
from samara.engines.spark import SparkEngine
from samara.engines.threads import Counted, Threads
from samara.linalg.workers import available_cores

__all__ = [
    "Counted",
    "DaskEngine",
    "Held",
    "Progress",
    "SparkEngine",
    "Threads",
    "Unmapped",
    "available_cores",
]
