"""From a running summary to a model: chosen and solved as after any fit, without the rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from samara.continued import augmented_turn, mirrored
from samara.core import Array, Factor, FeatureMap, Source
from samara.errors import ConditionWarning
from samara.fit import Fitted, Trial
from samara.plans import Plan
from samara.settings import Settings
from samara.shapes import safe_ridge
from samara.solvers import IllConditionedError, NormalFactor, RootFactor, Task
from samara.summaries import Layout


@dataclass(frozen=True)
class Given:
    """A solver whose factor is there already."""

    factor: Factor
    name: str

    def validate(self) -> None:
        """There is nothing to set."""

    def __call__(self, task: Task) -> Factor:
        """The factor."""
        return self.factor


@dataclass(frozen=True)
class Summarized:
    """The folds of a running summary, and what makes a model of them."""

    folds: list[Array]  # moments (upper), or triangles
    rooted: bool
    n_rows: int
    settings: Settings
    maps: tuple[FeatureMap, ...]
    plan: Plan

    def fitted(self, like: Source, first_look: tuple[Layout, float], turn: Array | None) -> Fitted:
        """Choose and solve; ``turn`` makes other targets of the constant and those kept, (1 + t, t')."""
        (layout, trace), rooted = first_look, self.rooted
        whole = self.folds if rooted else [mirrored(fold) for fold in self.folds]
        if turn is not None:
            layout = plain(layout, turn.shape[1])
            wide = augmented_turn(layout, turn)
            whole = [fold @ wide if rooted else wide.T @ fold @ wide for fold in whole]
        if rooted:
            return self._trial(self._root(whole, layout), like, (layout, trace))
        try:
            normal = NormalFactor(whole, layout, self.settings.fit_intercept)
            return self._trial(normal, like, (layout, trace))
        except IllConditionedError as error:
            warnings.warn(
                f"The condition number of H is about {error.condition:.1e}: too large for its Gram matrix "
                'with so small a ridge. Directions that rounding has taken are left out; update="qr" keeps '
                "them.",
                ConditionWarning,
                stacklevel=6,
            )
        centred, dtype = self.settings.fit_intercept, str(self.settings.dtype)
        roots = [root_of(fold, layout.n_features, centred, dtype) for fold in whole]
        safe = self._without_rounding(normal)
        return safe._trial(self._root(roots, layout, True), like, (layout, trace))

    def _without_rounding(self, normal: NormalFactor) -> Summarized:
        """With no ridge between 0 and what rounding hides."""
        safe, alphas = safe_ridge(normal.system().trace, self.settings.dtype.name), self.settings.alphas
        floored = None if alphas is None else tuple(sorted({max(a, safe) if a else a for a in alphas}))
        return replace(self, settings=replace(self.settings, alphas=floored))

    def _root(self, folds: list[Array], layout: Layout, squared: bool = False) -> RootFactor:
        """Triangles; those made of moments hold rounding below √(8·eps·L) of the largest direction."""
        rows = max(self.n_rows, 1)
        if squared:  # a rank counts singular values above rows·eps of the largest
            rounding = 8 * layout.n_features * float(np.finfo(layout.dtype).eps)
            rows = max(rows, int(np.sqrt(rounding) / np.finfo(float).eps))
        return RootFactor(folds, layout, self.settings.fit_intercept, rows)

    def _trial(
        self, factor: NormalFactor | RootFactor, like: Source, first_look: tuple[Layout, float]
    ) -> Fitted:
        settings = replace(self.settings, solver=Given(factor, factor.solver))
        plan, sizes = replace(self.plan, solver=factor.solver), settings.first_sizes()
        return Trial(settings, like, self.maps, first_look, plan, sizes).attempt(None).finish()


def plain(layout: Layout, n_targets: int) -> Layout:
    """The same features with targets neither centred nor scaled."""
    return replace(layout, centre=np.zeros(n_targets), spread=np.ones(n_targets))


def root_of(moments: Array, n_features: int, fit_intercept: bool, dtype: str) -> Array:
    """Rows S with SᵀS the moments of [1, h, y], without the directions of h that are rounding.

    Those of h alone: an eigenvector of all columns that is nearly a target has rounding for its features, and
    would be taken for a direction of h that explains the target. Without an intercept the constant keeps its
    weight, but not its products with the others, which nobody reads.
    """
    weight, means = moments[0, 0], fit_intercept * moments[0, 1:] / (moments[0, 0] or 1.0)
    centred = moments[1:, 1:] - np.multiply.outer(moments[0, 1:], means)
    values, vectors = np.linalg.eigh(centred[:n_features, :n_features])
    kept = values > 8 * np.finfo(dtype).eps * max(float(values.sum()), 0.0)
    roots, vectors = np.sqrt(values[kept]), vectors[:, kept]
    cross = vectors.T @ centred[:n_features, n_features:] / roots[:, None]
    rest, turned = np.linalg.eigh(centred[n_features:, n_features:] - cross.T @ cross)
    rows = np.zeros((1 + len(roots) + len(rest), len(moments)))
    rows[0] = np.sqrt(weight) * np.append(1.0, means)
    rows[1 : 1 + len(roots), 1:] = np.hstack([roots[:, None] * vectors.T, cross])
    rows[1 + len(roots) :, 1 + n_features :] = np.sqrt(np.maximum(rest, 0.0))[:, None] * turned.T
    return rows
