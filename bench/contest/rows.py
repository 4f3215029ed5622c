"""The rows of a comparison, prepared once: numbers in files that every environment reads."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.papers.running import table_of

QUICK_ROWS = 400


@dataclass(frozen=True)
class Known:
    """A set as the folder's MANIFEST.json has it."""

    name: str
    task: str
    n_rows: int
    n_features: int
    other_targets: tuple[str, ...] = ()


LETTER = Known("letter", "classification", 20_000, 16)  # comes with samara


@dataclass(frozen=True)
class Cut:
    """Which rows of a set are fitted and tested."""

    fitted: float  # share of the rows
    most_rows: int  # to fit; what a set has above that is left out, for everyone
    most_test_rows: int
    splits: Callable[[int], int]  # how many random ones, by the rows to fit
    coded: bool = False  # write the inputs also unscaled, with numbers for categories
    first_seed: int = 0  # of the splits; others are splits that nobody has looked at

    def n_fit(self, n_rows: int) -> int:
        """Rows to fit of so many."""
        return min(int(n_rows * self.fitted), self.most_rows)

    def values(self, known: Known) -> int:
        """What sets are ordered by."""
        return self.n_fit(known.n_rows) * known.n_features

    def rows(self, n_rows: int, split: int, quick: bool = False) -> tuple[np.ndarray, np.ndarray]:
        """Random rows to fit and to test, the same for everyone."""
        order = np.random.default_rng(self.first_seed + split).permutation(n_rows)
        first = int(n_rows * self.fitted)
        most = (QUICK_ROWS, QUICK_ROWS) if quick else (self.most_rows, self.most_test_rows)
        return order[: min(first, most[0])], order[first : first + most[1]]


@dataclass(frozen=True)
class About:
    """What is said of a prepared set."""

    task: str
    rows: int  # of the whole set
    n_fit: int
    n_test: int
    n_features: int  # with one column a category
    n_classes: int
    categories: list[int]  # which columns hold them, where they are coded
    splits: int


@dataclass(frozen=True)
class Numbers:
    """All rows of a set as numbers."""

    X: np.ndarray  # one column a category
    coded: np.ndarray  # one column a column
    categories: list[int]  # of ``coded``
    y: np.ndarray  # values, or numbers of classes
    n_classes: int


def known(folder: Path | None, cut: Cut) -> list[Known]:
    """The sets that can be had, from small to large; without a folder that is letter."""
    if folder is None or not (manifest := Path(folder) / "MANIFEST.json").exists():
        return [LETTER]
    listed = [
        Known(one["name"], one["task"], one["n_rows"], one["n_features"], tuple(one["extra_target_columns"]))
        for one in json.loads(manifest.read_text())
        if (Path(folder) / f"{one['name']}.parquet").exists()
    ]
    return sorted(listed, key=cut.values)


def named(there: list[Known], names: list[str]) -> list[Known]:
    """Those asked for; a name that is not there is refused."""
    if unknown := sorted(set(names) - {one.name for one in there}):
        listed = ", ".join(one.name for one in there)
        raise SystemExit(f"No data set named {unknown[0]} is there; there are {listed}.")
    return [one for one in there if one.name in names]


def prepare(known: Known, folder: Path | None, out: Path, cut: Cut, quick: bool = False) -> About:
    """Write the inputs and targets of each split to fit and to test, and ``about.json``, into a folder."""
    found = numbers(known, folder)
    splits = 1 if quick else cut.splits(cut.n_fit(len(found.X)))
    about: dict[str, Any] = {"categories": found.categories, "splits": splits}
    for split in range(splits):
        fit, test = cut.rows(len(found.X), split, quick)
        pairs = {
            "X": standardised(found.X[fit], found.X[test]),
            "y": (found.y[fit], found.y[test]),
        }
        if not found.n_classes:
            pairs["y"] = standardised(*pairs["y"])
        if cut.coded:
            pairs["coded"] = (found.coded[fit], found.coded[test])
        for name, (first, second) in pairs.items():
            np.save(out / f"{name}_{split}.npy", first)
            np.save(out / f"{name}_test_{split}.npy", second)
        about |= {"n_fit": len(fit), "n_test": len(test)}
    made = About(
        task=known.task, rows=len(found.X), n_features=found.X.shape[1], n_classes=found.n_classes, **about
    )
    (out / "about.json").write_text(json.dumps(asdict(made)))
    return made


def numbers(known: Known, folder: Path | None) -> Numbers:
    """A set with its categories both ways; classes are numbered in their order."""
    import pandas as pd

    frame = table_of(known.name, folder)
    frame = frame.drop(columns=[column for column in ("split", *known.other_targets) if column in frame])
    target = frame.pop("target")
    X = pd.get_dummies(frame)
    texts = [number for number, column in enumerate(frame) if column not in X]
    codes = frame.assign(**{frame.columns[j]: pd.factorize(frame.iloc[:, j], sort=True)[0] for j in texts})
    regression = known.task == "regression"
    y, classes = (target, ()) if regression else pd.factorize(target, sort=True)
    return Numbers(
        X=X.to_numpy(np.float64),
        coded=codes.to_numpy(np.float64),
        categories=texts,
        y=np.asarray(y, np.float64 if regression else np.int64),
        n_classes=len(classes),
    )


def standardised(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean 0 and deviation 1 of every column among the first rows."""
    deviation = first.std(axis=0)
    shift, by = first.mean(axis=0), np.where(deviation > 0, deviation, 1)
    return (first - shift) / by, (second - shift) / by
