"""k(x, z) for every centre z, as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from samara.core import Array, dense
from samara.errors import InputError
from samara.export.graph import BOOLEAN, DOUBLE, Graph, Value
from samara.maps import OF_DISTANCE, Kernel, KernelRows
from samara.maps.sides import offset

Written = Callable[[Graph, Kernel, Value, Array], Value]


def kernel_rows(rows: KernelRows, graph: Graph, X: Value) -> Value:
    """Rows of the kernel matrix, in the precision of the map."""
    name = rows.kernel.name
    if name == "callable":
        function = getattr(rows.kernel.function, "__name__", type(rows.kernel.function).__name__)
        raise InputError(f"The kernel function {function} has no ONNX form: use a kernel by name to export.")
    if name == "precomputed":
        raise InputError(
            'kernel="precomputed" has no ONNX form, for such a model takes rows of the kernel matrix: '
            "use a kernel by name to export."
        )
    centres = dense(rows.centres).astype(DOUBLE)
    X = graph.cast(X, DOUBLE)
    less = offset(rows.kernel, centres)
    if less is not None:
        centres, X = centres - less, graph.node("Sub", X, graph.constant(less))
    # Scaled in double precision and rounded once, as the fit does.
    centres, X = _scaled(rows.kernel, centres), _scaled_rows(graph, rows.kernel, X)
    return _KERNELS[name](graph, rows.kernel, graph.cast(X, rows.dtype), centres.astype(rows.dtype))


def _factor(kernel: Kernel) -> float:
    """What both sides are multiplied by, so that their product is what the kernel takes a function of."""
    if kernel.name == "rbf":
        return float(np.sqrt(2 * kernel.gamma))
    if kernel.name == "laplacian" or kernel.name in OF_DISTANCE:
        return float(kernel.gamma * {"matern32": np.sqrt(3), "matern52": np.sqrt(5)}.get(kernel.name, 1.0))
    return float(np.sqrt(kernel.gamma)) if kernel.uses_gamma else 1.0


def _scaled(kernel: Kernel, centres: Array) -> Array:
    """The centres with the kernel's factor in them; those of cosine have length 1."""
    if kernel.name != "cosine":
        return np.asarray(centres * _factor(kernel))
    squares = np.einsum("ij,ij->i", centres, centres)[:, None]
    return np.asarray(centres / np.sqrt(np.where(squares > 0, squares, 1.0)))


def _scaled_rows(graph: Graph, kernel: Kernel, X: Value) -> Value:
    """The same for rows that are not known yet."""
    if kernel.name != "cosine":
        return X if _factor(kernel) == 1 else graph.node("Mul", X, graph.constant(np.array(_factor(kernel))))
    squares, zero = graph.sum_of_squares(X), graph.constant(np.array(0.0))
    positive = graph.node("Greater", squares, zero, dtype=BOOLEAN)
    squares = graph.node("Where", positive, squares, graph.constant(np.array(1.0)), dtype=DOUBLE)
    return graph.node("Div", X, graph.node("Sqrt", squares))


def _products(graph: Graph, X: Value, centres: Array, added: float) -> Value:
    """x·z + a constant."""
    right = graph.constant(np.ascontiguousarray(centres.T))
    return graph.node("Gemm", X, right, graph.constant(np.full(len(centres), added, centres.dtype)))


def _linear(graph: Graph, kernel: Kernel, X: Value, centres: Array) -> Value:
    return graph.node("Gemm", X, graph.constant(np.ascontiguousarray(centres.T)))


def _polynomial(graph: Graph, kernel: Kernel, X: Value, centres: Array) -> Value:
    power = graph.constant(np.array(kernel.degree, centres.dtype))
    return graph.node("Pow", _products(graph, X, centres, kernel.coef0), power)


def _sigmoid(graph: Graph, kernel: Kernel, X: Value, centres: Array) -> Value:
    return graph.node("Tanh", _products(graph, X, centres, kernel.coef0))


def _gaussian(graph: Graph, kernel: Kernel, X: Value, centres: Array) -> Value:
    """exp of x·z − ½‖x‖² − ½‖z‖²; the squares are those of the rounded rows, so that equal rows cancel."""
    dtype = centres.dtype
    right = (-0.5 * np.einsum("ij,ij->i", centres, centres, dtype=DOUBLE)).astype(dtype)
    squares = graph.sum_of_squares(graph.cast(X, DOUBLE))
    left = graph.cast(graph.node("Mul", squares, graph.constant(np.array(-0.5))), dtype)
    z = graph.node("Gemm", X, graph.constant(np.ascontiguousarray(centres.T)), graph.constant(right))
    z = graph.node("Min", graph.node("Add", z, left), graph.constant(np.zeros((), dtype)))
    return graph.node("Exp", z)


def _laplacian(graph: Graph, kernel: Kernel, X: Value, centres: Array) -> Value:
    return graph.node("Exp", _differences(graph, X, centres, squared=False))


def _of_distance(graph: Graph, kernel: Kernel, X: Value, centres: Array) -> Value:
    """e⁻ᵃ times 1, 1 + a or 1 + a + a²/3; from differences, for a root makes much of rounding near 0."""
    a = graph.node("Sqrt", graph.node("Neg", _differences(graph, X, centres, squared=True)))
    made = graph.node("Exp", graph.node("Neg", a))
    if kernel.name == "laplace":
        return made
    one, third = (graph.constant(np.array(value, centres.dtype)) for value in (1, 1 / 3))
    factor = graph.node("Add", a, one)
    if kernel.name == "matern52":
        factor = graph.node("Add", factor, graph.node("Mul", graph.node("Mul", a, a), third))
    return graph.node("Mul", made, factor)


def _differences(graph: Graph, X: Value, centres: Array, squared: bool) -> Value:
    """−Σ|x − z|, or −Σ(x − z)², a column at a time: all together would be N × M × d numbers."""
    body = Graph(graph.names)
    total, x, z = (body.input(body.names.new(), centres.dtype, None) for _ in range(3))
    gap = body.node("Sub", body.node("Unsqueeze", x, body.constant(np.array([1]))), z)
    size = body.node("Mul", gap, gap) if squared else body.node("Abs", gap)
    body.output("total", body.node("Sub", total, size), None)
    # Zeros of the shape (N, M), whatever N is.
    first = graph.node("Gemm", X, graph.constant(np.zeros((centres.shape[1], len(centres)), centres.dtype)))
    columns = [
        graph.node("Transpose", X, perm=[1, 0]),
        graph.constant(np.ascontiguousarray(centres.T)),
    ]
    return graph.each_column(body, columns, first)


_KERNELS: dict[str, Written] = {
    "rbf": _gaussian,
    "laplacian": _laplacian,
    **dict.fromkeys(OF_DISTANCE, _of_distance),
    "polynomial": _polynomial,
    "sigmoid": _sigmoid,
    "linear": _linear,
    "cosine": _linear,
}
