"""A tile of a kernel matrix: the product of two sets of rows, and what the kernel makes of it, in one call.

Both sides are scaled alike beforehand, so that one prepared copy of the rows serves as either: their product
is then already the exponent of 2 (or what is raised to a power), and the Gaussian adds half the squares of
both rows, −½‖x‖² and −½‖z‖², to x·z.
"""

from __future__ import annotations

import numpy as np

from samara.core import TILE_ROWS, Array
from samara.errors import InputError
from samara.linalg import kernels
from samara.linalg.kernels import DISTANCE, GAUSSIAN, LAPLACIAN, LOG2E, POWER, TANH, TileForm, TileSide


def kernel_tile(
    left: TileSide, right: TileSide, form: TileForm, out: Array, shift: Array | None = None
) -> Array:
    """k(left, right) less the shift, into ``out``; all of one precision, the rows of ``out`` contiguous."""
    _check(left, right, out)
    if out.size == 0:
        return out
    if kernels.compiled():
        less = None if shift is None else np.ascontiguousarray(shift, out.dtype)
        kernels.fill_tile(_packed(left), _packed(right), form, slack(left, out.dtype, form), out, less)
        return out
    for lo in range(0, len(out), TILE_ROWS):
        rows = slice(lo, lo + TILE_ROWS)
        _piece(_cut(left, rows), right, form, out[rows])
        if shift is not None:
            out[rows] -= shift
    return out


def _check(left: TileSide, right: TileSide, out: Array) -> None:
    """Sides that fit each other and the room: a compiled loop would read beyond them."""
    for side, n in zip((left, right), out.shape, strict=True):
        given = [part for part in (side.rows, side.halves) if part is not None]
        if any(len(part) != n or part.dtype != out.dtype for part in given):
            raise TypeError(f"sides of another length or precision than their room, {out.shape} {out.dtype}")
    if left.rows is not None and right.rows is not None and left.rows.shape[1] != right.rows.shape[1]:
        raise InputError(
            f"The rows have {left.rows.shape[1]} columns, those of the other side {right.rows.shape[1]}."
        )


def _packed(side: TileSide) -> TileSide:
    """The side with what the compiled loop can't step through copied: rows reversed or apart in a column."""
    rows, halves, _ = side
    if rows is not None and (
        rows.strides[1] != rows.itemsize or rows.strides[0] < rows.shape[1] * rows.itemsize
    ):
        rows = np.ascontiguousarray(rows)
    return TileSide(rows, None if halves is None else np.ascontiguousarray(halves))


def slack(side: TileSide, dtype: np.dtype[np.floating], form: TileForm) -> float:
    """Bound of the rounding in x·z − ½‖x‖² − ½‖z‖² of equal rows, as a share of ½‖x‖².

    The error of a sum of squares grows with the root of their number; this is several times that. A distance
    is the root of the sum, which makes an error of e one of √e near 0: from eps^⅓ of ½‖x‖² on, what is left
    of it is below eps^⅔.
    """
    if form.kind == DISTANCE and side.rows is not None:
        return float(np.cbrt(np.finfo(dtype).eps))
    terms = side.terms if side.rows is None else side.rows.shape[1]
    return float(np.finfo(dtype).eps * (8 + 4 * np.sqrt(terms)))


def _cut(side: TileSide, rows: slice) -> TileSide:
    mine, halves, terms = side
    return TileSide(None if mine is None else mine[rows], None if halves is None else halves[rows], terms)


def _piece(left: TileSide, right: TileSide, form: TileForm, z: Array) -> None:
    """The tile without the compiled loops."""
    if form.kind == LAPLACIAN:
        _laplacian(left, right, z)
        return
    if left.rows is not None and right.rows is not None:
        np.matmul(left.rows, right.rows.T, out=z)
    if form.kind in (GAUSSIAN, DISTANCE):
        _of_squares(left, right, form, z)
        return
    z += z.dtype.type(form.constant)
    if form.kind == TANH:
        z *= z.dtype.type(0.5 / LOG2E)
        np.tanh(z, out=z)
    elif form.kind == POWER:
        np.power(z, form.power, out=z)


def _of_squares(left: TileSide, right: TileSide, form: TileForm, z: Array) -> None:
    """A function of −½‖x − z‖²; where the sum of the three terms is all rounding, from the differences."""
    assert left.halves is not None
    assert right.halves is not None
    z += right.halves
    z += left.halves[:, None]
    i, j = np.nonzero(z > slack(left, z.dtype, form) * left.halves[:, None])
    if left.rows is None or right.rows is None:
        z[i, j] = 0
    else:
        for lo in range(0, len(i), TILE_ROWS):
            rows, columns = i[lo : lo + TILE_ROWS], j[lo : lo + TILE_ROWS]
            gap = left.rows[rows] - right.rows[columns]
            z[rows, columns] = -0.5 * np.einsum("ij,ij->i", gap, gap)
    if form.kind == DISTANCE:
        _of_distance(z, form.power)
        return
    z *= z.dtype.type(1 / LOG2E)
    with np.errstate(under="ignore"):
        np.exp(z, out=z)


def _of_distance(z: Array, degree: int) -> None:
    """e⁻ᵃ times 1, 1 + a or 1 + a + a²/3, with a = r/log₂e, of −½r²."""
    z *= z.dtype.type(-2)
    np.sqrt(z, out=z)
    z *= z.dtype.type(-1 / LOG2E)
    factor = 1 - z if degree else None
    if factor is not None and degree > 1:
        factor += z * z / 3
    with np.errstate(under="ignore"):
        np.exp(z, out=z)
        if factor is not None:
            z *= factor


def _laplacian(left: TileSide, right: TileSide, z: Array) -> None:
    """2 to the sum of the differences of each column, a column at a time."""
    assert left.rows is not None
    assert right.rows is not None
    z[...] = 0
    gap = np.empty_like(z)
    for mine, theirs in zip(left.rows.T, right.rows.T, strict=True):
        np.subtract(mine[:, None], theirs, out=gap)
        np.abs(gap, out=gap)
        z -= gap
    z *= z.dtype.type(1 / LOG2E)
    with np.errstate(under="ignore"):
        np.exp(z, out=z)
