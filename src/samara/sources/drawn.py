"""Some rows of a source, in one pass over few of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np

from samara.core import Block, Source
from samara.rowkeys import row_keys
from samara.sources.arrays import ArraySource

RUNS = 64  # from all over a table in files
BLOCK, KEYED = 256, 65_536  # rows in a block, rows whose keys are in memory


def some_blocks(source: Source, most: int) -> Iterator[Block]:
    """About ``most`` rows: of arrays those with small keys, of files runs of rows from all over.

    The keys are those of the rows' content, so that rows of arrays may come in any order and copies come
    together; files are not read through for a sample.
    """
    if isinstance(source, ArraySource) and source.n_rows > most:
        source = _drawn(source, most)
    whole = source.n_rows <= most or isinstance(source, ArraySource)
    parts = source.parts(1 if whole else RUNS)
    for part in parts:
        yield from islice(part.blocks(BLOCK), None if whole else -(-most // (BLOCK * len(parts))))


def _drawn(source: ArraySource, most: int) -> ArraySource:
    """The rows whose keys are in the lowest share of all."""
    limit, X, weight = np.uint64(most / source.n_rows * 2.0**64), source.X, source.weight
    steps = range(0, source.n_rows, KEYED)
    rows = np.concatenate([lo + np.flatnonzero(row_keys(X[lo : lo + KEYED]) < limit) for lo in steps])
    if len(rows) < most // 2:  # few different rows: their keys say nothing about their number
        rows = np.linspace(0, source.n_rows - 1, most).astype(int)
    return replace(source, X=X[rows], y=source.y[rows], weight=None if weight is None else weight[rows])
