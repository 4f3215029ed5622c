"""Pure matrix functions."""

from samara.linalg.blas import (
    add_gram,
    add_product,
    factor_upper,
    in_threads,
    mirror_upper,
    routine_address,
    single_blas_thread,
    solve_upper,
)
from samara.linalg.room import copied, room
from samara.linalg.triangular import leading_solutions, stacked_triangle, triangle, triangle_condition

__all__ = [
    "add_gram",
    "add_product",
    "copied",
    "factor_upper",
    "in_threads",
    "leading_solutions",
    "mirror_upper",
    "room",
    "routine_address",
    "single_blas_thread",
    "solve_upper",
    "stacked_triangle",
    "triangle",
    "triangle_condition",
]
