"""Summaries that outlive a pass: copied before they are solved, widened when a new class turns up."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samara.core import Array
from samara.errors import NonFiniteError
from samara.linalg.room import copied, room
from samara.summaries.layout import Layout
from samara.summaries.moments import Moments
from samara.summaries.triangle import Triangle

Running = Moments | Triangle


def sum_of(summaries: list[Running]) -> list[Array]:
    """The folds of all of them together, as new arrays: full-width moments (upper), or triangles."""
    first = summaries[0]
    if isinstance(first, Triangle):
        total = Triangle(first.layout, len(first.folds), 1)
        for one in summaries:
            assert isinstance(one, Triangle)
            total.merge(one)
        return [np.asarray(fold, np.float64) for fold in total.folds]
    width = first.layout.width
    folds: list[Array | None] = [None] * len(first.grams)
    for one in summaries:
        assert isinstance(one, Moments)
        one.settle()
        for fold, gram in enumerate(one.grams):
            if gram is not None:
                before = folds[fold]
                folds[fold] = copied(gram) if before is None else np.add(before, gram, out=before)
    return [room((width, width)) if fold is None else fold for fold in folds]


def widened(summary: Running, layout: Layout) -> Running:
    """The same rows with more targets, all 0 in the rows seen so far; they come last."""
    if isinstance(summary, Triangle):
        wider = Triangle(layout, len(summary.folds), summary.block_rows)
        more = layout.width - summary.layout.width
        wider.folds = [np.pad(fold, ((0, 0), (0, more))) for fold in summary.folds]
        return wider
    summary.settle()
    made = Moments(layout, len(summary.grams), summary.block_rows)
    for fold, gram in enumerate(summary.grams):
        if gram is not None:
            wide = room((layout.width, layout.width))
            wide[: len(gram), : len(gram)] = gram
            made.grams[fold] = wide
    return made


def scaled(summary: Running, factor: float) -> None:
    """Multiply the weights of all rows seen so far, in place."""
    if isinstance(summary, Triangle):
        for fold in summary.folds:
            fold *= np.sqrt(factor)
        return
    summary.settle()
    for gram in summary.grams:
        if gram is not None:
            gram *= factor


def refuse_overflow(summaries: Sequence[Running]) -> None:
    """Refuse rows whose sums are not finite."""
    for one in summaries:
        if not is_finite(one):
            raise NonFiniteError(f"Features or targets of these rows are too large for {one.layout.dtype}.")


def is_finite(summary: Running) -> bool:
    """Whether nothing has overflowed: the squares of all columns are finite."""
    if isinstance(summary, Triangle):
        return all(bool(np.isfinite(fold).all()) for fold in summary.folds)
    sums = [*summary.grams, summary.pending]
    return all(bool(np.isfinite(gram.diagonal()).all()) for gram in sums if gram is not None)


def copy_of(summary: Running) -> Running:
    """The same rows, in arrays of its own."""
    if isinstance(summary, Triangle):
        same = Triangle(summary.layout, len(summary.folds), summary.block_rows)
        same.folds = [fold.copy() for fold in summary.folds]
        return same
    summary.settle()
    made = Moments(summary.layout, len(summary.grams), summary.block_rows)
    made.grams = [None if gram is None else copied(gram) for gram in summary.grams]
    return made


def merged(summary: Running, other: Running) -> None:
    """Add the rows of another of its kind, in place."""
    if isinstance(summary, Triangle):
        assert isinstance(other, Triangle)
        summary.merge(other)
    else:
        assert isinstance(other, Moments)
        summary.merge(other)


def subtracted(summary: Running, lanes: list[Running]) -> None:
    """Take out what several workers have added up, in place; of sums of squares only."""
    for lane in lanes:
        assert isinstance(summary, Moments)
        assert isinstance(lane, Moments)
        summary.subtract(lane)
