"""`tiles`: the Gram matrix in tiles that stay with the workers, and conjugate gradients on them (MPR-ELM)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from samara.core import Array, Holder, Source
from samara.errors import ConditionWarning, ConvergenceWarning, InputError
from samara.linalg.ranges import checked_count
from samara.shapes import MAX_STEPS, safe_ridge
from samara.solvers.lanczos import Lanczos
from samara.solvers.task import Task
from samara.solvers.tiled_rows import TileRows, even_edges
from samara.solvers.training_sets import IterativeSystem, KrylovFactor, TrainingSets, is_share
from samara.summaries import Tile, TileProducts, TileSums


class TiledGram:
    """Tiles that are held somewhere, and what is known of them here: sums, never a tile."""

    def __init__(self, task: Task, edges: tuple[int, ...], rows: TileRows) -> None:
        assert isinstance(task.engine, Holder)
        self.task, self.edges = task, edges
        self.tiles: Source = task.engine.hold(
            rows, partial(Tile, task.layout, edges, task.n_folds, task.engine.block_rows), name="tiles"
        )
        found = task.engine.summarize(self.tiles, partial(TileSums, task.layout.n_targets), name="sums")
        parts, t = [found.sums[group] for group in sorted(found.sums)], task.layout.n_targets
        nodes = [part[:, 1 : part.shape[1] - t] for part in parts]
        # [1, H, T]ᵀ[1, T] of all rows and of each fold, (1 + folds, width, 1 + t)
        self.sums = np.concatenate([parts[0][:, :1], *nodes, parts[0][:, -t:]], axis=1)
        self.energy = found.energy

    def training_sets(self) -> TrainingSets:
        """First moments of all rows, and of all rows but those of each fold."""
        moments = self.sums.copy()
        moments[1:] = moments[0] - moments[1:]
        t = self.task.layout.n_targets
        squares = np.einsum("stt->st", moments[:, -t:, 1:])
        return TrainingSets.from_moments(self.task, moments.transpose(1, 0, 2), squares, self.energy)

    def times(self, V: Array, which: Array) -> Array:
        """GV as it is, not centred; see `TileProducts`."""
        made = partial(TileProducts, self.edges, V, which)
        return self.task.engine.summarize(self.tiles, made, name="steps").whole()


class TiledFactor(KrylovFactor):
    """Held tiles and a Krylov space for every training set and target."""

    def __init__(self, gram: TiledGram, sets: TrainingSets, run: Lanczos, note: str) -> None:
        super().__init__(sets, run)
        self.gram, self.run, self.note = gram, run, note

    def system(self, without: int | None = None) -> TiledSystem:
        """The system of all rows."""
        return TiledSystem(self, "tiles")

    def held_out(self, alphas: Sequence[float], held: Sequence[int]) -> Array:
        """Squared errors (K, A, t) of all ridges on the folds that hold rows, from the folds' own tiles."""
        return np.stack([self._errors(fold, self.solutions(1 + fold, alphas)) for fold in held])

    def _errors(self, fold: int, solutions: Array) -> Array:
        """yᵀy − 2uᵀr + uᵀGu with u = [intercept; β] over the rows of a fold: (A, t)."""
        width, A, t = solutions.shape
        M = self.gram.sums[1 + fold]  # (1 + L + t, 1 + t)
        flat = solutions[1:].reshape(width - 1, A * t)
        GB = self.gram.times(flat, np.full(A * t, -1 - fold))
        squares = np.einsum("ij,ij->j", flat, GB).reshape(A, t)
        first, sums = solutions[0], np.einsum("i,iat->at", M[1:width, 0], solutions[1:])
        squares += first**2 * M[0, 0] + 2 * first * sums
        crosses = np.einsum("iat,it->at", solutions, M[:width, 1:])
        return np.asarray(np.maximum(np.diagonal(M[width:, 1:]) - 2 * crosses + squares, 0.0))


