"""Local receptive fields: images through random filters, then pooled (LRF-ELM, Huang et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from numbers import Integral
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from samara.core import Array, FeatureMap, dense
from samara.errors import InputError

# Filtered values held at a time: 1 MB in float32 stays in the core's own cache until it is pooled.
CELLS = 1 << 18


@dataclass(frozen=True)
class LocalFields:
    """Features of images: √ of the summed squares of random filters over a neighbourhood.

    c(i, j, k) = Σ x(i + a, j + b, ·)·w(a, b, ·, k) over the r × r pixels of a field, with orthonormal random
    filters w, and h(p, q, k) = √Σ c(i, j, k)² where i is within e of p and j of q, what lies outside being 0
    (Huang et al. 2015). There is no other activation: the square and the root are one.

    The number of nodes follows from the image, ``n_hidden`` is not used. Every pixel has the same unit, so
    give ``scale=None``: a scaling by columns would blow up the pixels at the edges.

    Parameters
    ----------
    image : tuple of int
        Height and width of the images, or height, width and channels. A row of the table is an image,
        pixel after pixel, line after line, the channels of a pixel together.
    n_maps : int
        Filters.
    size : int
        Pixels on a side of a filter, r.
    pool : int
        How far a neighbourhood reaches in each direction, e: it is 2e + 1 fields wide.
    stride : int
        Keep every so-many-th neighbourhood in each direction; 1 keeps all, as in the paper.
    """

    image: tuple[int, ...]
    n_maps: int = 32
    size: int = 5
    pool: int = 2
    stride: int = 3

    def validate(self) -> None:
        """Refuse impossible numbers."""
        image: Any = self.image  # whatever was given
        whole = isinstance(image, tuple) and len(image) in (2, 3)
        if not whole or not all(isinstance(one, Integral) and int(one) >= 1 for one in image):
            raise InputError(
                f"image must be (height, width) or (height, width, channels), got {self.image!r}."
            )
        for name, least in (("n_maps", 1), ("size", 1), ("pool", 0), ("stride", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
                raise InputError(f"{name} must be a whole number of {least} or more, got {value!r}.")
        if self.size > min(self.image[:2]):
            raise InputError(
                f"A filter of {self.size} × {self.size} pixels does not fit an image of "
                f"{self.image[0]} × {self.image[1]}: use a smaller size."
            )

    @property
    def n_out(self) -> int:
        """Nodes: filters times the neighbourhoods kept."""
        return self.n_maps * prod(kept(self.image, self.size, self.stride))

    @property
    def nests(self) -> bool:
        """Whether the first nodes do not depend on how many are drawn."""
        return False

    def sample_rows(self, n_hidden: int) -> int:
        """Rows of the data it wants to see before it draws."""
        return 0

    def draw(self, n_hidden: int, n_inputs: int, sample: Array, seed: np.random.SeedSequence) -> FeatureMap:
        """Draw the filters; images of another size are refused."""
        image = tuple(int(one) for one in (*self.image, 1)[:3])
        if prod(image) != n_inputs:
            shape = " × ".join(map(str, self.image))
            raise InputError(
                f"An image of {shape} has {prod(image)} values, but the rows have {n_inputs} columns: "
                "give image= the shape of your images."
            )
        filters = _orthonormal(self.size**2 * image[2], self.n_maps, np.random.default_rng(seed))
        return PooledFields(filters, image, int(self.size), int(self.pool), int(self.stride))


@dataclass(frozen=True)
class PooledFields:
    """Images → pooled answers of filters that were drawn."""

    filters: Array  # (size² · channels, maps)
    image: tuple[int, ...]  # height, width, channels
    size: int
    pool: int
    stride: int

    @property
    def n_out(self) -> int:
        return int(self.filters.shape[1]) * prod(kept(self.image, self.size, self.stride))

    def __call__(self, X: Any, out: Array | None = None) -> Array:
        """Features of images, one a row; for every place kept all maps, places line after line."""
        X = dense(X)
        dtype = out.dtype if out is not None else (X.dtype if X.dtype == np.float32 else np.dtype(np.float64))
        made = np.empty((len(X), self.n_out), dtype) if out is None else out
        filters = self.filters.astype(dtype, copy=False)
        places = (self.image[0] - self.size + 1) * (self.image[1] - self.size + 1)
        step = max(1, CELLS // (places * max(filters.shape)))  # a field may be wider than its answers are
        for lo in range(0, len(X), step):
            images = X[lo : lo + step].astype(dtype, copy=False).reshape(-1, *self.image)
            answers = self._filtered(images, filters)
            np.multiply(answers, answers, out=answers)
            pooled = self._summed(self._summed(answers, 1), 2)
            np.sqrt(pooled, out=pooled)
            made[lo : lo + step] = pooled.reshape(len(images), -1)
        return made

    def _filtered(self, images: Array, filters: Array) -> Array:
        """(b, height, width, maps): the fields of each image side by side, in one product."""
        windows = sliding_window_view(
            images, (self.size, self.size), axis=(1, 2)
        )  # (b, h, w, channels, r, r)
        fields = windows.transpose(0, 1, 2, 4, 5, 3).reshape(-1, len(filters))
        return (fields @ filters).reshape(*windows.shape[:3], -1)

    def _summed(self, values: Array, axis: int) -> Array:
        """Sums over the neighbourhoods kept along an axis; beyond the border there is nothing to add."""
        length = values.shape[axis]
        centres = range(0, length, self.stride)
        made = np.zeros((*values.shape[:axis], len(centres), *values.shape[axis + 1 :]), values.dtype)
        most = min(self.pool, length - 1)
        for reach in range(-most, most + 1):
            inside = [number for number, centre in enumerate(centres) if 0 <= centre + reach < length]
            if inside:
                first = centres[inside[0]] + reach
                into = (slice(None),) * axis + (slice(inside[0], inside[-1] + 1),)
                taken = (slice(None),) * axis + (slice(first, centres[inside[-1]] + reach + 1, self.stride),)
                made[into] += values[taken]
        return made

    def pulled_back(self, X: Any, G: Array) -> Array:
        """G·∂h/∂x of every row, (b, t, values), for G of the shape (b or 1, t, n_out)."""
        images = np.asarray(dense(X), np.float64).reshape(-1, *self.image)
        filters = self.filters.astype(np.float64)
        answers = self._filtered(images, filters)
        pooled = np.sqrt(self._summed(self._summed(answers**2, 1), 2))
        inverse = np.divide(1.0, pooled, out=np.zeros_like(pooled), where=pooled > 0)
        rate = G.reshape(*G.shape[:2], *pooled.shape[1:]) * inverse[:, None]
        rate = self._shared_out(self._shared_out(rate, 2, answers.shape[1]), 3, answers.shape[2])
        back = (rate * answers[:, None]) @ filters.T  # of every value of every field
        back = back.reshape(*back.shape[:4], self.size, self.size, -1)
        made = np.zeros((*back.shape[:2], *self.image))
        down, across = answers.shape[1:3]
        for a in range(self.size):
            for b in range(self.size):
                made[:, :, a : a + down, b : b + across] += back[..., a, b, :]
        return made.reshape(*made.shape[:2], -1)

    def _shared_out(self, values: Array, axis: int, length: int) -> Array:
        """What `_summed` does, backwards: each sum's value given to all that went into it."""
        made = np.zeros((*values.shape[:axis], length, *values.shape[axis + 1 :]))
        before = (slice(None),) * axis
        for number, centre in enumerate(range(0, length, self.stride)):
            near = slice(max(0, centre - self.pool), centre + self.pool + 1)
            made[(*before, near)] += values[(*before, slice(number, number + 1))]
        return made


def kept(image: tuple[int, ...], size: int, stride: int) -> tuple[int, int]:
    """Neighbourhoods kept down and across."""
    down, across = (-(-(length - size + 1) // stride) for length in image[:2])
    return int(down), int(across)


def _orthonormal(n_rows: int, n_columns: int, rng: np.random.Generator) -> Array:
    """Gaussian columns made orthonormal; where there are more than rows, by groups of as many."""
    groups = []
    for _ in range(-(-n_columns // n_rows)):
        Q, R = np.linalg.qr(rng.standard_normal((n_rows, n_rows)))
        groups.append(Q * np.sign(np.diag(R)))
    return np.concatenate(groups, axis=1)[:, :n_columns]
