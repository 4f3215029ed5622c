"""Training rows as the model without them sees them, from the factor of the fit: no refit, no folds.

e = (y − f)/(1 − w·h) with the leverage h = (z − μ)ᵀ(G + αI)⁻¹(z − μ) + 1/W of a row: what leaving the row out
does to its own error (PRESS, Schindler eq. 2.22). Rows of equal inputs are left out together: w is then the
weight of all, y the mean of their targets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Factor, Source, System
from samara.linalg.workers import blas_threads_for
from samara.rowkeys import Copies, keys_with_targets
from samara.selection.half_inverse import HalfInverse, half_inverse
from samara.shapes import left_out_rows
from samara.solvers import NormalSystem, ProjectedFactor, RootSystem, RowSystem
from samara.sources.drawn import some_blocks
from samara.summaries import Layout

FEWEST_ROWS, MOST_FLOPS = 2000, 4e9  # looked at in any case; beyond them only as many as take a moment
ALL_KEPT = 512  # rows up to which what each of them does to the model is kept
BLOCK_NUMBERS, BLOCK_ROWS = 1 << 17, (256, 4096)  # hidden rows at a time: as many numbers, or so many rows


@dataclass(frozen=True)
class LeftOut:
    """Some training rows, each with the output of the model without it, in the units of the data."""

    outputs: Array  # (m, t)
    targets: Array  # (m, t)
    weight: Array | None  # (m,)
    spread: Array  # (m,) √(1 + leverage) of a row in the model without it
    leverage: Leverage | None = None  # of new rows; None: taken to be 0
    pull: Pull | None = None  # where all rows are there and few
    keys: Array | None = None  # (m,) of the rows' inputs

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
        with blas_threads_for(float(min(self._most, self.source.n_rows)) * self.size**2):
            return self._left_out()

    def _left_out(self) -> LeftOut:
        ridges = np.broadcast_to(np.asarray(self.alpha, float), (self.layout.n_targets,))
        half = half_inverse(self.system, float(ridges[0]), self.size)
        seen = self._seen(half)
        outputs = [self._without(seen, alpha) for alpha in dict.fromkeys(ridges.tolist())]
        places = {alpha: k for k, alpha in enumerate(dict.fromkeys(ridges.tolist()))}
        made = np.stack([outputs[places[a]][:, j] for j, a in enumerate(ridges.tolist())], axis=1)
        made, copies = made[seen.copies.group], seen.copies
        kept = np.isfinite(made).all(axis=1)
        few = self._whole and len(kept) <= ALL_KEPT and len(outputs) == 1
        return LeftOut(
            outputs=self._restored(made)[kept],
            targets=self._restored(seen.y[copies.rows])[kept],
            weight=None if copies.weight is None else copies.weight[kept],
            spread=seen.spread[copies.group][kept],
            leverage=self._leverage(half, seen.new_weight),
            pull=self._pull(half, copies) if few and kept.all() and copies.one_target_each else None,
            keys=seen.keys[copies.rows][kept],
        )

    @property
    def _most(self) -> int:
        """Rows to look at."""
        most = left_out_rows(self.layout.n_targets)
        return int(np.clip(MOST_FLOPS / self.size**2, FEWEST_ROWS, most))

    @property
    def _whole(self) -> bool:
        """Whether these are all rows."""
        return isinstance(self.system, RowSystem) or self.source.n_rows <= self._most

    def _seen(self, half: HalfInverse) -> Seen:
        """The rows with one ridge; hidden rows are there a block at a time."""
        beta = self.solution[1 : 1 + self.size]
        known = self.solution[0] + self.means @ beta
        blocks = []
        for Z, y, weight, keys in self._rows():
            fitted = Z @ beta + known
            Q = half.after(Z)
            blocks.append((y, fitted, np.einsum("ij,ij->i", Q, Q) + self.share, keys, weight))
        *parts, weights = zip(*blocks, strict=True)
        y, fitted, leverage, keys = (np.concatenate(part) for part in parts)
        weight = None if weights[0] is None else np.concatenate(weights)
        return Seen(y, fitted, leverage, Copies.found(keys, weight), keys[:, 0])

    def _without(self, first: Seen, alpha: float) -> Array:
        """Outputs (g, t) for each input, of the model without its rows."""
        means = first.copies.mean(first.y)
        if isinstance(self.system, RowSystem):
            # As sums of positive terms: exact however near 1 a leverage is.
            system = self.system.merged(first.copies)
            errors = system.leave_one_out([alpha], self.size)[:, 0] / system.root_weights[:, None]
            return np.asarray(means - errors)
        seen = first
        if not alpha == np.min(self.alpha) == np.max(self.alpha):
            seen = self._seen(half_inverse(self.system, alpha, self.size))
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = ((means - seen.fitted[seen.copies.first]).T / seen.slack).T
        return np.where(seen.slack[:, None] > 1e-10, means - errors, np.nan)

    def _rows(self) -> Iterator[tuple[Array, Array, Array | None, Array]]:
        """Hidden rows less their mean, targets and weights, as they are laid out, some at a time; keys."""
        system, layout, L = self.system, self.layout, self.layout.n_features
        block = int(np.clip(BLOCK_NUMBERS // max(L, 1), *BLOCK_ROWS))
        if isinstance(system, RowSystem):  # it keeps them all
            weighed = not (system.root_weights == 1).all()
            assert system.keys is not None
            for lo in range(0, len(system.H), block):
                roots, keys = system.root_weights[lo : lo + block, None], system.keys[lo : lo + block]
                y = system.Y[lo : lo + block] / roots + system.means[L:]
                Z = system.H[lo : lo + block, : self.size] / roots
                yield Z, y, roots[:, 0] ** 2 if weighed else None, keys
            return
        for rows in some_blocks(self.source, self._most, block):
            Z = rows.features(np.empty((len(rows), L), layout.dtype), layout.shift)[:, : self.size]
            y = (rows.y - layout.centre) / layout.spread
            yield Z - self.means, y, rows.weight, keys_with_targets(rows.X, rows.y)

    def _restored(self, y: Array) -> Array:
        return np.asarray(y * self.layout.spread + self.layout.centre)

    def _leverage(self, half: HalfInverse, weight: float) -> Leverage:
        """That of a new row of this weight."""
        D = half.sketched(np.random.default_rng(np.random.SeedSequence([self.entropy, 5])))
        centre = (self.layout.shift[: self.size] + self.means) @ D
        if self.share:  # 1/W: a column that every row has alike
            D, centre = np.hstack([D, np.zeros((len(D), 1))]), np.append(centre, np.sqrt(self.share))
        return Leverage(D * np.sqrt(weight), centre * np.sqrt(weight))

    def _pull(self, half: HalfInverse, copies: Copies) -> Pull:
        found, lo = [], 0
        for Z, *_ in self._rows():
            first = copies.first[(copies.first >= lo) & (copies.first < lo + len(Z))]
            if len(first):  # else all are copies of rows before
                found.append(half.times(half.after(Z[first - lo]).T.copy()))
            lo += len(Z)
        U = np.hstack(found) * copies.total
        return Pull(U, self.share * copies.total - (self.layout.shift[: self.size] + self.means) @ U)


@dataclass(frozen=True)
class Seen:
    """Targets of some rows, what the model makes of them, their leverages at a weight of 1, and copies."""

    y: Array
    fitted: Array
    leverage: Array
    copies: Copies
    keys: Array  # of the inputs

    @property
    def slack(self) -> Array:
        """1 − leverage of each input, of all its rows."""
        return np.asarray(1 - self.copies.total * self.leverage[self.copies.first])

    @property
    def new_weight(self) -> float:
        """What a new row is taken to weigh: as much as these do on average."""
        return 1.0 if self.copies.weight is None else float(self.copies.weight.mean())

    @property
    def spread(self) -> Array:
        """√(1 + w·h) of each input as a new one to the model without it, its leverage there h/(1 − w·h)."""
        slack = np.maximum(self.slack, 1e-12)
        return np.asarray(np.sqrt(1 + self.new_weight / self.copies.total * (1 - slack) / slack))


def leaving_out(factor: Factor, solved: Solved) -> Callable[[], LeftOut] | None:
    """How rows are left out; None where the solver has no system that says what each of them weighs."""
    if not isinstance(solved.system, NormalSystem | RootSystem | RowSystem):
        return None
    if not isinstance(factor, ProjectedFactor):
        return solved.left_out
    along = replace(solved, source=factor.source, layout=factor.layout)
    directions = factor.directions[:, : solved.size]
    return lambda: along.left_out().behind(lambda D: directions @ D)
