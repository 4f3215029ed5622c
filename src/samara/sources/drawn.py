"""Some rows of a source, in one pass over few of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from samara.core import Array, Block, Source
from samara.rowkeys import row_keys
from samara.sources.arrays import ArraySource

RUNS = 64  # from all over a table in files
KEYED = 4096  # rows that keys are made of at a time


def some_blocks(source: Source, most: int, block_rows: int) -> Iterator[Block]:
    """About ``most`` rows, some at a time: of arrays those with high keys, of files runs from all over.

    The keys are those of the rows' content, so that rows of arrays may come in any order and copies come
    together; files are not read through for a sample.
    """
    if isinstance(source, ArraySource) and source.n_rows > most:
        rows = _drawn(source, most)
        for lo in range(0, len(rows), block_rows):
            yield from _at(source, rows[lo : lo + block_rows]).parts(1)[0].blocks(block_rows)
        return
    whole = source.n_rows <= most
    parts = source.parts(1 if whole else RUNS)
    for part in parts:
        yield from islice(part.blocks(block_rows), None if whole else -(-most // (block_rows * len(parts))))


def _drawn(source: ArraySource, most: int) -> Array:
    """Numbers of the rows whose keys are in the highest share of all: a search fits those of the lowest."""
    limit, X = np.uint64((1 - most / source.n_rows) * 2.0**64), source.X
    steps = range(0, source.n_rows, KEYED)
    rows = np.concatenate([lo + np.flatnonzero(row_keys(X[lo : lo + KEYED]) >= limit) for lo in steps])
    if len(rows) < most // 2:  # few different rows: their keys say nothing about their number
        rows = np.linspace(0, source.n_rows - 1, most).astype(int)
    return rows


def _at(source: ArraySource, rows: Array) -> ArraySource:
    """These rows."""
    X, y, weight = source.X, source.y, source.weight
    return replace(source, X=X[rows], y=y[rows], weight=None if weight is None else weight[rows])
