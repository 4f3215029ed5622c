"""The rows of the comparison, prepared once: numbers in files that every environment reads."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.papers.running import table_of

SPLITS = 3
MOST_ROWS = 20_000  # to fit; what a set has above that is left out, for everyone
MOST_TEST_ROWS = 10_000
FITTED = 0.75  # of the rows
MOST_VALUES = 7_000_000  # rows to fit × columns; what is larger (mnist, pie32) is left out
QUICK_ROWS = 400


@dataclass(frozen=True)
class Known:
    """A set as the folder's MANIFEST.json has it."""

    name: str
    task: str
    n_rows: int
    n_features: int
    other_targets: tuple[str, ...] = ()

    @property
    def n_fit(self) -> int:
        """Rows to fit."""
        return min(int(self.n_rows * FITTED), MOST_ROWS)

    @property
    def values(self) -> int:
        """What sets are ordered by."""
        return self.n_fit * self.n_features


LETTER = Known("letter", "classification", 20_000, 16)  # comes with samara


@dataclass(frozen=True)
class About:
    """What is said of a prepared set."""

    task: str
    rows: int  # of the whole set
    n_fit: int
    n_test: int
    n_features: int  # with one column a category
    n_classes: int


def known(folder: Path | None) -> list[Known]:
    """The sets that can be had, from small to large; without a folder that is letter."""
    if folder is None or not (manifest := Path(folder) / "MANIFEST.json").exists():
        return [LETTER]
    listed = [
        Known(one["name"], one["task"], one["n_rows"], one["n_features"], tuple(one["extra_target_columns"]))
        for one in json.loads(manifest.read_text())
        if (Path(folder) / f"{one['name']}.parquet").exists()
    ]
    return sorted(listed, key=lambda one: one.values)


def left_out(sets: list[Known]) -> list[Known]:
    """Those too large for a comparison of an hour."""
    return [one for one in sets if one.values > MOST_VALUES]


def prepare(known: Known, folder: Path | None, out: Path, quick: bool = False) -> About:
    """Write ``X``, ``y``, ``X_test`` and ``y_test`` of each split, and ``about.json``, into a folder."""
    X, y, n_classes = numbers(known, folder)
    about: dict[str, Any] = {}
    for split in range(SPLITS):
        fit, test = rows_of(len(X), split, quick)
        parts = scaled(X[fit], X[test], y[fit], y[test], regression=not n_classes)
        for name, part in zip(("X", "X_test", "y", "y_test"), parts, strict=True):
            np.save(out / f"{name}_{split}.npy", part)
        about = {"n_fit": len(fit), "n_test": len(test)}
    made = About(task=known.task, rows=len(X), n_features=X.shape[1], n_classes=n_classes, **about)
    (out / "about.json").write_text(json.dumps(asdict(made)))
    return made


def numbers(known: Known, folder: Path | None) -> tuple[np.ndarray, np.ndarray, int]:
    """All rows as numbers (one column a category), targets (class numbers), and how many classes."""
    import pandas as pd

    frame = table_of(known.name, folder)
    frame = frame.drop(columns=[column for column in ("split", *known.other_targets) if column in frame])
    target = frame.pop("target")
    X = pd.get_dummies(frame).to_numpy(np.float64)
    if known.task == "regression":
        return X, target.to_numpy(np.float64), 0
    y, classes = pd.factorize(target, sort=True)
    return X, y, len(classes)


def rows_of(n_rows: int, split: int, quick: bool) -> tuple[np.ndarray, np.ndarray]:
    """Random rows to fit and to test, the same for everyone."""
    order = np.random.default_rng(split).permutation(n_rows)
    n_fit = int(n_rows * FITTED)
    most = (QUICK_ROWS, QUICK_ROWS) if quick else (MOST_ROWS, MOST_TEST_ROWS)
    return order[: min(n_fit, most[0])], order[n_fit : n_fit + most[1]]


def scaled(
    X: np.ndarray, X_test: np.ndarray, y: np.ndarray, y_test: np.ndarray, regression: bool
) -> Iterator[np.ndarray]:
    """Mean 0 and deviation 1 of every column (and target) among the rows to fit; class numbers stay."""
    pairs = ((X, X_test), (y, y_test))
    for (first, second), numeric in zip(pairs, (True, regression), strict=True):
        deviation = first.std(axis=0)
        shift, by = (first.mean(axis=0), np.where(deviation > 0, deviation, 1)) if numeric else (0, 1)
        for part in (first, second):
            yield (part - shift) / by if numeric else part.astype(np.int64)
