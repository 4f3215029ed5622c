"""A compiled layer of nodes (nodes.h, outputs.h): the hidden rows of a block, or only what they lead to."""

from __future__ import annotations

import ctypes
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from samara.core import Array
from samara.errors import NonFiniteError
from samara.linalg.blas import data_of, routine_address
from samara.linalg.kernels import floats, lead, library, steps_by_one, stride


class _States(IntEnum):
    """What the functions return, as in outputs.h."""

    DONE = 0
    NO_ROOM = 1
    NOT_FINITE = 2


class Layer(NamedTuple):
    """h(x) = g([(x − mean)·factor, 1]·weights); between the inputs and the 1, radial nodes take ‖x‖²."""

    mean: Array  # (d,) float64
    factor: Array  # (d,) float64: one by the spread
    weights: Array  # (width, L), multiplied by what `kernels.EXPONENT` says
    kind: int  # of g, as numbered in `kernels`


class _Job(ctypes.Structure):
    """The structure of the same name in nodes.h."""

    _fields_ = (
        ("inputs", ctypes.c_void_p),
        ("n", ctypes.c_int64),
        ("d", ctypes.c_int64),
        ("input_stride", ctypes.c_int64),
        ("input_is_double", ctypes.c_int64),
        ("mean", ctypes.c_void_p),
        ("factor", ctypes.c_void_p),
        ("weights", ctypes.c_void_p),
        ("width", ctypes.c_int64),
        ("nodes", ctypes.c_int64),
        ("kind", ctypes.c_int64),
        ("shift", ctypes.c_void_p),
        ("out", ctypes.c_void_p),
        ("out_stride", ctypes.c_int64),
        ("gemm", ctypes.c_void_p),
        ("coef", ctypes.c_void_p),
        ("intercept", ctypes.c_void_p),
        ("targets", ctypes.c_int64),
    )


def fill_rows(X: Any, layer: Layer, shift: Array, out: Array) -> None:
    """The hidden rows of X, less the shift, into ``out``, whose rows may lie apart."""
    _run(X, layer, shift, None, out)


def fill_outputs(X: Any, layer: Layer, coef: Array, intercept: Array, out: Array) -> None:
    """h(x)·coef + intercept of every row of X, into ``out``; refuses inputs that are not finite.

    With 512-bit registers and few inputs and targets, the same row gives the same bits in any company.
    """
    nodes, dtype = layer.weights.shape[1], layer.weights.dtype
    if coef.dtype != dtype or coef.shape != (nodes, len(intercept)):
        raise TypeError(f"{nodes} nodes need as many {dtype} coefficients, not {coef.shape} {coef.dtype}")
    readout = np.ascontiguousarray(coef), np.ascontiguousarray(intercept, dtype)
    _run(X, layer, np.zeros(nodes, dtype), readout, out)


def _run(X: Any, layer: Layer, shift: Array, readout: tuple[Array, Array] | None, out: Array) -> None:
    X, (mean, factor, weights, kind) = floats(X), layer
    room = (len(X), weights.shape[1] if readout is None else len(readout[1]))
    if not weights.dtype == shift.dtype == out.dtype or out.shape != room or not steps_by_one(out):
        raise TypeError(f"no room for {room} {weights.dtype} in {out.shape} {out.dtype}")
    if not (weights.flags.c_contiguous and shift.flags.c_contiguous and mean.dtype == factor.dtype == float):
        raise TypeError("weights, shift, mean and factor must be contiguous")
    job = _Job(
        inputs=data_of(X),
        n=len(X),
        d=X.shape[1],
        input_stride=stride(X),
        input_is_double=X.dtype == np.float64,
        mean=data_of(mean),
        factor=data_of(factor),
        weights=data_of(weights),
        width=len(weights),
        nodes=weights.shape[1],
        kind=kind,
        shift=data_of(shift),
        out=data_of(out),
        out_stride=lead(out),
        gemm=routine_address("dgemm" if weights.dtype == np.float64 else "sgemm"),
        coef=None if readout is None else data_of(readout[0]),
        intercept=None if readout is None else data_of(readout[1]),
        targets=0 if readout is None else room[1],
    )
    precision = "double" if weights.dtype == np.float64 else "single"
    work = getattr(library(), f"{'fill' if readout is None else 'outputs'}_{precision}")
    match work(ctypes.byref(job)):
        case _States.NO_ROOM:
            raise MemoryError("no room for a tile of scaled inputs")
        case _States.NOT_FINITE:
            raise NonFiniteError("Input X contains NaN or infinity.")
