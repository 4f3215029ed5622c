"""Who merges."""

from samara.engines.threads import Counted, Progress, Threads
from samara.linalg.blas import available_cores

__all__ = ["Counted", "Progress", "Threads", "available_cores"]
