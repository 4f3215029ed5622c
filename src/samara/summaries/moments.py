"""Moments of folds: everything a ridge fit and its exact K-fold scores need, from one pass."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from samara.core import Array, Block
from samara.linalg import kernels
from samara.linalg.blas import add_product
from samara.linalg.indicators import add_moments
from samara.linalg.kernels import add_gram
from samara.linalg.room import room
from samara.linalg.triangular import packed, unpacked
from samara.summaries.layout import Layout, Scratch

# float32 products are added up in float32 over this many rows, then carried into float64: adding up all
# rows in float32 would lose a digit, carrying over each block would take a tenth of the time.
FLUSH_ROWS = 65_536


class Moments(Scratch):
    """ZᵀZ of the augmented rows of each fold, in the upper triangle, in float64.

    (PR-ELM, Schindler Algorithm 3: P′ ← P′ + HᵢᵀHᵢ, Q′ ← Q′ + HᵢᵀTᵢ, here with folds and weights.)
    Where the moments of the first ``known`` features are there already, only the rows of the others are
    kept, (L − known, width): appended nodes cost what they add, not what is there.
    """

    ADDS_ONLY = True  # a row takes its products and nothing more

    def __init__(self, layout: Layout, n_folds: int, block_rows: int, known: int = 0) -> None:
        self.layout = layout
        self.known = known
        self._shape = (layout.n_features - known if known else layout.width, layout.width)
        self._folds: list[Array | None] = [None] * n_folds  # squares; as they travel: packed triangles
        self._block_rows = block_rows
        self._single: Array | None = None  # the float32 sum not yet carried over
        self._single_rows = 0
        self._single_fold = 0

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspace, and of what is symmetric the upper triangle: half as much travels."""
        state = super().__getstate__()
        if not self.known:
            state["_folds"] = [
                gram if gram is None or gram.ndim == 1 else packed(gram) for gram in self._folds
            ]
            state["_single"] = (
                packed(self._single) if self._single_rows and self._single is not None else None
            )
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Triangles stay packed until a square is asked for: two of them are merged as they are."""
        self.__dict__.update(state)
        if not self.known:
            self._single = None if self._single is None else unpacked(self._single, self.layout.width)

    @property
    def grams(self) -> list[Array | None]:
        """The moments of each fold, None of one without rows; of symmetric ones the upper triangle counts."""
        for fold, gram in enumerate(self._folds):
            if gram is not None and gram.ndim == 1:
                self._folds[fold] = unpacked(gram, self.layout.width)
        return self._folds

    @grams.setter
    def grams(self, folds: list[Array | None]) -> None:
        self._folds = folds

    def update(self, block: Block) -> None:
        """Add the rows of a block to the moments of its fold."""
        if block.maps and hasattr(block.maps[-1], "leaves") and not self.known:
            self._count(block, block.maps[-1])
            return
        Z = self._filled(block, self._block_rows)
        if self.layout.dtype == np.float64:
            self._add(Z, self._gram(block.fold))
        else:
            self._update_single(Z, block.fold)

    def merge(self, other: Self) -> None:
        """Add another's moments; the other is used up."""
        self.finish()
        other.finish()
        both = [gram for gram in (*self._folds, *other._folds) if gram is not None]
        if all(gram.ndim == 1 for gram in both):
            self._merge_packed(other)
            return
        for fold, gram in enumerate(other.grams):
            if self.grams[fold] is None:
                self.grams[fold] = gram
            elif gram is not None:
                self._carry(gram, self._gram(fold))
            other.grams[fold] = None

    def _merge_packed(self, other: Self) -> None:
        """Add what has travelled to what has travelled; room that may be written to is used again."""
        for fold, gram in enumerate(other._folds):
            mine = self._folds[fold]
            if mine is None or gram is None:
                self._folds[fold] = gram if mine is None else mine
            else:
                self._folds[fold] = np.add(mine, gram, out=mine if mine.flags.writeable else None)
            other._folds[fold] = None

    @property
    def block_rows(self) -> int:
        """Rows that its workspace holds."""
        return self._block_rows

    @property
    def pending(self) -> Array | None:
        """The float32 sum not yet carried over, where there is one."""
        return self._single

    def settle(self) -> None:
        """Carry over what is pending."""
        self._flush()

    def subtract(self, other: Self) -> None:
        """Take another's rows out again; the other is used up."""
        self._flush()
        other.finish()
        for fold, gram in enumerate(other.grams):
            if gram is not None:
                np.negative(gram, out=gram)
                self._carry(gram, self._gram(fold))

    def finish(self) -> Self:
        """Carry over what is pending and let the workspace go."""
        self._flush()
        self._workspace = self._single = None
        return self

    def state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """What is there between two blocks, what is pending in float32 included."""
        arrays = {str(fold): gram for fold, gram in enumerate(self.grams) if gram is not None}
        if self._single is not None and self._single_rows:
            arrays["single"] = self._single
        return {"rows": self._single_rows, "fold": self._single_fold}, arrays

    def restore(self, numbers: dict[str, Any], arrays: dict[str, Array]) -> None:
        """Go on from a state."""
        self.grams = [arrays.get(str(fold)) for fold in range(len(self.grams))]
        self._single = arrays.get("single")
        self._single_rows, self._single_fold = int(numbers["rows"]), int(numbers["fold"])

    def _add(self, Z: Array, gram: Array) -> None:
        """Add the products of augmented rows."""
        if not self.known:
            add_gram(Z, gram)
            return
        old, new = 1 + self.known, 1 + self.layout.n_features
        add_product(Z[:, old:new], Z[:, :old], gram[:, :old])
        add_gram(Z[:, old:new], gram[:, old:new])
        add_product(Z[:, old:new], Z[:, new:], gram[:, new:])

    def _count(self, block: Block, trees: Any) -> None:
        """The same sums of rows that are 1 in one leaf of each tree, which are not shifted: exact numbers."""
        y = (block.y - self.layout.centre) / self.layout.spread
        leaves = trees.leaves(block.before())
        add_moments(leaves, trees.starts, (y, block.weight), self._gram(block.fold))

    def _gram(self, fold: int) -> Array:
        gram = self.grams[fold]
        if gram is None:
            gram = self.grams[fold] = room(self._shape)
        return gram

    def _update_single(self, Z: Array, fold: int) -> None:
        if fold != self._single_fold or self._single_rows + len(Z) > FLUSH_ROWS:
            self._flush()
        if self._single is None:
            self._single = room(self._shape, np.float32)
        self._single_fold = fold
        self._single_rows += len(Z)
        self._add(Z, self._single)

    def _flush(self) -> None:
        if self._single is not None and self._single_rows:
            if kernels.compiled():
                kernels.carry_over(self._single, self._gram(self._single_fold), not self.known)
            else:
                self._carry(self._single, self._gram(self._single_fold))
                self._single[...] = 0
        self._single_rows = 0

    def _carry(self, part: Array, gram: Array) -> None:
        """Add to a gram, in bands: of a symmetric one only the upper triangle."""
        for lo in range(0, len(gram), 64):
            band = np.s_[lo : lo + 64, 0 if self.known else lo :]
            gram[band] += part[band]
