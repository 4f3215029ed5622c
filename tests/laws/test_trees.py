"""Trees of values come back from JSON and arrays as they were; what is no data is refused by its place."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from samara.core import Array, FeatureMap
from samara.errors import InputError
from samara.maps import Standardize
from samara.store import RefusedError, from_tree, to_tree
from samara.store.annotations import fits


@dataclass(frozen=True)
class Leaf:
    """A class with fields of several types."""

    name: str
    kind: Literal["number", "text"]
    values: Array
    level: float | None = None


@dataclass(frozen=True)
class Table:
    """A class made of others, as a raw table's columns are."""

    leaves: tuple[Leaf, ...]
    anything: Any


CLASSES = {"Leaf": Leaf, "Table": Table}
arrays = st.sampled_from(["float64", "float32", "int64", "bool", "uint8"]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
)
words = st.text(st.characters(exclude_characters="\x00"), max_size=4)
texts = st.lists(words, max_size=4).map(np.array).filter(lambda array: array.dtype.kind == "U")
objects = st.lists(st.text(max_size=4), max_size=4).map(lambda some: np.array(some, object))
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([np.float32(0.1), np.int64(-3), np.bool_(True), np.str_("é"), np.dtype("float32")])
    | st.sampled_from([float, np.float64, range(3, 9, 2), range(0)])
)
keys = st.text(max_size=3) | st.integers(-9, 9)
matrices = arrays.filter(lambda array: array.ndim == 2).map(sparse.csr_array)
values = st.recursive(
    scalars | arrays | texts | objects | matrices,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(keys, inner, max_size=3)
        | st.builds(Table, st.just(()), inner)
    ),
    max_leaves=8,
)


