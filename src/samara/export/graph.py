"""An ONNX graph as it grows: named values, constants and nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from samara.core import Array
from samara.errors import InputError

if TYPE_CHECKING:
    from onnx import ModelProto

# Old enough for runtimes of 2022; float64 in all that is used.
OPSET, ML_OPSET, IR_VERSION = 17, 3, 8
ML = "ai.onnx.ml"
MOST_BYTES = 2_000_000_000  # a protobuf message ends at 2³¹ − 1 bytes; some are left for nodes and names
ROWS = "rows"  # the name of the axis of any length

TEXT = np.dtype(object)
DOUBLE = np.dtype(np.float64)
INTEGER = np.dtype(np.int64)
BOOLEAN = np.dtype(np.bool_)


class Value(NamedTuple):
    """A tensor of the graph."""

    name: str
    dtype: np.dtype[Any]


class Names:
    """Names given out once each; those of columns are taken from the start."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._count = 0

    def new(self) -> str:
        """A name for something inside."""
        while (name := f"v{self._count}") in self._taken:
            self._count += 1
        self._taken.add(name)
        return name

    def like(self, wanted: str) -> str:
        """The name itself, or with underscores after it where a column has it."""
        while wanted in self._taken:
            wanted += "_"
        self._taken.add(wanted)
        return wanted


class Graph:
    """Inputs, constants, nodes and outputs, in the order in which they were asked for."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._bytes = 0

    def input(self, name: str, dtype: np.dtype[Any], shape: tuple[int | str, ...] | None) -> Value:
        """A tensor that is given; its name was taken before."""
        self._inputs.append(_info(name, dtype, shape))
        return Value(name, dtype)

    def constant(self, array: Array) -> Value:
        """A tensor of the model."""
        from onnx import numpy_helper

        self._bytes += array.nbytes
        if self._bytes > MOST_BYTES:
            raise InputError(
                f"An ONNX file holds at most {MOST_BYTES / 1e9:g} GB and this model is larger. "
                "Fit one with fewer nodes or centres."
            )
        name = self.names.new()
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return Value(name, TEXT if array.dtype.kind in "OUT" else array.dtype)

    def node(self, op: str, *inputs: Value, dtype: np.dtype[Any] | None = None, **attributes: Any) -> Value:
        """What an operator makes of its inputs: of the first one's type unless told otherwise."""
        return self.nodes(op, *inputs, count=1, dtype=dtype, **attributes)[0]

    def nodes(
        self, op: str, *inputs: Value, count: int, dtype: np.dtype[Any] | None = None, **attributes: Any
    ) -> list[Value]:
        """The same for an operator with several results."""
        from onnx import helper

        made = [Value(self.names.new(), dtype or inputs[0].dtype) for _ in range(count)]
        given, results = [value.name for value in inputs], [value.name for value in made]
        self._nodes.append(helper.make_node(op, given, results, **attributes))
        return made

    def cast(self, value: Value, dtype: np.dtype[Any]) -> Value:
        """The value in another type."""
        if value.dtype == dtype:
            return value
        return self.node("Cast", value, dtype=dtype, to=_code(dtype))

    def sum_of_squares(self, X: Value) -> Value:
        """‖x‖² of each row, (N, 1)."""
        return self.node("ReduceSum", self.node("Mul", X, X), self.constant(np.array([1])), keepdims=1)

    def each_column(self, body: Graph, columns: list[Value], state: Value | None = None) -> Value:
        """Run the body along the first axis of the columns: its last state, or else all that it gave."""
        inputs = columns if state is None else [state, *columns]
        return self.node("Scan", *inputs, body=body.inner(), num_scan_inputs=len(columns))

    def output(self, wanted: str, value: Value, shape: tuple[int | str, ...] | None) -> None:
        """A result, under its own name."""
        from onnx import helper

        name = self.names.like(wanted)
        self._nodes.append(helper.make_node("Identity", [value.name], [name]))
        self._outputs.append(_info(name, value.dtype, shape))

    def inner(self) -> Any:
        """The graph as the body of an operator."""
        from onnx import helper

        return helper.make_graph(self._nodes, "samara", self._inputs, self._outputs, self._constants)

    def model(self, version: str, facts: Mapping[str, str], text: str) -> ModelProto:
        """The whole model, checked."""
        import onnx
        from onnx import helper

        made = helper.make_model(
            self.inner(),
            producer_name="samara",
            producer_version=version,
            ir_version=IR_VERSION,
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
            doc_string=text,
        )
        helper.set_model_props(made, dict(facts))
        onnx.checker.check_model(made, full_check=True)
        return made


def _code(dtype: np.dtype[Any]) -> int:
    """ONNX's number of a type."""
    from onnx import TensorProto, helper

    return TensorProto.STRING if dtype == TEXT else int(helper.np_dtype_to_tensor_dtype(dtype))


def _info(name: str, dtype: np.dtype[Any], shape: tuple[int | str, ...] | None) -> Any:
    from onnx import helper

    return helper.make_tensor_value_info(name, _code(dtype), shape)
