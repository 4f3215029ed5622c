"""Feature maps as nodes of an ONNX graph: scalings, hidden layers and kernel rows."""

from __future__ import annotations

from functools import singledispatch

import numpy as np

from samara.core import FeatureMap
from samara.errors import InputError
from samara.export.graph import BOOLEAN, DOUBLE, INTEGER, Graph, Value
from samara.export.kernels import kernel_rows
from samara.maps import (
    AdditiveNodes,
    AsFloat,
    ColumnFactors,
    KernelRows,
    LeafRows,
    OwnScaling,
    Project,
    QuantileNormal,
    RadialNodes,
    Standardize,
    Tree,
    UnitRows,
)

OPERATORS = {"sigmoid": "Sigmoid", "tanh": "Tanh", "relu": "Relu", "sine": "Sin", "fourier": "Cos"}


@singledispatch
def features(feature_map: FeatureMap, graph: Graph, X: Value) -> Value:
    """h(x) of every row; a map of the user's own has no ONNX form."""
    raise InputError(
        f"{type(feature_map).__name__} has no ONNX form: only Samara's own scalings, hidden layers and named "
        "kernels have one. Fit with one of these to export."
    )


@features.register
def _(feature_map: OwnScaling, graph: Graph, X: Value) -> Value:
    return features(feature_map.scaling, graph, X)  # refused under its own name


@features.register
def _(feature_map: AsFloat, graph: Graph, X: Value) -> Value:
    return graph.cast(X, feature_map.dtype)


@features.register
def _(feature_map: UnitRows, graph: Graph, X: Value) -> Value:
    rows = graph.cast(X, DOUBLE)
    lengths = graph.node("Sqrt", graph.sum_of_squares(rows))
    nothing = graph.node("Equal", lengths, graph.constant(np.zeros(1)))
    safe = graph.node("Where", nothing, graph.constant(np.ones(1)), lengths)
    return graph.cast(graph.node("Div", rows, safe), feature_map.dtype)


@features.register
def _(feature_map: Standardize, graph: Graph, X: Value) -> Value:
    mean, spread = (graph.constant(np.asarray(a, DOUBLE)) for a in (feature_map.mean, feature_map.spread))
    scaled = graph.node("Div", graph.node("Sub", graph.cast(X, DOUBLE), mean), spread)
    return graph.cast(scaled, feature_map.dtype)


@features.register
def _(feature_map: QuantileNormal, graph: Graph, X: Value) -> Value:
    """A column at a time, so that no more than N × knots numbers lie in memory."""
    d, most = feature_map.n_out, max(len(knots) for knots in feature_map.knots)
    knots, scores, slopes = np.full((d, most), np.inf), np.zeros((d, most)), np.zeros((d, most))
    ends = np.empty((d, 2))
    for j, (x, y) in enumerate(zip(feature_map.knots, feature_map.scores, strict=True)):
        knots[j, : len(x)], scores[j, : len(x)], ends[j] = x, y, (x[0], x[-1])
        slopes[j, : len(x) - 1] = np.diff(y) / np.diff(x)
    columns = [graph.node("Transpose", graph.cast(X, DOUBLE), perm=[1, 0])]
    columns += [graph.constant(table) for table in (knots, scores, slopes, ends[:, :1], ends[:, 1:])]
    made = graph.each_column(_interpolated(graph), columns)
    return graph.cast(graph.node("Transpose", made, perm=[1, 0]), feature_map.dtype)


def _interpolated(outer: Graph) -> Graph:
    """score + slope·(x − knot) of the last knot that is not above x; beyond the ends, the ends."""
    graph = Graph(outer.names)
    x, knots, scores, slopes, least, largest = (
        graph.input(graph.names.new(), DOUBLE, None) for _ in range(6)
    )
    x = graph.node("Min", graph.node("Max", x, least), largest)
    above = graph.node("GreaterOrEqual", graph.node("Unsqueeze", x, _axis(graph)), knots, dtype=BOOLEAN)
    count = graph.node("ReduceSum", graph.cast(above, INTEGER), _axis(graph), keepdims=0)
    index = graph.node(
        "Max", graph.node("Sub", count, graph.constant(np.array(1))), graph.constant(np.array(0))
    )
    score, slope, knot = (graph.node("Gather", table, index) for table in (scores, slopes, knots))
    made = graph.node("Add", score, graph.node("Mul", slope, graph.node("Sub", x, knot)))
    graph.output("column", made, None)
    return graph


