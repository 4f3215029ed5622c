"""What one worker sends to another: a pickled head, and beside it large arrays, which are not copied."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

from samara.core import Array

Parcel = tuple[bytes, list[Array]]  # the head, and the bytes of each large array

LARGE = 1 << 16  # bytes from which an array travels by itself
ALIGNMENT = 16  # bytes: frames of a message begin anywhere, numbers that are worked on do not


def wrapped(what: Any) -> Parcel:
    """An object as it travels; its arrays must not change any more."""
    from cloudpickle import dumps

    arrays: list[Array] = []

    def kept_within(buffer: pickle.PickleBuffer) -> bool:
        owner: Any = memoryview(buffer).obj
        if not isinstance(owner, np.ndarray) or owner.nbytes < LARGE:
            return True
        arrays.append(owner.ravel(order="K").view(np.uint8))
        return False

    return dumps(what, protocol=5, buffer_callback=kept_within), arrays


def opened(parcel: Parcel) -> Any:
    """The object, on arrays that can't be written to: another may still have to read them."""
    head, arrays = parcel
    return pickle.loads(head, buffers=[_readable(array) for array in arrays])


def copied(parcel: Parcel) -> Any:
    """The object, on arrays of its own."""
    head, arrays = parcel
    return pickle.loads(head, buffers=[array.copy() for array in arrays])


def _readable(array: Array) -> Array:
    made = array.view() if array.ctypes.data % ALIGNMENT == 0 else array.copy()
    made.flags.writeable = False
    return made
