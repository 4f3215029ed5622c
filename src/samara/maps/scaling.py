"""Scaling of the inputs and coding of the targets: maps learned from a first look at the rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtri

from samara.core import Array, FeatureMap, dense
from samara.errors import InputError


@dataclass(frozen=True)
class Standardize:
    """(x − mean) / spread, column by column."""

    mean: Array
    spread: Array
    dtype: np.dtype[np.floating]

    @property
    def n_out(self) -> int:
        return len(self.mean)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Standardized rows, in the working precision."""
        scaled = np.asarray(dense(X), np.float64) - self.mean
        scaled /= self.spread
        return _into(scaled, self.dtype, out)


@dataclass(frozen=True)
class AsFloat:
    """The inputs as they are, in the working precision."""

    n_out: int
    dtype: np.dtype[np.floating]

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """The rows, converted."""
        return _into(dense(X), self.dtype, out)


@dataclass(frozen=True)
class UnitRows:
    """Each row divided by its length: what it points to, without how far; a row of zeros stays."""

    n_out: int
    dtype: np.dtype[np.floating]

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Rows of length 1, in the working precision."""
        rows = np.asarray(dense(X), np.float64)
        return _into(rows / _lengths(np.einsum("ij,ij->i", rows, rows))[:, None], self.dtype, out)

    def kept_sparse(self, X: Any) -> Any:
        """The same for the rows of a sparse matrix, which stays one."""
        made = X.tocsr().astype(np.float64)  # a copy
        lengths = _lengths(np.asarray(made.multiply(made).sum(axis=1)).ravel())
        made.data /= np.repeat(lengths, np.diff(made.indptr))
        return made


@dataclass(frozen=True)
class QuantileNormal:
    """Each column's ranks, as normal scores: interpolated between quantiles of a sample."""

    knots: tuple[Array, ...]  # distinct values of each column, increasing
    scores: tuple[Array, ...]  # their normal scores
    dtype: np.dtype[np.floating]

    @classmethod
    def learn(cls, sample: Array, dtype: np.dtype[np.floating], n_knots: int = 513) -> QuantileNormal:
        """Quantiles of a sample of rows; a run of equal values gets the middle of its ranks."""
        knots, scores = [], []
        for column in np.sort(sample, axis=0).T:
            values, first, counts = np.unique(column, return_index=True, return_counts=True)
            ranks = (first + counts / 2) / len(column)
            if len(values) > n_knots:
                chosen = np.unique(np.linspace(0, len(values) - 1, n_knots).astype(int))
                values, ranks = values[chosen], ranks[chosen]
            knots.append(values)
            scores.append(ndtri(ranks) if len(values) > 1 else np.zeros(1))
        return cls(tuple(knots), tuple(scores), dtype)

    @property
    def n_out(self) -> int:
        return len(self.knots)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Normal scores of the rows; values beyond the sample get its extreme scores."""
        X = np.asarray(dense(X), np.float64)
        made = np.empty(X.shape, self.dtype) if out is None else out
        for j, (knots, scores) in enumerate(zip(self.knots, self.scores, strict=True)):
            made[:, j] = np.interp(X[:, j], knots, scores)
        return made


@dataclass(frozen=True)
class OwnScaling:
    """A map of the user's own in place of a scaling: it gets dense rows and may give any precision."""

    scaling: FeatureMap
    dtype: np.dtype[np.floating]

    @property
    def n_out(self) -> int:
        return self.scaling.n_out

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """The rows as the map has them, in the working precision."""
        return _into(np.asarray(self.scaling(dense(X))), self.dtype, out)


def given_scaling(scaling: FeatureMap, dtype: np.dtype[np.floating]) -> FeatureMap:
    """A scaling that was given, not learned, in the working precision."""
    if isinstance(scaling, Standardize | AsFloat | UnitRows | QuantileNormal):
        return replace(scaling, dtype=dtype)
    return OwnScaling(scaling, dtype)


def n_codes(n_classes: int, ordered: bool) -> int:
    """Columns that so many classes are coded by."""
    return n_classes - 1 if ordered or n_classes == 2 else n_classes


@dataclass(frozen=True)
class ClassCodes:
    """Labels → one column a class, +1 where it is the class and −1 elsewhere (one column for two classes).

    Ordered: one column fewer than classes, +1 where the class lies above the first, the first two and so on.
    """

    classes: Array
    ordered: bool = False

    @property
    def n_out(self) -> int:
        return n_codes(len(self.classes), self.ordered)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Target rows of a column of labels."""
        codes = np.searchsorted(self.classes, X[:, 0])
        made = np.empty((len(codes), self.n_out)) if out is None else out
        if self.n_out == 1:
            made[:, 0] = 2.0 * codes - 1.0
            return made
        if self.ordered:
            made[...] = np.where(codes[:, None] > np.arange(self.n_out), 1.0, -1.0)
            return made
        made[...] = -1.0
        made[np.arange(len(codes)), codes] = 1.0
        return made


@dataclass(frozen=True)
class LabelCodes:
    """Labels as a raw table has them (numbers, or codes of texts) → the target rows of `ClassCodes`."""

    values: Array  # (C,) distinct, increasing
    positions: Array  # (C,) the place of each among the sorted classes
    name: str = "the target"
    ordered: bool = False

    @classmethod
    def of(cls, classes: Array, name: str, ordered: bool = False) -> LabelCodes:
        """From the values of the classes, in the order of the classes."""
        order = np.argsort(classes)
        return cls(classes[order], order, repr(name), ordered)

    @property
    def n_out(self) -> int:
        return n_codes(len(self.values), self.ordered)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Target rows of a column of labels; refuses a label that is no class."""
        place = np.searchsorted(self.values, X[:, 0]).clip(max=len(self.values) - 1)
        strange = int((self.values[place] != X[:, 0]).sum())
        if strange:
            raise InputError(f"{strange:,} of {len(X):,} rows of {self.name} hold an unknown class.")
        return ClassCodes(np.arange(len(self.values)), self.ordered)(self.positions[place][:, None], out)


@dataclass(frozen=True)
class OneHot:
    """Labels → one column a label, 1 where it is the label and 0 elsewhere, in the order of the labels."""

    labels: Array

    @property
    def n_out(self) -> int:
        return len(self.labels)

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Target rows of a column of labels."""
        made = np.empty((len(X), self.n_out)) if out is None else out
        made[...] = X[:, :1] == self.labels
        return made


@dataclass(frozen=True)
class NoTargets:
    """Leaves the targets of rows out."""

    n_out: int = 0

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """No columns."""
        return np.empty((len(X), 0))


def _lengths(squares: Array) -> Array:
    """Roots of sums of squares; 1 of nothing."""
    return np.where(squares > 0, np.sqrt(squares), 1.0)


def _into(values: Array, dtype: np.dtype[np.floating], out: Array | None) -> Array:
    if out is None:
        return values.astype(dtype, copy=False)
    out[...] = values
    return out
