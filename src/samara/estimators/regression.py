"""The face of estimators whose targets are numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Self

from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from samara.core import Array
from samara.estimators.common import ClosedForm
from samara.estimators.given import GivenTable
from samara.estimators.inputs import check_inputs, check_weights
from samara.estimators.intervals import between
from samara.estimators.missing import with_gaps
from samara.estimators.parameters import read_link
from samara.estimators.progress import reporting
from samara.estimators.scores import scored
from samara.estimators.tables import as_scan, given_frame, given_scan, is_table
from samara.intervals import Intervals
from samara.left_out import LeftOut
from samara.links import Link, Unlinked, linked, smearing
from samara.model import Model
from samara.sources import ArraySource, Scan


class Regression(RegressorMixin, ClosedForm):
    """Fit to numbers, one column or several, and predict them."""

    link: Any = None  # of those that have none
    intervals: Any = True  # of those that are not asked
    link_: Link | None

    @reporting
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, checkpoint: Any = None, every: Any = "30s"
    ) -> Self:
        """Fit to rows.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Inputs: numbers of any type; the columns of a frame, or of what :func:`samara.scan` gives, may
            also hold texts, dates and missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), optional
            Targets; a scan has them in it.
        sample_weight : array-like of shape (n_samples,), optional
            A weight of 2 is the row twice; a weight of 0 leaves it out.
        checkpoint : str or path, optional
            File in which the fit is written down every so often. After a crash the same call goes on from
            there, and ends in the same model to the bit; another table or other parameters are refused with
            a `StoreError`, a file that another fit uses with a `LockedError`. Passes of ``gram``, ``qr`` and
            ``nystroem`` and that of leave-one-out go on where they were; other solvers begin theirs anew, and
            those of kernel models refuse a checkpoint.
        every : str or float, default="30s"
            How often, such as ``"30s"``, ``"5min"`` or a number of seconds.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        X, y, sample_weight = as_scan(X, y, sample_weight)
        with self._all_or_nothing():
            self.link_ = read_link(self.link)
            X = with_gaps(self, X, y)
            if is_table(X):
                given, one = self._given_table(X, y, sample_weight)
                given.table = replace(given.table, rows=linked(given.table.rows, self.link_))
                self._fit_table(given, (checkpoint, every))
            else:
                X, y = check_inputs(self, X, y, fitting=True, multi_output=True, y_numeric=True)
                weight, one = check_weights(sample_weight, X), y.ndim == 1
                source = linked(ArraySource(X, y.reshape(len(y), -1), weight), self.link_)
                self._fit_arrays(source, (checkpoint, every))
            self._one_target = one
        return self

    def _given_table(self, X: Any, y: Any, sample_weight: Any) -> tuple[GivenTable, bool]:
        """A table to fit, and whether it has one target, as a vector."""
        if isinstance(X, Scan):
            return given_scan(X, y, sample_weight, classes=False), len(X.targets) == 1
        given, targets = given_frame(X, y, sample_weight)
        return given, targets.ndim == 1

    def predict(self, X: Any) -> Array:
        """Predict targets.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.

        Returns
        -------
        y : ndarray of shape (n_samples,) or (n_samples, n_targets)
            Predictions.
        """
        model, unlinked = self._learned_numbers()
        return self._numbers(unlinked(self._outputs(X, model)))

    def predict_batches(self, X: Scan) -> Iterator[Array]:
        """Predict the targets of files, some rows at a time, in their order.

        Parameters
        ----------
        X : scan
            Rows, as :func:`samara.scan` gives them.

        Yields
        ------
        y : ndarray of shape (some rows,) or (some rows, n_targets)
            Predictions of the next rows.
        """
        model, unlinked = self._learned_numbers()
        return (self._numbers(unlinked(outputs)) for _, outputs in self._streamed(X, model))

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Predict between which numbers targets lie.

        Jackknife+: the errors that models without a row of the fit make on it, around the predictions of
        those models, scaled by the leverages of both rows. Up to 512 rows of the fit it is that; beyond, and
        with a ridge for each target, the models without a row are taken to predict as the whole one does (the
        jackknife), with the quantiles of up to 4000 rows. See the guide on intervals.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.
        coverage : float, default=0.9
            The share of targets that shall lie in their intervals, between 0 and 1.

        Returns
        -------
        lower, upper : ndarray of shape (n_samples,) or (n_samples, n_targets)
            The ends of the intervals, each target's for itself; infinite where the rows of the fit were too
            few for this coverage.

        Raises
        ------
        InputError
            If the coverage is not between 0 and 1, or the fit could leave no rows out.
        """
        lower, upper = between(self, X, coverage)
        link = self.__dict__.get("link_")
        if link is not None:  # it rises: as many targets lie between the ends as before
            lower, upper = link.inverse(lower), link.inverse(upper)
        return self._numbers(lower), self._numbers(upper)

    def _learn_left_out(self, left_out: Callable[[], LeftOut] | None) -> None:
        self.intervals_: Intervals | None = None
        self.smearing_: Array | None = None
        wanted = self.intervals or self.link_ is not None
        rows = left_out() if wanted and left_out is not None else None
        if rows is not None and len(rows.outputs):
            self.intervals_ = Intervals.learned(rows) if self.intervals else None
            self.smearing_ = smearing(self.link_, rows)

    def _learned_numbers(self) -> tuple[Model, Unlinked]:
        """The model, and what makes targets of its outputs; another thread may be learning a new one."""
        check_is_fitted(self, "model_")
        with self._together():
            return self.model_, Unlinked.of(self)

    def _numbers(self, outputs: Array) -> Array:
        return outputs[:, 0] if self._one_target else outputs

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Coefficient of determination R² of the predictions; with several targets its mean.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
            Rows.
        y : array-like of shape (n_samples,) or (n_samples, n_targets), optional
            Targets; a scan has them in it.
        sample_weight : array-like of shape (n_samples,), optional
            Weights.

        Returns
        -------
        score : float
            R².
        """
        return scored(self, X, y, sample_weight).results()["r2"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
