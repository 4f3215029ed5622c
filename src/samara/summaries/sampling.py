"""A uniform sample of rows that does not depend on their order: those with the smallest keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.core import Array, dense


class RowSample:
    """Up to ``most`` distinct rows, in the order of their keys.

    It is the same however the rows are ordered, cut or repeated, and a smaller sample is the beginning of a
    larger one.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.keys: Array = np.zeros(0, np.uint64)
        self.rows: Array | None = None  # (s, d); None before the first row

    def draw(self, keys: Array, X: Any) -> None:
        """Consider some rows."""
        if len(self.keys) == self.most:
            below = np.flatnonzero(keys < self.keys[-1])
            if not len(below):
                return
            keys, X = keys[below], X[below]
        keys, first = np.unique(keys, return_index=True)
        keys, first = keys[: self.most], first[: self.most]
        rows = dense(X[first]).astype(np.float64)
        if self.rows is not None:
            keys, first = np.unique(np.concatenate([self.keys, keys]), return_index=True)
            keys, first = keys[: self.most], first[: self.most]
            rows = np.concatenate([self.rows, rows])[first]
        self.keys, self.rows = keys, rows

    def merge(self, other: RowSample) -> None:
        """Consider another's rows."""
        if other.rows is not None:
            self.draw(other.keys, other.rows)

    def state(self) -> dict[str, Array]:
        """Its arrays."""
        return {"keys": self.keys} | ({} if self.rows is None else {"sample": self.rows})

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from a state."""
        self.keys, self.rows = arrays["keys"], arrays.get("sample")
