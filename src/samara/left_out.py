"""Training rows as the model without them sees them, from the factor of the fit: no refit, no folds.

e = (y − f)/(1 − w·h) with the leverage h = (z − μ)ᵀ(G + αI)⁻¹(z − μ) + 1/W of a row: what leaving the row out
does to its own error (PRESS, Schindler eq. 2.22).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from samara.core import Array, Block, Factor, Source, System
from samara.linalg.blas import solve_from_right, solve_upper
from samara.rowkeys import row_keys
from samara.selection.methods import inverse
from samara.solvers import NormalSystem, ProjectedFactor, RootSystem, RowSystem
from samara.sources import ArraySource
from samara.summaries import Layout

MOST_ROWS = 20_000  # looked at: a quantile of so many errors is known to a fifth of a percent
FEWEST_ROWS, MOST_FLOPS = 2000, 4e9  # looked at in any case; beyond them only as many as take a moment
ALL_KEPT = 512  # rows up to which what each of them does to the model is kept
RUNS = 64  # from all over a table in files
SKETCHED = 64  # columns that stand for the inverse: a leverage is within a sixth of its size
BLOCK, KEYED = 256, 65_536  # hidden rows in memory, rows whose keys are


@dataclass(frozen=True)
class LeftOut:
    """Some training rows, each with the output of the model without it, in the units of the data."""

    outputs: Array  # (m, t)
    targets: Array  # (m, t)
    weight: Array | None  # (m,)
    spread: Array  # (m,) √(1 + leverage) of a row in the model without it
    leverage: Leverage | None = None  # of new rows; None: taken to be 0
    pull: Pull | None = None  # where all rows are there and few

    @property
    def errors(self) -> Array:
        """Of the models without the row."""
        return self.targets - self.outputs

    def no_better_than(self, score: float) -> LeftOut:
        """Errors no smaller than on rows that a choice had not seen: ``score`` variances of the targets.

        Where a metric was made from the rows' own targets, leaving a row out of the last fit flatters.
        """
        weight = np.ones(len(self.targets)) if self.weight is None else self.weight
        centred = self.targets - np.average(self.targets, axis=0, weights=weight)
        own = float((weight @ self.errors**2).sum() / max((weight @ centred**2).sum(), 1e-300))
        if not own < score < np.inf:
            return self
        return replace(self, outputs=self.targets - self.errors * np.sqrt(score / own), pull=None)

    def behind(self, turn: Callable[[Array], Array]) -> LeftOut:
        """The same for features Hᵀ that the turn brings from those here."""
        found, pull = self.leverage, self.pull
        return replace(
            self,
            leverage=None if found is None else replace(found, directions=turn(found.directions)),
            pull=None if pull is None else replace(pull, features=turn(pull.features)),
        )


@dataclass(frozen=True)
class Leverage:
    """h(x) = ‖Dᵀh(x) − c‖², with DDᵀ near (G + αI)⁻¹: how far a row lies from those of the fit."""

    directions: Array  # (L, k)
    centre: Array  # (k,)

    def __call__(self, H: Array) -> Array:
        """Leverages (n,) of the hidden rows of new rows."""
        Q = H @ self.directions - self.centre
        return np.asarray(np.einsum("ij,ij->i", Q, Q))


@dataclass(frozen=True)
class Pull:
    """What each row does to the model: f₋ᵢ(x) = f(x) − (uᵢᵀh(x) + vᵢ)·eᵢ."""

    features: Array  # (L, n)
    offset: Array  # (n,)

    def __call__(self, H: Array) -> Array:
        """How much of each row's error the prediction of a new row has taken on, (n new, n)."""
        return np.asarray(H @ self.features + self.offset)


