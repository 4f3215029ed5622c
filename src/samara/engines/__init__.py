"""Who merges."""

from samara.engines.threads import Progress, Threads
from samara.linalg.blas import available_cores

__all__ = ["Progress", "Threads", "available_cores"]
