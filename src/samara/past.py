"""How much of the past counts: what a model that learns as rows arrive keeps, and how rows fade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any

import numpy as np

from samara.core import Array, Source
from samara.errors import InputError
from samara.fit import fit
from samara.plans import Plan, make_plan
from samara.selection import Loo, Selection
from samara.settings import Settings
from samara.shapes import Shape
from samara.solvers.sequential import Woodbury
from samara.summaries import Profile
from samara.summaries.grown import Running, sum_of

# Of a new row under forgetting, before all are brought back to 1: squares of features times weights are added
# up in these precisions.
LARGEST_WEIGHT = {"float64": 1e100, "float32": 1e12}
LONG = 1 << 20  # rows a stream is planned for, however few the first batch has


@dataclass(frozen=True)
class Memory:
    """What is kept of the past."""

    update: str | Woodbury = "information"  # information, qr, or Woodbury's formula
    forget: float = 1.0  # weight of a row, each time another arrives
    window: int | None = None  # only the last so many rows count

    def validate(self) -> None:
        """Refuse what can't go together."""
        forget: Any = self.forget  # not yet known to be numbers
        window: Any = self.window
        if type(forget) is bool or not isinstance(forget, Real) or not 0 < float(forget) <= 1:
            raise InputError(f"forget must lie above 0 and not above 1, got {forget!r}.")
        if window is not None and (type(window) is bool or not isinstance(window, Integral) or window < 1):
            raise InputError(f"window must be a whole number of rows, at least one, got {window!r}.")
        if forget < 1 and window is not None:
            raise InputError("Give forget or window, not both.")
        if isinstance(self.update, Woodbury):
            self.update.validate()
            if forget < 1 or window is not None:
                raise InputError('update="woodbury" neither forgets nor slides: use update="information".')


@dataclass(frozen=True)
class Fading:
    """Weights under forgetting: each row gets more than the one before, instead of all those less."""

    forget: float
    largest: float
    newest: float = 1.0  # weight of the last row so far

    def after(self, n_rows: int) -> tuple[float, Array, Fading]:
        """What the rows so far are multiplied by, the weights of so many new ones, and how it goes on."""
        if np.log(self.newest) - n_rows * np.log(self.forget) <= np.log(self.largest):
            weights = self.newest * self.forget ** -np.arange(1.0, n_rows + 1)
            return 1.0, weights, Fading(self.forget, self.largest, float(weights[-1]))
        with np.errstate(under="ignore"):  # what is that old counts for nothing
            weights = self.forget ** np.arange(n_rows - 1.0, -1.0, -1.0)
            return self.forget**n_rows / self.newest, weights, Fading(self.forget, self.largest)


def refuse_strangers(kept: list[Running], lanes: list[Running]) -> None:
    """More of a fold taken out than was put in: those rows were never learned."""
    for had, taken in zip(sum_of(kept), sum_of(lanes), strict=True):
        if taken[0, 0] > had[0, 0] * (1 + 1e-9):
            raise InputError("These rows were not all learned before, or not with these weights.")


def refuse_second_passes(settings: Settings) -> None:
    """What needs the rows again has no place here."""
    if settings.sizes is None:
        raise InputError('n_hidden="auto" reads the rows again for new nodes: give a number or a list.')
    if settings.selector is not None and settings.selector.name == "loo":
        raise InputError('selection="loo" reads the rows again: use "kfold", "gcv" or "lcurve".')
    if settings.solver is not None and settings.solver.name not in ("gram", "qr"):
        raise InputError(
            f'solver="{settings.solver.name}" reads the rows again: partial_fit keeps a summary '
            'of them, update="information" or "qr".'
        )


def first_ridge(source: Source, settings: Settings, profile: Profile) -> tuple[float, Selection | None]:
    """The ridge given, or chosen by PRESS on the first batch (Schindler Algorithm 2)."""
    if len(settings.first_sizes()) > 1:
        raise InputError('update="woodbury" does not choose among sizes: give one n_hidden.')
    if settings.alphas is not None and len(settings.alphas) == 1:
        return settings.alphas[0], None
    done = fit(source, replace(settings, selector=Loo(), alpha_per_target=False), profile)
    return float(done.alpha), done.selection


def long_plan(shape: Shape, settings: Settings, rooted: bool) -> Plan:
    """The plan of many rows: the first batch may be one row, and blocks are cut as planned."""
    long = replace(shape, n_rows=max(LONG, shape.n_rows))
    return make_plan(long, "qr" if rooted else "gram", settings.budget, settings.selection_why)


def plan_of_stream(plan: Plan, memory: Memory, rooted: bool) -> Plan:
    """The plan of a batch, which is read once."""
    kept = memory.update if isinstance(memory.update, str) else memory.update.name
    kept += " as triangles, for the ridge is tiny" * (rooted and kept == "information")
    why = f"update {kept}: a batch changes the summary alone; the model is solved when it is asked for"
    return replace(plan, passes=1, most_passes=1, reasons=(why, *plan.reasons[-2:]))
