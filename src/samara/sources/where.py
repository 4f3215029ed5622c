"""Which rows are read: conditions in words, parsed without running anything."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from samara.errors import InputError, unknown_name

_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b,
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Eq: lambda a, b: a == b,
    ast.NotEq: lambda a, b: a != b,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: pc.divide(a.cast(pa.float64()), b),  # 3 / 2 is 1.5, also of whole numbers
}
_NULL = "null"
_TOKENS = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|`([^`]+)`|(?<![<>=!])=(?!=)""")


def parse_where(where: Any, schema: Any) -> Any:
    """A condition on a table of this Arrow schema, as an Arrow expression; one is taken as it is."""
    if where is None or isinstance(where, pc.Expression):
        return where
    if not isinstance(where, str):
        raise InputError(f"where must be a text or a pyarrow expression, got {type(where).__name__}.")
    quoted: list[str] = []

    def plain(match: re.Match[str]) -> str:
        """Column names in backquotes as names that Python can parse, a single = as a comparison."""
        text, name = match.groups()
        if text is not None:
            return str(text)
        if name is None:
            return "=="
        quoted.append(name)
        return f"__column_{len(quoted) - 1}__"

    try:
        tree = ast.parse(_TOKENS.sub(plain, where.strip()), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f" at character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
        raise InputError(f"where={where!r} can't be parsed{place}: {_why(error)}.") from None
    try:
        found = _Condition(where, quoted, schema).build(tree.body)
    except RecursionError:
        raise InputError("where is nested too deeply: use fewer brackets.") from None
    except (TypeError, OverflowError, pa.ArrowException) as error:  # a negative text, a list of mixed kinds
        raise InputError(f"where={where!r} holds a constant that can't be used: {_why(error)}.") from None
    if not isinstance(found, pc.Expression):
        raise InputError(f"where={where!r} names no column: write a condition such as price > 0.")
    return found


def _why(error: BaseException) -> str:
    return getattr(error, "msg", None) or str(error)


class _Condition:
    """Builds the expression of one condition; remembers its words for the error messages."""

    def __init__(self, where: str, quoted: list[str], schema: Any) -> None:
        self.where, self.quoted, self.schema = where, quoted, schema

    def build(self, node: ast.expr) -> Any:
        match node:
            case ast.BoolOp(op=op, values=values):
                return self._joined(isinstance(op, ast.And), values)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ~self._expression(operand)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                value = self.build(operand)
                return pc.negate(value) if isinstance(value, pc.Expression) else -value
            case ast.Compare():
                return self._compared(node)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return _ARITHMETIC[type(op)](self._expression(left), self._expression(right))
            case ast.Name(id=name) if name.lower() != _NULL:
                return pc.field(self._column(name))
            case ast.Constant(value=bool() | int() | float() | str()):
                return node.value
        raise self._refused(node)

    def _joined(self, both: bool, values: list[ast.expr]) -> Any:
        found = self._expression(values[0])
        for value in values[1:]:
            found = found & self._expression(value) if both else found | self._expression(value)
        return found

    def _compared(self, node: ast.Compare) -> Any:
        """Comparisons, also in a row: ``0 < price <= 10``."""
        found, left = None, node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            one = self._comparison(left, op, right)
            found = one if found is None else found & one
            left = right
        return found

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Any:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.List | ast.Tuple | ast.Set):
                raise self._refused(right)
            values = [self._constant(item) for item in right.elts]
            found = self._expression(left).isin(pa.array(values))
            return ~found if isinstance(op, ast.NotIn) else found
        if isinstance(op, ast.Is | ast.IsNot):
            return self._null(left, op, right)
        return _COMPARISONS[type(op)](self._side(left, right), self._side(right, left))

    def _side(self, node: ast.expr, other: ast.expr) -> Any:
        """One side of a comparison; a text beside a column of dates is a date."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and isinstance(other, ast.Name):
            type_ = self.schema.field(self._column(other.id)).type
            if pa.types.is_temporal(type_):
                try:
                    return pc.scalar(pa.scalar(node.value).cast(type_))
                except pa.ArrowException:
                    raise self._refused(node) from None
        return self._expression(node)

    def _null(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> Any:
        """``is null`` and ``is not null``."""
        wanted = isinstance(op, ast.Is)
        if isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.Not):
            wanted, right = not wanted, right.operand
        named = isinstance(right, ast.Name) and right.id.lower() == _NULL
        if not named and not (isinstance(right, ast.Constant) and right.value is None):
            raise self._refused(right)
        missing = self._expression(left).is_null()
        return missing if wanted else ~missing

    def _constant(self, node: ast.expr) -> Any:
        value = self.build(node)
        if isinstance(value, pc.Expression):
            raise self._refused(node)
        return value

    def _expression(self, node: ast.expr) -> Any:
        value = self.build(node)
        return value if isinstance(value, pc.Expression) else pc.scalar(value)

    def _column(self, name: str) -> str:
        number = re.fullmatch(r"__column_(\d+)__", name)
        found = self.quoted[int(number[1])] if number else name
        if found not in self.schema.names:
            raise unknown_name("column in where", found, self.schema.names)
        return found

    def _refused(self, node: ast.expr) -> InputError:
        return InputError(
            f"where={self.where!r} holds {ast.unparse(node)!r} (character {node.col_offset + 1}), which "
            "is not understood: use comparisons, and, or, not, in [...], is null, and + - * / of columns "
            "and constants."
        )


def columns_in(where: Any, schema: Any) -> tuple[str, ...]:
    """The columns of a table that a condition speaks of; the condition is tried on the table's types.

    Arrow tells no names: a column is spoken of if the condition fails without it.
    """
    _try(where, schema)
    names: list[str] = []
    for i, name in enumerate(schema.names):
        try:
            _try(where, schema.remove(i))
        except InputError:
            names.append(name)
    if not names:
        raise InputError("where speaks of no column: write a condition such as price > 0.")
    return tuple(names)


def _try(where: Any, schema: Any) -> None:
    """Refuse a condition that can't be worked out, or is none, on a table of this schema."""
    try:
        kept = kept_column(schema.empty_table(), where)
    except pa.ArrowException as error:
        raise InputError(f"where can't be used on this table: {str(error).splitlines()[0]}.") from error
    if not pa.types.is_boolean(kept.type):
        raise InputError(f"where gives {kept.type} instead of true or false: compare it with something.")


def kept_column(table: Any, where: Any) -> Any:
    """Whether each row of a table fulfils a condition, in order."""
    return ds.dataset(table).scanner(columns={"kept": where}, use_threads=False).to_table()["kept"]


def kept_rows(batch: Any, where: Any, place: str) -> Any:
    """The rows of a record batch that fulfil a condition, in order; where it is missing they don't."""
    try:
        kept = kept_column(pa.Table.from_batches([batch]), where)
    except pa.ArrowException as error:  # a sum that overflows
        raise InputError(f"where can't be worked out in {place}: {str(error).splitlines()[0]}.") from error
    return batch.filter(kept.combine_chunks())
