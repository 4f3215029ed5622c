"""Rows given as dicts or frames: their features by name, and rows kept until there are enough of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import deepcopy
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError, NonFiniteError

BATCH = 32  # rows learned together: as many calls less, and the same model


class Columns:
    """Names of the features, as the first row had them: every other row must have the same ones."""

    def __init__(self) -> None:
        self.names: list[Hashable] = []

    def row(self, x: Mapping[Hashable, Any]) -> Array:
        """The values of one row, (1, d)."""
        self._agree(x)
        values = np.array([[_number(name, x[name]) for name in self.names]])
        return self._finite(values)

    def rows(self, X: Any) -> Array:
        """The values of a frame, (n, d)."""
        if not X.columns.is_unique:
            raise InputError("Two columns of X have the same name.")
        self._agree(X.columns)
        try:
            values = np.asarray(X[self.names], np.float64)
        except (TypeError, ValueError):
            raise InputError("X must hold numbers: encode other features before.") from None
        return self._finite(values)

    def _agree(self, given: Any) -> None:
        if not self.names:
            if not len(given):
                raise InputError("The first row has no features.")
            self.names = sorted(given, key=str)  # in whatever order they come
            return
        missing = [name for name in self.names if name not in given]
        if missing:
            raise InputError(f"The feature {missing[0]!r} is missing: every row needs those of the first.")
        if len(given) > len(self.names):
            new = next(name for name in given if name not in self.names)
            raise InputError(f"The feature {new!r} was not there in the first row.")

    def _finite(self, values: Array) -> Array:
        if not np.isfinite(values).all():
            i, j = (int(k) for k in np.argwhere(~np.isfinite(values))[0])
            raise NonFiniteError(f"The feature {self.names[j]!r} is {values[i, j]} (row {i}).")
        return values


def _number(name: Hashable, value: Any) -> float:
    try:
        if isinstance(value, str):
            raise TypeError
        return float(value)
    except (TypeError, ValueError):
        raise InputError(f"The feature {name!r} is not a number: {value!r}. Encode it before.") from None


class Waiting:
    """Rows that were given but not yet learned."""

    def __init__(self) -> None:
        self._X: list[Array] = []
        self.y: list[Any] = []

    def __len__(self) -> int:
        return len(self.y)

    def add(self, X: Array, y: Sequence[Any]) -> None:
        """Keep some more."""
        if len(X) != len(y):
            raise InputError(f"{len(X)} rows, but {len(y)} targets.")
        self._X.append(X)
        self.y.extend(y)

    def all(self) -> tuple[Array, Array]:
        """Everything that waits."""
        return np.concatenate(self._X), np.array(self.y)


class Learner:
    """What regressors and classifiers share: names of the features, the warm-up, rows that wait."""

    estimator: Any
    warm_up: int
    lag: int

    def _begin(self) -> None:
        self._columns, self._waiting = Columns(), Waiting()
        self._learned: Any = None

    @property
    def model(self) -> Any:
        """The estimator that has learned all rows so far; None in the warm-up."""
        if self._learned is not None:
            self._learn(everything=True)
        return self._learned

    def _take(self, X: Array, y: list[Any]) -> None:
        self._waiting.add(X, y)
        least = self.warm_up if self._learned is None else max(BATCH, self.lag + 1)
        if len(self._waiting) >= least:
            self._learn(everything=True)

    def _learn(self, everything: bool) -> None:
        """Give the rows that wait to the estimator, all together."""
        if not len(self._waiting) or not (everything or len(self._waiting) > self.lag):
            return
        X, y = self._waiting.all()
        learner, first = self._learned, 0
        if learner is None:
            learner, first = self._fresh(), self.warm_up
            learner.partial_fit(X[:first], y[:first])
        if len(X) > first:
            learner.partial_fit(X[first:], y[first:])
        self._learned, self._waiting = learner, Waiting()

    def _fresh(self) -> Any:
        """The estimator without anything it has learned."""
        return type(self.estimator)(**deepcopy(self.estimator.get_params(deep=False)))

    def _ready(self) -> bool:
        """Whether there is a model, brought up to date; in the warm-up there is none."""
        if self._learned is None:
            return False
        self._learn(everything=False)
        return True

    def _unit_test_skips(self) -> set[str]:
        """Checks of river that do not apply: other features than the first row's are refused."""
        return {
            "check_emerging_features",
            "check_disappearing_features",
            "check_radically_disappearing_features",
            "check_learn_many_matches_learn_one",  # with features that come and go
        }
