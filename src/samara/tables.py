"""Raw tables: one look freezes what becomes of the columns; then their rows are like any others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from samara.core import Array, Block, Engine, FeatureMap, Source
from samara.errors import InputError
from samara.imputation import Wanted, learn_fill
from samara.maps import Columns, FilledColumns, NoTargets, WithGaps, unflagged
from samara.schema import Schema
from samara.sources import ArraySource, ClassWeights, StreamSource
from samara.summaries import ColumnProfile, Limits, Profile
from samara.tabular import cross_encoded, encoded_profile, label_codes, learn_columns

SAMPLE_ROWS = 5000  # of which quantiles are taken: their ranks are within 2 % (see ColumnProfile)


@dataclass(frozen=True)
class Table:
    """The rows of a table as they are read, and what their columns are."""

    rows: ArraySource | StreamSource
    schema: Schema
    targets: Schema
    classes: bool  # whether the target holds classes that are still to be found
    only_targets: StreamSource | None = None  # the rows without their inputs, where they are read from files


@dataclass(frozen=True)
class Looked:
    """What a look at a table gives: the rows as a fit takes them, and the frozen maps that make them so."""

    source: Source
    profile: Profile | None  # of sparse rows the fit has a look of its own
    columns: Columns | None
    facts: ColumnProfile
    labels: Array | None  # the classes, sorted, where they were to be found


@dataclass(frozen=True)
class Asked:
    """What the fit needs to know of the rows."""

    sample_rows: int
    n_folds: int
    salt: int
    one_class_will_do: bool = False  # others may come with later rows
    impute: bool = False  # whether gaps are filled by what the rest of the row says
    ordered: bool = False  # whether classes are coded by which of them they lie above


def look_at(table: Table, engine: Engine, asked: Asked, class_weight: object = None) -> Looked:
    """One pass: columns profiled, their maps frozen, classes found, rows counted.

    Rows that weigh by their class are looked at with that weight, so the classes are counted beforehand.
    """
    if table.rows.is_sparse:
        return _sparse_look(table, engine, asked, class_weight)
    rows, known = table.rows, None
    if table.classes and class_weight is not None:
        known = _look_at_targets(table, engine)
        _refuse_few(known)
        rows = _weighed(rows, known, class_weight)
    facts = facts_of(replace(table, rows=rows), engine, asked)
    _refuse_few(facts)
    columns = learn_columns(facts)
    if asked.impute:
        columns = _filled(rows, columns, engine, asked.salt)
    training = cross_encoded(facts, columns)
    source, labels = _coded(_counted(rows, facts.n_rows), known or facts, asked)
    profile = encoded_profile(facts, training, source.target)
    return Looked(seen_columns(source, training), profile, columns, facts, labels)


def columns_with_gaps(rows: ArraySource | StreamSource, schema: Schema, engine: Engine) -> Columns:
    """What becomes of the columns of a table without targets; nothing says what is missing but NaN."""
    facts = facts_of(Table(rows, schema, (), classes=False), engine, Asked(0, 5, 0))
    _refuse_few(facts)
    empty = np.flatnonzero(facts.inputs.rows == 0)
    if len(empty):
        raise InputError(f"Column {schema[int(empty[0])].name!r} has no value in any row: leave it out.")
    return unflagged(learn_columns(facts))


def _filled(rows: ArraySource | StreamSource, columns: Columns, engine: Engine, salt: int) -> FilledColumns:
    """The columns, with a map behind them that fills their gaps."""
    plain = unflagged(columns)
    found = learn_fill(rows.with_targets(NoTargets()).map(WithGaps(plain)), Wanted(salt=salt), engine)
    return FilledColumns(plain.schema, plain.codings, found.fill)


def facts_of(table: Table, engine: Engine, asked: Asked) -> ColumnProfile:
    """What one pass finds out about a table; what can't be used is refused."""
    if table.rows.is_sparse:
        return _look_at_targets(table, engine)

    make = partial(
        ColumnProfile,
        table.schema,
        table.targets,
        classes=table.classes,
        n_folds=asked.n_folds if asked.n_folds > 1 else 5,
        salt=asked.salt,
        limits=Limits(sample_rows=max(SAMPLE_ROWS, asked.sample_rows)),
    )
    return engine.summarize(_labelled(table.rows), make, name="look")


