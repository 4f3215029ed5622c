"""Arrow columns as raw numbers: what kind a column is, and its values as 64-bit floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from samara.core import Array
from samara.errors import InputError
from samara.schema import Kind, Schema, text_code

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86_400
# Texts of one column whose codes are remembered: hashing one takes a microsecond, remembering it 120 bytes.
MEMO_TEXTS = 10_000
MEMO_BYTES = 30 * MEMO_TEXTS  # a text and its code take 120; most columns have far fewer texts

_TEXTS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_dictionary)
_DATES = (pa.types.is_date, pa.types.is_timestamp)
_NUMBERS = (
    pa.types.is_integer,
    pa.types.is_floating,
    pa.types.is_decimal,
    pa.types.is_duration,
    pa.types.is_time,
)


def kind_of(field: Any) -> Kind | None:
    """The kind of an Arrow field; None for a column of nothing but missing values, which fits any kind."""
    type_ = _stored(field.type)
    if pa.types.is_null(type_):
        return None
    if pa.types.is_boolean(type_):
        return "boolean"
    for kind, tests in (("text", _TEXTS), ("date", _DATES), ("number", _NUMBERS)):
        if any(test(type_) for test in tests):
            return kind  # type: ignore[return-value]
    raise InputError(
        f"Column {field.name!r} holds {type_}, which is neither number, boolean, date nor text: "
        "leave it out with columns=."
    )


def _stored(type_: Any) -> Any:
    """The type that an extension type is stored as."""
    return type_.storage_type if isinstance(type_, pa.BaseExtensionType) else type_


class Memo:
    """The codes of the texts of one column that a reader has met, at most `MEMO_TEXTS` of them."""

    def __init__(self) -> None:
        self._known: dict[str, float] = {}
        self._dictionary: Any = None  # row groups give the same dictionary with every batch
        self._coded: tuple[list[str | None], Array] = ([], np.empty(0))

    def dictionary_codes(self, dictionary: Any) -> tuple[list[str | None], Array]:
        """The texts of a dictionary and their codes, NaN for a missing one."""
        if self._dictionary is None or not dictionary.equals(self._dictionary):
            texts = _texts(dictionary)
            self._coded = texts, np.array([np.nan if text is None else self._code(text) for text in texts])
            self._dictionary = dictionary
        return self._coded

    def _code(self, text: str) -> float:
        code = self._known.get(text)
        if code is None:
            if len(self._known) >= MEMO_TEXTS:
                self._known.clear()
            code = self._known[text] = text_code(text)
        return code


def _texts(values: Any) -> list[str | None]:
    """The values as texts: ``str(value)`` for what is none."""
    type_ = values.type
    if any(test(type_) for test in _TEXTS[:3]):
        found: list[str | None] = values.cast(pa.large_string()).to_numpy(zero_copy_only=False).tolist()
        return found
    return [None if value is None else str(value) for value in values.to_pylist()]


def raw_column(array: Any, kind: Kind, memo: Memo, seen: dict[float, str] | None = None) -> Array:
    """The values of an Arrow array as floats, ``np.nan`` where they are missing.

    The texts met are added to ``seen``, by their codes, where it is given.
    """
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    if kind == "text":
        return _codes(array, memo, seen)
    if kind == "date":
        return _dates(array)
    return _numbers(array)


def _codes(array: Any, memo: Memo, seen: dict[float, str] | None) -> Array:
    """The codes of an array of texts, by way of its distinct ones."""
    if not pa.types.is_dictionary(array.type):
        if pa.types.is_string_view(array.type):
            array = array.cast(pa.large_string())
        array = array.dictionary_encode()
    dictionary, missing = array.dictionary, _missing(array.indices)
    if array.indices.null_count == len(array):
        return np.full(len(array), np.nan)
    index = array.indices.to_numpy(zero_copy_only=False)
    if missing is not None:
        index = np.where(missing, 0, index).astype(np.int64)
    if index.min() < 0 or index.max() >= len(dictionary):
        raise pa.ArrowInvalid("a text lies outside its dictionary")  # a damaged page that passed its checksum
    if len(dictionary) > 2 * len(array):  # a long dictionary of which these rows use little
        used, index = np.unique(index, return_inverse=True)
        dictionary = dictionary.take(pa.array(used))
    texts, codes = memo.dictionary_codes(dictionary)
    values: Array = codes[index]
    if missing is not None:
        values[missing] = np.nan
    if seen is not None:
        met = np.unique(index if missing is None else index[~missing])
        seen.update((float(codes[i]), text) for i in met if (text := texts[i]) is not None)
    return values


def _dates(array: Any) -> Array:
    """Days since 1970; the same moment gives the same bits, whatever unit it is stored in."""
    type_ = array.type
    if pa.types.is_date32(type_):
        return _whole(array.cast(pa.int32()), 1)
    unit = "ms" if pa.types.is_date64(type_) else type_.unit
    return _whole(array.cast(pa.int64()), _DAY * _PER_SECOND[unit])


def _numbers(array: Any) -> Array:
    """Numbers and booleans as themselves, times of day and durations in seconds."""
    type_ = array.type
    if pa.types.is_time(type_) or pa.types.is_duration(type_):
        counts = array.cast(pa.int32() if pa.types.is_time32(type_) else pa.int64())
        return _whole(counts, _PER_SECOND[type_.unit])
    if not pa.types.is_float64(type_):
        array = pc.cast(array, pa.float64(), safe=False)  # beyond 2⁵³ a whole number is rounded
    values = array.to_numpy(zero_copy_only=False)
    missing = np.isnan(values)
    return np.where(missing, np.nan, values) if missing.any() else values  # a NaN of one bit pattern


def _whole(counts: Any, per: int) -> Array:
    """Counts divided by a unit: the whole part apart, so that no bit of a fine unit is lost before."""
    whole, rest = np.divmod(counts.fill_null(0).to_numpy(zero_copy_only=False), per)
    values = whole + rest / per
    missing = _missing(counts)
    if missing is not None:
        values[missing] = np.nan
    return np.asarray(values, dtype=np.float64)


def _missing(array: Any) -> Array | None:
    """Which values are missing; None where none is."""
    if array.null_count == 0:
        return None
    return np.asarray(array.is_null().to_numpy(zero_copy_only=False))


def refuse_infinity(
    X: Array,
    names: Sequence[str],
    place: str,
    first: int = 0,
    advice: str = "leave such rows out with where=",
) -> None:
    """Name the first cell that is infinite; ``first`` is the number of the first row in its place."""
    if np.isfinite(X).all():
        return
    infinite = np.isinf(X)
    if infinite.any():
        i, j = (int(k) for k in np.argwhere(infinite)[0])
        raise InputError(
            f"Column {names[j]!r} holds infinity ({place}, row {first + i}): "
            f"{advice}, or store a missing value."
        )


def same_kind(found: Kind | None, wanted: Kind) -> bool:
    """Whether a column of this kind can be read as one of the other."""
    return found is None or found == wanted


def described(schema: Schema) -> str:
    """The columns by kind, in words."""
    counts: dict[str, int] = {}
    for column in schema:
        counts[column.kind] = counts.get(column.kind, 0) + 1
    return ", ".join(f"{n} {kind}" for kind, n in counts.items())
