"""The members of a blend, each fitted to all rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from samara.core import Array, Crew, Progress, Source
from samara.errors import BudgetError
from samara.fit import fit
from samara.kernel_fit import fit_kernel
from samara.kernel_settings import KernelSettings, Nystroem
from samara.left_out import LeftOut
from samara.maps import Beside, Kernel, metric_map
from samara.maps.leaves import even_leaves
from samara.metric_fit import root_of
from samara.model import Model
from samara.plans import Budget, Plan
from samara.resident import physical_bytes
from samara.search.candidates import Candidate, Choice
from samara.search.clock import Clock
from samara.search.kernel_path import KernelCandidate, median_distance
from samara.search.layer_path import LayerCandidate
from samara.search.scales import DOUBLE, scaling
from samara.solvers.kernel import Exact, Leaves
from samara.summaries import Profile

EXACT_ROWS = 10_000  # up to which the whole kernel matrix is solved with
LEAF_ROWS = (10_000, 5000, 2500, 1250)  # beyond, within leaves of so many
LEAVES_SHARE = 4  # of the memory of the machine that leaves may take, where no limit is given: one of so many
CENTRES = (4000, 3000, 2000, 1400, 1000, 700, 500, 350, 250)
NODES = (1500, 1000, 700, 500, 300)
THREADED = 0.6  # of the time of one core, at which systems of a search are solved: these have them all
Member = tuple[Candidate, Choice]


@dataclass(frozen=True)
class Means:
    """What a fit may use."""

    budget: Budget
    crew: Crew
    entropy: int
    clock: Clock
    n_rows: int  # copies of one row counted once, where that is known
    progress: Progress | None = None


def exact_flops(n: int, d: int) -> float:
    """Of a kernel model of all rows: the matrix, its factor, and rows left out."""
    return THREADED * (n**3 / 3 * 1.5 + n**2 * (3 * d + 60))


def leaves_flops(n: int, d: int, most: int) -> float:
    """Of a kernel model in leaves of at most so many rows."""
    count = even_leaves(n, most)
    return count * exact_flops(-(-n // count), d)


def centres_flops(n: int, d: int, centres: int) -> float:
    """Of a kernel model with so many centres."""
    return THREADED * (n * centres * (2 * centres + 2 * d + 60) + centres**3)


def nodes_flops(n: int, nodes: int) -> float:
    """Of an extreme learning machine: a pass, and folds times ridges systems."""
    return n * nodes * (nodes + 60) + 20 * nodes**3


def expected_seconds(source: Source, clock: Clock) -> float:
    """What the fit of a kernel member to all rows takes, if nothing presses."""
    n, d = source.n_rows, source.n_features
    flops = exact_flops(n, d) if n <= EXACT_ROWS else leaves_flops(n, d, LEAF_ROWS[1])
    return clock.predicted(flops)


@dataclass(frozen=True)
class Final:
    """A member fitted to all rows; ``left_out`` has its rows, for as long as it is kept."""

    model: Model
    plan: Plan
    left_out: Callable[[], LeftOut] | None


def fitted(member: Member, source: Source, profile: Profile, means: Means, seconds: float) -> Final:
    """One member, in about so many seconds and inside the memory."""
    candidate, choice = member
    refused: BudgetError | None = None
    if isinstance(candidate, KernelCandidate):
        settings = _kernel_settings(candidate, choice, profile, means)
        forms = _forms(source, means, seconds)
        for solver, rank in forms:
            try:
                asked = replace(settings, solver=solver, rank=rank or "auto")
                if rank is not None and (solver, rank) != forms[-1] and _iterates(asked, source, rank):
                    continue
                done = fit_kernel(source, asked, profile)
            except BudgetError as error:
                refused = error
            else:
                return Final(done.model, done.plan, done.left_out)
    else:
        assert isinstance(candidate, LayerCandidate)
        for nodes in _sizes(means, seconds):
            asked_layer = candidate.settings(source.n_features, nodes, choice.metric, means.budget)
            asked_layer = replace(asked_layer, crew=means.crew, progress=means.progress)
            try:
                made = fit(source, asked_layer, profile)
            except BudgetError as error:
                refused = error
            else:
                return Final(made.model, made.plan, made.left_out)
    assert refused is not None
    raise refused


def _iterates(asked: KernelSettings, source: Source, centres: int) -> bool:
    """Whether memory is so short that the rows would be read once a step: fewer centres are better.

    Refused, where it is, before the centres are drawn and whitened.
    """
    return asked.of_centres(asked.kernel, (centres,), "rows").plan(source, (centres,)).solver == "lsqr"


Form = tuple[Exact | Leaves | Nystroem, int | None]  # a solver, and how many centres it has


def _forms(source: Source, means: Means, seconds: float) -> list[Form]:
    """How a kernel model may be fitted, the best first: exactly, within leaves, with centres."""
    n, d, clock = means.n_rows, source.n_features, means.clock
    exact = n <= EXACT_ROWS and clock.predicted(exact_flops(n, d)) <= seconds
    forms: list[Form] = [(Exact(), None)] if exact or n <= CENTRES[-1] else []
    leaves = [rows for rows in LEAF_ROWS if rows < n and _held(source, means, rows)]
    quick = [rows for rows in leaves if clock.predicted(leaves_flops(n, d, rows)) <= seconds]
    forms += [(Leaves(rows), None) for rows in quick or leaves[-1:]]
    sizes = [size for size in CENTRES if size < n]
    quick = [size for size in sizes if clock.predicted(centres_flops(n, d, size)) <= seconds]
    return [*forms, *((Nystroem(), size) for size in quick or sizes[-1:])]


def _held(source: Source, means: Means, leaf_rows: int) -> bool:
    """Whether rows and matrices of leaves are a small part of the machine; a limit that is given is kept."""
    machine = physical_bytes()
    if means.budget.memory is not None or machine is None:
        return True
    values = 6 * source.n_rows * source.n_features + means.budget.workers * leaf_rows**2
    return 8 * values <= machine // LEAVES_SHARE


def _sizes(means: Means, seconds: float) -> list[int]:
    """Numbers of nodes that there is time for, the largest first."""
    n, clock = means.n_rows, means.clock
    sizes = [size for size in NODES if 2 * size <= n] or [max(10, min(NODES[-1], n))]
    return [size for size in sizes if clock.predicted(nodes_flops(n, size)) <= seconds] or sizes[-1:]


def _kernel_settings(
    candidate: KernelCandidate, choice: Choice, profile: Profile, means: Means
) -> KernelSettings:
    """With scaling and width of all rows, metric and ridge of the search."""
    assert choice.alpha is not None
    sample = np.asarray(profile.sample, np.float64)
    scale = scaling(candidate.scale, profile.inputs.mean, profile.inputs.spread, sample)
    root = None if choice.metric is None else root_of(choice.metric)
    Z = scale(sample)
    Z = Z if root is None else metric_map(root, DOUBLE)(Z)
    gamma = 1 / (candidate.width * median_distance(candidate.kernel, Z))
    return KernelSettings(
        kernel=Kernel(candidate.kernel, gamma),
        gamma=gamma,
        alphas=(choice.alpha,),
        solver=None,
        rank="auto",
        selector=None,
        selection_why="selection none: the search has found width and ridge",
        scale=scale,
        fit_intercept=True,
        budget=means.budget,
        crew=means.crew,
        dtype=DOUBLE,
        entropy=means.entropy,
        progress=means.progress,
        root=root,
    )


def summed(models: Sequence[Model], weights: Array, mean: Array) -> Model:
    """mean + Σ wᵢ(fᵢ − mean) as one model: the members' features side by side."""
    coef = np.concatenate([w * model.coef for w, model in zip(weights, models, strict=True)])
    intercept = (1 - weights.sum()) * mean
    for w, model in zip(weights, models, strict=True):
        intercept = intercept + w * model.intercept
    if len(models) == 1:
        return Model(models[0].maps, coef, np.asarray(intercept))
    return Model((Beside(tuple(model.maps for model in models)),), coef, np.asarray(intercept))
