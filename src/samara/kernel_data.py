"""The rows of a kernel model: gathered, scaled, checked, and the width of the kernel found from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial.distance import pdist

from samara.core import Array, FeatureMap, Source, dense, seen_through
from samara.errors import InputError
from samara.kernel_settings import KernelSettings
from samara.maps import OF_DISTANCE, AsFloat, Gramian, UnitRows
from samara.rowkeys import row_keys
from samara.selection import left_out_surface
from samara.settings import N_RIDGES
from samara.solvers.kernel import Exact, KernelTask
from samara.summaries import Gathered, Profile

SEARCH_ROWS = 1500  # on which a gamma is searched: a tenth of a second for each
NOISE = 1e-12  # of the values' size: a spread below is rounding, as in `ColumnMoments.spread`
MEDIAN_ROWS = 500  # whose distances give the median: 125,000 pairs
STEPS = (
    -4,
    -2,
    0,
    2,
    4,
)  # powers of 2, in units of "scale"; then the two between the best and its neighbours


Maps = tuple[FeatureMap, ...]
GRID = 1e-8, 10.0  # smallest and largest ridge, in units of the mean diagonal of the kernel matrix


@dataclass(frozen=True)
class Rows:
    """All rows, scaled, in memory."""

    X: Any
    targets: Array
    weights: Array | None
    keys: Array  # of their content
    units: tuple[Array, Array]  # what was taken off the targets, and what they were divided by then

    @property
    def weight(self) -> float:
        """Total weight."""
        return float(len(self.targets) if self.weights is None else self.weights.sum())


def gathered(source: Source, settings: KernelSettings, maps: Maps, profile: Profile) -> Rows:
    """The rows in memory, rows of weight 0 left out; on a cluster the workers read and scale them."""
    keep = source.is_sparse and isinstance(maps[0], AsFloat | UnitRows)
    as_they_are = keep or settings.kernel.name == "precomputed"
    seen = seen_through(source, maps)
    rows = settings.engine().summarize(seen, partial(Gathered, as_they_are), name="gather")
    X, y, weights, keys = rows.joined()
    if sparse.issparse(X) and isinstance(maps[0], UnitRows):
        X = maps[0].kept_sparse(X)
    for feature_map in maps[1:] if keep else ():
        X = feature_map(X)
    centre, spread = profile.targets.mean * settings.fit_intercept, profile.targets.spread
    if settings.kernel.name == "precomputed":
        refuse_rows_left_out(len(y), source)
    return Rows(
        X=X,
        targets=(y - centre) / spread,
        weights=weights,
        keys=keys,
        units=(centre, spread),
    )


def refuse_rows_left_out(n: int, source: Source) -> None:
    """The columns of a precomputed matrix would no longer be its rows."""
    if n < source.n_rows:
        raise InputError("A precomputed kernel takes no weights of 0: leave those rows and columns out.")


def checked(gramian: Gramian) -> Gramian:
    """Refuse a precomputed matrix that is not symmetric."""
    if gramian.kernel.name != "precomputed":
        return gramian
    for lo in range(0, gramian.n, 1024):
        rows = slice(lo, lo + 1024)
        tile, mirror = gramian.tile(rows, slice(None)), gramian.tile(slice(None), rows).T
        gap = np.abs(tile - mirror)
        if gap.max(initial=0.0) > 1e-6 * np.abs(tile).max(initial=0.0):
            i, j = (int(k) for k in np.unravel_index(int(gap.argmax()), gap.shape))
            raise InputError(
                f"A precomputed kernel must be symmetric: K[{lo + i}, {j}] is {tile[i, j]:g}, "
                f"K[{j}, {lo + i}] is {mirror[i, j]:g}."
            )
    return gramian


def ridge_grid(trace: float, weight: float) -> Array:
    """Ridges in proportion to the mean diagonal of the kernel matrix."""
    mean = trace / weight if trace > 0 else 1.0
    return np.geomspace(GRID[0] * mean, GRID[1] * mean, N_RIDGES)


def some_rows(source: Source, settings: KernelSettings, maps: Maps, profile: Profile) -> Rows:
    """A few runs of rows from all over the source."""
    parts = source.parts(16)
    each = -(-SEARCH_ROWS // len(parts))
    # A part whose rows all have weight 0 gives none.
    firsts = [block for part in parts for block in islice(part.blocks(each), 1)]
    X = np.concatenate([dense(replace(block, maps=(*block.maps, *maps)).inputs()) for block in firsts])
    centre, spread = profile.targets.mean * settings.fit_intercept, profile.targets.spread
    y = np.concatenate([block.y for block in firsts])
    return Rows(X, (y - centre) / spread, None, row_keys(X), (centre, spread))


def found_gamma(settings: KernelSettings, profile: Profile, rows: Rows) -> float:
    """The gamma asked for, as a number."""
    asked, name = settings.gamma, settings.kernel.name
    if not settings.kernel.uses_gamma or name == "precomputed":
        return 1.0
    if not isinstance(asked, str):
        return float(asked)
    if asked == "median":
        return _median_gamma(name, rows.X)
    gamma = 1.0 / (rows.X.shape[1] * (_variance(settings, profile, rows.X) or 1.0))
    if name in OF_DISTANCE:
        gamma = float(np.sqrt(gamma))
    if not 0 < gamma < np.inf:
        raise InputError('gamma="scale" is 1/(d·Var(X)), and Var(X) is no number: use scale="standard".')
    return _searched(settings, rows, gamma) if asked == "auto" else gamma


def _variance(settings: KernelSettings, profile: Profile, X: Any) -> float:
    """Of all entries of the scaled inputs together, as scikit-learn's ``gamma="scale"`` has it."""
    if settings.scale not in ("standard", None) or settings.root is not None:
        if sparse.issparse(X):
            cells = float(X.shape[0]) * X.shape[1]
            return float((X.data**2).sum() / cells - (X.data.sum() / cells) ** 2)
        return float(np.var(X))
    inputs = profile.inputs
    with np.errstate(over="ignore", invalid="ignore"):
        variances = inputs.squares / inputs.weight
        if settings.scale == "standard":
            scaled = float(np.mean(variances / inputs.spread**2))
            return scaled if np.isfinite(scaled) else float(np.var(X))
        found = float(variances.mean() + inputs.mean.var())
        size = max(np.abs(inputs.low).max(), np.abs(inputs.high).max())
        return found if np.sqrt(found) > NOISE * size else 0.0


