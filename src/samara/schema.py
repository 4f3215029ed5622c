"""What a raw table is made of: named columns of four kinds, and how a text becomes a number.

A raw table is read as a matrix of numbers. Numbers and booleans are themselves, a date is its days since 1970
and a text a code made from its letters alone. So every reader, in every process, gives the same matrix
without having seen the other rows; what the codes mean for the model is learned from it in one pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from keyword import iskeyword
from typing import Literal

Kind = Literal["number", "boolean", "date", "text"]
KINDS: tuple[Kind, ...] = ("number", "boolean", "date", "text")


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a raw table."""

    name: str
    kind: Kind


Schema = tuple[Column, ...]


def names_of(schema: Iterable[Column]) -> list[str]:
    """The names of the columns, in order."""
    return [column.name for column in schema]


def in_condition(name: str) -> str:
    """The name of a column as ``where`` takes it: in backquotes, unless it is a plain word."""
    return name if name.isidentifier() and not iskeyword(name) else f"`{name}`"


def text_code(text: str) -> float:
    """A whole number below 2⁵² made from the bytes of a text, the same in every process.

    Two of a million texts share a code with a chance of one in ten thousand.
    """
    return float(
        int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()[:7]) >> 4
    )
