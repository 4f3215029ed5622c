"""Explanations of a fitted estimator, as a method of its own."""

from __future__ import annotations

from typing import Any


class Explained:
    """An estimator that can be asked what it leans on."""

    def explain(self, X: Any, y: Any = None) -> Any:
        """Explain the model by rows: exact gradients, and which columns matter.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.
        y : array-like, optional
            Their targets, for the importance by shuffled columns.

        Returns
        -------
        Explanation
            As :func:`samara.explain` gives it, with ``plot()``.
        """
        import samara  # what draws lies above this room

        return samara.explain(self, X, y)
