"""Whether the parts of a model that came from a file belong together: shapes that agree, finite weights."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import FeatureMap
from samara.errors import InputError
from samara.linalg.trees import MOST_LEAVES
from samara.maps import (
    AdditiveNodes,
    AsFloat,
    Beside,
    ColumnFactors,
    Columns,
    DirectLink,
    Encoded,
    Fill,
    FilledColumns,
    KernelRows,
    LeafRows,
    Levels,
    Number,
    OwnScaling,
    PooledFields,
    Project,
    QuantileNormal,
    RadialNodes,
    Standardize,
    TreeLeaves,
    UnitRows,
    Whitened,
)
from samara.maps.activations import ACTIVATIONS
from samara.maps.nodes import FirstNodes
from samara.model import Model
from samara.store import RefusedError


def check_model(model: Model, n_features: int) -> None:
    """Refuse a model whose parts can't have been fitted together; n_features is what its first map gets."""
    width = n_features
    if not model.maps:
        raise RefusedError("its model has no maps")
    for number, feature_map in enumerate(model.maps):
        width = check_map(feature_map, width, f"map {number} ({type(feature_map).__name__})")
    check_array(model.coef, (width, None), "coefficients")
    check_array(model.intercept, (model.coef.shape[1],), "intercepts")
    check(model.coef.dtype == model.intercept.dtype, "coefficients and intercept differ in precision")
    check(model.coef.shape[1] >= 1, "coefficients are of no target")
    match model.maps:
        case (*_, Standardize() | AsFloat(), AdditiveNodes() | RadialNodes() as nodes):
            # Both go in one call, which works in one precision.
            check(nodes.dtype == model.coef.dtype, "nodes and coefficients differ in precision")


def check_map(feature_map: FeatureMap, n_in: int, what: str) -> int:
    """Columns that a map gives, once its parts agree with each other and with what it gets."""
    check = _CHECKS.get(type(feature_map))
    if check is not None:
        check(feature_map, n_in, what)
    return int(feature_map.n_out)


def check_array(array: Any, shape: tuple[int | None, ...], what: str, kind: str = "f") -> None:
    """A finite array of numbers of this shape, None standing for any length."""
    if not isinstance(array, np.ndarray) or array.dtype.kind not in kind or array.itemsize > 8:
        raise RefusedError(f"its {what} are not numbers of the right kind")
    agree = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if not agree:
        asked = ", ".join("any" if length is None else str(length) for length in shape)
        comma = "," * (len(shape) == 1)
        raise RefusedError(f"its {what} have the shape {array.shape} where ({asked}{comma}) is needed")
    if not np.isfinite(array).all():
        raise RefusedError(f"its {what} hold a NaN or an infinity")


def check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RefusedError(f"its {otherwise}")


def _check_dtype(dtype: Any, what: str) -> None:
    check(dtype in (np.float32, np.float64), f"{what} has the precision {dtype}, not float32 or float64")


def _standardize(one: Standardize, n_in: int, what: str) -> None:
    check_array(one.mean, (n_in,), f"means of {what}")
    check_array(one.spread, (n_in,), f"spreads of {what}")
    check(bool((one.spread > 0).all()), f"spreads of {what} are not all above 0")
    _check_dtype(one.dtype, what)


def _as_float(one: AsFloat | UnitRows, n_in: int, what: str) -> None:
    check(one.n_out == n_in, f"{what} has {one.n_out} columns where {n_in} are needed")
    _check_dtype(one.dtype, what)


def _quantiles(one: QuantileNormal, n_in: int, what: str) -> None:
    check(len(one.knots) == len(one.scores) == n_in, f"{what} is not of {n_in} columns")
    for knots, scores in zip(one.knots, one.scores, strict=True):
        check_array(knots, (None,), f"knots of {what}", "biuf")
        check_array(scores, (len(knots),), f"scores of {what}")
        check(len(knots) > 0 and bool((knots[1:] > knots[:-1]).all()), f"knots of {what} do not increase")
    _check_dtype(one.dtype, what)


def _own_scaling(one: OwnScaling, n_in: int, what: str) -> None:
    check_map(one.scaling, n_in, what)
    _check_dtype(one.dtype, what)


def _additive(one: AdditiveNodes, n_in: int, what: str) -> None:
    check(one.activation in ACTIVATIONS, f"{what} has an unknown activation")
    check_array(one.weights, (n_in + 1, None), f"weights of {what}")
    _check_dtype(one.weights.dtype, what)


