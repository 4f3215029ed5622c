"""Named data sets that come with the package."""

from samara.datasets.letter import load_letter

__all__ = ["load_letter"]