def _axis(graph: Graph) -> Value:
    return graph.constant(np.array([1]))


@features.register
def _(feature_map: Project, graph: Graph, X: Value) -> Value:
    directions = feature_map.directions
    return graph.node("MatMul", graph.cast(X, directions.dtype), graph.constant(directions))


@features.register
def _(feature_map: ColumnFactors, graph: Graph, X: Value) -> Value:
    factors = feature_map.factors
    return graph.node("Mul", graph.cast(X, factors.dtype), graph.constant(factors))


@features.register
def _(feature_map: AdditiveNodes, graph: Graph, X: Value) -> Value:
    X = graph.cast(X, feature_map.dtype)
    weights, bias = graph.constant(feature_map.weights[:-1]), graph.constant(feature_map.weights[-1])
    z = graph.node("Gemm", X, weights, bias)
    if feature_map.activation == "linear":
        return z
    if feature_map.activation == "hardlim":
        zero = graph.constant(np.zeros((), feature_map.dtype))
        return graph.cast(graph.node("GreaterOrEqual", z, zero, dtype=BOOLEAN), feature_map.dtype)
    return graph.node(OPERATORS[feature_map.activation], z)


@features.register
def _(feature_map: RadialNodes, graph: Graph, X: Value) -> Value:
    """Inputs and centres less the centres' mean: far from zero ‖x‖² − 2x·c + ‖c‖² would cancel in float32."""
    dtype, centres = feature_map.dtype, feature_map.centres.astype(DOUBLE)
    offset = centres.mean(axis=0)
    centres = (centres - offset).astype(dtype).astype(DOUBLE)
    gamma = feature_map.gamma.astype(DOUBLE)
    X = graph.cast(graph.node("Sub", graph.cast(X, DOUBLE), graph.constant(offset)), dtype)
    squares = graph.cast(graph.sum_of_squares(graph.cast(X, DOUBLE)), dtype)
    weights = np.concatenate([-2 * gamma * centres.T, gamma[None]]).astype(dtype)
    norms = (gamma * np.einsum("ij,ij->i", centres, centres)).astype(dtype)
    augmented = graph.node("Concat", X, squares, axis=1)
    z = graph.node("Gemm", augmented, graph.constant(weights), graph.constant(norms))
    z = graph.node("Max", z, graph.constant(np.zeros((), dtype)))  # rounding can leave it just below zero
    if feature_map.function == "rbf":
        return graph.node("Exp", graph.node("Neg", z))
    return graph.node("Sqrt", graph.node("Add", z, graph.constant(np.ones((), dtype))))


@features.register
def _(feature_map: KernelRows, graph: Graph, X: Value) -> Value:
    return kernel_rows(feature_map, graph, X)


@features.register
def _(feature_map: LeafRows, graph: Graph, X: Value) -> Value:
    """All kernel rows, times 0 outside the leaf of a row; then which leaf that is."""
    K, rows = kernel_rows(feature_map.rows, graph, X), feature_map
    inside = graph.cast(_leaf(feature_map.tree, graph, X), K.dtype)
    of_centres = np.repeat(np.arange(rows.tree.n_leaves), np.diff(rows.edges))
    mask = graph.node("Gather", inside, graph.constant(of_centres.astype(np.int64)), axis=1)
    return graph.node("Concat", graph.node("Mul", K, mask), inside, axis=1)


def _leaf(tree: Tree, graph: Graph, X: Value) -> Value:
    """1 for the leaf of a row and 0 for the others: a leaf has every cut on the way to it on its side."""
    cuts, missed = np.zeros((len(tree.thresholds), tree.n_leaves)), np.zeros(tree.n_leaves)
    for leaf, path in enumerate(tree.paths()):
        for node, right in path:
            cuts[node, leaf] = 1 if right else -1
            missed[leaf] -= right
    X = graph.cast(X, DOUBLE)
    if not len(cuts):
        none = graph.constant(np.zeros((tree.directions.shape[1], 1)))
        return graph.node("Gemm", X, none, graph.constant(np.ones(1)))
    along = graph.node("Gemm", X, graph.constant(np.ascontiguousarray(tree.directions.T)))
    beyond = graph.node("GreaterOrEqual", along, graph.constant(tree.thresholds), dtype=BOOLEAN)
    met = graph.node("Gemm", graph.cast(beyond, DOUBLE), graph.constant(cuts), graph.constant(missed))
    near = graph.node("Greater", met, graph.constant(np.array(-0.5)), dtype=BOOLEAN)
    return graph.cast(near, DOUBLE)
