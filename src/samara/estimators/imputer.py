"""Missing values filled by what the others of the row say, as a scikit-learn transformer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samara.core import Array, Crew, Source
from samara.errors import InputError, NonFiniteError, unknown_name
from samara.estimators.common import ClosedForm
from samara.estimators.inputs import check_inputs, refuse_infinite
from samara.estimators.parameters import read_count, read_engine, read_positive, read_seed
from samara.estimators.tables import (
    as_scan,
    chunks_of,
    fitting_scan,
    is_table,
    raw_rows,
    set_names,
    stream_of,
)
from samara.imputation import Imputed, Wanted, learn_fill
from samara.linalg.workers import available_cores, in_threads
from samara.maps import Columns, Fill, NoTargets, WithGaps
from samara.model_checks import check_fill
from samara.sources import ArraySource, Scan, StreamSource, frame_rows
from samara.tables import columns_with_gaps

BLOCK_ROWS = 1024
METHODS = ("gaussian", "soft", "hard")


class LowRankImputer(OneToOneFeatureMixin, TransformerMixin, ClosedForm):
    r"""Fill missing values by a low-rank or Gaussian model of the rows, learned from what is there.

    .. math:: x_m = \mu_m - P_{mm}^{-1} P_{mo} (x_o - \mu_o) ,

    m the gaps of a row and o the rest of it. For ``soft`` and ``hard`` P is :math:`I - V g(\Sigma) V^\top` of
    the leading singular vectors of the filled rows (iterative SVD imputation, named by Jankowski and
    Linowiecki), for ``gaussian`` the inverse covariance of the rows, or of several pieces that they fall
    into: a row is filled by the pieces that explain what is there. Every pass fills the rows by the last P
    and gives the next. Rank, shrinkage and pieces are those with the smallest error on hidden entries.

    Parameters
    ----------
    rank : int or "auto", default="auto"
        Directions of the model, at most the smaller of rows and columns.
    method : {"gaussian", "soft", "hard"}, default="gaussian"
        ``hard``: the leading directions as they are; ``soft``: each shrunk; ``gaussian``: conditional means,
        with one variance for the directions that the rank leaves out.
    n_pieces : int or "auto", default="auto"
        Pieces of a ``gaussian`` model; more of them follow the rows where columns depend on each other in a
        curved way.
    shrinkage : float or "auto", default="auto"
        For ``soft``: what is taken off the standard deviation along each direction, in standardised columns.
    max_iter : int, default=20
        Passes over the rows, at most.
    tol : float, default=0.1
        Relative change of the moments of the filled rows at which the passes end.
    engine : "threads", :class:`samara.engines.Threads`, or a Dask cluster, default=None
        Who merges.
    random_state : int, RandomState or None, default=None
        Seed of the sample and of the entries hidden.

    Attributes
    ----------
    rank_, n_pieces_ : int
        Rank and pieces chosen.
    shrinkage_ : float
        Shrinkage chosen.
    n_iter_ : int
        Passes over the rows; a :class:`samara.ConvergenceWarning` tells where they were too few.
    held_out_error_ : float
        Root mean square error on the hidden entries of a sample, in standard deviations of the columns.
    fill_, columns_ : maps
        From rows with gaps to complete ones; what becomes of the columns of a frame with texts or gaps.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str
        Names of the columns, where X had names.

    Examples
    --------
    >>> import numpy as np
    >>> from samara import LowRankImputer
    >>> rows = np.outer(np.arange(1.0, 9.0), [1.0, 2.0, -1.0])
    >>> rows[0, 1] = np.nan
    >>> LowRankImputer(rank=1, method="hard", tol=1e-8, max_iter=500).fit_transform(rows)[0].round(3)
    array([ 1.,  2., -1.])
    """

    _SAVED: ClassVar[Mapping[str, Any]] = {
        "fill_": Fill,
        "rank_": int,
        "n_pieces_": int,
        "shrinkage_": float,
        "n_iter_": int,
        "held_out_error_": float,
        "n_features_in_": int,
    }
    verbose = False

    def __init__(
        self,
        rank: Any = "auto",
        *,
        method: str = "gaussian",
        n_pieces: Any = "auto",
        shrinkage: Any = "auto",
        max_iter: int = 20,
        tol: float = 0.1,
        engine: Any = None,
        random_state: Any = None,
    ) -> None:
        self.rank = rank
        self.method = method
        self.n_pieces = n_pieces
        self.shrinkage = shrinkage
        self.max_iter = max_iter
        self.tol = tol
        self.engine = engine
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn how the columns go together.

        Parameters
        ----------
        X : array-like, data frame or scan, (n_samples, n_features)
            Rows of numbers, NaN where one is missing; the columns of a frame or scan may also hold texts,
            which become a column for each category.
        y : None
            Ignored.

        Returns
        -------
        self : object
            The fitted transformer.
        """
        with self._all_or_nothing():
            asked, crew = self._settings(), self._crew()
            X, _, _ = as_scan(X)
            self.__dict__.pop("columns_", None)
            source: Source = self._table(X, crew) if is_table(X) else self._array(X)
            try:
                found = learn_fill(source, asked, crew)
            except NonFiniteError:
                if isinstance(source, ArraySource):
                    refuse_infinite(source.X, getattr(self, "feature_names_in_", None))
                raise
            self._take(found)
        return self

    def _array(self, X: Any) -> ArraySource:
        X = check_inputs(self, X, fitting=True)
        if hasattr(X, "indptr"):
            raise InputError("In a sparse matrix nothing is missing, zeros are values: give an array.")
        return ArraySource(X, np.empty((len(X), 0)))

    def _table(self, X: Any, crew: Crew) -> Source:
        """The rows of a frame or scan as numbers, texts as one column a category."""
        rows: ArraySource | StreamSource
        if isinstance(X, Scan):
            if X.is_sparse:
                raise InputError("In sparse rows nothing is missing, zeros are values.")
            schema, rows = X.schema, stream_of(X).with_targets(NoTargets())
        else:
            frame = frame_rows(X)
            schema = frame.schema
            rows = ArraySource(frame.X, np.empty((len(frame.X), 0)), labels=frame.labels)
        self.columns_ = columns_with_gaps(rows, schema, crew)
        set_names(self, schema, len(schema))
        return rows.map(WithGaps(self.columns_))

    def _take(self, found: Imputed) -> None:
        self.fill_ = found.fill
        self.rank_, self.n_pieces_ = found.form.rank, len(found.fill.pieces.means)
        self.shrinkage_, self.n_iter_ = found.form.shrinkage, found.n_iter
        self.held_out_error_ = found.scores[found.form]

    def transform(self, X: Any) -> Array:
        """Fill the gaps of rows; what is there stays as it is.

        Parameters
        ----------
        X : array-like, data frame or scan, (n_samples, n_features)
            Rows, also new ones. A row of which nothing is there gets the means of the columns.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            Complete rows; of texts a column for each category, as ``get_feature_names_out`` names them.
        """
        check_is_fitted(self, "fill_")
        X, _, _ = as_scan(X)
        columns: Columns | None = self.__dict__.get("columns_")
        if isinstance(X, Scan):
            names = getattr(self, "feature_names_in_", None)
            chunks = chunks_of(fitting_scan(X, columns, names, self.n_features_in_))
            none = np.empty((0, self.fill_.n_out))
            return np.concatenate(
                [none, *(self._filled(self._numbers(chunk.X, columns)) for chunk in chunks)]
            )
        if columns is not None:
            return self._filled(
                self._numbers(raw_rows(X, columns) if is_table(X) else self._plain(X), columns)
            )
        return self._filled(self._plain(X))

    def _plain(self, X: Any) -> Array:
        rows: Array = check_inputs(self, X, fitting=False)
        if hasattr(rows, "indptr"):
            raise InputError("In a sparse matrix nothing is missing, zeros are values: give an array.")
        refuse_infinite(rows, getattr(self, "feature_names_in_", None))
        return rows

    def _numbers(self, X: Array, columns: Columns | None) -> Array:
        return X if columns is None else WithGaps(columns)(X)

    def _filled(self, X: Array) -> Array:
        """Complete rows, a run of them on each core."""
        workers = max(1, min(available_cores(), len(X) // BLOCK_ROWS))
        return np.concatenate(in_threads(self.fill_, np.array_split(X, workers), workers))

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns that ``transform`` gives.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the inputs, where X had none.

        Returns
        -------
        names : ndarray of str
            Names.
        """
        check_is_fitted(self, "fill_")
        columns: Columns | None = self.__dict__.get("columns_")
        if columns is not None:
            return np.array(columns.names_out, dtype=object)
        names: Array = super().get_feature_names_out(input_features)
        return names

    def _settings(self) -> Wanted:
        """Every parameter, checked."""
        if self.method not in METHODS:
            raise unknown_name("method", self.method, METHODS)
        if self.shrinkage != "auto":
            read_positive("shrinkage", self.shrinkage)
        read_positive("tol", self.tol)
        n_pieces = read_count("n_pieces", self.n_pieces)
        if n_pieces not in (None, 1) and self.method != "gaussian":
            raise InputError(f'n_pieces is for method="gaussian"; "{self.method}" has one piece.')
        return Wanted(
            method=self.method,
            rank=read_count("rank", self.rank),
            n_pieces=n_pieces,
            shrinkage=None if self.shrinkage == "auto" else float(self.shrinkage),
            max_iter=read_count("max_iter", self.max_iter) or 1,
            tol=float(self.tol),
            salt=read_seed(self.random_state),
        )

    def _crew(self) -> Crew:
        crew = read_engine(self.engine)
        return crew.planned(crew.workers, BLOCK_ROWS, crew.progress)

    @staticmethod
    def _check_saved(fitted: Mapping[str, Any]) -> None:
        """Refuse a map that can't have been learned from so many columns."""
        columns: Columns | None = fitted.get("columns_")
        check_fill(fitted["fill_"], fitted["n_features_in_"] if columns is None else columns.n_out)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan, tags.input_tags.sparse = True, False
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
