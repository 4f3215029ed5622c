"""A first look at a raw table: what each column holds, and a sample of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from samara.core import Array, Block, Labels
from samara.errors import InputError
from samara.rowkeys import fold_of, row_keys
from samara.schema import Schema, in_condition
from samara.summaries.levels import CODE, GROUP, MISSING, LevelMoments, LevelTable
from samara.summaries.present import PresentMoments
from samara.summaries.profile import ColumnMoments
from samara.summaries.sampling import RowSample

TABLE_CELLS = 1_000_000  # targets × folds × categories that a column may keep: at most 40 MB of entries


@dataclass(frozen=True)
class Limits:
    """How much a profile keeps."""

    sample_rows: int = 5000
    levels: int = 50_000  # categories of a column; the rarest above are left out
    classes: int = 10_000  # above, the target is no class


class ColumnProfile:
    """Counts, moments, ranges, categories and a sample of the columns of a raw table, in one pass.

    A mergeable summary. Rows of weight 0 are ignored, a weight of 2 is the row twice, and neither order nor
    cutting of the rows changes what is found. Categories come with the moments of the targets in each fold,
    so that they can be encoded by the targets of other folds without another pass.

    Parameters
    ----------
    schema : Schema
        The columns of X.
    targets : Schema
        The columns of y.
    classes : bool, default=False
        Whether the (one) target is a class.
    n_folds : int, default=5
        Folds, by `rowkeys.fold_of` of the raw rows: those of the K-fold selection.
    salt : int, default=0
        Of the keys by which the sample is drawn.
    limits : Limits
        Rows of the sample, categories of a column and classes, at most.
    """

    def __init__(
        self,
        schema: Schema,
        targets: Schema,
        *,
        classes: bool = False,
        n_folds: int = 5,
        salt: int = 0,
        limits: Limits = Limits(),  # noqa: B008  # frozen
    ) -> None:
        _refuse_targets(targets, classes)
        self.schema, self.target_schema, self.has_classes = schema, targets, classes
        self.n_folds, self.salt, self.limits = n_folds, salt, limits
        self.n_rows = 0
        self.weight = 0.0
        self.inputs = PresentMoments(len(schema))
        self.targets = ColumnMoments()  # of numbers; of classes only their number is of use
        self.drawn = RowSample(limits.sample_rows)
        self.texts = [j for j, column in enumerate(schema) if column.kind == "text"]
        width = 0 if classes else len(targets)
        self._levels = {j: LevelTable(width, n_folds) for j in self.texts}
        self._totals = LevelTable(width, n_folds)
        named = (*(schema[j] for j in self.texts), *targets)
        self._labels: dict[str, dict[float, str]] = {c.name: {} for c in named if c.kind == "text"}

    def update(self, block: Block) -> None:
        """Look at a block; refuse infinite values and missing targets."""
        X, y, weight = _alive(block)
        if not len(X):
            return
        _refuse_rows(y, self.target_schema)
        inputs = PresentMoments.of(X, weight)
        _refuse_infinite(inputs, self.schema)
        self.n_rows += len(X)
        self.weight += float(len(X) if weight is None else weight.sum())
        self.inputs.merge(inputs)
        self.targets.merge(ColumnMoments.of(y, weight))
        if self.limits.sample_rows:
            self.drawn.draw(row_keys(X, self.salt), X)
        self._take_labels(block.labels or {})
        folds = fold_of(row_keys(X), self.n_folds) if self.texts else 0
        group = y[:, 0] if self.has_classes else 0.0
        if self._totals.add((0.0, folds, group), weight, y):
            self._refuse_classes()
        for j, table in self._levels.items():
            codes = np.where(np.isnan(X[:, j]), MISSING, X[:, j])
            if table.add((codes, folds, group), weight, y):
                self._settle(j)

    def merge(self, other: Self) -> None:
        """Add another's look."""
        self.n_rows += other.n_rows
        self.weight += other.weight
        self.inputs.merge(other.inputs)
        self.targets.merge(other.targets)
        self.drawn.merge(other.drawn)
        self._take_labels(other._labels)
        if self._totals.merge(other._totals):
            self._refuse_classes()
        for j, table in self._levels.items():
            if table.merge(other._levels[j]):
                self._settle(j)

    def finish(self) -> None:
        """Sort in what waits: rows, of which a few entries are left."""
        for table in (self._totals, *self._levels.values()):
            table.entries()

    def _take_labels(self, labels: Labels) -> None:
        for name in self._labels.keys() & labels.keys():
            self._labels[name].update(labels[name])

    def _settle(self, j: int) -> None:
        """Sort in what waits, leave out the rarest categories above the limit, and their labels."""
        table = self._levels[j]
        n_targets = len(self._class_values()) if self.has_classes else len(self.target_schema)
        room = TABLE_CELLS // ((self.n_folds + 1) * max(1, n_targets))
        table.keep(max(1, min(self.limits.levels, room)))
        labels = self._labels[self.schema[j].name]
        if len(labels) > 2 * self.limits.levels:
            kept = np.unique(table.entries()[:, CODE]).tolist()
            self._labels[self.schema[j].name] = {code: labels[code] for code in kept if code in labels}

    def _refuse_classes(self) -> None:
        if self.has_classes and len(self._class_values()) > self.limits.classes:
            raise InputError(
                f"Target {self.target_schema[0].name!r} has more than {self.limits.classes:,} distinct "
                "values and looks like a number: use a regressor."
            )

    def _class_values(self) -> Array:
        return np.unique(self._totals.entries()[:, GROUP])

    @property
    def classes(self) -> Array:
        """The distinct values of the target, in the order of their texts or of their numbers."""
        self._refuse_classes()
        values, target = self._class_values(), self.target_schema[0]
        if target.kind != "text":
            return values
        if not self._labels[target.name].keys() >= set(values.tolist()):
            raise InputError(
                f"The texts of target {target.name!r} are needed, and its blocks have codes only."
            )
        return values[np.argsort(np.array(self.texts_of(target.name, values)), kind="stable")]

    @property
    def encoded_classes(self) -> Array | None:
        """The classes whose shares in each category are taken: all, or the second of two; None of numbers."""
        if not self.has_classes:
            return None
        return self.classes[1:] if len(self.classes) == 2 else self.classes

    def texts_of(self, name: str, codes: Array) -> tuple[str, ...]:
        """The texts behind codes of a column; a text that no block named is shown as its code."""
        known = self._labels[name]
        return tuple(known.get(code, f"#{code:.0f}") for code in codes.tolist())

    def levels(self, j: int) -> LevelMoments:
        """The categories of a column of text, a missing one included."""
        self._settle(j)
        return self._levels[j].moments(self.encoded_classes)

    def totals(self) -> LevelMoments:
        """The targets in each fold, as the one category of a constant column."""
        return self._totals.moments(self.encoded_classes)

    def class_weights(self) -> Array:
        """Weight of each of the `classes`."""
        shares = self._totals.moments(self.classes)
        return np.asarray(shares.weight[0] @ shares.mean[0])

    def overflow(self, j: int) -> Array:
        """Weight (n_folds,) of the categories of a column that were left out."""
        self._settle(j)
        return self._levels[j].dropped

    @property
    def sample(self) -> Array:
        """Up to ``sample_rows`` distinct raw rows, in the order of their keys: a uniform sample."""
        return np.zeros((0, len(self.schema))) if self.drawn.rows is None else self.drawn.rows

    def quantiles(self, shares: Sequence[float]) -> Array:
        """Quantiles (len(shares), d) of the values of the sample that are there; NaN where none is."""
        ordered, last = np.sort(self.sample, axis=0), np.maximum(self._sampled - 1, 0)
        if not len(ordered):
            return np.full((len(shares), len(self.schema)), np.nan)
        places = np.rint(np.multiply.outer(shares, last)).astype(int)
        return np.asarray(np.take_along_axis(ordered, places, axis=0))

    def quantile_error(self, risk: float = 0.05) -> Array:
        """By how much ranks (d,) in the sample can be off, but for the risk given.

        √(ln(2/risk) / 2s) for a sample of s values (Dvoretzky, Kiefer, Wolfowitz, Massart); 0 where the
        sample holds every distinct row.
        """
        if len(self.drawn.keys) < self.limits.sample_rows:
            return np.zeros(len(self.schema))
        return np.asarray(np.sqrt(np.log(2 / risk) / (2 * self._sampled.clip(min=1))).clip(max=1.0))

    @property
    def _sampled(self) -> Array:
        """Values in the sample that are not missing, of each column."""
        return np.asarray((~np.isnan(self.sample)).sum(axis=0))

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What is there between two blocks."""
        target = self.targets
        arrays = self.drawn.state() | {"inputs": self.inputs.state()}
        arrays["targets"] = np.stack([target.mean, target.squares, target.low, target.high])
        for j, table in [(-1, self._totals), *self._levels.items()]:
            arrays[f"levels {j}"], arrays[f"waiting {j}"], arrays[f"dropped {j}"] = table.state()
        for place, known in enumerate(self._labels.values()):
            arrays[f"coded {place}"] = np.array(list(known.keys()), np.float64)
            arrays[f"texts {place}"] = _packed(list(known.values()))
        return {"rows": self.n_rows, "weights": [self.weight, target.weight]}, arrays

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Go on from a state."""
        self.n_rows = int(numbers["rows"])
        self.weight, self.targets.weight = map(float, numbers["weights"])
        self.drawn.restore(arrays)
        self.inputs.restore(arrays["inputs"])
        target = self.targets
        target.mean, target.squares, target.low, target.high = arrays["targets"]
        for j, table in [(-1, self._totals), *self._levels.items()]:
            table.restore(arrays[f"levels {j}"], arrays[f"waiting {j}"], arrays[f"dropped {j}"])
        for place, name in enumerate(self._labels):
            texts = _unpacked(arrays[f"texts {place}"])
            self._labels[name] = dict(zip(arrays[f"coded {place}"].tolist(), texts, strict=True))