@dataclass(frozen=True)
class Solved:
    """A ridge problem that is solved, with the rows it is of."""

    source: Source  # behind all maps
    layout: Layout
    system: System
    solution: Array  # (1 + L, t)
    alpha: float | Array
    size: int  # leading columns in use
    entropy: int

    @property
    def means(self) -> Array:
        """Of the features in use."""
        return self.system.means[: self.size]

    @property
    def share(self) -> float:
        """What the intercept adds to a leverage."""
        return 1.0 / self.system.weight if self.system.fit_intercept else 0.0

    def left_out(self) -> LeftOut:
        """Rows of the fit as the models without them see them."""
        ridges = np.broadcast_to(np.asarray(self.alpha, float), (self.layout.n_targets,))
        judged = {alpha: self._judged(alpha) for alpha in dict.fromkeys(ridges.tolist())}
        first = judged[float(ridges[0])]
        errors = np.stack([judged[a].errors[:, j] for j, a in enumerate(ridges.tolist())], axis=1)
        kept = np.isfinite(errors).all(axis=1)
        few = len(kept) == self.source.n_rows <= ALL_KEPT and len(judged) == 1 and kept.all()
        half = half_inverse(self.system, float(ridges[0]), self.size)
        return LeftOut(
            outputs=self._restored(first.y - errors)[kept],
            targets=self._restored(first.y)[kept],
            weight=None if first.weight is None else first.weight[kept],
            spread=first.spread[kept],
            leverage=self._leverage(half, first.new_weight),
            pull=self._pull(half) if few else None,
        )

    def _judged(self, alpha: float) -> Judged:
        """Errors of all targets with one ridge; hidden rows are there a block at a time."""
        half = half_inverse(self.system, alpha, self.size)
        beta = self.solution[1 : 1 + self.size]
        known = self.solution[0] + self.means @ beta
        blocks = []
        for Z, y, weight in self._rows():
            residual, w = y - Z @ beta - known, 1.0 if weight is None else weight
            Q = half.after(Z)
            slack = 1 - w * (np.einsum("ij,ij->i", Q, Q) + self.share)
            with np.errstate(divide="ignore", invalid="ignore"):
                errors = np.where(slack > 1e-10, residual.T / slack, np.nan).T
            blocks.append(Judged(y, weight, slack, errors))
        made = Judged.joined(blocks)
        if not isinstance(self.system, RowSystem):
            return made
        # As sums of positive terms: exact however near 1 a leverage is.
        errors = self.system.leave_one_out([alpha], self.size)[:, 0] / self.system.root_weights[:, None]
        return replace(made, errors=errors)

    def _rows(self) -> Iterator[tuple[Array, Array, Array | None]]:
        """Hidden rows less their mean, targets and weights, as they are laid out, some at a time."""
        system, layout, L = self.system, self.layout, self.layout.n_features
        if isinstance(system, RowSystem):  # it keeps them all
            weighed = not (system.root_weights == 1).all()
            for lo in range(0, len(system.H), BLOCK):
                roots = system.root_weights[lo : lo + BLOCK, None]
                y = system.Y[lo : lo + BLOCK] / roots + system.means[L:]
                yield system.H[lo : lo + BLOCK, : self.size] / roots, y, roots[:, 0] ** 2 if weighed else None
            return
        most = int(np.clip(MOST_FLOPS / self.size**2, FEWEST_ROWS, MOST_ROWS))
        for block in some_blocks(self.source, most):
            Z = block.features(np.empty((len(block), L), layout.dtype), layout.shift)[:, : self.size]
            yield Z - self.means, (block.y - layout.centre) / layout.spread, block.weight

    def _restored(self, y: Array) -> Array:
        return np.asarray(y * self.layout.spread + self.layout.centre)

    def _leverage(self, half: HalfInverse, weight: float) -> Leverage:
        """That of a new row of this weight."""
        D = half.sketched(np.random.default_rng(np.random.SeedSequence([self.entropy, 5])))
        centre = (self.layout.shift[: self.size] + self.means) @ D
        if self.share:  # 1/W: a column that every row has alike
            D, centre = np.hstack([D, np.zeros((len(D), 1))]), np.append(centre, np.sqrt(self.share))
        return Leverage(D * np.sqrt(weight), centre * np.sqrt(weight))

    def _pull(self, half: HalfInverse) -> Pull:
        rows = [(half.after(Z).T, weight) for Z, _, weight in self._rows()]
        U = np.hstack([half.times(Q.copy()) * (1.0 if w is None else w) for Q, w in rows])
        weight = np.concatenate([np.ones(Q.shape[1]) if w is None else w for Q, w in rows])
        return Pull(U, self.share * weight - (self.layout.shift[: self.size] + self.means) @ U)


@dataclass(frozen=True)
class Judged:
    """Targets and weights of some rows, 1 − leverage, and errors of the models without the row."""

    y: Array
    weight: Array | None
    slack: Array
    errors: Array

    @property
    def new_weight(self) -> float:
        """What a new row is taken to weigh: as much as these do on average."""
        return 1.0 if self.weight is None else float(self.weight.mean())

    @property
    def spread(self) -> Array:
        """√(1 + w·h) of each row as a new one to the model without it, its leverage there h/(1 − w·h)."""
        slack = np.maximum(self.slack, 1e-12)
        share = 1.0 if self.weight is None else self.new_weight / self.weight
        return np.asarray(np.sqrt(1 + share * (1 - slack) / slack))

    @classmethod
    def joined(cls, blocks: Sequence[Judged]) -> Judged:
        """Several as one."""
        weights = [block.weight for block in blocks if block.weight is not None]
        return cls(
            np.concatenate([block.y for block in blocks]),
            np.concatenate(weights) if weights else None,
            np.concatenate([block.slack for block in blocks]),
            np.concatenate([block.errors for block in blocks]),
        )


