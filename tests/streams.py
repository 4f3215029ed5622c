"""Rows in batches: what the laws of learning as rows arrive have in common."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from sklearn.base import clone

from samara.maps import Standardize
from tests.oracles import relative_gap


def cuts(most=6):
    """Places to cut at, as shares of the rows; two alike leave no batch between them."""
    return st.lists(st.floats(0, 1), max_size=most)


def batches(n, shares):
    """Index slices of the batches, none empty."""
    edges = sorted({0, n, *(round(share * n) for share in shares)})
    return [slice(a, b) for a, b in pairwise(edges)]


def streamed(model, X, y, pieces, weight=None, **first):
    """A fresh copy of the model that has learned the pieces one after another."""
    made = clone(model)
    for piece in pieces:
        options = {} if weight is None else {"sample_weight": weight[piece]}
        made.partial_fit(X[piece], y[piece], **options, **first)
        first = {}
    return made


def outputs(model, X):
    """What a model says of rows, before it is rounded to classes."""
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def gap(model, other, X):
    """Largest difference of the outputs of two models, relative to the largest."""
    return relative_gap(outputs(model, X), outputs(other, X))


def frozen_by(X, weight=None):
    """The standardization that a first batch freezes, as a map given up front."""
    X = np.asarray(X, float)
    mean = np.average(X, axis=0, weights=weight)
    spread = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
    return Standardize(mean, np.where(spread > 0, spread, 1.0), np.dtype("float64"))