def _radial(one: RadialNodes, n_in: int, what: str) -> None:
    check(one.function in ("rbf", "multiquadric"), f"{what} has an unknown function")
    check_array(one.centres, (None, n_in), f"centres of {what}")
    check_array(one.gamma, (len(one.centres),), f"widths of {what}")
    _check_dtype(one.centres.dtype, what)


def _pooled_fields(one: PooledFields, n_in: int, what: str) -> None:
    whole = len(one.image) == 3 and min(one.image) >= 1 and prod(one.image) == n_in
    check(whole, f"{what} is not of images of {n_in} values")
    possible = 1 <= one.size <= min(one.image[:2]) and one.pool >= 0 and one.stride >= 1
    check(possible, f"{what} has fields that can't be")
    check_array(one.filters, (one.size**2 * one.image[2], None), f"filters of {what}")
    _check_dtype(one.filters.dtype, what)


def _direct_link(one: DirectLink, n_in: int, what: str) -> None:
    check(one.n_inputs == n_in, f"{what} links {one.n_inputs} inputs where there are {n_in}")
    check_map(one.nodes, n_in, f"nodes of {what}")


def _project(one: Project, n_in: int, what: str) -> None:
    check_array(one.directions, (n_in, None), f"directions of {what}")


def _factors(one: ColumnFactors, n_in: int, what: str) -> None:
    check_array(one.factors, (n_in,), f"factors of {what}")


def _tree_leaves(one: TreeLeaves, n_in: int, what: str) -> None:
    n = len(one.column)
    check(one.n_in == n_in, f"{what} is of {one.n_in} inputs where there are {n_in}")
    check_array(one.column, (n,), f"columns of {what}", "i")
    check_array(one.cut, (n,), f"cuts of {what}")
    check_array(one.kids, (n, 2), f"kids of {what}", "i")
    check_array(one.roots, (None,), f"roots of {what}", "i")
    _check_dtype(one.cut.dtype, what)
    widths, ends = np.diff(one.roots), one.roots[[0, -1]].tolist() if len(one.roots) > 1 else []
    whole = ends == [0, n] and bool(((widths % 2 == 1) & (widths > 0) & (widths < 2 * MOST_LEAVES)).all())
    check(whole, f"{what} has trees that can't be")
    check(bool(((one.column >= 0) & (one.column < n_in)).all()), f"{what} cuts inputs that are not there")
    own, last = np.arange(n) - np.repeat(one.roots[:-1], widths), np.repeat(widths, widths)
    leaf = (one.kids == own[:, None]).all(axis=1)
    below = ((one.kids > own[:, None]) & (one.kids < last[:, None])).all(axis=1)
    check(bool((leaf | below).all()), f"{what} has nodes that lead astray")
    leaves = np.add.reduceat(leaf, one.roots[:-1])
    check(bool((2 * leaves - 1 == widths).all()), f"{what} has trees that can't be")


def _first_nodes(one: FirstNodes, n_in: int, what: str) -> None:
    whole = check_map(one.whole, n_in, what)
    check(1 <= one.n_out <= whole, f"{what} takes {one.n_out} of {whole} columns")


def _kernel_rows(one: KernelRows, n_in: int, what: str) -> None:
    try:
        one.kernel.validate()
    except InputError as error:
        raise RefusedError(f"its {what} has a kernel that can't be: {str(error).rstrip('.')}") from None
    _check_dtype(one.dtype, what)
    centres = one.centres
    if one.kernel.name == "precomputed":
        check_array(centres, (None,), f"centres of {what}", "iu")
        inside = len(centres) > 0 and centres.min() >= 0 and centres.max() < n_in
        check(bool(inside), f"centres of {what} are not rows of the {n_in} fitted")
    elif sparse.issparse(centres):
        check(centres.shape[1] == n_in, f"centres of {what} have {centres.shape[1]} columns, not {n_in}")
        check_array(centres.data, (None,), f"centres of {what}", "biuf")
    else:
        check_array(centres, (None, n_in), f"centres of {what}", "biuf")


def _beside(one: Beside, n_in: int, what: str) -> None:
    check(len(one.chains) > 0 and all(one.chains), f"{what} has no chains, or empty ones")
    for chain in one.chains:
        width = n_in
        for feature_map in chain:
            width = check_map(feature_map, width, f"{type(feature_map).__name__} of {what}")