class TiledSystem(IterativeSystem):
    """What the Krylov space of all rows tells of H."""

    _factor: TiledFactor

    def condition(self, alpha: float) -> float:
        """Of H with the ridge in it, over the directions the targets reach: a lower bound."""
        run = self._factor.run
        values = run.spectrum(0)[0] if run.steps[0] else np.ones(1)
        return float(np.sqrt((values[-1] + alpha) / (values[0] + alpha)))

    def rank(self, alpha: float, size: int) -> int:
        """Directions in use."""
        return int(self._factor.run.steps[: self._factor.layout.n_targets].max())


@dataclass(frozen=True)
class Tiles:
    """The Gram matrix cut into tiles of nodes × nodes, each with whoever made it; one pass over the rows.

    Model-parallel MPR-ELM (Schindler section 2.5) without its approximation: every tile goes through all rows
    with its two groups of nodes alone, none of them ever moves, and each step of conjugate gradients sends
    vectors of L numbers. A run serves all targets, folds and ridges. For a Gram matrix that no single worker
    holds; on the threads of one process all tiles of the upper triangle are in that process.

    Parameters
    ----------
    nodes : int, optional
        Nodes of a group: a tile has at most that many rows and columns. As planned, unless given.
    tol : float
        It ends where, for the smallest ridge, g = HᵀT − (G + αI)β has fallen to this share of HᵀT and the
        bound ‖g‖/2√α on the error of the fitted values to this share of T, both centred.
    max_iter : int
        The most steps; warns with that bound where the tolerance was not reached.
    """

    nodes: int | None = None
    tol: float = 1e-10
    max_iter: int = MAX_STEPS
    name = "tiles"

    def validate(self) -> None:
        """Refuse impossible numbers."""
        nodes = 1 if self.nodes is None else checked_count("nodes", self.nodes)
        if nodes < 1 or not is_share(self.tol) or checked_count("max_iter", self.max_iter) < 1:
            raise InputError(f"nodes and max_iter must be at least 1 and tol between 0 and 1, got {self!r}.")

    def __call__(self, task: Task) -> TiledFactor:
        """Make the tiles, then step until every training set and target has converged."""
        L = task.n_columns
        edges = even_edges(L, -(-L // min(L, self.nodes or L)))
        gram = TiledGram(task, edges, TileRows.upper(task, edges))
        sets = gram.training_sets()
        safe = safe_ridge(sets.energy, task.layout.dtype.name)
        low = max(1e-7 * sets.energy / L, safe) if task.alphas is None else min(task.alphas)

        def centred(which: Array, V: Array) -> Array:
            means = sets.means[which, :L].T
            inner: Array = np.einsum("ij,ij->j", means, V)
            return np.asarray(gram.times(V, which) - means * (sets.weights[which] * inner))

        run = Lanczos(sets, centred, low or np.finfo(float).tiny, self.tol)
        for _ in range(min(self.max_iter, task.most)):
            if not run.alive.any():
                break
            run.step()
        self._warn(run, low, safe)
        note = (
            f"tiles: {len(edges) - 1} groups of nodes, {run.steps.max():,} steps left {run.left.max():.1e} "
        )
        return TiledFactor(gram, sets, run, f"{note}of the gradient at ridge {low:.1e}")

    def _warn(self, run: Lanczos, low: float, safe: float) -> None:
        """Say what the solution can't be trusted with."""
        if low < safe:
            warnings.warn(
                f"Ridge {low:.1e} is below the rounding of HᵀH, about {safe:.1e}: the fitted values may be "
                "off. Use a larger ridge, or solver 'qr' or 'lsqr'.",
                ConditionWarning,
                stacklevel=3,
            )
        if run.alive.any() and run.steps.max() >= self.max_iter:
            warnings.warn(
                f"tiles took {self.max_iter} steps and left {run.left.max():.1e} of the gradient at ridge "
                f"{low:.1e}, fitted values off by up to {run.off.max():.1e} of the targets' spread "
                f"(tol {self.tol:.1e}): use a larger ridge, a larger max_iter or another solver.",
                ConvergenceWarning,
                stacklevel=3,
            )
