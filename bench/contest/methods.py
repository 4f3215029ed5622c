"""A method of a comparison, what it has to know of the rows, and the methods that every comparison has.

A method's maker runs in the environment of the method, so libraries are imported inside it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

RIDGES = tuple(10.0**power for power in range(-5, 4))  # of scikit-learn's RidgeCV


@dataclass(frozen=True)
class Problem:
    """What a maker has to know of the rows."""

    task: str  # "regression" or "classification"
    n_rows: int
    n_features: int
    n_classes: int  # 0: regression
    seed: int
    categories: tuple[int, ...] = ()  # columns that hold numbers of categories
    seconds: float | None = None  # to search in, for a method that searches

    @property
    def regression(self) -> bool:
        """Whether the target is a number."""
        return self.task == "regression"


@dataclass(frozen=True)
class Method:
    """One line of every table."""

    name: str
    settings: str  # for the page
    make: Callable[[Problem], Any]  # -> a model with fit and predict; classes are numbers from 0 on
    environment: str | None = None  # of a peer; None: samara's own
    ours: bool = False
    coded: bool = False  # gets categories as numbers in one column and no scaling: what trees ask for


class Indicators:
    """A classifier from a model of several targets: one column a class, the largest wins."""

    def __init__(self, model: Any, n_classes: int) -> None:
        self.model, self.n_classes = model, n_classes

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Indicators":
        """Fit the indicators of the classes."""
        self.model.fit(X, np.eye(self.n_classes)[y])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The number of the largest column."""
        return np.asarray(np.argmax(self.model.predict(X), axis=1))


def lightgbm(problem: Problem, **settings: Any) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    kind = LGBMRegressor if problem.regression else LGBMClassifier
    return kind(random_state=problem.seed, verbose=-1, **settings)


def ridge_cv(problem: Problem) -> Any:
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV

    return (RidgeCV if problem.regression else RidgeClassifierCV)(alphas=RIDGES)


def mlp(problem: Problem) -> Any:
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    return (MLPRegressor if problem.regression else MLPClassifier)(random_state=problem.seed)


def gradient_boosting(problem: Problem) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingRegressor if problem.regression else HistGradientBoostingClassifier
    return kind(categorical_features=list(problem.categories) or None, random_state=problem.seed)
