"""h(x)·coef as nodes of an ONNX graph: what the last map gives is multiplied where that is cheapest."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from samara.core import Array, FeatureMap
from samara.export.features import features
from samara.export.graph import DOUBLE, Graph, Value
from samara.linalg.blas import solve_upper
from samara.maps import Beside, DirectLink, KernelRows, Whitened


@singledispatch
def weighted(feature_map: FeatureMap, graph: Graph, X: Value, coef: Array) -> Value:
    """h(x)·coef of every row.

    By Gemm here and elsewhere: onnxruntime folds a number that MatMul's input was divided by into MatMul, and
    rounds it to float32.
    """
    H = features(feature_map, graph, X)
    return graph.node("Gemm", H, graph.constant(np.ascontiguousarray(coef, H.dtype)))


@weighted.register
def _(feature_map: DirectLink, graph: Graph, X: Value, coef: Array) -> Value:
    n = feature_map.n_inputs
    nodes = weighted(feature_map.nodes, graph, X, coef[n:])
    inputs = graph.node("Gemm", X, graph.constant(np.ascontiguousarray(coef[:n], X.dtype)))
    return graph.node("Add", graph.cast(inputs, nodes.dtype), nodes)


@weighted.register
def _(feature_map: Beside, graph: Graph, X: Value, coef: Array) -> Value:
    """The sum of what each chain gives."""
    total: Value | None = None
    for chain, columns in feature_map.parts():
        rows = X
        for inner in chain[:-1]:
            rows = features(inner, graph, rows)
        made = graph.cast(weighted(chain[-1], graph, rows, coef[columns]), coef.dtype)
        total = made if total is None else graph.node("Add", total, made)
    assert total is not None
    return total


@weighted.register
def _(feature_map: Whitened, graph: Graph, X: Value, coef: Array) -> Value:
    """k(x, Z)·(T⁻¹coef), in float64: ONNX has no triangular solve, and in float32 rounding would take it."""
    triangle = np.ascontiguousarray(feature_map.triangle, DOUBLE)
    rows = feature_map.rows
    solved = solve_upper(triangle, np.array(coef, DOUBLE, order="C"))
    return weighted(KernelRows(rows.kernel, rows.centres, DOUBLE), graph, X, solved)
