"""Matrix functions: randomized low-rank factorizations for everyone, BLAS in place for the other rooms."""

from samara.linalg.band import Band, BandFactor, reduce_to_band
from samara.linalg.blas import (
    add_gram,
    add_outer,
    add_product,
    available_cores,
    factor_upper,
    in_threads,
    mirror_upper,
    multiply,
    multiply_symmetric,
    routine_address,
    single_blas_thread,
    solve_upper,
    subtract_both,
)
from samara.linalg.conjugate import ConjugateResult, NystroemPreconditioner, conjugate_gradients
from samara.linalg.inverse import PinvResult, pinv
from samara.linalg.pivoted import PivotedCholesky, Tiled, pivoted_cholesky
from samara.linalg.ranges import RangeResult, range_finder
from samara.linalg.room import copied, room
from samara.linalg.semidefinite import NystroemResult, nystroem
from samara.linalg.stops import EnergyStop, ErrorStop, GradientStop, RidgeStop, Stop
from samara.linalg.svd import SVDResult, fast_svd, rsvd
from samara.linalg.triangular import leading_solutions, stacked_triangle, triangle, triangle_condition

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
    "Tiled",
    "add_gram",
    "add_outer",
    "add_product",
    "available_cores",
    "conjugate_gradients",
    "copied",
    "factor_upper",
    "fast_svd",
    "in_threads",
    "leading_solutions",
    "mirror_upper",
    "multiply",
    "multiply_symmetric",
    "nystroem",
    "pinv",
    "pivoted_cholesky",
    "range_finder",
    "reduce_to_band",
    "room",
    "routine_address",
    "rsvd",
    "single_blas_thread",
    "solve_upper",
    "stacked_triangle",
    "subtract_both",
    "triangle",
    "triangle_condition",
]
