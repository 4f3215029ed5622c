"""Raw tables for estimators that learn as rows arrive: the first freezes the columns, later ones follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length, column_or_1d

from samara.core import Array, Crew, FeatureMap
from samara.costs import DEFAULT_BLOCK
from samara.engines import Threads
from samara.errors import InputError
from samara.estimators.cluster import cluster_of
from samara.estimators.inputs import check_weights, distinct, refuse_bad_targets, refuse_text_targets
from samara.estimators.scores import class_places
from samara.estimators.tables import (
    chunks_of,
    coded_classes,
    encoded,
    fitting_scan,
    given_scan,
    labelled_table,
    numbered,
    set_names,
    stream_of,
)
from samara.maps import Columns, Encoded, OneHot
from samara.schema import Column
from samara.sources import ArraySource, Scan, frame_rows
from samara.summaries import ColumnMoments
from samara.tables import Asked, Looked, Table, class_labels, facts_of, look_at

_ASKED = Asked(0, 5, 0, one_class_will_do=True)


@dataclass(frozen=True)
class Arriving:
    """Some rows, behind the map of their columns, and their targets or labels as users know them."""

    rows: Any  # a source
    y: Array
    inputs: ColumnMoments | None = None  # of all rows of the first table, by which they are scaled
    crew: Crew | None = None  # the cluster that adds the rows up where they are
    target: Column | None = None  # by which a cluster reads classes: their codes, not their labels

    def one_hot(self, labels: Array) -> OneHot:
        """The targets of the rows: a column for each of the labels."""
        return OneHot(labels if self.target is None else coded_classes(labels, self.target))


def arriving(estimator: Any, X: Any, y: Any, sample_weight: Any, classes: bool) -> Iterator[Arriving]:
    """The rows of a table as batches; the columns of the first one are learned and set on the estimator."""
    columns: Columns | None = estimator.__dict__.get("columns_")
    if isinstance(X, Scan):
        return _scanned(estimator, X, (y, sample_weight), classes)
    rows = frame_rows(X, None if columns is None else columns.schema)
    refuse_bad_targets(y)
    if classes:
        given = column_or_1d(y, warn=True)
    else:
        refuse_text_targets(y)
        given = check_array(y, ensure_2d=False, input_name="y")
    check_consistent_length(rows.X, given)
    source = ArraySource(rows.X, _upright(given), check_weights(sample_weight, rows.X), labels=rows.labels)
    if columns is None:
        table = Table(source, rows.schema, numbered(source.n_targets), classes=False)
        if classes:
            weight = source.weight
            counted = distinct(given if weight is None else given[weight > 0])
            table = labelled_table(rows, given, weight, counted)
        looked = _learned(estimator, table, named=rows.named)
        return iter([Arriving(replace(source, maps=_maps_of(looked)), given, _inputs(looked))])
    return iter([Arriving(encoded(source, columns), given)])


def _scanned(estimator: Any, scan: Scan, beside: tuple[Any, Any], classes: bool) -> Iterator[Arriving]:
    """The rows of a scan, after a look at all of them: what can't be read is known before any is learned."""
    columns: Columns | None = estimator.__dict__.get("columns_")
    if estimator._began():
        names = getattr(estimator, "feature_names_in_", None)
        scan = fitting_scan(scan, columns, names, estimator.n_features_in_)
    given = given_scan(scan, *beside, classes=classes)
    maps: tuple[FeatureMap, ...] = () if columns is None else (columns,)
    inputs = None
    crew = cluster_of(estimator)
    if estimator._began():
        facts = facts_of(given.table, crew or _engine(), _ASKED)
    else:
        looked = _learned(estimator, given.table, crew)
        facts, maps, inputs = looked.facts, _maps_of(looked), _inputs(looked)
    if not facts.n_rows:
        raise InputError("The scan has no rows of positive weight to learn.")
    labels = class_labels(facts) if classes else None
    if crew is not None and "columns_" in estimator.__dict__ and adds_up(estimator):
        rows = replace(stream_of(scan), maps=maps, guess=facts.n_rows)
        y = np.empty((0, len(scan.targets)))[:, 0 if len(scan.targets) == 1 else slice(None)]
        read_as = scan.targets[0] if classes else None
        return iter([Arriving(rows, y if labels is None else labels, inputs, crew, read_as)])

    def batches() -> Iterator[Arriving]:
        for chunk in chunks_of(scan):
            y = chunk.y if len(scan.targets) > 1 else chunk.y[:, 0]
            if labels is not None:
                place = class_places(facts.classes, y).clip(max=len(labels) - 1)
                y = labels[place]  # one that is new here has weight 0
            yield Arriving(ArraySource(chunk.X, _upright(y), chunk.weight, maps=maps), y, inputs)

    return batches()


def adds_up(estimator: Any) -> bool:
    """Whether the order of the rows is of no concern, so that parts of them can be added up anywhere."""
    return estimator.update in ("information", "qr") and estimator.window is None and estimator.forget == 1


def _learned(estimator: Any, table: Table, crew: Crew | None = None, named: bool = True) -> Looked:
    """A look at the first rows, which freezes their columns."""
    impute = getattr(estimator, "missing", None) == "impute"
    looked = look_at(table, crew or _engine(), replace(_ASKED, impute=impute))
    if looked.columns is not None:
        estimator.columns_, estimator.facts_ = looked.columns, looked.facts
    set_names(estimator, table.schema if named else (), table.rows.n_features)
    return looked


def _maps_of(looked: Looked) -> tuple[FeatureMap, ...]:
    maps: tuple[FeatureMap, ...] = getattr(looked.source, "maps", ())
    return maps


def _inputs(looked: Looked) -> ColumnMoments | None:
    return None if looked.profile is None else looked.profile.inputs


def _engine() -> Threads:
    return Threads(block_rows=DEFAULT_BLOCK)


def _upright(y: Array) -> Array:
    """Targets in columns."""
    return y.reshape(len(y), -1)


def refuse_unlearning(estimator: Any, out: bool) -> None:
    """Which fold's means the rows of the first table were encoded by is not known of a row any more."""
    columns: Columns | None = estimator.__dict__.get("columns_")
    if not out or columns is None:
        return
    pairs = zip(columns.schema, columns.codings, strict=True)
    texts = [column.name for column, coding in pairs if isinstance(coding, Encoded)]
    if texts:
        raise InputError(
            f"Rows can't be unlearned from this model: {texts[0]!r} has so many texts that they are "
            "encoded by means of the target, in which those rows have a share."
        )
