"""What a model's outputs mean: numbers, or classes with scores and probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from samara.calibration import Calibration, Temperature
from samara.core import Array
from samara.errors import InputError
from samara.export.graph import BOOLEAN, DOUBLE, INTEGER, ROWS, Graph, Value


def regression(graph: Graph, outputs: Value, n_targets: int | None) -> None:
    """`prediction`, of the shape of ``predict``: None targets is one column that has no axis of its own."""
    if n_targets is None:
        graph.output("prediction", _column(graph, outputs), (ROWS,))
    else:
        graph.output("prediction", outputs, (ROWS, n_targets))


def classification(graph: Graph, outputs: Value, classes: Array, calibration: Calibration | None) -> None:
    """`label`, `probabilities` and `scores`, of the shapes of the three methods."""
    count = len(classes)
    if count == 2:
        scores = _column(graph, outputs)
        positive = graph.node("Greater", scores, _number(graph, 0, outputs), dtype=BOOLEAN)
        codes = graph.cast(positive, INTEGER)
    else:
        scores = outputs
        codes = graph.node("ArgMax", scores, dtype=INTEGER, axis=1, keepdims=0)
    if calibration is None:
        shares = _shares(graph, outputs, count)
    else:
        shares = _at(graph, outputs, count, calibration)
    labels = graph.constant(label_values(classes))
    graph.output("label", graph.node("Gather", labels, codes), (ROWS,))
    graph.output("probabilities", shares, (ROWS, count))
    graph.output("scores", scores, (ROWS,) if count == 2 else (ROWS, count))


def _shares(graph: Graph, outputs: Value, count: int) -> Value:
    """Outputs taken for 2p − 1, moved to where they are probabilities."""
    one, half = _number(graph, 1, outputs), _number(graph, 0.5, outputs)
    shares = graph.node("Mul", graph.node("Add", outputs, one), half)
    if count > 2:
        return _on_simplex(graph, shares, count)
    second = graph.node("Min", graph.node("Max", shares, _number(graph, 0, outputs)), one)
    return graph.node("Concat", graph.node("Sub", one, second), second, axis=1)


def _at(graph: Graph, outputs: Value, count: int, calibration: Calibration) -> Value:
    """softmax(outputs/T), in float64 as in `Temperature`."""
    if not isinstance(calibration, Temperature):
        raise InputError(
            'Isotonic probabilities have no ONNX form: fit with calibration="temperature" or None to export.'
        )
    wide = graph.cast(outputs, DOUBLE)
    scaled = graph.node("Mul", wide, _number(graph, calibration.steepness, wide))
    if count == 2:
        scaled = graph.node("Concat", graph.node("Neg", scaled), scaled, axis=1)
    return graph.cast(graph.node("Softmax", scaled, axis=1), outputs.dtype)


def label_values(classes: Array) -> Array:
    """The classes as whole numbers or texts, the two kinds of labels that ONNX has."""
    values: list[Any] = classes.tolist()
    if all(isinstance(value, str) for value in values):
        return np.array(values, object)
    if all(isinstance(value, int | float) and float(value).is_integer() for value in values):
        whole = [int(value) for value in values]
        if all(-(2**63) <= value < 2**63 for value in whole):
            return np.array(whole, INTEGER)
    raise InputError(
        f"Labels of an ONNX model are texts or whole numbers of 64 bits; classes_ begins {values[:2]!r}. "
        "Fit with such labels to export."
    )


def _column(graph: Graph, outputs: Value) -> Value:
    """The one column, as a vector."""
    return graph.node("Squeeze", outputs, graph.constant(np.array([1])))


def _on_simplex(graph: Graph, shares: Value, count: int) -> Value:
    """The nearest row of probabilities: subtract what makes the positive parts add up to 1."""
    ordered = graph.nodes("TopK", shares, graph.constant(np.array([count])), count=2, axis=1)[0]
    sums = graph.node("CumSum", ordered, graph.constant(np.array(1)))
    less_one = graph.node("Sub", sums, _number(graph, 1, shares))
    excess = graph.node("Div", less_one, graph.constant(np.arange(1, count + 1, dtype=shares.dtype)))
    above = graph.cast(graph.node("Greater", ordered, excess, dtype=BOOLEAN), INTEGER)
    one = graph.constant(np.array([1]))
    last = graph.node("Sub", graph.node("ReduceSum", above, one, keepdims=1), one)
    subtracted = graph.node("GatherElements", excess, last, axis=1)
    return graph.node("Max", graph.node("Sub", shares, subtracted), _number(graph, 0, shares))


def _number(graph: Graph, value: float, like: Value) -> Value:
    """A constant in the precision of another value."""
    return graph.constant(np.full((), value, like.dtype))