def seen_columns(source: Source, columns: FeatureMap) -> Source:
    """The rows behind the map of their columns, unless all are complete numbers."""
    complete = isinstance(columns, Columns) and columns.is_identity
    return source if complete else source.map(columns)


def class_labels(facts: ColumnProfile) -> Array:
    """The classes as users know them: texts, booleans, whole numbers or numbers."""
    values, target = facts.classes, facts.target_schema[0]
    if target.kind == "text":
        return np.array(facts.texts_of(target.name, values))
    if target.kind == "boolean":
        return values.astype(bool)
    broken = values[values != np.floor(values)]
    if len(broken):
        raise InputError(
            f"Target {target.name!r} holds numbers that are no classes, such as {broken[0]:g}: use "
            "a regressor, or classes that are texts or whole numbers."
        )
    return values.astype(np.int64)


def class_factors(class_weight: object, labels: Array, totals: Array) -> Array:
    """The weight of each class, of which there is so much."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return np.asarray(totals.sum() / (len(labels) * totals))
    if not isinstance(class_weight, dict):
        raise InputError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}.')
    strangers = [label for label in class_weight if label not in labels]
    if strangers:
        raise InputError(f"class_weight names a class that is not in y: {strangers[0]!r}.")
    factors = np.array([float(class_weight.get(label, 1.0)) for label in labels.tolist()])
    if not (np.isfinite(factors).all() and (factors >= 0).all() and factors.any()):
        raise InputError("class_weight must be non-negative numbers, not all zero.")
    return factors


class OnlyTargets(ColumnProfile):
    """A look at the targets alone."""

    def update(self, block: Block) -> None:
        """Look at the targets of a block."""
        super().update(replace(block, X=np.empty((len(block), 0))))


def _sparse_look(table: Table, engine: Engine, asked: Asked, class_weight: object) -> Looked:
    """Rows whose columns are numbers without names: only their classes have to be found."""
    facts = _look_at_targets(table, engine)
    _refuse_few(facts)
    rows = _counted(table.rows, facts.n_rows)
    if table.classes and class_weight is not None:
        rows = _weighed(rows, facts, class_weight)
    source, labels = _coded(rows, facts, asked)
    return Looked(source, None, None, facts, labels)


def _look_at_targets(table: Table, engine: Engine) -> ColumnProfile:
    make = partial(OnlyTargets, (), table.targets, classes=table.classes, limits=Limits(sample_rows=0))
    return engine.summarize(_labelled(table.only_targets or table.rows), make, name="targets")


def _refuse_few(facts: ColumnProfile) -> None:
    if facts.n_rows < 2:
        raise InputError(f"A fit needs at least 2 rows of positive weight, got {facts.n_rows}.")


def _weighed(
    rows: ArraySource | StreamSource, facts: ColumnProfile, class_weight: object
) -> ArraySource | StreamSource:
    """The rows, each with the weight of its class."""
    factors = class_factors(class_weight, class_labels(facts), facts.class_weights())
    order = np.argsort(facts.classes)
    weights = ClassWeights(facts.classes[order], factors[order])
    if isinstance(rows, ArraySource):
        return rows.weighted(weights(rows.y))
    return replace(rows, class_weights=weights)


def _coded(
    source: ArraySource | StreamSource, facts: ColumnProfile, asked: Asked
) -> tuple[ArraySource | StreamSource, Array | None]:
    """The rows with their classes coded, and the classes."""
    if not facts.has_classes:
        return source, None
    labels = class_labels(facts)
    if asked.one_class_will_do and len(labels) == 1:
        return source, labels
    return source.with_targets(label_codes(facts, asked.ordered)), labels


def _labelled(rows: ArraySource | StreamSource) -> ArraySource | StreamSource:
    return replace(rows, labelled=True) if isinstance(rows, StreamSource) else rows


def _counted(rows: ArraySource | StreamSource, n_rows: int) -> ArraySource | StreamSource:
    """The rows, now that their number is known."""
    if not isinstance(rows, StreamSource) or rows.counts is not None:
        return rows
    return replace(rows, guess=n_rows)
