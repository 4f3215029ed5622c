"""Large arrays a few megabytes at a time, so that nothing has to be copied whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from samara.core import Array

PIECE = 4 << 20  # bytes; larger pieces are no faster to hash or to write


def pieces(array: Array, size: int = PIECE) -> Iterator[Array]:
    """Views of an array in C order, of at most ``size`` bytes, cut by its shape and dtype alone."""
    if array.nbytes <= size or not array.ndim:
        if array.size:
            yield array
        return
    row = array.nbytes // len(array)
    if row > size:
        for part in array:
            yield from pieces(part, size)
        return
    step = size // row
    for lo in range(0, len(array), step):
        yield array[lo : lo + step]


def raw(array: Array, dtype: np.dtype[Any] | None = None) -> Array:
    """The bytes of an array in C order, as of this dtype: a view where they lie so, a copy otherwise."""
    return np.ascontiguousarray(array, dtype).reshape(-1).view(np.uint8)
