"""Which solver suits a shape, and how it compares with the streamed Gram: the reasons of a plan."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from samara.costs import flops, format_bytes, sketch_is_longer
from samara.shapes import LOW_RANK, Shape, exact_solver


def choose_solver(shape: Shape, asked: str) -> tuple[str, str]:
    """The solver, and why."""
    if asked != "auto":
        return asked, "as asked"
    L, n = shape.n_columns, shape.n_rows if shape.n_sizes == 1 else math.inf
    fewer = f"{shape.n_rows:,} rows < {L:,} columns"
    tiny = f"ridge {shape.smallest_alpha or 0:.1e} is too small for the rounding of HᵀH"
    name = exact_solver(n, L, shape.tiny_ridge)
    why = {
        "svd": f"{fewer}, and {tiny}",
        "dual": f"{fewer}: an n×n system is the smaller one",
        "qr": f"{tiny}; a triangle does not square the condition number",
        "gram": f"normal equations of {L:,} columns in one pass; no ridge drowns in their rounding",
    }
    return name, why[name]


def weighed(shape: Shape, solver: str) -> tuple[str, ...]:
    """How the solver compares with the streamed Gram, where there is something to compare."""
    if solver in LOW_RANK or solver == "gram":
        return (when_low_rank_pays(shape),)
    if solver == "tiles":
        groups, columns = shape.groups, shape.n_targets * shape.training_sets
        count, sent = groups * (groups + 1) // 2, 8 * shape.n_columns * columns
        return (
            f"tiles: {count} of up to {-(-shape.n_columns // groups):,} × {-(-shape.n_columns // groups):,} "
            f"nodes, each made from all rows; a step sends {format_bytes(sent)} to every worker",
        )
    if solver == "precondition" and sketch_is_longer(shape):
        return ("precondition: a sketch would be no shorter than the rows, so it will be qr",)
    if solver in ("lsqr", "precondition"):
        several = shape.n_alphas * shape.n_folds if solver == "precondition" else shape.training_sets
        columns = shape.n_targets * (several if shape.selection == "kfold" else 1)
        return (
            f"{solver}: 4nL flops a pass for each of {columns:,} columns (targets × training sets"
            f"{' × ridges' if solver == 'precondition' else ''}), as much as nL² after about "
            f"{max(1, round(shape.n_columns / 4 / columns)):,} passes",
        )
    return ()


def when_low_rank_pays(shape: Shape) -> str:
    """The rank up to which randomized solvers cost less than the exact one, passes and systems counted."""
    exact = exact_solver(shape.n_rows if shape.n_sizes == 1 else math.inf, shape.n_columns, False)
    whole = flops(shape, exact)
    smaller = min(shape.n_rows, shape.n_columns)
    most = largest(lambda rank: flops(replace(shape, rank=rank, power=0), "rsvd") < whole, smaller)
    pays = f"only with rank below about {most:,}" if most > 0 else "at no rank"
    systems = 1 + shape.n_folds * shape.n_alphas if shape.selection == "kfold" else 1
    small, large, one = ("n²L", "n³", "a pass") if exact == "dual" else ("nL²", "L³", "one")
    solved = f", {systems} systems of k³/3 against {large}/3" if systems > 1 else ""
    compared = f"6nLk flops in two passes (sketch: 10nLk in three) against {small} in {one}{solved}"
    return f"rsvd, fast_svd, sketch: {compared}, so they pay {pays}"


def largest(holds: Callable[[int], bool], below: int) -> int:
    """The largest number below a bound for which a monotone condition holds, 0 where there is none."""
    low, high = 0, below
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
