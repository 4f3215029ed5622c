"""Matrix functions: randomized low-rank factorizations, their stops and their results.

What the other rooms need besides (BLAS in place, triangles, room for arrays) they import from the modules.
"""

from samara.linalg.band import Band, BandFactor, reduce_to_band
from samara.linalg.conjugate import ConjugateResult, NystroemPreconditioner, conjugate_gradients
from samara.linalg.inverse import PinvResult, pinv
from samara.linalg.pivoted import PivotedCholesky, pivoted_cholesky
from samara.linalg.ranges import RangeResult, range_finder
from samara.linalg.semidefinite import NystroemResult, nystroem
from samara.linalg.stops import EnergyStop, ErrorStop, GradientStop, RidgeStop, Stop
from samara.linalg.svd import SVDResult, fast_svd, rsvd

__all__ = [
    "Band",
    "BandFactor",
    "ConjugateResult",
    "EnergyStop",
    "ErrorStop",
    "GradientStop",
    "NystroemPreconditioner",
    "NystroemResult",
    "PinvResult",
    "PivotedCholesky",
    "RangeResult",
    "RidgeStop",
    "SVDResult",
    "Stop",
    "conjugate_gradients",
    "fast_svd",
    "nystroem",
    "pinv",
    "pivoted_cholesky",
    "range_finder",
    "reduce_to_band",
    "rsvd",
]
