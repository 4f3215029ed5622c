"""A first look at the rows: means and spreads of inputs and targets, and a sample of rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from samara.core import Array, Block
from samara.errors import NonFiniteError
from samara.linalg import kernels
from samara.rowkeys import row_keys
from samara.summaries.sampling import RowSample

_TINY = float(np.finfo(float).tiny)


class ColumnMoments:
    """Weighted mean, spread and range of columns, merged by Chan's formula: no shift, no cancellation."""

    def __init__(self) -> None:
        self.weight = 0.0
        self.mean: Array = np.zeros(0)
        self.squares: Array = np.zeros(0)  # Σ w (x − mean)²
        self.low: Array = np.zeros(0)
        self.high: Array = np.zeros(0)

    @classmethod
    def of(cls, X: Any, weight: Array | None) -> ColumnMoments:
        """The moments of one block, dense or sparse."""
        made = cls()
        made.weight = float(X.shape[0] if weight is None else weight.sum())
        if kernels.compiled() and not hasattr(X, "indptr"):
            made.low, made.high, made.mean, made.squares = kernels.column_moments(X, weight, made.weight)
            return made
        with np.errstate(over="ignore", invalid="ignore"):
            if hasattr(X, "indptr"):
                made._from_sparse(X, weight)
            else:
                made._from_dense(np.asarray(X), weight)
        return made

    def _from_dense(self, X: Array, weight: Array | None) -> None:
        self.low, self.high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        X = np.asarray(X, np.float64)
        shares = np.full(len(X), 1 / len(X)) if weight is None else weight / self.weight
        self.mean = shares @ X
        centred = X - self.mean
        np.multiply(centred, centred, out=centred)
        self.squares = (np.ones(len(X)) if weight is None else weight) @ centred

    def _from_sparse(self, X: Any, weight: Array | None) -> None:
        shares = np.full(X.shape[0], 1 / X.shape[0]) if weight is None else weight / self.weight
        self.low, self.high = (
            np.asarray(f.todense(), np.float64).ravel() for f in (X.min(axis=0), X.max(axis=0))
        )
        self.mean = np.asarray(shares @ X, np.float64)
        d = X.shape[1]
        each = np.repeat(shares, np.diff(X.indptr))
        stored = np.bincount(X.indices, each * (X.data - self.mean[X.indices]) ** 2, minlength=d)
        absent = np.maximum(1 - np.bincount(X.indices, each, minlength=d), 0)
        absent[np.bincount(X.indices, minlength=d) == X.shape[0]] = 0  # to the bit: it multiplies mean²
        self.squares = (stored + absent * self.mean**2) * self.weight

    def merge(self, other: ColumnMoments) -> None:
        """Add the rows of another."""
        if other.weight == 0:
            return
        if self.weight == 0:
            self.__dict__.update(other.__dict__)
            return
        with np.errstate(over="ignore", invalid="ignore"):
            total = self.weight + other.weight
            gap = other.mean - self.mean
            self.squares = self.squares + other.squares + gap**2 * (self.weight * other.weight / total)
            self.mean = self.mean + gap * (other.weight / total)
        self.weight = total
        self.low = np.minimum(self.low, other.low)
        self.high = np.maximum(self.high, other.high)

    @property
    def spread(self) -> Array:
        """Standard deviation; half the range where squares over- or underflow; 1 for a constant column."""
        with np.errstate(over="ignore", invalid="ignore"):
            spread = np.sqrt(self.squares / max(self.weight, _TINY))
            half_range = self.high / 2 - self.low / 2
            # Below 1e-10 of the values' size a spread is rounding noise, not a signal to blow up.
            size = np.maximum(abs(self.low), abs(self.high))
        varies = half_range > 1e-12 * size
        if (varies & (spread > 0) & (spread < np.inf)).all():  # as it is nearly always
            return np.asarray(spread)
        odd = ~np.isfinite(spread) | ((spread == 0) & (self.high > self.low))
        spread = np.where(odd, half_range, spread)
        return np.where(varies, spread, 1.0)


class Profile:
    """Column moments of inputs and targets, and which rows have the smallest keys (a uniform sample)."""

    ADDS_ONLY = True  # a row takes a look at its values and nothing more

    def __init__(self, sample_rows: int = 0, salt: int = 0) -> None:
        self.sample_rows = sample_rows
        self.salt = salt
        self.n_rows = 0
        self.inputs = ColumnMoments()
        self.targets = ColumnMoments()
        self.drawn = RowSample(sample_rows)

    def update(self, block: Block) -> None:
        """Look at a block; refuse NaN and infinity."""
        if not len(block):
            return
        X = block.inputs()
        inputs = ColumnMoments.of(X, block.weight)
        targets = ColumnMoments.of(block.y, block.weight)
        for moments, what in ((inputs, "X"), (targets, "y")):
            if not (np.isfinite(moments.low).all() and np.isfinite(moments.high).all()):
                raise NonFiniteError(f"{what} contains NaN or infinity")
        self.n_rows += len(block)
        self.inputs.merge(inputs)
        self.targets.merge(targets)
        if self.sample_rows:
            self.drawn.draw(row_keys(X, self.salt), X)

    def merge(self, other: Self) -> None:
        """Add another's look."""
        self.n_rows += other.n_rows
        self.inputs.merge(other.inputs)
        self.targets.merge(other.targets)
        self.drawn.merge(other.drawn)

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What is there between two blocks."""
        weights = [self.inputs.weight, self.targets.weight]
        arrays = self.drawn.state()
        for name, moments in (("inputs", self.inputs), ("targets", self.targets)):
            arrays[name] = np.stack([moments.mean, moments.squares, moments.low, moments.high])
        return {"rows": self.n_rows, "weights": weights}, arrays

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Go on from a state."""
        self.n_rows = int(numbers["rows"])
        self.drawn.restore(arrays)
        for which, name in enumerate(("inputs", "targets")):
            moments: ColumnMoments = getattr(self, name)
            moments.weight = float(numbers["weights"][which])
            moments.mean, moments.squares, moments.low, moments.high = arrays[name]

    @property
    def sample(self) -> Array:
        """Up to ``sample_rows`` distinct rows, in the order of their keys."""
        rows = self.drawn.rows
        return np.zeros((0, len(self.inputs.mean))) if rows is None else rows
