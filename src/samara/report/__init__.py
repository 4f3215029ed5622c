"""Plots of what a fit found."""

from samara.report.selection import SelectionDisplay
from samara.report.spectrum import SpectrumDisplay

__all__ = ["SelectionDisplay", "SpectrumDisplay"]
