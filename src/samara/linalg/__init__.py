"""Matrix functions: randomized low-rank factorizations for everyone, BLAS in place for the other rooms."""

from samara.linalg.blas import (
    add_gram,
    add_product,
    available_cores,
    factor_upper,
    in_threads,
    mirror_upper,
    routine_address,
    single_blas_thread,
    solve_from_right,
    solve_upper,
)
from samara.linalg.inverse import PinvResult, pinv
from samara.linalg.kernels import TileForm, TileSide
from samara.linalg.ranges import RangeResult, range_finder
from samara.linalg.room import copied, room
from samara.linalg.semidefinite import NystroemResult, nystroem
from samara.linalg.stops import EnergyStop, ErrorStop, GradientStop, RidgeStop, Stop
from samara.linalg.svd import SVDResult, fast_svd, rsvd
from samara.linalg.tiles import kernel_tile
from samara.linalg.triangular import leading_solutions, stacked_triangle, triangle, triangle_condition

__all__ = [
    "EnergyStop",
    "ErrorStop",
    "GradientStop",
    "NystroemResult",
    "PinvResult",
    "RangeResult",
    "RidgeStop",
    "SVDResult",
    "Stop",
    "TileForm",
    "TileSide",
    "add_gram",
    "add_product",
    "available_cores",
    "copied",
    "factor_upper",
    "fast_svd",
    "in_threads",
    "kernel_tile",
    "leading_solutions",
    "mirror_upper",
    "nystroem",
    "pinv",
    "range_finder",
    "room",
    "routine_address",
    "rsvd",
    "single_blas_thread",
    "solve_from_right",
    "solve_upper",
    "stacked_triangle",
    "triangle",
    "triangle_condition",
]
