"""Where rows come from."""

from samara.sources.arrays import ArraySource

__all__ = ["ArraySource"]
