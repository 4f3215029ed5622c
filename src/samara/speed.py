"""How fast this machine is: measured once a process, in a fifth of a second, when first asked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from samara.core import Array
from samara.linalg.blas import add_gram
from samara.linalg.room import room
from samara.linalg.workers import single_blas_thread
from samara.maps import AdditiveNodes, AsFloat, as_dtype, fused

_COLUMNS, _ROWS = 512, 1536  # of the product: large enough for full speed, a few milliseconds long
_COPIED = 1 << 21  # numbers copied: more than caches hold
_DTYPES = ("float64", "float32")
_TRIALS = 5  # of which the fastest counts: a busy machine is slow now and then, never fast


@dataclass(frozen=True)
class Speed:
    """What one core does in a second.

    Attributes
    ----------
    flops : dict
        Floating-point operations of matrix products, by dtype.
    activations : dict
        Values taken through the hidden nodes' function, by dtype.
    bandwidth : float
        Bytes copied.
    """

    flops: dict[str, float]
    activations: dict[str, float]
    bandwidth: float


@cache
def measured_speed() -> Speed:
    """The speed of one core of this machine."""
    rng = np.random.default_rng(0)
    with single_blas_thread():
        made = {name: _products(rng.standard_normal((_ROWS, _COLUMNS)).astype(name)) for name in _DTYPES}
        cells = {name: _activations(name) for name in _DTYPES}
    source = np.ones(_COPIED)
    copy = np.empty_like(source)
    return Speed(made, cells, 2 * source.nbytes / _fastest(lambda: np.copyto(copy, source)))


def _products(Z: Array) -> float:
    gram = room((_COLUMNS, _COLUMNS), Z.dtype)
    return _ROWS * _COLUMNS**2 / _fastest(lambda: add_gram(Z, gram))


def _activations(name: str) -> float:
    dtype = np.dtype(name)
    nodes = as_dtype(AdditiveNodes(np.ones((2, _COLUMNS)), "sigmoid"), dtype)
    maps = fused((AsFloat(1, dtype), nodes), False)
    X = np.random.default_rng(0).standard_normal((256, 1))

    def run() -> None:
        H = X
        for feature_map in maps:
            H = feature_map(H)

    return len(X) * _COLUMNS / _fastest(run)


def _fastest(job: Callable[[], object]) -> float:
    """Seconds of the fastest of a few runs, after one that warms up."""
    job()
    times = []
    for _ in range(_TRIALS):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return max(min(times), 1e-9)