def leaving_out(factor: Factor, solved: Solved) -> Callable[[], LeftOut] | None:
    """How rows are left out; None where the solver has no system that says what each of them weighs."""
    if not isinstance(solved.system, NormalSystem | RootSystem | RowSystem):
        return None
    if not isinstance(factor, ProjectedFactor):
        return solved.left_out
    along = replace(solved, source=factor.source, layout=factor.layout)
    directions = factor.directions[:, : solved.size]
    return lambda: along.left_out().behind(lambda D: directions @ D)


@dataclass(frozen=True)
class HalfInverse:
    """N with NNᵀ = (G + αI)⁻¹: the inverse of a triangle, or eigenvectors divided by roots."""

    triangle: Array | None  # (L, L)
    vectors: Array  # (L, r); none where there is a triangle
    keep: Array  # (r,) 1/(λ + α)
    alpha: float

    def after(self, Z: Array) -> Array:
        """ZN; takes Z over."""
        if self.triangle is not None:
            return solve_from_right(self.triangle, Z)
        return np.asarray((Z @ self.vectors) * np.sqrt(self.keep))

    def times(self, B: Array) -> Array:
        """NB; takes B over."""
        if self.triangle is not None:
            return solve_upper(self.triangle, B)
        return np.asarray(self.vectors @ (np.sqrt(self.keep)[:, None] * B))

    def sketched(self, rng: np.random.Generator) -> Array:
        """D with few columns, DDᵀ near NNᵀ: random mixtures of N's columns (Johnson and Lindenstrauss)."""
        rank = len(self.vectors.T) if self.triangle is None else len(self.triangle)
        mixture = np.eye(rank)
        if rank > SKETCHED:
            mixture = rng.standard_normal((rank, SKETCHED)) / np.sqrt(SKETCHED)
        D = self.times(mixture)
        L = len(D)
        if rank == L or self.alpha == 0:
            return D
        beyond = np.eye(L) if L <= SKETCHED else rng.standard_normal((L, SKETCHED)) / np.sqrt(SKETCHED)
        beyond -= self.vectors @ (
            self.vectors.T @ beyond
        )  # no row of the fit goes there: only the ridge does
        return np.hstack([D, beyond / np.sqrt(self.alpha)])


def half_inverse(system: System, alpha: float, size: int) -> HalfInverse:
    """Of the leading columns, from what the system has solved with."""
    none = np.empty((size, 0))
    if isinstance(system, NormalSystem):
        return HalfInverse(system.triangle(alpha)[:size, :size], none, np.empty(0), alpha)
    values, vectors, _ = system.spectrum(size)
    keep = inverse(system, values, np.array([alpha]), size)[0]
    return HalfInverse(None, vectors[:, keep > 0], keep[keep > 0], alpha)


def some_blocks(source: Source, most: int) -> Iterator[Block]:
    """About ``most`` rows: of arrays those with small keys, of files runs of rows from all over.

    The keys are those of the rows' content, so that rows of arrays may come in any order; files are not read
    through for a sample.
    """
    if isinstance(source, ArraySource) and source.n_rows > most:
        source = _drawn(source, most / source.n_rows)
    whole = source.n_rows <= most or isinstance(source, ArraySource)
    parts = source.parts(1 if whole else RUNS)
    for part in parts:
        yield from islice(part.blocks(BLOCK), None if whole else -(-most // (BLOCK * len(parts))))


def _drawn(source: ArraySource, share: float) -> ArraySource:
    """The rows whose keys are in the lowest share of all."""
    limit, X, weight = np.uint64(share * 2.0**64), source.X, source.weight
    steps = range(0, source.n_rows, KEYED)
    found = [lo + np.flatnonzero(row_keys(X[lo : lo + KEYED]) < limit) for lo in steps]
    rows = np.concatenate(found)
    if len(rows) < FEWEST_ROWS // 2:  # few different rows: their keys say nothing about their number
        rows = np.linspace(0, source.n_rows - 1, FEWEST_ROWS).astype(int)
    return replace(source, X=X[rows], y=source.y[rows], weight=None if weight is None else weight[rows])
