"""Whether the parts of a model that came from a file belong together: shapes that agree, finite weights."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from samara.core import Array, FeatureMap
from samara.errors import InputError
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
    Levels,
    Number,
    OwnScaling,
    PooledFields,
    Project,
    QuantileNormal,
    RadialNodes,
    Standardize,
    UnitRows,
    Whitened,
)
from samara.maps.activations import ACTIVATIONS
from samara.maps.nodes import FirstNodes
from samara.model import Model
from samara.selection import Selection
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
    _check(model.coef.dtype == model.intercept.dtype, "coefficients and intercept differ in precision")
    _check(model.coef.shape[1] >= 1, "coefficients are of no target")
    match model.maps:
        case (*_, Standardize() | AsFloat(), AdditiveNodes() | RadialNodes() as nodes):
            # Both go in one call, which works in one precision.
            _check(nodes.dtype == model.coef.dtype, "nodes and coefficients differ in precision")


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


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise RefusedError(f"its {otherwise}")


def _check_dtype(dtype: Any, what: str) -> None:
    _check(dtype in (np.float32, np.float64), f"{what} has the precision {dtype}, not float32 or float64")


def _standardize(one: Standardize, n_in: int, what: str) -> None:
    check_array(one.mean, (n_in,), f"means of {what}")
    check_array(one.spread, (n_in,), f"spreads of {what}")
    _check(bool((one.spread > 0).all()), f"spreads of {what} are not all above 0")
    _check_dtype(one.dtype, what)


def _as_float(one: AsFloat | UnitRows, n_in: int, what: str) -> None:
    _check(one.n_out == n_in, f"{what} has {one.n_out} columns where {n_in} are needed")
    _check_dtype(one.dtype, what)


def _quantiles(one: QuantileNormal, n_in: int, what: str) -> None:
    _check(len(one.knots) == len(one.scores) == n_in, f"{what} is not of {n_in} columns")
    for knots, scores in zip(one.knots, one.scores, strict=True):
        check_array(knots, (None,), f"knots of {what}", "biuf")
        check_array(scores, (len(knots),), f"scores of {what}")
        _check(len(knots) > 0 and bool((knots[1:] > knots[:-1]).all()), f"knots of {what} do not increase")
    _check_dtype(one.dtype, what)


def _own_scaling(one: OwnScaling, n_in: int, what: str) -> None:
    check_map(one.scaling, n_in, what)
    _check_dtype(one.dtype, what)


def _additive(one: AdditiveNodes, n_in: int, what: str) -> None:
    _check(one.activation in ACTIVATIONS, f"{what} has an unknown activation")
    check_array(one.weights, (n_in + 1, None), f"weights of {what}")
    _check_dtype(one.weights.dtype, what)


def _radial(one: RadialNodes, n_in: int, what: str) -> None:
    _check(one.function in ("rbf", "multiquadric"), f"{what} has an unknown function")
    check_array(one.centres, (None, n_in), f"centres of {what}")
    check_array(one.gamma, (len(one.centres),), f"widths of {what}")
    _check_dtype(one.centres.dtype, what)


def _pooled_fields(one: PooledFields, n_in: int, what: str) -> None:
    whole = len(one.image) == 3 and min(one.image) >= 1 and prod(one.image) == n_in
    _check(whole, f"{what} is not of images of {n_in} values")
    possible = 1 <= one.size <= min(one.image[:2]) and one.pool >= 0 and one.stride >= 1
    _check(possible, f"{what} has fields that can't be")
    check_array(one.filters, (one.size**2 * one.image[2], None), f"filters of {what}")
    _check_dtype(one.filters.dtype, what)


def _direct_link(one: DirectLink, n_in: int, what: str) -> None:
    _check(one.n_inputs == n_in, f"{what} links {one.n_inputs} inputs where there are {n_in}")
    check_map(one.nodes, n_in, f"nodes of {what}")


def _project(one: Project, n_in: int, what: str) -> None:
    check_array(one.directions, (n_in, None), f"directions of {what}")


def _factors(one: ColumnFactors, n_in: int, what: str) -> None:
    check_array(one.factors, (n_in,), f"factors of {what}")


def _first_nodes(one: FirstNodes, n_in: int, what: str) -> None:
    whole = check_map(one.whole, n_in, what)
    _check(1 <= one.n_out <= whole, f"{what} takes {one.n_out} of {whole} columns")


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
        _check(bool(inside), f"centres of {what} are not rows of the {n_in} fitted")
    elif sparse.issparse(centres):
        _check(centres.shape[1] == n_in, f"centres of {what} have {centres.shape[1]} columns, not {n_in}")
        check_array(centres.data, (None,), f"centres of {what}", "biuf")
    else:
        check_array(centres, (None, n_in), f"centres of {what}", "biuf")


def _beside(one: Beside, n_in: int, what: str) -> None:
    _check(len(one.chains) > 0 and all(one.chains), f"{what} has no chains, or empty ones")
    for chain in one.chains:
        width = n_in
        for feature_map in chain:
            width = check_map(feature_map, width, f"{type(feature_map).__name__} of {what}")


def _whitened(one: Whitened, n_in: int, what: str) -> None:
    _kernel_rows(one.rows, n_in, what)
    check_array(one.triangle, (one.rows.n_out, one.rows.n_out), f"triangle of {what}")
    _check(bool(np.diagonal(one.triangle).all()), f"triangle of {what} is singular")


def check_columns(columns: Columns, n_features: int) -> None:
    """Refuse a map of columns that can't have been learned from so many."""
    names = [column.name for column in columns.schema]
    agree = len(names) == len(columns.codings) == n_features and len(set(names)) == n_features
    _check(agree, f"columns are not {n_features} different ones, each with a coding")
    for column, coding in zip(columns.schema, columns.codings, strict=True):
        what = f"column {column.name!r}"
        _check(coding is None or isinstance(coding, Number) == (column.kind != "text"), f"{what} is miscoded")
        if isinstance(coding, Number):
            _check(bool(np.isfinite(coding.mean)), f"{what} has no mean")
        elif isinstance(coding, Levels | Encoded):
            check_array(coding.codes, (len(coding.labels),), f"codes of {what}")
            _check(bool((coding.codes[1:] > coding.codes[:-1]).all()), f"codes of {what} do not increase")
        if isinstance(coding, Levels):
            check_array(coding.shares, (len(coding.labels),), f"shares of {what}")
            _check(
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
    _check(bool((fill.spread > 0).all()), "spreads of the fill are not all above 0")
    pieces = fill.pieces
    check_array(pieces.means, (None, n_columns), "means of the pieces")
    check_array(pieces.precisions, (len(pieces.means), n_columns, n_columns), "precisions of the pieces")
    check_array(pieces.offsets, (len(pieces.means),), "offsets of the pieces")
    whole = all(one.dtype == np.float64 and one.flags.c_contiguous for one in vars(pieces).values())
    _check(len(pieces.means) > 0 and whole, "pieces are not of whole float64 arrays")


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
    Beside: _beside,
}


