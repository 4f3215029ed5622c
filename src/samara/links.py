"""Links: a model is fitted to a function of the targets, and its outputs are taken back by the inverse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from scipy.special import expit

from samara.core import Array, Chunk, Piece
from samara.errors import InputError
from samara.left_out import LeftOut
from samara.sources import ArraySource, StreamSource


@dataclass(frozen=True)
class Log:
    """log y: for targets above 0, whose errors are factors."""

    def __call__(self, y: Array) -> Array:
        """Targets as the model is fitted to them."""
        _refuse_outside(y > 0, y, 'link="log" takes targets above 0')
        return np.asarray(np.log(y))

    def inverse(self, outputs: Array) -> Array:
        """Targets of outputs."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(outputs))


@dataclass(frozen=True)
class Logit:
    """log((y − low)/(high − y)): for targets between two bounds, which predictions then keep to.

    Parameters
    ----------
    low, high : float, default=0 and 1
        The bounds; targets lie between them and on neither.
    """

    low: float = 0.0
    high: float = 1.0

    def __call__(self, y: Array) -> Array:
        """Targets as the model is fitted to them."""
        asked = f'link="logit" takes targets between {self.low:g} and {self.high:g}, on neither'
        _refuse_outside((y > self.low) & (y < self.high), y, asked)
        return np.asarray(np.log(y - self.low) - np.log(self.high - y))

    def inverse(self, outputs: Array) -> Array:
        """Targets of outputs."""
        return np.asarray(expit(outputs) * (self.high - self.low) + self.low)


Link = Log | Logit


@dataclass(frozen=True)
class Unlinked:
    """From outputs to targets: the inverse of the link, times what errors multiply it by on average."""

    link: Link | None = None
    smearing: Array | None = None  # (t,)

    @classmethod
    def of(cls, estimator: Any) -> Unlinked:
        """That of a fitted regressor."""
        return cls(*(getattr(estimator, name, None) for name in ("link_", "smearing_")))

    def __call__(self, outputs: Array) -> Array:
        """Targets (n, t)."""
        if self.link is None:
            return outputs
        found = self.link.inverse(outputs)
        return found if self.smearing is None else np.asarray(found * self.smearing.astype(found.dtype))


def smearing(link: Link | None, rows: LeftOut) -> Array | None:
    """The mean of exp(error) over rows left out (Duan 1983): exp(E log y) is not E y but the median.

    A mean that is not finite, of errors that no exponential holds, is left at 1.
    """
    if not isinstance(link, Log) or not len(rows.outputs):
        return None
    with np.errstate(over="ignore"):
        found = np.average(np.exp(rows.errors), axis=0, weights=rows.weight)
    return np.where(np.isfinite(found), found, 1.0)


S = TypeVar("S", bound=ArraySource | StreamSource)


def linked(source: S, link: Link | None) -> S:
    """The rows with their targets seen through a link."""
    if link is None:
        return source
    if isinstance(source, StreamSource):
        return replace(source, pieces=tuple(LinkedTargets(piece, link) for piece in source.pieces))
    return replace(source, y=_linked_rows(source.y, source.weight, link))


def _linked_rows(y: Array, weight: Array | None, link: Link) -> Array:
    """Targets through a link; rows without a weight may hold anything."""
    if weight is None or weight.all():
        return link(y)
    made = np.zeros(y.shape)
    made[weight > 0] = link(y[weight > 0])
    return made


@dataclass(frozen=True)
class LinkedTargets:
    """A piece of a table, its targets seen through a link."""

    piece: Piece
    link: Link

    @property
    def name(self) -> str:
        return self.piece.name

    @property
    def n_rows(self) -> int | None:
        return self.piece.n_rows

    @property
    def held_bytes(self) -> int:
        return int(getattr(self.piece, "held_bytes", 0))

    @property
    def in_order(self) -> bool:
        return getattr(self.piece, "in_order", True)

    @property
    def awaits(self) -> Any:
        return getattr(self.piece, "awaits", None)

    def supplied(self, made: Any) -> LinkedTargets:
        """The piece with the rows that it awaits."""
        piece: Any = self.piece
        return LinkedTargets(piece.supplied(made), self.link)

    def chunks(
        self, rows: int, start: int = 0, stop: int | None = None, labels: bool = False
    ) -> Iterator[Chunk]:
        """The rows from ``start`` to ``stop`` in chunks of at most ``rows``."""
        for chunk in self.piece.chunks(rows, start, stop, labels):
            yield replace(chunk, y=_linked_rows(chunk.y, chunk.weight, self.link))


def _refuse_outside(inside: Array, y: Array, asked: str) -> None:
    """Name the first target that a link does not take; a missing one is refused where it is told of."""
    outside = ~(inside | np.isnan(y))
    if outside.any():
        raise InputError(f"{asked}; got {y[outside][0]:g}. Leave such rows out, or take link=None.")
