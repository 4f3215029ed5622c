"""What one pass keeps."""

from samara.summaries.layout import Layout
from samara.summaries.moments import Moments
from samara.summaries.predictions import LeaveOneOut, Predictions, Press
from samara.summaries.products import HeldOut, Products, SparseSketch
from samara.summaries.profile import ColumnMoments, Profile
from samara.summaries.triangle import Rows, Triangle

__all__ = [
    "ColumnMoments",
    "HeldOut",
    "Layout",
    "LeaveOneOut",
    "Moments",
    "Predictions",
    "Press",
    "Products",
    "Profile",
    "Rows",
    "SparseSketch",
    "Triangle",
]
