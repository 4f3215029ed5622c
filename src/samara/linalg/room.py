"""Room for large arrays that goes back to the system the moment it is dropped."""

from __future__ import annotations

import mmap
from contextlib import suppress
from math import prod
from typing import Any

import numpy as np

from samara.core import Array

# Bytes from which an array gets pages of its own, of 2 MB each where it can. From 1 MB on, fits of 2000 rows
# took a fifth to a third longer: every fit touches each page for the first time, and 8 MB of 4 KB take 7 ms.
_OWN_PAGES = 4 << 20


def room(shape: tuple[int, ...], dtype: Any = np.float64) -> Array:
    """An array of zeros.

    glibc keeps freed arrays of up to 32 MB in its heap, where they fragment: with large ones a fit peaked 20
    to 40 % above what was alive at any time, and no plan could promise a budget.
    """
    size = prod(shape) * np.dtype(dtype).itemsize
    if size < _OWN_PAGES:
        return np.zeros(shape, dtype)
    if hasattr(mmap, "MAP_PRIVATE"):
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if hasattr(mmap, "MADV_HUGEPAGE"):
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