def _alive(block: Block) -> tuple[Array, Array, Array | None]:
    """The rows that have a weight."""
    weight = block.weight
    if weight is None:
        return block.X, block.y, None
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        raise InputError("A weight must be 0 or more, and finite: some are missing, negative or infinite.")
    alive = weight > 0
    return (block.X, block.y, weight) if alive.all() else (block.X[alive], block.y[alive], weight[alive])


def _refuse_targets(targets: Schema, classes: bool) -> None:
    if classes and len(targets) != 1:
        raise InputError(f"A classifier needs one target column; {len(targets)} were given.")
    for column in targets:
        if column.kind == "text" and not classes:
            raise InputError(f"Target {column.name!r} holds text: use a classifier.")


def _refuse_rows(y: Array, targets: Schema) -> None:
    """Refuse rows whose targets are not known."""
    for column, values in zip(targets, y.T, strict=True):
        missing, infinite = int(np.isnan(values).sum()), int(np.isinf(values).sum())
        if missing:
            raise InputError(
                f"Target {column.name!r} is missing in {missing:,} of {len(values):,} rows. "
                f'Leave them out with where="{in_condition(column.name)} is not null".'
            )
        if infinite:
            raise InputError(f"Target {column.name!r} is infinite in {infinite:,} of {len(values):,} rows.")


def _refuse_infinite(inputs: PresentMoments, schema: Schema) -> None:
    odd = (inputs.rows > 0) & ~(np.isfinite(inputs.low) & np.isfinite(inputs.high))
    for j in np.flatnonzero(odd):
        raise InputError(
            f"Column {schema[j].name!r} holds an infinite value: give finite numbers, or leave it missing."
        )


def _packed(texts: Sequence[str]) -> Array:
    """Texts as bytes: how many there are, the length of each, then their letters."""
    letters = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([len(letters), *map(len, letters)], "<u4")
    return np.frombuffer(lengths.tobytes() + b"".join(letters), np.uint8)


def _unpacked(packed: Array) -> list[str]:
    """The texts again."""
    count = int(packed[:4].view("<u4")[0])
    ends = 4 + 4 * count + np.cumsum([0, *packed[4 : 4 + 4 * count].view("<u4").tolist()])
    letters = packed.tobytes()
    return [letters[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(ends.tolist())]