def _whitened(one: Whitened, n_in: int, what: str) -> None:
    _kernel_rows(one.rows, n_in, what)
    check_array(one.triangle, (one.rows.n_out, one.rows.n_out), f"triangle of {what}")
    check(bool(np.diagonal(one.triangle).all()), f"triangle of {what} is singular")


def _leaf_rows(one: LeafRows, n_in: int, what: str) -> None:
    _kernel_rows(one.rows, n_in, what)
    tree, edges = one.tree, one.edges
    check_array(tree.directions, (None, n_in), f"directions of {what}")
    check_array(tree.thresholds, (len(tree.directions),), f"thresholds of {what}")
    check_array(tree.children, (len(tree.directions), 2), f"children of {what}", "i")
    numbers = np.arange(1, len(tree.children)), np.arange(-tree.n_leaves, 0)
    once = np.array_equal(np.sort(tree.children, axis=None), np.sort(np.concatenate(numbers)))
    down = (tree.children < 0) | (tree.children > np.arange(len(tree.children))[:, None])
    check(not len(down) or (once and bool(down.all())), f"{what} has a tree that is none")
    check_array(edges, (tree.n_leaves + 1,), f"edges of {what}", "iu")
    whole = edges[0] == 0 and edges[-1] == one.rows.n_out and (np.diff(edges) >= 0).all()
    check(bool(whole), f"edges of {what} do not cut its centres")


def check_columns(columns: Columns, n_features: int) -> None:
    """Refuse a map of columns that can't have been learned from so many."""
    names = [column.name for column in columns.schema]
    agree = len(names) == len(columns.codings) == n_features and len(set(names)) == n_features
    check(agree, f"columns are not {n_features} different ones, each with a coding")
    for column, coding in zip(columns.schema, columns.codings, strict=True):
        what = f"column {column.name!r}"
        check(coding is None or isinstance(coding, Number) == (column.kind != "text"), f"{what} is miscoded")
        if isinstance(coding, Number):
            check(bool(np.isfinite(coding.mean)), f"{what} has no mean")
        elif isinstance(coding, Levels | Encoded):
            check_array(coding.codes, (len(coding.labels),), f"codes of {what}")
            check(bool((coding.codes[1:] > coding.codes[:-1]).all()), f"codes of {what} do not increase")
        if isinstance(coding, Levels):
            check_array(coding.shares, (len(coding.labels),), f"shares of {what}")
            check(
                bool(((coding.shares >= 0) & (coding.shares <= 1)).all()), f"shares of {what} are no shares"
            )
        if isinstance(coding, Encoded):
            check_array(coding.prior, (len(coding.targets),), f"prior of {what}")
            check_array(coding.values, (len(coding.labels), len(coding.targets)), f"values of {what}")
    if isinstance(columns, FilledColumns):
        if columns.fill is None:
            raise RefusedError("its columns have gaps and nothing that fills them")
        check_fill(columns.fill, columns.n_out)


def check_fill(fill: Fill, n_columns: int) -> None:
    """Refuse a map of gaps that can't have been learned from so many columns."""
    check_array(fill.mean, (n_columns,), "means of the fill")
    check_array(fill.spread, (n_columns,), "spreads of the fill")
    check(bool((fill.spread > 0).all()), "spreads of the fill are not all above 0")
    pieces = fill.pieces
    check_array(pieces.means, (None, n_columns), "means of the pieces")
    check_array(pieces.precisions, (len(pieces.means), n_columns, n_columns), "precisions of the pieces")
    check_array(pieces.offsets, (len(pieces.means),), "offsets of the pieces")
    whole = all(one.dtype == np.float64 and one.flags.c_contiguous for one in vars(pieces).values())
    check(len(pieces.means) > 0 and whole, "pieces are not of whole float64 arrays")


_CHECKS: dict[type, Callable[[Any, int, str], None]] = {
    Standardize: _standardize,
    AsFloat: _as_float,
    UnitRows: _as_float,
    QuantileNormal: _quantiles,
    OwnScaling: _own_scaling,
    AdditiveNodes: _additive,
    RadialNodes: _radial,
    PooledFields: _pooled_fields,
    DirectLink: _direct_link,
    Project: _project,
    ColumnFactors: _factors,
    FirstNodes: _first_nodes,
    KernelRows: _kernel_rows,
    Whitened: _whitened,
    LeafRows: _leaf_rows,
    TreeLeaves: _tree_leaves,
    Beside: _beside,
}
