"""`load`: where a data set is looked for, and what is said where it is not."""

from __future__ import annotations

import os
from pathlib import Path

from samara.datasets.bundled import bundled
from samara.datasets.catalogue import Entry, entry_of
from samara.datasets.data_set import DataSet, Origin, checked
from samara.datasets.openml import fetched
from samara.errors import InputError, StoreError

VARIABLE = "SAMARA_DATA"


def load(name: str, *, data: str | os.PathLike[str] | None = None, download: bool = True) -> DataSet:
    """Load a data set by its name.

    It is looked for as ``NAME.parquet`` in the folder, then among what comes with samara and with
    scikit-learn, then at OpenML. What can't be had is never replaced by something else.

    Parameters
    ----------
    name : str
        One of those that `catalogue` lists.
    data : path, optional
        A folder of Parquet files: the inputs as columns, the target in ``target``, and ``split`` with the
        values train and test where there is an official split. By default what the environment
        variable ``SAMARA_DATA`` names.
    download : bool, default=True
        Whether OpenML may be asked. scikit-learn fetches the file, verifies its checksum and keeps
        it in its data home, so that the next call needs no network.

    Returns
    -------
    DataSet
        The table, and ``X`` and ``y`` for an estimator.

    Raises
    ------
    InputError
        If the name is unknown, or the data set is not to be had; the sentence says where to get it.
    StoreError
        If a file is damaged, or holds something else than its name says.

    Examples
    --------
    >>> from samara.datasets import load
    >>> data = load("ionosphere")
    >>> data
    <DataSet ionosphere: 351 rows × 34 columns, 2 classes, from samara>
    >>> data.X.shape, str(data.y[0])
    ((351, 34), 'good')
    """
    from samara.sources.whole import made_whole, read_whole

    entry, folder = entry_of(name), folder_of(data)
    origin = origin_of(name, data=data, download=download)
    if origin is None:
        raise _missing(entry, folder)
    if origin == "folder" and folder is not None:
        path = _file(entry, folder)
        return checked(DataSet(entry, read_whole(path), origin), str(path))
    if origin == "OpenML":
        return checked(DataSet(entry, made_whole(fetched(entry)), origin), f"OpenML {entry.openml}")
    found = checked(DataSet(entry, made_whole(bundled(name)), origin), f"The table of {origin}")
    if not found.verified:
        raise StoreError(
            f"The data set {name} that comes with {origin} has other values than it should "
            f"(sha256 {found.sha256[:12]}…, not {entry.sha256[:12]}…): install {origin} anew."
        )
    return found


def origin_of(
    name: str, *, data: str | os.PathLike[str] | None = None, download: bool = True
) -> Origin | None:
    """Where `load` would take a data set from; nothing is read and nothing fetched.

    Parameters
    ----------
    name, data, download
        As for `load`.

    Returns
    -------
    {"folder", "samara", "scikit-learn", "OpenML"} or None
        None if it is not to be had.
    """
    entry, folder = entry_of(name), folder_of(data)
    if folder is not None and _file(entry, folder).is_file():
        return "folder"
    if entry.comes_with is not None:
        return entry.comes_with
    return "OpenML" if download and entry.openml is not None else None


def folder_of(data: str | os.PathLike[str] | None) -> Path | None:
    """The folder of data sets: as given, or as the environment says; None where none is named."""
    named = os.environ.get(VARIABLE) if data is None else data
    if not named:
        return None
    folder = Path(named).expanduser()
    if not folder.is_dir():
        what = f"the variable {VARIABLE}" if data is None else "data="
        raise InputError(f"The folder of data sets, {folder}, is not there: {what} has to name a folder.")
    return folder


def _file(entry: Entry, folder: Path) -> Path:
    return folder / f"{entry.name}.parquet"


def _missing(entry: Entry, folder: Path | None) -> InputError:
    """What is said of a data set that can't be had."""
    file = f"{entry.name}.parquet"
    looked = f"no {file} in {folder}" if folder else f"no folder is named (data= or {VARIABLE})"
    if entry.openml is None:
        why = f"put {file} into the folder, made from {entry.source}"
    else:
        why = f"allow download=True, for OpenML has it ({entry.openml}), or put {file} into the folder"
    return InputError(f"The data set {entry.name} can't be had: {looked}; {why}.")
