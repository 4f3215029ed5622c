"""How hidden layers are drawn: the settings behind the names that ``hidden=`` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial.distance import pdist

from samara.core import Array, FeatureMap
from samara.errors import InputError, unknown_name
from samara.maps.activations import ACTIVATIONS
from samara.maps.kmeans import kmeans_centres
from samara.maps.nodes import AdditiveNodes, RadialNodes

WEIGHTS = ("uniform", "normal", "orthogonal", "sparse")
BIASES = ("range", "data")
CENTRES = ("rows", "kmeans")
WIDTH_ROWS = 500  # rows whose distances give the median width: 125,000 pairs


@dataclass(frozen=True)
class Additive:
    """Nodes g(xᵀw + b) with random w and b.

    Parameters
    ----------
    activation : str
        ``sigmoid``, ``tanh``, ``relu``, ``sine``, ``fourier`` (cosine with a phase), ``hardlim``, ``linear``.
    weights : {"normal", "uniform", "orthogonal", "sparse"}
        Law of the input weights. All have the same variance, gain²/d, so that xᵀw has standard deviation
        ``gain`` on standardized inputs. ``sparse`` nodes see ``inputs_per_node`` inputs each;
        ``orthogonal`` ones come in groups of d with orthogonal directions.
    bias : {"range", "data"}
        ``range``: uniform on [−gain, gain] (a full period for ``sine`` and ``fourier``);
        ``data``: −wᵀx of a row drawn at random, which puts each node's bend inside the data.
    gain : float
        Standard deviation of xᵀw: small makes nodes nearly linear, large makes them steep.
    inputs_per_node : int
        Inputs of a ``sparse`` node.
    """

    activation: str = "sigmoid"
    weights: Literal["uniform", "normal", "orthogonal", "sparse"] = "normal"
    bias: Literal["range", "data"] = "range"
    gain: float = 2.0
    inputs_per_node: int = 3

    def validate(self) -> None:
        """Refuse unknown names and impossible numbers."""
        for kind, value, known in (
            ("activation", self.activation, tuple(ACTIVATIONS)),
            ("weights", self.weights, WEIGHTS),
            ("bias", self.bias, BIASES),
        ):
            if value not in known:
                raise unknown_name(kind, value, known)
        if not (np.isfinite(self.gain) and self.gain > 0):
            raise InputError(f"gain must be a positive number, got {self.gain!r}.")
        if self.inputs_per_node < 1:
            raise InputError(f"inputs_per_node must be at least 1, got {self.inputs_per_node!r}.")

    @property
    def nests(self) -> bool:
        """Whether the first nodes do not depend on how many are drawn."""
        return True

    def sample_rows(self, n_hidden: int) -> int:
        """Rows of the data it wants to see before it draws."""
        return n_hidden if self.bias == "data" else 0

    def draw(self, n_hidden: int, n_inputs: int, sample: Array, seed: np.random.SeedSequence) -> FeatureMap:
        """Draw the nodes; the first l of them do not depend on how many are drawn."""
        W = self._directions(n_hidden, n_inputs, seed) * (self.gain / np.sqrt(n_inputs))
        if self.bias == "data" and len(sample):
            b = -np.einsum("ij,ij->i", W, sample[np.arange(n_hidden) % len(sample)])
        else:
            half = np.pi if self.activation in ("sine", "fourier") else self.gain
            b = _stream(seed, 1).uniform(-half, half, n_hidden)
        return AdditiveNodes(np.concatenate([W.T, b[None]]), self.activation)

    def _directions(self, n_hidden: int, d: int, seed: np.random.SeedSequence) -> Array:
        """Input weights of variance 1, a row a node, filled row by row so that they nest."""
        rng = _stream(seed, 0)
        if self.weights == "uniform":
            return rng.uniform(-np.sqrt(3), np.sqrt(3), (n_hidden, d))
        if self.weights == "orthogonal":
            groups = [_orthogonal(d, rng) for _ in range(-(-n_hidden // d))]
            return np.concatenate(groups)[:n_hidden]
        W = rng.standard_normal((n_hidden, d))
        if self.weights == "sparse" and self.inputs_per_node < d:
            k = self.inputs_per_node
            lots = _stream(seed, 2).random((n_hidden, d))
            W = np.where(lots <= np.partition(lots, k - 1, axis=1)[:, k - 1 : k], W * np.sqrt(d / k), 0.0)
        return W


@dataclass(frozen=True)
class Radial:
    """Nodes that depend on the distance to a centre.

    Parameters
    ----------
    function : {"rbf", "multiquadric"}
        exp(−‖x − c‖²/2σ²), or √(1 + ‖x − c‖²/2σ²).
    centres : {"rows", "kmeans"}
        Rows drawn from the data, or the k-means centres of a sample of it (these do not nest).
    width : float or "median"
        σ in units of the scaled inputs; ``median``: half the median distance between rows.
    """

    function: Literal["rbf", "multiquadric"] = "rbf"
    centres: Literal["rows", "kmeans"] = "rows"
    width: float | Literal["median"] = "median"

    def validate(self) -> None:
        """Refuse unknown names and impossible numbers."""
        for kind, value, known in (
            ("function", self.function, ("rbf", "multiquadric")),
            ("centres", self.centres, CENTRES),
        ):
            if value not in known:
                raise unknown_name(kind, value, known)
        if self.width != "median" and not self.width > 0:
            raise InputError(f'width must be a positive number or "median", got {self.width!r}.')

    @property
    def nests(self) -> bool:
        """Whether the first nodes do not depend on how many are drawn."""
        return self.centres == "rows"

    def sample_rows(self, n_hidden: int) -> int:
        """Rows of the data it wants to see before it draws."""
        return max(n_hidden, WIDTH_ROWS) if self.centres == "rows" else max(10 * n_hidden, WIDTH_ROWS)

    def draw(self, n_hidden: int, n_inputs: int, sample: Array, seed: np.random.SeedSequence) -> FeatureMap:
        """Draw the centres; with ``rows`` the first l of them do not depend on how many are drawn."""
        width = self.width if self.width != "median" else _median_width(sample)
        if self.centres == "kmeans" and len(sample) > n_hidden:
            rng = np.random.default_rng(seed.spawn(1)[0])
            centres = kmeans_centres(sample, n_hidden, 20, rng)
            gamma = np.full(n_hidden, 0.5 / width**2)
            return RadialNodes(centres, gamma, self.function)
        node = np.arange(n_hidden)
        # More nodes than distinct rows: the rows serve again, each time with half the width.
        gamma = 0.5 / (width * 0.5 ** (node // len(sample))) ** 2
        return RadialNodes(sample[node % len(sample)], gamma, self.function)


def _stream(seed: np.random.SeedSequence, number: int) -> np.random.Generator:
    """That of the seed's child of this number: to spawn three of them took 35 µs, a twentieth of a fit."""
    key = (*seed.spawn_key, number)
    return np.random.default_rng(
        np.random.SeedSequence(seed.entropy, spawn_key=key, pool_size=seed.pool_size)
    )


def _orthogonal(d: int, rng: np.random.Generator) -> Array:
    """d orthogonal rows with the lengths of Gaussian ones."""
    Q, R = np.linalg.qr(rng.standard_normal((d, d)))
    lengths = np.linalg.norm(rng.standard_normal((d, d)), axis=1)
    return np.asarray((Q * np.sign(np.diag(R))).T * lengths[:, None])


def _median_width(sample: Array) -> float:
    """Half the median distance between sampled rows, 1 where there is none."""
    distances = pdist(sample[:WIDTH_ROWS])
    return float(np.median(distances) / 2) if len(distances) and np.median(distances) > 0 else 1.0


LAYERS: dict[str, Additive | Radial] = {
    **{name: Additive(name) for name in ACTIVATIONS},
    "rbf": Radial("rbf"),
    "multiquadric": Radial("multiquadric"),
}
