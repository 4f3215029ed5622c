"""Factor → ridge and size."""

from samara.selection.dual import left_out_surface
from samara.selection.further import scored
from samara.selection.methods import SELECTORS, Gcv, KFold, LCurve, Loo, TooFewFoldsError, leave_out_pass
from samara.selection.surface import Selection, Surface, choose

Selector = KFold | Loo | Gcv | LCurve

__all__ = [
    "SELECTORS",
    "Gcv",
    "KFold",
    "LCurve",
    "Loo",
    "Selection",
    "Selector",
    "Surface",
    "TooFewFoldsError",
    "choose",
    "leave_out_pass",
    "left_out_surface",
    "scored",
]