def check_selection(selection: Selection, n_outputs: int) -> None:
    """Scores of as many sizes and ridges as there are; they may be NaN, where a method has none."""
    sizes, ridges = len(np.atleast_1d(selection.n_hidden)), len(np.atleast_1d(selection.alphas))
    shapes = {
        "n_hidden": (sizes,),
        "alphas": (ridges,),
        "scores": (sizes, ridges),
        "errors": (sizes, ridges),
        "target_scores": (sizes, ridges, n_outputs),
    }
    for name, shape in shapes.items():
        array = getattr(selection, name)
        _check(array.shape == shape and array.dtype.kind in "iuf", f"selection has {name} of another shape")
    ranks = selection.ranks
    _check(ranks is None or ranks.shape == (sizes,), "selection has ranks of another shape")
    check_ridge(selection.best_alpha, n_outputs)


def check_ridge(alpha: float | Array, n_outputs: int) -> None:
    """One ridge, or one for each target."""
    if isinstance(alpha, np.ndarray):
        check_array(alpha, (n_outputs,), "ridges")
    _check(bool(np.all(np.isfinite(alpha) & (np.asarray(alpha) >= 0))), "ridge is not a number of 0 or more")


def check_metric(metric: Array, n_inputs: int) -> None:
    """A matrix of the inputs, or a factor for each."""
    check_array(metric, (n_inputs,) * metric.ndim if metric.ndim in (1, 2) else (n_inputs,), "metric")


def check_labels(classes: Array, n_outputs: int, several: bool) -> None:
    """Labels of as many classes as there are outputs; two classes, and ordered ones, have one fewer."""
    _check(classes.ndim == 1 and len(classes) >= 2, "classes are fewer than two")
    needed = 1 if len(classes) == 2 and not several else len(classes)
    good = n_outputs in (needed, len(classes) - (not several))
    _check(good, f"{len(classes)} classes need {needed} outputs, and it has {n_outputs}")
    check_distinct(classes)


def check_distinct(classes: Array) -> None:
    """Finite labels in increasing order, however many."""
    numbers = classes.dtype.kind in "biuf"
    _check(classes.ndim == 1, "classes are not in one row")
    _check(not numbers or bool(np.isfinite(classes).all()), "classes hold a NaN or an infinity")
    _check(bool((classes[1:] > classes[:-1]).all()), "classes are not in increasing order")
