"""The shape of a problem, and what follows from it before a row is read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

LOW_RANK = ("rsvd", "fast_svd", "fast_svd_gradient", "sketch")
OVERSAMPLING = 10  # random vectors beyond a rank
MAX_STEPS = 500  # of `lsqr`
SKETCH_ROWS = 8  # of the sketch of `precondition`, for each column
# The rounding of a streamed Gram matrix is at most this share of its trace (measured: 1e-17 in float64 and
# 0.13·eps = 1.5e-8 in float32, a fifth of that where eigenvalues are small). A smaller ridge drowns in it.
_ROUNDING = {"float64": 8 * 2.0**-52, "float32": 0.25 * 2.0**-23}  # 8 eps and a quarter of one
FIRST, WORTH = (
    1 / 8,
    1 / 4,
)  # of the smaller dimension of H: drawn first, and beyond which all of it is cheaper
FEWEST = 64  # directions drawn in any case


def left_out_rows(n_targets: int) -> int:
    """Rows left out in turn at most; of 4000 errors the coverage of a quantile is known to half a percent."""
    return max(2000, 8_000 // (1 + n_targets))


@dataclass(frozen=True)
class Shape:
    """What a plan is made from."""

    n_rows: int
    n_inputs: int
    n_targets: int
    n_hidden: int  # nodes at the largest size
    n_link: int = 0  # inputs passed through beside the nodes
    dtype: str = "float64"
    n_alphas: int = 1
    n_sizes: int = 1
    selection: str | None = None  # kfold, loo, gcv, lcurve; None where nothing is chosen
    n_folds: int = 1
    smallest_alpha: float | None = None  # None: chosen in proportion to the trace, never too small
    trace: float | None = None  # estimate of tr G, once some rows were seen
    rank: int | float | str = "auto"  # of a solver that has one
    oversampling: int | None = None  # of a solver given as an object; None: the usual
    power: int = 0  # power iterations of a solver that has them
    most_steps: int = MAX_STEPS  # of an iterative solver
    likely_steps: int | None = None  # of `lsqr`, once some rows were seen
    tol: float = 1e-10  # of an iterative solver
    sample_rows: int = 0
    layer_bytes: int = 0  # beside the weights
    grows: bool = False  # nodes may be appended to a model half as large
    group: int | None = None  # nodes of a tile, or of a sub-model; None: as planned
    processes: int = 1  # that share the tiles
    sent_bytes: int = 0  # of rows in memory, which a cluster has to be sent

    @property
    def width(self) -> int:
        """Columns of an augmented row [1, H, Y]."""
        return 1 + self.n_link + self.n_hidden + self.n_targets

    @property
    def n_columns(self) -> int:
        """Columns of H."""
        return self.n_hidden + self.n_link

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def groups(self) -> int:
        """Groups that the columns of H are cut into."""
        return -(-self.n_columns // min(self.n_columns, self.group or self.n_columns))

    @property
    def training_sets(self) -> int:
        """All rows, and all but those of each fold."""
        return 1 if self.n_folds == 1 else 1 + self.n_folds

    @property
    def tiny_ridge(self) -> bool:
        """Whether HᵀH can't carry the smallest ridge."""
        return self.smallest_alpha is not None and is_tiny(self.smallest_alpha, self.trace or 0.0, self.dtype)


@cache
def dtype_name(dtype: np.dtype[np.floating]) -> str:
    """Its name, which NumPy puts together in 3 µs each time."""
    return dtype.name


def safe_ridge(trace: float, dtype: str) -> float:
    """The smallest ridge that a streamed Gram matrix of this trace carries whatever its condition."""
    return _ROUNDING[dtype] * trace


def is_tiny(alpha: float, trace: float, dtype: str) -> bool:
    """Whether a ridge is too small for a Gram matrix of this trace."""
    return alpha == 0 or alpha < safe_ridge(trace, dtype)


def exact_solver(n_rows: float, n_columns: int, tiny_ridge: bool) -> str:
    """The exact solver of the smaller system that carries the ridge."""
    if n_rows < n_columns:
        return "svd" if tiny_ridge else "dual"
    return "qr" if tiny_ridge else "gram"


def worth_drawing(n_rows: int, n_columns: int) -> int:
    """Directions beyond which the whole of H is cheaper: a fourth of its smaller dimension."""
    smaller = min(n_rows, n_columns)
    return min(smaller, max(int(WORTH * smaller), FEWEST))


def columns_of(shape: Shape, solver: str) -> int:
    """Directions that a low-rank solver works with at most."""
    L, smaller = shape.n_columns, min(shape.n_rows, shape.n_columns)
    extra = OVERSAMPLING if shape.oversampling is None else shape.oversampling
    most = worth_drawing(shape.n_rows, L)
    if isinstance(shape.rank, str):
        # `fast_svd` reads the exact summary beyond that; of fewer rows than columns it draws on.
        return (smaller if solver.startswith("fast") and shape.n_rows < L else most) + extra
    rank = max(1, round(shape.rank * L)) if isinstance(shape.rank, float) else shape.rank
    if not solver.startswith("fast"):
        return min(L, rank + extra)
    return min(rank, smaller if shape.n_rows < L else most) + extra


def needs_whole(shape: Shape, solver: str) -> bool:
    """Whether a low-rank solver may end up with an exact summary of the rows."""
    if isinstance(shape.rank, str):
        return True
    rank = round(shape.rank * shape.n_columns) if isinstance(shape.rank, float) else shape.rank
    wide = shape.n_rows < shape.n_columns
    return solver.startswith("fast") and not wide and rank > worth_drawing(shape.n_rows, shape.n_columns)
