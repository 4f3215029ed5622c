"""Room for large arrays that goes back to the system the moment it is dropped."""

from __future__ import annotations

import mmap
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np

from samara.core import Array

_OWN_PAGES = 1 << 20  # bytes from which an array gets pages of its own
_HUGE = 4 << 20  # bytes from which it asks for pages of 2 MB: the first touch of an 8 MB array took 7 ms


def room(shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """An array of zeros.

    glibc keeps freed arrays of up to 32 MB in its heap, where they fragment: a fit then peaked 20 to 40 %
    above what was alive at any time, and no plan could promise a budget.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    if size < _OWN_PAGES:
        return np.zeros(shape, dtype)
    if hasattr(mmap, "MAP_PRIVATE"):
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE") and size >= _HUGE:
            with suppress(OSError):  # a kernel without them
                pages.madvise(mmap.MADV_HUGEPAGE)
    else:  # Windows
        pages = mmap.mmap(-1, size)
    return np.frombuffer(pages, dtype).reshape(shape)


def copied(A: Array) -> Array:
    """A C-ordered copy in room of its own."""
    made = room(A.shape, A.dtype)
    made[...] = A
    return made
