"""`samara.plan`: how an estimator would fit a table, before the fit."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from samara.errors import InputError
from samara.estimators.auto_base import BaseAutoELM
from samara.estimators.deep import BaseDeepELM
from samara.estimators.given import budgeted
from samara.estimators.inputs import distinct
from samara.estimators.tables import UNKNOWN_ROWS, given_scan
from samara.estimators.trees import BaseTreeELM
from samara.kernel_settings import KernelSettings
from samara.settings import Settings
from samara.sources.frames import count_texts, is_collection, is_frame
from samara.sources.scanned import Scan
from samara.strategies import Described, Strategies, strategies
from samara.tabular import ONE_HOT_CAP
from samara.targets import count_classes

# Seconds to decode and encode a value of a file: a million rows of 50 numbers in Parquet took 1.5 s.
CELL_SECONDS = 3e-8


def plan(estimator: Any, X: Any, y: Any = None) -> Strategies:
    """Say how a table would be fitted: every solver that could do it, what each takes, and which is chosen.

    Of arrays and frames only the shape and the targets are looked at, of a scan its footer and, to count
    classes, the target of at most 100,000 rows.

    Parameters
    ----------
    estimator : ELMRegressor, ELMClassifier, KernelELMRegressor or KernelELMClassifier
        With the parameters of the fit; it is not fitted.
    X : array-like, sparse matrix, data frame or scan, (n_samples, n_features)
        The table. A column of text counts as 20 indicators, the most it may become.
    y : array-like of shape (n_samples,) or (n_samples, n_targets), optional
        Its targets; one number, or two classes, where there are none. A scan has them in it.

    Returns
    -------
    Strategies
        ``print`` shows a table; ``chosen`` is the candidate that ``fit`` would take.

    Examples
    --------
    >>> import numpy as np, samara
    >>> found = samara.plan(samara.ELMRegressor(100, alpha=1.0), np.zeros((5000, 8)))
    >>> found.chosen.solver
    'gram'
    """
    if not hasattr(estimator, "_settings"):
        raise InputError(f"plan needs an estimator of samara, got {type(estimator).__name__}.")
    if isinstance(estimator, BaseAutoELM):
        raise InputError("plan needs an estimator with settings: an automatic one chooses them in its fit.")
    if isinstance(estimator, BaseDeepELM):
        raise InputError("plan needs an estimator with one hidden layer: a deep one plans layer by layer.")
    if isinstance(estimator, BaseTreeELM):
        raise InputError(
            "plan chooses between solvers: leaves of trees are counted, which is always one way."
        )
    settings: Settings | KernelSettings = estimator._settings()
    if isinstance(X, Scan):
        settings = budgeted(settings, given_scan(X, y, None, classes=is_classifier(estimator)))
        table = _scanned(X, is_classifier(estimator))
        return strategies(settings, table, CELL_SECONDS * X.n_features)
    return strategies(settings, _in_memory(X, _targets(estimator, y)))


def _scanned(scan: Scan, classes: bool) -> Described:
    texts = sum(column.kind == "text" for column in scan.schema)
    columns = scan.n_features + texts * (ONE_HOT_CAP - 1)
    rows = scan.n_rows or scan.rows_guess or UNKNOWN_ROWS
    outputs = len(scan.targets)
    if classes:
        outputs = _outputs(count_classes((scan if scan.is_sparse else scan.only_targets()).pieces))
    return Described(rows, columns, outputs, scan.is_sparse)


def _in_memory(X: Any, n_targets: int) -> Described:
    shape = X.shape if hasattr(X, "shape") else np.shape(X)
    if len(shape) != 2:
        raise InputError(f"X must have rows and columns, got an array of {len(shape)} dimensions.")
    columns = int(shape[1])
    if is_frame(X):
        columns += count_texts(X) * (ONE_HOT_CAP - 1)
    sent = 0 if is_collection(X) else 8 * int(shape[0]) * (int(shape[1]) + n_targets)
    return Described(int(shape[0]), columns, n_targets, hasattr(X, "indptr"), sent)


def _targets(estimator: Any, y: Any) -> int:
    """Columns that the fit makes of the targets: two classes are one."""
    if y is None:
        return 1
    values = np.asarray(y)
    if not is_classifier(estimator):
        return 1 if values.ndim == 1 else int(values.shape[1])
    return _outputs(len(distinct(values.ravel())))


def _outputs(n_classes: int) -> int:
    """Columns that codes of classes take."""
    return 1 if n_classes <= 2 else n_classes
