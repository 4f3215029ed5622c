"""Samara's estimators in files of `skops <https://skops.readthedocs.io>`_: the types to be trusted there.

A skops file of an estimator is loaded by ``skops.io.load(path, trusted=TRUSTED_TYPES)``. None of these types
runs code when it is made from a file. Samara's own files, :func:`samara.load`, need no such list.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import sparse

from samara.estimators.saving import ESTIMATORS
from samara.model_classes import CLASSES
from samara.online import Stream
from samara.past import Fading, Memory
from samara.plans import Budget
from samara.settings import Settings
from samara.solvers.sequential import Inverse
from samara.sources import ArraySource
from samara.summaries import Moments, Triangle

__all__ = ["TRUSTED_TYPES"]

_OF_STREAMS = (Stream, Memory, Fading, Settings, Budget, ArraySource, Moments, Triangle, Inverse)
_OF_OTHERS = (np.dtype, range, sparse.csr_array, sparse.csr_matrix)


def _named(types: Iterable[type]) -> list[str]:
    """Types as skops calls them."""
    return [f"{one.__module__}.{one.__qualname__}" for one in types]


TRUSTED_TYPES: list[str] = sorted(
    _named([*ESTIMATORS.values(), *CLASSES.values(), *_OF_STREAMS, *_OF_OTHERS])
)
