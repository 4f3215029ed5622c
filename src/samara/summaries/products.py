"""ZᵀZP for a few columns P: what a randomized or iterative solver asks of the rows in one pass."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from samara.core import Array, Block
from samara.linalg.room import room
from samara.linalg.triangular import triangle
from samara.summaries.layout import Layout, Scratch

NONZEROS = 8  # of a row of the data in the sketch


class Products(Scratch):
    """ZᵀU and the squared norms of U = ZP over the augmented rows, never ZᵀZ itself.

    Column j of P may leave the rows of one fold out, ``skip[j]`` (−1: none): a pass then serves all the
    training sets of a cross-validation at once. Of the first ``n_probes`` columns of U the triangle is kept
    too (TSQR): what a stop of a range finder reads.
    """

    def __init__(
        self, layout: Layout, P: Array, block_rows: int, skip: Array | None = None, n_probes: int = 0
    ) -> None:
        self.layout, self._block_rows, self._skip = layout, block_rows, skip
        self._P = np.ascontiguousarray(P, layout.dtype)
        self.products = np.zeros(P.shape)  # (width, m)
        self.squares = np.zeros(P.shape[1])
        self.energy = 0.0  # of the features, ‖H‖²_F
        self.triangle: Array = np.zeros((0, n_probes))
        self._probes: list[Array] = []  # rows not yet in the triangle

    def __getstate__(self) -> dict[str, Any]:
        """The sums, without the columns asked for: they are as large, and whoever asked has them."""
        return {**super().__getstate__(), "_P": None}

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        Z = self._filled(block, self._block_rows)
        U = Z @ self._P
        if self._skip is not None:
            U[:, self._skip == block.fold] = 0
        self.products += Z.T @ U
        self.squares += np.einsum("ij,ij->j", U, U, dtype=np.float64)
        H = Z[:, 1 : 1 + self.layout.n_features]
        self.energy += float(np.einsum("ij,ij->i", H, H).sum(dtype=np.float64))
        if self.triangle.shape[1]:
            self._probes.append(U[:, : self.triangle.shape[1]].astype(np.float64))
            if sum(map(len, self._probes)) > 8 * self.triangle.shape[1]:
                self._reduce()

    def merge(self, other: Self) -> None:
        """Add another's."""
        self.products += other.products
        self.squares += other.squares
        self.energy += other.energy
        self._probes += [other.triangle, *other._probes]
        self._reduce()

    def finish(self) -> Self:
        """Let the workspace go."""
        self._reduce()
        self._workspace = None
        return self

    def _reduce(self) -> None:
        if self.triangle.shape[1]:
            self.triangle = triangle(np.vstack([self.triangle, *self._probes]))
        self._probes = []


class HeldOut(Scratch):
    """Squared norms of ZP over the rows of each fold, with columns P of its own for each fold.

    With solutions [β₀; β; −1] as columns these are the squared errors of models on rows they never saw.
    """

    def __init__(self, layout: Layout, P: Array, block_rows: int) -> None:
        self.layout, self._block_rows = layout, block_rows
        self._P = P.astype(layout.dtype)  # (folds, width, m)
        self.squares = np.zeros((len(P), P.shape[2]))

    def __getstate__(self) -> dict[str, Any]:
        """The sums, without the columns asked for: those are much larger."""
        return {**super().__getstate__(), "_P": None}

    def update(self, block: Block) -> None:
        """Add the rows of a block to the sums of its fold."""
        U = self._filled(block, self._block_rows) @ self._P[block.fold]
        self.squares[block.fold] += np.einsum("ij,ij->j", U, U, dtype=np.float64)

    def merge(self, other: Self) -> None:
        """Add another's sums."""
        self.squares += other.squares


class SparseSketch(Scratch):
    """SZ for a sparse sign matrix S: each row of Z is added, with random signs, to a few rows of the sketch.

    Distances of the column space are kept to √(columns/rows): its triangle is as good as that of Z for
    preconditioning, and a start.
    """

    def __init__(self, layout: Layout, rows: int, block_rows: int, entropy: int) -> None:
        self.layout, self._block_rows, self._entropy = layout, block_rows, entropy
        self._stripe = -(-rows // NONZEROS)
        self.rows = room((NONZEROS * self._stripe, layout.width))
        self._updates = 0

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        Z = self._filled(block, self._block_rows)
        rng = np.random.default_rng([self._entropy, 3, block.start, self._updates])
        self._updates += 1
        shape = (NONZEROS, len(Z))
        into = rng.integers(0, self._stripe, shape) + self._stripe * np.arange(NONZEROS)[:, None]
        signs = (2.0 * rng.integers(0, 2, shape) - 1) / np.sqrt(NONZEROS)
        row = np.broadcast_to(np.arange(len(Z)), shape)
        S = csr_array((signs.ravel().astype(Z.dtype), (into.ravel(), row.ravel())), (len(self.rows), len(Z)))
        self.rows += S @ Z

    def merge(self, other: Self) -> None:
        """Add another's sketch."""
        self.rows += other.rows
