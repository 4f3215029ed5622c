"""Nyström's map drawn from the data: the kernel of a row with some centres, whitened."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samara.core import Array
from samara.errors import ConditionWarning, unknown_name
from samara.linalg.blas import factor_upper
from samara.linalg.pivoted import pivoted_cholesky
from samara.maps.gramian import Gramian
from samara.maps.kernel_rows import KernelRows, Whitened
from samara.maps.kernels import Kernel
from samara.maps.kmeans import kmeans_centres

CENTRES = ("rows", "kmeans", "pivoted")
POOL = 10  # rows looked at for each centre that is not simply a row
# Of the mean diagonal: what is added to that of K_MM. The same whatever M, so that the nodes nest; with
# M = 5000 it is twice eps·tr(K_MM).
JITTER = {"float64": 1e4 * float(np.finfo(np.float64).eps), "float32": 1e3 * float(np.finfo(np.float32).eps)}
WARN_AT = {"float64": 1e-5, "float32": 2e-2}  # of the mean diagonal: no rounding needs as much


@dataclass(frozen=True)
class Landmarks:
    """x ↦ k(x, Z)T⁻¹ with TᵀT = K_ZZ: M centres Z, whose ridge is that of the kernel's own space.

    Parameters
    ----------
    kernel : Kernel
        Its settings are fixed.
    centres : {"rows", "kmeans", "pivoted"}
        Rows drawn from the data; the k-means centres of a sample of it (these do not nest); or rows of a
        sample in the order in which a randomly pivoted Cholesky factorization takes them.
    dtype : numpy.dtype
        Precision of the rows.
    """

    kernel: Kernel
    centres: Literal["rows", "kmeans", "pivoted"] = "rows"
    dtype: np.dtype[np.floating] = np.dtype(np.float64)  # noqa: RUF009 - dtypes don't change

    def validate(self) -> None:
        """Refuse unknown names."""
        if self.centres not in CENTRES:
            raise unknown_name("centres", self.centres, CENTRES)

    @property
    def nests(self) -> bool:
        """Whether the first nodes do not depend on how many are drawn.

        To rounding they don't; that of float32 is too large for moments of one draw beside those of another.
        """
        return self.centres == "rows" and self.dtype == np.float64

    def sample_rows(self, n_hidden: int) -> int:
        """Rows of the data it wants to see before it draws."""
        return n_hidden if self.centres == "rows" else POOL * n_hidden

    def bytes(self, n_hidden: int) -> int:
        """What the triangle takes, its making, and the tiles of kernel rows that its blocks are made from."""
        return (8 if self.dtype == np.float64 else 12) * n_hidden**2 + (3 << 20)

    def draw(self, n_hidden: int, n_inputs: int, sample: Array, seed: np.random.SeedSequence) -> Whitened:
        """Choose the centres and whiten them; fewer distinct rows than centres serve again."""
        centres = self._chosen(n_hidden, sample, np.random.default_rng(seed.spawn(1)[0]))
        return whitened(KernelRows(self.kernel, centres.astype(self.dtype), self.dtype))

    def _chosen(self, n_hidden: int, sample: Array, rng: np.random.Generator) -> Array:
        if self.centres == "kmeans" and len(sample) > n_hidden:
            return kmeans_centres(sample, n_hidden, 10, rng)
        order = np.arange(len(sample))
        if self.centres == "pivoted" and len(sample) > n_hidden:
            pivots = pivoted_cholesky(
                Gramian(self.kernel, sample, self.dtype), n_hidden, random_state=rng
            ).pivots
            order = np.append(pivots, np.setdiff1d(order, pivots))
        return np.asarray(sample[order[np.arange(n_hidden) % len(sample)]])


def whitened(rows: KernelRows, matrix: Array | None = None) -> Whitened:
    """The rows with the triangle of their own kernel matrix; the jitter grows until there is one."""
    share = JITTER[rows.dtype.name]
    while (T := _triangle(rows, matrix, share)) is None:
        share *= 10
    if share > WARN_AT[rows.dtype.name]:
        warnings.warn(
            f"The kernel is not positive definite: the matrix of its centres needed {share:.1g} of its mean "
            "diagonal added to become so.",
            ConditionWarning,
            stacklevel=2,
        )
    return Whitened(rows, T.astype(rows.dtype, copy=False))


def _triangle(rows: KernelRows, matrix: Array | None, share: float) -> Array | None:
    """T with TᵀT = K_ZZ + jitter, in the place of K_ZZ; None where that is not positive definite."""
    if matrix is None:
        K = Gramian(rows.kernel, rows.centres, np.dtype(np.float64)).tile(slice(None), slice(None))
    else:
        K = np.array(matrix, np.float64)
    K[np.diag_indices_from(K)] += share * (abs(float(np.mean(np.diagonal(K)))) or 1.0)
    return K if factor_upper(K) else None
