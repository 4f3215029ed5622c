"""Models of all rows but those of a fold: the sums of a fit hold them, and they tell how new rows fare."""

from __future__ import annotations

import numpy as np

from samara.continued import Leftover
from samara.core import Array
from samara.model import Model


def fold_models(left: Leftover, model: Model, alpha: float | Array) -> list[Model]:
    """The model without each fold, with the nodes and the ridge of the model of all rows."""
    size, t = model.coef.shape
    ridges = np.broadcast_to(np.asarray(alpha, float), (t,))
    made = []
    for fold in range(left.factor.n_folds):
        system = left.factor.system(without=fold)
        solved = {ridge: system.solve(float(ridge), [size])[:, 0] for ridge in np.unique(ridges)}
        solution = np.stack([solved[ridge][:, target] for target, ridge in enumerate(ridges)], axis=1)
        coef, intercept = left.layout.restore(solution)
        dtype = model.coef.dtype
        made.append(Model(model.maps, coef[:size].astype(dtype), intercept.astype(dtype)))
    return made
