"""Data sets from OpenML, fetched and kept by scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from samara.core import Array
from samara.datasets.catalogue import Entry
from samara.datasets.data_set import in_numbers
from samara.errors import InputError, StoreError


def fetched(entry: Entry) -> dict[str, Array]:
    """The columns of OpenML's copy; its checksum is verified by scikit-learn, which keeps the file."""
    found = _fetch(entry)
    X = np.asarray(found.data)
    columns = {
        name: _column(X[:, j], found.categories.get(name)) for j, name in enumerate(found.feature_names)
    }
    target = np.asarray(found.target)
    if target.ndim != 1:
        raise StoreError(f"OpenML {entry.openml} is not the data set {entry.name}: it has several targets.")
    columns[entry.targets[0]] = target.astype(np.str_) if target.dtype.kind == "O" else target
    return columns


def _fetch(entry: Entry) -> Any:
    from sklearn.datasets import fetch_openml

    copy = f"{entry.name} from OpenML ({entry.openml})"
    advice = f"put {entry.name}.parquet into a folder and name that by data= or SAMARA_DATA"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about each attempt that failed; the last one is told below
            # Of both parsers the one that does without pandas; arrays keep categories as codes and a list.
            return fetch_openml(
                data_id=entry.openml, as_frame=False, parser="liac-arff", n_retries=1, delay=0.5
            )
    except OSError as error:  # no network, no such address, no place to keep it
        raise InputError(f"Can't fetch the data set {copy}: {_why(error)}; {advice}.") from error
    except ValueError as error:  # a checksum that differs, a number that is gone
        raise StoreError(f"Can't use the data set {copy}: {_why(error)}; {advice}.") from error


def _why(error: Exception) -> str:
    """What went wrong, in one line."""
    reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
    return (str(reason).strip() or type(error).__name__).splitlines()[0].rstrip(".")


def _column(values: Array, categories: Sequence[str] | None) -> Array:
    """Numbers, or the categories that they are codes of, which may be numbers again."""
    codes = values.astype(np.float64)
    if categories is None:
        return codes
    missing = np.isnan(codes)
    if missing.any():
        return np.array([*categories, None], dtype=object)[np.where(missing, -1, codes).astype(np.int64)]
    return in_numbers(np.array(categories, dtype=np.str_)[codes.astype(np.int64)])
