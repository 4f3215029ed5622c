"""The data sets that samara and scikit-learn have on board."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files

import numpy as np

from samara.core import Array
from samara.datasets.letter import COLUMNS, load_letter

Columns = dict[str, Array]


def bundled(name: str) -> Columns:
    """The columns of a data set that comes with a package."""
    return _SETS[name]()


def _letter() -> Columns:
    X, y = load_letter()
    return {**dict(zip(COLUMNS, X.T, strict=True)), "target": y}


def _ionosphere() -> Columns:
    """V. Sigillito et al., UCI Machine Learning Repository, doi:10.24432/C5W01B, CC BY 4.0."""
    with files("samara.datasets").joinpath("ionosphere.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        X, good = stored["X"] / 1e5, stored["good"]  # whole numbers of the fifth decimal, UCI's last one
    names = [f"V{j + 1}" for j in range(X.shape[1])]
    return {**dict(zip(names, X.T, strict=True)), "target": np.where(good, "good", "bad")}


def _of_scikit_learn(loader: str, **options: bool) -> Callable[[], Columns]:
    def columns() -> Columns:
        from sklearn import datasets

        found = getattr(datasets, loader)(**options)
        names = [_plain(name) for name in found.feature_names]
        return {**dict(zip(names, found.data.T, strict=True)), "target": found.target}

    return columns


def _plain(name: str) -> str:
    """A name of letters and digits: "sepal length (cm)" as sepal_length."""
    return re.sub(r"\W+", "_", re.sub(r" \(.*\)", "", name))


_SETS: dict[str, Callable[[], Columns]] = {
    "letter": _letter,
    "ionosphere": _ionosphere,
    "iris": _of_scikit_learn("load_iris"),
    "wine": _of_scikit_learn("load_wine"),
    "breast_cancer_wdbc": _of_scikit_learn("load_breast_cancer"),
    "diabetes_reg": _of_scikit_learn("load_diabetes", scaled=False),
    "digits": _of_scikit_learn("load_digits"),
}
