"""The nearest neighbours of rows: scikit-learn's, or pynndescent's where there are many rows."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from samara.errors import InputError

MANY_ROWS = 20_000  # from which on approximate neighbours are worth it: exact ones take n²d


def neighbour_distances(X: Any, n_neighbors: int, seed: int) -> Any:
    """CSR matrix (n, n): the distance of each row to its nearest rows, itself left out."""
    n = X.shape[0]
    if n_neighbors >= n:
        raise InputError(
            f"n_neighbors={n_neighbors} needs {n_neighbors + 1} rows or more, got {n}: use at most {n - 1}."
        )
    if n >= MANY_ROWS and find_spec("pynndescent") is not None:
        return _approximate(X, n_neighbors, seed)
    found = NearestNeighbors(n_neighbors=n_neighbors).fit(X).kneighbors_graph(mode="distance")
    return sparse.csr_array(found)


def _approximate(X: Any, n_neighbors: int, seed: int) -> Any:
    """By nearest-neighbour descent; a row that is found as its own neighbour is left out."""
    from pynndescent import NNDescent

    n = X.shape[0]
    rows, distances = NNDescent(X, n_neighbors=n_neighbors + 1, random_state=seed).neighbor_graph
    own = np.repeat(np.arange(n), n_neighbors + 1)
    rows, distances = rows.ravel(), distances.ravel()
    kept = (rows != own) & (rows >= 0)
    return sparse.csr_array((distances[kept].astype(np.float64), (own[kept], rows[kept])), shape=(n, n))
