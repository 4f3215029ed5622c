"""What may be tried: each candidate is one small object that runs on the rows of a search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from samara.core import Array
from samara.maps import Additive, AsFloat, Radial
from samara.search.rows import SearchRows

GoesOn = Callable[[float], bool]  # whether there is time for a step that takes so many seconds


@dataclass(frozen=True)
class Choice:
    """All that a fit of a candidate takes from the search."""

    round: int
    metric: Array | None  # of the scaled inputs, (d, d) or (d,)
    alpha: float | None  # None: the fit chooses it


@dataclass(frozen=True)
class Tried:
    """One choice, and what it says of the rows that its fits have not seen."""

    candidate: Candidate
    choice: Choice
    outputs: Array  # (m, t), for the scored rows
    error: float


class Candidate(Protocol):
    """Something to try."""

    @property
    def name(self) -> str: ...
    @property
    def family(self) -> str:
        """Of candidates of one family a blend takes one."""
        ...

    def run(self, rows: SearchRows, goes_on: GoesOn) -> list[Tried]:
        """Every choice scored, of as many rounds as there is time for; none where none could be fitted."""
        ...


def scales_in_words(scale: str) -> str:
    """How the inputs are scaled, in a name."""
    return {"standard": "standard", "quantile": "ranks"}[scale]


@dataclass(frozen=True)
class LayerSpec:
    """A hidden layer by name."""

    name: str
    layer: Additive | Radial | None  # None: the inputs themselves
    full: bool  # whether its metric is a matrix, or a factor for each input

    def made(self, n_inputs: int) -> Additive | Radial | AsFloat:
        """The layer for so many inputs."""
        return AsFloat(n_inputs, np.dtype(np.float64)) if self.layer is None else self.layer


RIDGE = LayerSpec("ridge", None, False)
TANH = LayerSpec("tanh nodes", Additive("tanh"), True)
FOURIER = LayerSpec("fourier nodes", Additive("fourier"), True)
RBF = LayerSpec("rbf nodes", Radial("rbf"), False)
KMEANS = LayerSpec("k-means nodes", Radial("rbf", "kmeans"), False)
FEW_INPUTS = LayerSpec("nodes of 3 inputs", Additive("tanh", "sparse", "data"), False)
