"""The search behind the automatic estimators: candidates tried on some rows, blended, fitted to all."""

from samara.search.auto_fit import AutoFitted, AutoSettings, auto_fit
from samara.search.board import Entry, Leaderboard
from samara.search.clock import Clock

__all__ = ["AutoFitted", "AutoSettings", "Clock", "Entry", "Leaderboard", "auto_fit"]
