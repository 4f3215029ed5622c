"""Who merges."""

from samara.engines.threads import Progress, Threads, available_cores

__all__ = ["Progress", "Threads", "available_cores"]
