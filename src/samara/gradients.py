"""Exact gradients of a fitted model with respect to its inputs, and their mean outer product.

f(x) = h(x)ᵀβ is a chain of maps, so its gradient is the product of their derivatives, taken from the outputs
back to the inputs: one product of matrices a map, a block of rows at a time.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Self

import numpy as np

from samara.core import Array, Block, Engine, Source
from samara.maps import AsFloat, OwnScaling, QuantileNormal, Standardize, UnitRows, pulled_back
from samara.model import Model

CELLS = 1 << 17  # numbers of a block of gradients, or of what they are made from: 1 MB
WIDE = 2048  # nodes or centres at a time


def input_gradients(model: Model, X: Any, inner: int = 0) -> Array:
    """∂f/∂x of every output with respect to every input, exact.

    Parameters
    ----------
    model : Model
        A fitted model: ``estimator.model_``.
    X : array or CSR matrix of shape (n, d)
        Rows as the model takes them: of a raw table the encoded columns, ``estimator.columns_(rows)``.
    inner : int, default=0
        Leave out the first so many maps of the model: the gradient is then with respect to what they give,
        such as the scaled inputs.

    Returns
    -------
    ndarray of shape (n, t, d)
        In the units of output and input. Where a function has a bend (relu, the Laplace kernel at a centre)
        the derivative from one side, or 0 where the sides cancel.

    Raises
    ------
    InputError
        If a map of the model has no derivative that is known: a function of yours.
    """
    columns = int(X.shape[1]) if not inner else model.maps[inner - 1].n_out
    made = np.empty((X.shape[0], model.coef.shape[1], columns))
    step = _rows_at_a_time(model)
    for lo in range(0, X.shape[0], step):
        made[lo : lo + step] = _of_rows(model, X[lo : lo + step], inner)
    return made


def _rows_at_a_time(model: Model) -> int:
    """Rows whose derivatives are worked out together: outputs times the widest map is what each takes."""
    widest = max(min(feature_map.n_out, WIDE) for feature_map in model.maps)
    return int(max(1, min(1024, CELLS // max(1, widest * model.coef.shape[1]))))


def _of_rows(model: Model, X: Any, inner: int) -> Array:
    """(b, t, d) of some rows."""
    seen = [X]
    for feature_map in model.maps[:-1]:
        seen.append(feature_map(seen[-1]))
    down: Array = np.asarray(model.coef, np.float64).T[None]  # (1, t, L): the same for every row
    for feature_map, rows in zip(model.maps[inner:][::-1], seen[inner:][::-1], strict=True):
        down = pulled_back(feature_map, rows, down)
    return np.broadcast_to(down, (X.shape[0], *down.shape[1:]))


class GradientMoments:
    """Σ w·ggᵀ over rows and outputs, g the gradient of an output: a sum, so parts of the rows add up.

    Parameters
    ----------
    model : Model
        Already fitted.
    inner : int
        The gradient is with respect to what the first ``inner`` maps give.
    spread : ndarray of shape (t,)
        Outputs are taken in units of it, so that none counts for more because of its unit.
    diagonal : bool
        Keep the squares of each input alone, (d,) instead of (d, d).
    """

    def __init__(self, model: Model, inner: int, spread: Array, diagonal: bool) -> None:
        self._model: Model | None = model
        self._inner, self._spread, self._diagonal = inner, spread, diagonal
        self.weight, self.sums = 0.0, np.zeros(())

    def __getstate__(self) -> dict[str, Any]:
        """The sums, without the model."""
        return {**self.__dict__, "_model": None}

    def update(self, block: Block) -> None:
        """Add the rows of a block."""
        assert self._model is not None
        X, step = block.inputs(), _rows_at_a_time(self._model)
        for lo in range(0, len(block), step):
            D = _of_rows(self._model, X[lo : lo + step], self._inner) / self._spread[:, None]
            weight = None if block.weight is None else block.weight[lo : lo + step]
            self._add(D, weight)

    def _add(self, D: Array, weight: Array | None) -> None:
        self.weight += float(len(D) if weight is None else weight.sum())
        if weight is not None:
            D = D * np.sqrt(weight)[:, None, None]
        rows = D.reshape(-1, D.shape[2])
        self.sums = self.sums + (np.einsum("ij,ij->j", rows, rows) if self._diagonal else rows.T @ rows)

    def merge(self, other: Self) -> None:
        """Add another's sums."""
        self.weight += other.weight
        self.sums = self.sums + other.sums

    def mean(self) -> Array:
        """The mean over the rows, summed over the outputs."""
        return np.asarray(self.sums / (self.weight or 1.0))


def gradient_outer_product(
    model: Model,
    source: Source,
    engine: Engine,
    *,
    inner: int = 0,
    spread: Array | None = None,
    diagonal: bool = False,
) -> Array:
    """The mean outer product of the gradients, E[∇f ∇fᵀ], summed over the outputs (AGOP).

    Its diagonal says how much the outputs change with each input, its leading eigenvectors which
    combinations of inputs matter.

    Parameters
    ----------
    model : Model
        A fitted model: ``estimator.model_``.
    source : Source
        Rows as the model takes them; one pass.
    engine : Engine
        Who reads them.
    inner : int, default=0
        Gradients with respect to what the first ``inner`` maps give, such as the scaled inputs.
    spread : ndarray of shape (t,), optional
        Units of the outputs.
    diagonal : bool, default=False
        Only the diagonal.

    Returns
    -------
    ndarray of shape (d, d), or (d,) where only the diagonal is asked for
    """
    units = np.ones(model.coef.shape[1]) if spread is None else np.asarray(spread, np.float64)
    make = partial(GradientMoments, model, inner, units, diagonal)
    return engine.summarize(source, make, name="gradients").mean()


def scaling_maps(model: Model) -> int:
    """How many of the first maps only scale: behind them inputs are in units of their spread or length."""
    return int(isinstance(model.maps[0], Standardize | AsFloat | UnitRows | QuantileNormal | OwnScaling))
