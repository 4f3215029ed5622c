"""Principal components as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar, Self

import numpy as np

from samara.components import (
    BLOCK_ROWS,
    GRAM_COLUMNS,
    Arriving,
    Choice,
    Components,
    count,
    find_components,
    moments_of,
    new_moments,
    spectrum,
)
from samara.core import Array, Crew, dense
from samara.errors import InputError, NonFiniteError
from samara.estimators.inputs import check_inputs, refuse_non_finite
from samara.estimators.number_rows import number_source
from samara.estimators.parameters import read_engine, read_seed
from samara.estimators.pca_settings import read_choice, read_solver
from samara.estimators.projection import Projection
from samara.sources import ArraySource
from samara.store import RefusedError
from samara.summaries import Moments

_RESULTS = (
    *("components_", "explained_variance_", "explained_variance_ratio_", "singular_values_", "mean_"),
    *("n_components_", "noise_variance_", "n_samples_", "solver_", "error_"),
)


class AdaptivePCA(Projection):
    r"""Principal component analysis that chooses its number of components and reads rows as a stream.

    .. math:: X - \mathbf 1\mu^\top \approx U \Sigma V^\top, \qquad z = V^\top (x - \mu) .

    The components V are the leading eigenvectors of the centred moments of the rows, which one pass gives
    (``gram``); of the products of the rows, where these are fewer than the columns (``dual``); or they come
    from the blocked range finder (``random``; Jankowski and Linowiecki, Algorithms 2 to 4), where few
    components of a large matrix are wanted. Attributes, signs and numbers are those of scikit-learn's
    ``PCA``.

    Parameters
    ----------
    n_components : int, float or "auto", default="auto"
        Components to keep; a float in (0, 1) is the share of the variance that they are to hold; ``"auto"``
        leaves it to ``stop``.
    stop : {"press", "gradient"}, stop or None, default=None
        How ``"auto"`` chooses. ``"press"``: the predicted error of a cell left out is smallest (generalized
        cross-validation). ``"gradient"``, or any of :class:`samara.linalg.GradientStop`,
        :class:`samara.linalg.EnergyStop` and :class:`samara.linalg.ErrorStop`: the range finder stops there.
        None is ``"press"``, beyond 6,000 rows and columns ``"gradient"``.
    whiten : bool, default=False
        Divide the components by their standard deviations.
    solver : {"auto", "gram", "dual", "random"}, default="auto"
        ``auto`` takes what needs the fewest operations.
    engine : "threads", :class:`samara.engines.Threads`, or a Dask cluster, default=None
        Who merges the moments.
    random_state : int, RandomState or None, default=None
        Seed of the range finder.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Directions, the one with the largest variance first; the largest entry of each is positive.
    explained_variance_ : ndarray of shape (n_components_,)
        Variances along them.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        Their shares of the whole variance.
    singular_values_ : ndarray of shape (n_components_,)
        Singular values of the centred rows.
    mean_ : ndarray of shape (n_features,)
        Means of the columns.
    n_components_ : int
        Number of components.
    noise_variance_ : float
        Mean variance along the directions that are left out.
    n_samples_ : int
        Number of rows.
    solver_ : str
        What gave them: ``gram``, ``dual``, ``random``, or ``update`` for wide rows that arrived in batches.
    error_ : float
        ‖A − AVVᵀ‖_F / ‖A‖_F of the centred rows A: what the components leave.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where X had names.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from samara import AdaptivePCA
    >>> X, _ = load_digits(return_X_y=True)
    >>> AdaptivePCA(0.9).fit(X).n_components_
    21
    """

    _SAVED: ClassVar[Mapping[str, Any]] = {
        **dict.fromkeys(_RESULTS[:5], Array),
        "n_components_": int,
        "noise_variance_": float,
        "n_samples_": int,
        "solver_": str,
        "error_": float,
        "n_features_in_": int,
    }

    def __init__(
        self,
        n_components: Any = "auto",
        *,
        stop: Any = None,
        whiten: bool = False,
        solver: str = "auto",
        engine: Any = None,
        random_state: Any = None,
    ) -> None:
        self.n_components = n_components
        self.stop = stop
        self.whiten = whiten
        self.solver = solver
        self.engine = engine
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the components of rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows of numbers.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        with self._all_or_nothing():
            choice, crew = read_choice(self), self._crew()
            source = number_source(self, X, fitting=True)
            solver = read_solver(self.solver, source, choice)
            if choice == "auto":
                choice = "gradient" if solver == "random" else "press"
            self.__dict__.pop("_rows", None)
            try:
                if solver == "gram":
                    self._rows: Moments | Arriving = moments_of(source, crew)
                    found = spectrum(self._rows)
                    found = found.cut(count(found, choice))
                else:
                    found = find_components(source, choice, solver, crew, self._seed())
            except NonFiniteError:
                if isinstance(source, ArraySource):
                    refuse_non_finite(source.X, getattr(self, "feature_names_in_", None))
                raise
            self._take(found, getattr(source, "X", np.empty(0)).dtype)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Add rows; the components are those of all rows so far.

        Up to 2,500 columns the moments of the rows are kept, and how they are cut into batches changes
        nothing. Beyond, the leading directions are brought up to date with each batch; ``n_components`` must
        then be a number.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows, one or many.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The transformer.
        """
        with self._all_or_nothing():
            choice, began = read_choice(self), "_rows" in self.__dict__
            if not began and "components_" in self.__dict__:
                raise InputError("What this fit learned from is gone: give all rows to partial_fit.")
            X = check_inputs(self, X, fitting=True, first=not began, at_least=1)
            refuse_non_finite(X, getattr(self, "feature_names_in_", None))
            self._add(X, choice)
            for name in _RESULTS:
                self.__dict__.pop(name, None)
        return self

    def _add(self, X: Any, choice: Choice) -> None:
        source = ArraySource(X, np.empty((X.shape[0], 0)))
        rows = self.__dict__.get("_rows")
        if X.shape[1] > GRAM_COLUMNS:
            if not isinstance(choice, int):
                raise InputError(
                    f"Rows of {X.shape[1]:,} columns that arrive in batches need n_components as a number."
                )
            # A new object: a batch that fails leaves the one before as it was.
            rows = Arriving(choice + max(10, choice // 2)) if rows is None else deepcopy(rows)
            rows.update(dense(X).astype(np.float64))
        else:
            blocks = [block for part in source.parts(1) for block in part.blocks(BLOCK_ROWS)]
            rows = new_moments(blocks[0], X.shape[1]) if rows is None else rows
            for block in blocks:
                rows.update(block)
        self._rows, self._dtype = rows, X.dtype

    def __getattr__(self, name: str) -> Any:
        """Results of rows that arrived are worked out when they are first asked for."""
        rows = self.__dict__.get("_rows")
        if name not in _RESULTS or rows is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        found = spectrum(rows) if isinstance(rows, Moments) else rows.components()
        choice = read_choice(self)
        kept = count(found, "press" if choice == "auto" else choice)
        self._take(found.cut(kept), self._dtype)
        return self.__dict__[name]

    def _take(self, found: Components, dtype: np.dtype[Any]) -> None:
        """Set every attribute at once."""
        self._dtype = dtype
        kind = np.float32 if dtype == np.float32 else np.float64
        k, n, most = len(found.squares), found.n_rows, min(found.n_rows, len(found.mean))
        left = max(0.0, found.energy - float(found.squares.sum()))
        variances = found.squares / max(1, n - 1)
        self.components_ = np.ascontiguousarray(found.directions, kind)
        self.explained_variance_ = variances.astype(kind)
        self.explained_variance_ratio_ = (found.squares / (found.energy or 1.0)).astype(kind)
        self.singular_values_ = np.sqrt(found.squares).astype(kind)
        self.mean_ = found.mean.astype(kind)
        self.n_components_, self.n_samples_, self.solver_ = k, n, found.solver
        self.noise_variance_ = left / max(1, n - 1) / (most - k) if k < most else 0.0
        self.error_ = float(np.sqrt(left / (found.energy or 1.0)))

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _crew(self) -> Crew:
        crew = read_engine(self.engine)
        return crew.planned(crew.workers, BLOCK_ROWS, crew.progress)

    def _seed(self) -> int:
        return read_seed(self.random_state)

    def _settings(self) -> Any:
        self._crew()
        self._seed()
        return read_choice(self)

    @staticmethod
    def _check_saved(fitted: Mapping[str, Any]) -> None:
        """Refuse attributes that can't be those of one fit."""
        k, d = fitted["n_components_"], fitted["n_features_in_"]
        shapes = {"components_": (k, d), "mean_": (d,)} | dict.fromkeys(_RESULTS[1:4], (k,))
        for name, shape in shapes.items():
            array = fitted[name]
            if array.shape != shape or array.dtype.kind != "f" or not np.isfinite(array).all():
                raise RefusedError(f"its {name} is not {shape} finite numbers")