def spelled(value):
    """A value as a text that differs where types, shapes or bits do."""
    if isinstance(value, Leaf | Table):
        return f"{type(value).__name__}{spelled(vars(value))}"
    if isinstance(value, dict):
        return [(spelled(key), spelled(one)) for key, one in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [spelled(one) for one in value]
    if sparse.issparse(value):
        return type(value), value.shape, [spelled(part) for part in (value.data, value.indices, value.indptr)]
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tolist() if value.dtype == object else value.tobytes()
    if isinstance(value, float | np.floating):
        return type(value), value.hex() if isinstance(value, float) else value.tobytes()
    return type(value), value


@given(values)
def test_what_is_written_is_read(value):
    """Through real JSON, to the bit, with no array left over."""
    tree, kept = to_tree(value, CLASSES, "it")
    kept = {name: np.array(array, order="C") for name, array in kept.items()}
    found = from_tree(json.loads(json.dumps(tree, allow_nan=False)), kept, CLASSES, "it")
    assert spelled(found) == spelled(value)
    assert not kept


@given(values)
def test_equal_values_are_equal_trees(value):
    """What was read is written in the same way."""
    tree, kept = to_tree(value, CLASSES, "it")
    found = from_tree(tree, dict(kept), CLASSES, "it")
    again, same = to_tree(found, CLASSES, "it")
    assert json.dumps(again) == json.dumps(tree)
    assert [array.tobytes() for array in same.values()] == [array.tobytes() for array in kept.values()]
    assert list(same) == list(kept)


def test_arrays_lie_as_they_did():
    """Products of a matrix by columns may round otherwise than by rows."""
    A = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    tree, kept = to_tree(A, {}, "A")
    assert tree == {"array": "A", "transposed": True}
    found = from_tree(tree, kept, {}, "A")
    assert found.flags.f_contiguous
    np.testing.assert_array_equal(found, A)


SOME = np.zeros(2)
UNSAVABLE = {
    "function": ([0, lambda: 0], "it/1 can't be saved: it is a function, and a file holds no code."),
    "class": ({"a": Standardize}, "it/0 can't be saved: it is of the class Standardize, and a file holds"),
    "stranger": (
        (object(),),
        "it/0 can't be saved: it is of the class object, and a file holds Samara's own",
    ),
    "generator": (np.random.default_rng(0), "it can't be saved: it is a random generator, which goes on"),
    "number": (2**64, "it can't be saved: 1.84e+19 is too large a number."),
    "objects": (np.array([1, "a"], object), "it can't be saved: an array of Python objects is kept if all"),
    "dates": (np.array(["2020-01-01"], "M8[D]"), "it can't be saved: a file keeps no array of datetime64"),
    "key": ({(1, 2): 3}, "a key of it can't be saved: it is of the class tuple"),
    "range": (range(10**9), "it can't be saved: it is of the class range"),
    "columns": (sparse.csc_array(np.eye(2)), "it can't be saved: it is of the class csc_array"),
    "masked": (np.ma.masked_array(SOME, [0, 1]), "it can't be saved: it is of the class MaskedArray"),
    "field": (Leaf("a", "date", SOME), "it/kind can't be saved: it must be Literal"),
    "list in a field": (Leaf("a", "text", [0.5]), "it/values can't be saved: it must be Array, got list."),
    "long texts": (np.array(["a" * 2**20] * 20), "it can't be saved: its texts are too long."),
}


@pytest.mark.parametrize(("value", "message"), UNSAVABLE.values(), ids=UNSAVABLE)
def test_what_is_no_data_is_not_written(value, message):
    """The place is named, and why."""
    with pytest.raises(InputError) as caught:
        to_tree(value, CLASSES, "it")
    assert str(caught.value).startswith(message)


LEAF = {"name": "a", "kind": "text", "values": {"array": "v"}, "level": None}
REFUSED = {
    "unknown class": ({"Evil": {}}, "its it is of an unknown class 'Evil'"),
    "import by name": ({"os.system": {"command": "ls"}}, "its it is of an unknown class 'os.system'"),
    "two keys": ({"tuple": [], "dict": []}, "its it is nothing known: 'tuple', 'dict'"),
    "empty": ({}, "its it is nothing known: an empty object"),
    "no fields": ({"Leaf": 3}, "its it has no fields"),
    "unknown field": ({"Leaf": {**LEAF, "more": 1}}, "its it has the unknown 'more'"),
    "missing field": ({"Leaf": {"name": "a"}}, "its it lacks 'kind', 'values', 'level'"),
    "wrong type": ({"Leaf": {**LEAF, "name": 7}}, "its it/name must be str, got int"),
    "wrong word": ({"Leaf": {**LEAF, "kind": "date"}}, "its it/kind must be Literal"),
    "a bool for a number": ({"Leaf": {**LEAF, "level": True}}, "its it/level must be float | None, got bool"),
    "wrong item": ({"Table": {"leaves": {"tuple": [3]}, "anything": 0}}, "its it/leaves must be tuple[Leaf"),
    "no array": ({"array": "w"}, "the array of its it is missing"),
    "array twice": ([{"array": "v"}, {"array": "v"}], "the array of its it/1 is missing"),
    "array of a list": ({"array": ["v"]}, "the array of its it is missing"),
    "odd transpose": ({"array": "v", "transposed": False}, "its it is nothing known"),
    "infinite": (float("inf"), "its it is not a finite number"),
    "large": (10**30, "its it is too large a number"),
    "float": ({"float": "1e5"}, "its it is an unknown '1e5'"),
    "dtype": ({"dtype": "O"}, "its it is an unknown 'O'"),
    "type": ({"type": "object"}, "its it is an unknown 'object'"),
    "range": ({"range": [0, 10**15, 1]}, "its it is too long a range"),
    "range of nothing": ({"range": [0, 1, 0]}, "its it is not a range"),
    "pairs": ({"dict": [[1, 2, 3]]}, "its it is not made of pairs"),
    "key": ({"dict": [[[], 2]]}, "its it has a key that can't be"),
    "key twice": ({"dict": [["a", 1], ["a", 2]]}, "its it has a key that can't be"),
    "wide texts": (
        {"texts": {"shape": [1], "width": 10**12, "values": ["a"]}},
        "its it has texts of an impossible width",
    ),
    "narrow texts": (
        {"texts": {"shape": [1], "width": 1, "values": ["ab"]}},
        "its it has texts of an impossible width",
    ),
    "few texts": ({"texts": {"shape": [2], "width": 1, "values": ["a"]}}, "its it has not as many texts as"),
    "no texts": ({"texts": {"shape": [1], "width": 1, "values": [3]}}, "its it holds something else than"),
    "scalar": ({"scalar": {"array": "v"}}, "its it is not one number or text"),
    "csr": (
        {"csr": {"shape": [2, 2], "matrix": True, "data": 0, "indices": 0, "indptr": 0}},
        "its it is not a sparse matrix",
    ),
}


@pytest.mark.parametrize(("tree", "message"), REFUSED.values(), ids=REFUSED)
def test_what_nobody_writes_is_not_read(tree, message):
    """Each lie is refused by its place."""
    with pytest.raises(RefusedError) as caught:
        from_tree(tree, {"v": np.zeros(2)}, CLASSES, "it")
    assert str(caught.value).startswith(message)


def test_depth_is_bounded():
    """Lists within lists end in a refusal, not in the stack's end."""
    tree = []
    for _ in range(500):
        tree = [tree]
    with pytest.raises(RefusedError, match="nested too deeply"):
        from_tree(tree, {}, {}, "it")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("indices", np.array([0, 5], np.int32)),
        ("indices", np.array([0, -1], np.int32)),
        ("indices", np.array([0, 1], np.int64)),
        ("indptr", np.array([0, 2, 1], np.int32)),
        ("indptr", np.array([1, 1, 2], np.int32)),
        ("indptr", np.array([0, 2], np.int32)),
        ("data", np.ones(3)),
    ],
)
def test_sparse_matrices_that_lie(name, other):
    """Entries outside of the matrix would be read from somewhere else in memory."""
    tree, kept = to_tree(sparse.csr_array(np.eye(2)), {}, "S")
    with pytest.raises(RefusedError, match="its S is a sparse matrix whose entries lie outside of it"):
        from_tree(tree, {**kept, f"S/{name}": other}, {}, "S")


def test_a_map_is_known_by_what_it_has():
    """A protocol is asked of the class, without a call of the value's own properties."""
    assert fits(Standardize(np.zeros(2), np.ones(2), np.dtype(float)), FeatureMap)
    assert not fits(Leaf("a", "text", np.zeros(2)), FeatureMap)
    assert not fits(None, FeatureMap)
