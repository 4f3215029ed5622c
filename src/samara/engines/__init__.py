"""Who merges."""

from samara.core import Progress
from samara.engines.dask import DaskEngine
from samara.engines.spark import SparkEngine
from samara.engines.threads import Counted, Threads
from samara.linalg.blas import available_cores

__all__ = ["Counted", "DaskEngine", "Progress", "SparkEngine", "Threads", "available_cores"]
