"""Predictions of files by the workers of a cluster: rows are read there, outputs and targets come home."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from samara.core import Array, Chunk, Crew
from samara.costs import DEFAULT_BLOCK
from samara.engines.clusters import is_cluster
from samara.estimators.parameters import read_engine
from samara.estimators.tables import stream_of
from samara.maps import Columns
from samara.model import Model
from samara.sources import Scan
from samara.sources.stream import WeightAsTarget

ROWS_HOME = 4_000_000  # that come home in one pass, at the least: what a score holds at a time


def cluster_of(estimator: Any) -> Crew | None:
    """The cluster that an estimator works on, if there is one."""
    return crew_of(estimator) if is_cluster(estimator.engine) else None


def crew_of(estimator: Any) -> Crew:
    """Who reads and predicts rows for an estimator, in blocks of a size of ours unless one was given."""
    crew = read_engine(estimator.engine)
    return crew.planned(crew.workers, crew.block_rows or DEFAULT_BLOCK, crew.progress)


def predicted_there(scan: Scan, columns: Columns, model: Model, crew: Crew) -> Iterator[tuple[Chunk, Array]]:
    """Targets, weights and outputs of the rows of a scan, in their order, some files at a time."""
    n_targets = len(scan.targets)
    for some in _runs(scan):
        rows = stream_of(some)
        if scan.weight is not None:
            width = replace(rows.width, targets=n_targets + 1)
            rows = replace(rows, pieces=tuple(map(WeightAsTarget, rows.pieces)), width=width)
        found = model.answers(rows.map(columns), crew)
        if found is not None:
            outputs, y = found
            weight = None if scan.weight is None else y[:, n_targets]
            yield Chunk(np.empty((len(y), 0)), y[:, :n_targets], weight), outputs


def _runs(scan: Scan) -> Iterator[Scan]:
    """The scan cut between pieces."""
    held, rows = [], 0
    for piece in scan.pieces:
        held.append(piece)
        rows += piece.rows_guess or 0
        if rows >= ROWS_HOME:
            yield replace(scan, pieces=tuple(held))
            held, rows = [], 0
    if held:
        yield replace(scan, pieces=tuple(held))
