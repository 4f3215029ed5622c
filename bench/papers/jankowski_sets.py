"""The 15 sets of Jankowski and Linowiecki as hidden layers: inputs, folds, centres and H of equation (7)."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bench.papers.jankowski_tables import SHAPES
from bench.papers.running import Run, table_of, there

Coding = Literal["indicators", "scaled indicators", "scaled codes"]

# What stands in the folder of data sets: file and target column.
FILES = {
    "cardiotocography-1": ("cardiotocography", "target"),
    "cardiotocography-2": ("cardiotocography", "target_nsp"),
    "chess-king-rook-vs-king-pawn": ("kr_vs_kp", "target"),
    "spambase": ("spambase", "target"),
    "thyroid-disease": ("thyroid_ann", "target"),
    "abalone": ("abalone", "target"),
    "image": ("segment", "target"),
    "letter-recognition": ("letter", "target"),
    "magic04": ("magic04", "target"),
    "musk2": ("musk2", "target"),
    "nursery": ("nursery", "target"),
    "sat-all": ("satimage", "target"),
    "segmentation-all": ("segment", "target"),
    "shuttle-all": ("shuttle", "target"),
    "waveform": ("waveform", "target"),
}
ALL_ORDERED = {name for name, (_, _, features, ordered) in SHAPES.items() if features == ordered}
TWINS = {"segmentation-all": "image"}  # one set by two names, in the paper with the same figures
QUICK = {100: ("image", "waveform"), 200: ("image", "waveform"), 1000: ("image",)}  # with --quick

# The width that Table 3 implies, the same for every set: see jankowski_widths.py, which looks for it.
GAMMA = 1 / 80
FOLDS, REPETITIONS = 10, 10


@dataclass(frozen=True)
class Inputs:
    """One set, ready for distances."""

    X: np.ndarray
    y: np.ndarray  # class numbers
    nominal: int  # features that the file calls categories

    @property
    def targets(self) -> np.ndarray:
        """One column a class, 1 where a row belongs to it."""
        return np.eye(int(self.y.max()) + 1)[self.y]


def missing(run: Run, name: str) -> str:
    """Why a set can't be had; waveform, where there is no file, is made by its generator."""
    return "" if name == "waveform" else run.missing(FILES[name][0])


def asked(run: Run, name: str, kernels: int) -> bool:
    """Whether there are data, and time for them: --quick is content with two small sets."""
    return not missing(run, name) and (not run.quick or name in QUICK.get(kernels, ()))


def cell_name(name: str) -> str:
    """By which name a set's cells are kept."""
    return TWINS.get(name, name)


@lru_cache(maxsize=2)
def load(name: str, folder: Path | None, coding: Coding = "indicators") -> Inputs:
    """Ordered features are standardised; how nominal ones become numbers, ``coding`` says."""
    import pandas as pd

    file, target = FILES[name]
    if name == "waveform" and not there(file, folder):
        X, y = waveform(SHAPES[name][1])
        return Inputs(scaled(X), y, 0)
    rows = table_of(file, folder)
    y = pd.factorize(rows[target], sort=True)[0]
    rows = rows.drop(columns=[column for column in rows if column.startswith("target") or column == "split"])
    nominal = [column for column in rows if rows[column].dtype == "category"]
    parts = [scaled(rows.drop(columns=nominal).to_numpy(np.float64))]
    for column in nominal:
        codes = pd.factorize(rows[column])[0]
        if name in ALL_ORDERED:
            parts.append(scaled(numbered(codes)))
        elif coding == "scaled codes":
            parts.append(scaled(codes[:, None].astype(np.float64)))
        else:
            indicators = np.eye(codes.max() + 1)[codes]
            parts.append(scaled(indicators) if coding == "scaled indicators" else indicators)
    return Inputs(np.hstack(parts), y, len(nominal))


def shape(name: str, folder: Path | None) -> dict[str, int]:
    """Classes, rows, and features with a nominal one counted once."""
    inputs = load(name, folder, "scaled codes")
    rows, features = inputs.X.shape
    return {"classes": int(inputs.y.max()) + 1, "instances": rows, "features": features}


def numbered(codes: np.ndarray) -> np.ndarray:
    """Two values make one column, more make one each: that is how 36 chess features become the paper's 38."""
    return codes[:, None].astype(np.float64) if codes.max() < 2 else np.eye(codes.max() + 1)[codes]


def scaled(X: np.ndarray) -> np.ndarray:
    """Mean 0 and deviation 1 in every column that varies."""
    deviation = X.std(axis=0)
    return np.asarray((X - X.mean(axis=0)) / np.where(deviation > 0, deviation, 1))


def waveform(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Breiman's generator: noise on a random mixture of two of three triangular waves."""
    rng = np.random.default_rng(0)
    waves = np.maximum(0, 6 - np.abs(np.arange(1, 22) - np.array([[7], [15], [11]])))
    y, share = rng.integers(0, 3, rows), rng.random((rows, 1))
    pairs = np.array([[0, 1], [0, 2], [1, 2]])[y]
    X = share * waves[pairs[:, 0]] + (1 - share) * waves[pairs[:, 1]] + rng.standard_normal((rows, 21))
    return X, y


@dataclass(frozen=True)
class Fold:
    """Rows to train on, rows to test on and which of the former are centres."""

    train: np.ndarray
    test: np.ndarray
    centres: np.ndarray


def fold(y: np.ndarray, number: int, kernels: int) -> Fold:
    """One of 10 × 10 stratified folds; centres are training rows, as many as asked for or as there are."""
    repetition, part = divmod(number, FOLDS)
    shuffled = np.random.default_rng(repetition).permutation(len(y))
    order = shuffled[np.argsort(y[shuffled], kind="stable")]
    tested = np.zeros(len(y), bool)
    tested[order[part::FOLDS]] = True
    train = np.flatnonzero(~tested)
    chooser = np.random.default_rng((number, kernels))
    centres = chooser.choice(train, min(kernels, len(train)), replace=False)
    return Fold(train, np.flatnonzero(tested), centres)


def squared_distances(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """‖x − c‖², row by centre."""
    D = np.square(X).sum(axis=1)[:, None] + np.square(centres).sum(axis=1)
    D -= 2 * (X @ centres.T)
    return np.asarray(np.maximum(D, 0, out=D))


def hidden(X: np.ndarray, centres: np.ndarray, gamma: Any = GAMMA) -> np.ndarray:
    """H = [1, g₁ … g_l] of equation (7), with g(x) = exp(−γ‖x − c‖²)."""
    return gaussians(squared_distances(X, centres), gamma)


def gaussians(D: np.ndarray, gamma: Any = GAMMA) -> np.ndarray:
    """The same from squared distances."""
    H = np.empty((len(D), D.shape[1] + 1))
    H[:, 0] = 1
    np.exp(np.multiply(D, -gamma, out=H[:, 1:]), out=H[:, 1:])
    return H
