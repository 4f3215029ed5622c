"""What one pass keeps."""

from samara.summaries.columns import ColumnProfile, Limits
from samara.summaries.errors import SquaredErrors
from samara.summaries.gathered import Gathered
from samara.summaries.layout import Layout
from samara.summaries.levels import MISSING, LevelMoments
from samara.summaries.moments import Moments
from samara.summaries.predictions import Here, LeaveOneOut, Predictions, Press
from samara.summaries.products import HeldOut, Products, SparseSketch
from samara.summaries.profile import ColumnMoments, Profile
from samara.summaries.tiles import Tile, TileBlock, TileProducts, TileSums, columns_of_tile
from samara.summaries.triangle import Rows, Triangle

__all__ = [
    "MISSING",
    "ColumnMoments",
    "ColumnProfile",
    "Gathered",
    "HeldOut",
    "Here",
    "Layout",
    "LeaveOneOut",
    "LevelMoments",
    "Limits",
    "Moments",
    "Predictions",
    "Press",
    "Products",
    "Profile",
    "Rows",
    "SparseSketch",
    "SquaredErrors",
    "Tile",
    "TileBlock",
    "TileProducts",
    "TileSums",
    "Triangle",
    "columns_of_tile",
]
