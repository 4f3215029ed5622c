"""Arrays in files (NumPy, HDF5, zarr): their shapes, and some of their rows at a time."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.lib import format as npy

from samara.core import Array
from samara.errors import InputError, StoreError
from samara.sources.files import File, foreign

_FIXED = 30  # bytes of a zip member's own header before its name
_HEADER = 65_536  # bytes of an array's header that are read at most


@dataclass(frozen=True)
class StoredArray:
    """An array in a file: what it is, and where its values begin if they can be read straight."""

    name: str
    path: str
    format: str
    shape: tuple[int, ...]
    dtype: Any
    offset: int | None = None  # of the first value; None where the library of the format reads it
    by_columns: bool = False  # Fortran order

    @property
    def width(self) -> int:
        """Number of columns."""
        return 1 if len(self.shape) == 1 else self.shape[1]

    @property
    def row_bytes(self) -> int:
        return int(self.width * self.dtype.itemsize)

    @property
    def held_bytes(self) -> int:
        """A packed member of an .npz file is unpacked whole; of others only the rows asked for are read."""
        if self.format == "npz":
            return self.shape[0] * self.row_bytes
        return 0

    def opened(self) -> Callable[[int, int], Array]:
        """A function that gives some rows, (b, width)."""
        if self.offset is not None:
            return self._straight
        found = _OPENED[self.format](self.path, self.name)
        return lambda start, stop: np.asarray(found[start:stop]).reshape(stop - start, self.width)

    def _straight(self, start: int, stop: int) -> Array:
        """Rows read from the file itself: a memory map would keep every page it has touched."""
        assert self.offset is not None
        rows, step = stop - start, self.dtype.itemsize
        out: Array = np.empty((self.width, rows) if self.by_columns else (rows, self.width), self.dtype)
        runs = range(self.width) if self.by_columns else range(1)
        with open(self.path, "rb", buffering=0) as file:
            for j in runs:
                first = j * self.shape[0] + start if self.by_columns else start * self.width
                file.seek(self.offset + first * step)
                run: Array = out[j] if self.by_columns else out.reshape(-1)
                _fill(file, run.view(np.uint8).data)
        return out.T if self.by_columns else out


def _fill(file: Any, view: memoryview) -> None:
    """Read until the view is full."""
    while view:
        got = file.readinto(view)
        if not got:
            raise EOFError("the file ends before its rows do")
        view = view[got:]


def _npy_arrays(file: File) -> list[StoredArray]:
    with open(file.path, "rb") as opened:
        return [_npy_array(opened, "", file.path, file.size)]


def _npy_array(opened: Any, name: str, path: str, size: int, packed: bool = False) -> StoredArray:
    """The header of an array in NumPy's format, at the place where the file stands."""
    try:
        version = npy.read_magic(opened)
        header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}.get(version)
        if header is None:
            raise ValueError(f"its version {version} is unknown")
        shape, by_columns, dtype = header(opened, max_header_size=_HEADER)
    except ValueError as error:
        raise StoreError(f"{path} can't be read: {str(error).splitlines()[0].rstrip('.')}.") from error
    if dtype.hasobject:
        raise InputError(
            f"{path} holds Python objects ({name or 'dtype object'}), which only a pickle could load: "
            "store numbers."
        )
    offset = None if packed else opened.tell()
    if offset is not None and offset + int(np.prod(shape, dtype=object)) * dtype.itemsize > size:
        raise StoreError(
            f"{path} can't be read: it is shorter than its header says{f' ({name})' if name else ''}."
        )
    return StoredArray(
        name, path, "npz" if packed else "npy", shape, dtype, offset, by_columns and len(shape) == 2
    )


def _npz_arrays(file: File) -> list[StoredArray]:
    try:
        with zipfile.ZipFile(file.path) as members, open(file.path, "rb") as raw:
            return [_npz_array(members, info, raw, file) for info in members.infolist()]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError) as error:
        raise StoreError(f"{file.path} can't be read: {error}.") from error


def _npz_array(members: zipfile.ZipFile, info: zipfile.ZipInfo, raw: Any, file: File) -> StoredArray:
    """An array of an .npz file; one that is not packed is read straight from the file."""
    name = info.filename.removesuffix(".npy")
    if info.compress_type != zipfile.ZIP_STORED:
        with members.open(info) as packed:
            return _npy_array(packed, name, file.path, file.size, packed=True)
    raw.seek(info.header_offset)
    head = raw.read(_FIXED)
    raw.seek(
        info.header_offset
        + _FIXED
        + int.from_bytes(head[26:28], "little")
        + int.from_bytes(head[28:30], "little")
    )
    return _npy_array(raw, name, file.path, file.size)


def _npz_opened(path: str, name: str) -> Any:
    with np.load(path, allow_pickle=False) as members:
        return members[name]


def _hdf5_arrays(file: File) -> list[StoredArray]:
    h5py = _imported("h5py", "h5py", file.path)
    found: list[StoredArray] = []

    def visit(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found.append(StoredArray(name, file.path, "hdf5", item.shape or (), item.dtype))

    with h5py.File(file.path, "r") as opened:
        opened.visititems(visit)
    return found


def _hdf5_opened(path: str, name: str) -> Any:
    return _imported("h5py", "h5py", path).File(path, "r")[name]


def _zarr_arrays(file: File) -> list[StoredArray]:
    zarr = _imported("zarr", "zarr", file.path)
    opened = zarr.open(file.path, mode="r")
    if isinstance(opened, zarr.Array):
        return [StoredArray("", file.path, "zarr", opened.shape, opened.dtype)]
    return [
        StoredArray(name, file.path, "zarr", item.shape, item.dtype)
        for name, item in sorted(opened.members(max_depth=None))
        if isinstance(item, zarr.Array)
    ]


def _zarr_opened(path: str, name: str) -> Any:
    found = _imported("zarr", "zarr", path).open(path, mode="r")
    return found[name] if name else found


def _imported(module: str, package: str, path: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(f"To read {path} install {package}: pip install {package}.") from None


_ARRAYS = {"npy": _npy_arrays, "npz": _npz_arrays, "hdf5": _hdf5_arrays, "zarr": _zarr_arrays}
_OPENED = {"npz": _npz_opened, "hdf5": _hdf5_opened, "zarr": _zarr_opened}


def stored_arrays(file: File, format_: str) -> list[StoredArray]:
    """The arrays of a file."""
    if file.is_remote:
        raise InputError(f"{file.path}: arrays are read from local files only; copy it, or store Parquet.")
    with foreign(file.path):
        if format_ != "zarr" and os.path.getsize(file.path) != file.size:
            raise StoreError(f"{file.path} has changed since it was scanned. Scan it again.")
        return _ARRAYS[format_](file)