def _median_gamma(name: str, X: Any) -> float:
    """1/(2·median²) of the distances for rbf, 1/median for functions of the distance itself."""
    rows = np.linspace(0, X.shape[0] - 1, min(MEDIAN_ROWS, X.shape[0])).astype(int)
    if name not in ("rbf", "laplacian", *OF_DISTANCE):
        raise InputError(f'gamma="median" is for kernels of a distance, not for {name}: use "scale".')
    distances = pdist(dense(X[rows]), "cityblock" if name == "laplacian" else "euclidean")
    median = float(np.median(distances)) if len(distances) else 0.0
    if median == 0:
        return 1.0
    return 0.5 / median**2 if name == "rbf" else 1 / median


def _searched(settings: KernelSettings, rows: Rows, scale: float) -> float:
    """The gamma with the smallest leave-one-out error over all ridges, on some of the rows."""
    n = rows.X.shape[0]
    chosen = np.linspace(0, n - 1, min(SEARCH_ROWS, n)).astype(int)
    scores: dict[int, float] = {}

    def score(step: int) -> float:
        if step not in scores:
            kernel = replace(settings.kernel, gamma=scale * 2.0**step)
            task = KernelTask(
                gramian=Gramian(kernel, rows.X[chosen], settings.dtype),
                targets=rows.targets[chosen],
                weights=None if rows.weights is None else rows.weights[chosen],
                fit_intercept=settings.fit_intercept,
                workers=settings.budget.workers,
            )
            factor = Exact()(task)
            ridges = ridge_grid(factor.trace, float(task.roots @ task.roots))
            surface = left_out_surface(factor, ridges, rows.keys[chosen], task.weights, folds=False)
            scores[step] = float(np.nanmin(surface.scores.mean(axis=-1)))
        return scores[step]

    best = min(STEPS, key=score)
    best = min((best, best - 1, best + 1), key=score)
    return scale * 2.0**best
