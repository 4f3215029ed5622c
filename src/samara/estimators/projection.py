"""Rows to coordinates along components and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.errors import InputError
from samara.estimators.common import ClosedForm
from samara.estimators.inputs import check_inputs, refuse_non_finite
from samara.estimators.number_rows import each_chunk
from samara.sources import Scan


class Projection(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClosedForm):
    """z = Vᵀ(x − μ), divided by the deviations along V where it whitens."""

    components_: Array
    explained_variance_: Array
    mean_: Array
    n_components_: int
    whiten: bool
    verbose = False

    def transform(self, X: Any) -> Array:
        """Coordinates of rows along the components.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        Z : ndarray of shape (n_samples, n_components_)
            Coordinates.
        """
        check_is_fitted(self, "components_")
        if isinstance(X, Scan):
            none = np.empty((0, self.n_components_))
            return np.concatenate([none, *map(self._coordinates, each_chunk(self, X))])
        X = check_inputs(self, X, fitting=False)
        refuse_non_finite(X, getattr(self, "feature_names_in_", None))
        return self._coordinates(X)

    def _coordinates(self, X: Any) -> Array:
        V = self.components_.T
        if self.whiten:
            V = V / self._deviations()
        kind = self.components_.dtype if X.dtype == np.float32 else np.float64
        if hasattr(X, "indptr"):
            return np.asarray(X @ V - self.mean_ @ V, kind)
        return np.asarray((X - self.mean_) @ V, kind)

    def inverse_transform(self, X: Any) -> Array:
        """Rows from their coordinates.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components_)
            Coordinates.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
            The rows, as far as the components have them.
        """
        check_is_fitted(self, "components_")
        Z = np.asarray(X)
        if Z.ndim != 2 or Z.shape[1] != self.n_components_:
            raise InputError(f"The coordinates need {self.n_components_} columns, got the shape {Z.shape}.")
        return np.asarray((Z * self._deviations() if self.whiten else Z) @ self.components_ + self.mean_)

    def _deviations(self) -> Array:
        """Standard deviations along the components; 1 where there is no variance to speak of."""
        variances = self.explained_variance_
        eps = float(np.finfo(variances.dtype.name).eps)
        return np.sqrt(np.where(variances > eps * variances[:1], variances, 1.0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
