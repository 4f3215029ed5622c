"""From a running summary to a model: chosen and solved as after any fit, without the rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np

from samara.continued import augmented_turn, mirrored
from samara.core import Array, Factor, FeatureMap, Source
from samara.errors import ConditionWarning
from samara.fit import Fitted, Trial
from samara.plan import Plan
from samara.settings import Settings
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
        return self._trial(self._root([root_of(fold) for fold in whole], layout), like, (layout, trace))

    def _root(self, folds: list[Array], layout: Layout) -> RootFactor:
        return RootFactor(folds, layout, self.settings.fit_intercept, max(self.n_rows, 1))

    def _trial(
        self, factor: NormalFactor | RootFactor, like: Source, first_look: tuple[Layout, float]
    ) -> Fitted:
        settings = replace(self.settings, solver=Given(factor, factor.solver))
        plan, sizes = replace(self.plan, solver=factor.solver), settings.first_sizes()
        return Trial(settings, like, self.maps, first_look, plan, sizes).attempt(None).finish()


def plain(layout: Layout, n_targets: int) -> Layout:
    """The same features with targets neither centred nor scaled."""
    return replace(layout, centre=np.zeros(n_targets), spread=np.ones(n_targets))


def root_of(moments: Array) -> Array:
    """Rows S with SᵀS the moments, without the directions that are rounding."""
    values, vectors = np.linalg.eigh(moments)
    kept = values > 8 * np.finfo(float).eps * max(float(np.trace(moments)), 0.0)
    return np.asarray(np.sqrt(values[kept])[:, None] * vectors[:, kept].T)
