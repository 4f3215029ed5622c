"""Spectral regression: rows mapped to the leading eigenvectors of a graph of them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from samara.core import Array
from samara.errors import InputError, unknown_name
from samara.estimators.common import ClosedForm
from samara.estimators.embedding import FirstStages, best_of, first_settings, refuse_count
from samara.estimators.given import GivenArrays
from samara.estimators.inputs import check_inputs, distinct, refuse_non_finite
from samara.estimators.labels import as_classes
from samara.estimators.neighbours import neighbour_distances
from samara.estimators.parameters import read_seed
from samara.estimators.progress import reporting
from samara.linalg.graph import RowGraph, group_responses, median_distance, similarities
from samara.sources import ArraySource, Scan

SUPERVISION = ("supervised", "semi", "unsupervised")
SIMILARITIES = ("simple", "heat")
UNLABELLED = -1
COMPONENTS = 2  # where no class tells how many


class SpectralRegression(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClosedForm):
    """Spectral regression: x ↦ z near the leading eigenvectors y of Wy = λDy (Liu et al. section 3).

    W holds the weights of a graph of the rows: 1/l_k between the l_k rows of class k, δ·s(i, j) between
    other neighbours. Where all rows have labels, the eigenvectors are known in closed form (Gram-Schmidt of
    the classes' indicators); else a sparse eigensolver finds them. A ridge regression then maps rows to them:
    αᵀx (eq. 6, 7), Σαᵢk(x, xᵢ) (eq. 8, 10) or βᵀh(x) (eq. 11–15), so that new rows can be mapped too. No
    matrix of d×d numbers is made where d is larger than n.

    Parameters
    ----------
    embedding : {"linear", "kernel", "elm", "auto"}, Kernel or layer, default="linear"
        The map: ``linear`` in the inputs; ``kernel``, a Gaussian one unless a :class:`samara.maps.Kernel` is
        given; ``elm``, Gaussian nodes unless a :class:`samara.maps.Radial` or :class:`samara.maps.Additive`
        is given; ``auto``: linear where columns are twice the rows or more, else of linear and kernel that
        with the smaller held-out error, for more than 5000 rows ``elm``.
    supervision : {"supervised", "semi", "unsupervised"}, default="supervised"
        ``supervised``: labels of all rows, no neighbours. ``semi``: the label −1 stands for none. In
        ``unsupervised`` labels are not looked at.
    n_components : int or None, default=None
        Responses. None: one fewer than there are classes, and 2 in ``unsupervised``.
    n_neighbors : int, default=5
        Neighbours p of each row in the graph; one of two rows has to be among the other's.
    delta : float, default=0.1
        δ in (0, 1]: weight of neighbours against that of classes, in ``semi``.
    similarity : {"simple", "heat"}, default="simple"
        s(i, j): 1, or exp(−‖xᵢ − xⱼ‖²/2σ²).
    sigma : float or "median", default="median"
        σ of ``heat``; the median distance of neighbours.
    n_hidden : int, list of int or "auto", default=1000
        Nodes of ``elm``; of Gaussian ones at most one a row.
    gamma : float, "scale", "median" or "auto", default="scale"
        Of ``kernel``, as in :class:`KernelELMRegressor`.
    alpha : float, list of float or "auto", default="auto"
        Ridge (the paper's γ), not divided by n, chosen by exact leave-one-out, for ``elm`` by 5-fold.
    scale : {"standard", "quantile", "unit"}, FeatureMap or None, default=None
        Scaling of the inputs before the map. Distances of neighbours are those of the inputs as they are.
    memory, engine, dtype, verbose
        As in :class:`ELMRegressor`.
    random_state : int, RandomState or None, default=None
        Seed of nodes.

    Attributes
    ----------
    embedding_ : str
        The map used: linear, kernel or elm.
    alpha_ : float
        Ridge used.
    classes_ : ndarray of shape (n_classes,)
        Labels; empty in ``unsupervised``.
    model_ : :class:`samara.model.Model`
        Maps and coefficients.
    selection_, plan_, rank_, condition_, approximation_error_, n_features_in_, feature_names_in_
        As in :class:`ELMRegressor`.

    Notes
    -----
    Eigenvectors have the mean square 1 under D. Those of a graph in pieces come first, by Gram-Schmidt of the
    pieces' indicators, heaviest piece first; more pieces than components can tell apart are refused.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.pipeline import make_pipeline
    >>> from samara import ELMClassifier, SpectralRegression
    >>> X, y = load_digits(return_X_y=True)
    >>> SpectralRegression().fit(X[:900], y[:900]).transform(X[900:]).shape
    (897, 9)
    >>> srelm = make_pipeline(SpectralRegression(), ELMClassifier(100, random_state=0))
    >>> bool(srelm.fit(X[:900], y[:900]).score(X[900:], y[900:]) > 0.9)
    True
    """

    def __init__(
        self,
        embedding: Any = "linear",
        *,
        supervision: str = "supervised",
        n_components: int | None = None,
        n_neighbors: int = 5,
        delta: Any = 0.1,
        similarity: str = "simple",
        sigma: Any = "median",
        n_hidden: Any = 1000,
        gamma: Any = "scale",
        alpha: Any = "auto",
        scale: Any = None,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.embedding = embedding
        self.supervision = supervision
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.delta = delta
        self.similarity = similarity
        self.sigma = sigma
        self.n_hidden = n_hidden
        self.gamma = gamma
        self.alpha = alpha
        self.scale = scale
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    @reporting
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the map.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows, in memory.
        y : array-like of shape (n_samples,), optional
            Labels; −1 where there is none, in ``semi``.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        with self._all_or_nothing():
            self._check()
            if isinstance(X, Scan):
                raise InputError("SpectralRegression takes rows in memory, not a scan.")
            y = None if self.supervision == "unsupervised" else y
            checked = check_inputs(self, X, y, fitting=True)
            X, y = checked if isinstance(checked, tuple) else (checked, None)
            self.classes_, codes = self._classes(X.shape[0], y)
            given = GivenArrays(ArraySource(X, self._responses(X, codes)))
            done = self._following(given, lambda progress: best_of(FirstStages(self, given, progress).each()))
            made = done.fitted
            self.embedding_, self.model_, self.plan_ = done.name, made.model, made.plan
            self.selection_, self.alpha_, self.rank_ = made.selection, made.alpha, made.rank
            self.condition_, self.approximation_error_ = made.condition, made.approximation_error
            self._n_features_out = made.model.coef.shape[1]
        return self

    def transform(self, X: Any) -> Array:
        """Map rows.

        Parameters
        ----------
        X : array-like, sparse matrix or data frame of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components)
            Each row near the responses of rows like it.
        """
        return self._outputs(X)

    def _settings(self) -> Any:
        self._check()
        return first_settings(self)

    def _check(self) -> None:
        """Refuse parameters that can't be used."""
        if self.supervision not in SUPERVISION:
            raise unknown_name("supervision", self.supervision, SUPERVISION)
        if self.similarity not in SIMILARITIES:
            raise unknown_name("similarity", self.similarity, SIMILARITIES)
        refuse_count("n_neighbors", self.n_neighbors)
        if self.n_components is not None:
            refuse_count("n_components", self.n_components)
        if not _is_number(self.delta) or not 0 < self.delta <= 1:
            raise InputError(f"delta must be above 0 and at most 1, got {self.delta!r}.")
        wide = _is_number(self.sigma) and 0 < self.sigma < np.inf
        if not wide and not (isinstance(self.sigma, str) and self.sigma == "median"):
            raise InputError(f'sigma must be a positive number or "median", got {self.sigma!r}.')

    def _classes(self, n_rows: int, y: Array | None) -> tuple[Array, Array]:
        """The classes, and the number of each row's, −1 where it has none."""
        if y is None:
            return np.empty(0), np.full(n_rows, UNLABELLED)
        y = as_classes(y)
        labelled = y != UNLABELLED if self.supervision == "semi" else np.ones(len(y), bool)
        if not labelled.any():
            raise InputError('y holds no label, −1 only: use supervision="unsupervised".')
        classes = distinct(y[labelled])
        if len(classes) < 2:
            only = classes.tolist()[0]
            raise InputError(
                f"SpectralRegression needs two classes or more; y holds one class only: {only!r}."
            )
        return classes, np.where(labelled, np.searchsorted(classes, y).clip(max=len(classes) - 1), UNLABELLED)

    def _responses(self, X: Any, codes: Array) -> Array:
        """The eigenvectors, of known classes without an eigensolver."""
        n, m = X.shape[0], len(self.classes_)
        count = self.n_components or (m - 1 if m else min(COMPONENTS, n - 1))
        most = m - 1 if self.supervision == "supervised" else n - 1
        if count > most:
            of = f"{m} classes" if self.supervision == "supervised" else f"{n} rows"
            raise InputError(f"{of} have {most} responses at most, got n_components={count}.")
        if self.supervision == "supervised":
            return group_responses(np.bincount(codes).astype(float))[codes][:, :count]
        refuse_non_finite(X, getattr(self, "feature_names_in_", None))
        return self._graph(X, codes).responses(count)

    def _graph(self, X: Any, codes: Array) -> RowGraph:
        """Neighbours and classes."""
        seed = read_seed(self.random_state)
        distances = neighbour_distances(X, self.n_neighbors, seed)
        width = None
        if self.similarity == "heat":
            width = median_distance(distances) if isinstance(self.sigma, str) else float(self.sigma)
        edges = (self.delta * similarities(distances, width)).tocoo()
        rows, columns = edges.coords
        between = (codes[rows] < 0) | (codes[rows] != codes[columns])  # within a class the weight is 1/l_k
        edges.data = edges.data * between
        made = edges.tocsr()
        made.eliminate_zeros()
        graph = RowGraph(made, codes)
        if not graph.degrees.all():
            raise InputError(f"sigma={width:.3g} leaves rows without neighbours: use a larger one.")
        return graph

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.supervision != "unsupervised"
        if tags.transformer_tags is not None:
            tags.transformer_tags.preserves_dtype = []
        return tags


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
