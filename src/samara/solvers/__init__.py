"""Summary → factor."""

from samara.core import Engine, Factor, Source
from samara.solvers.normal import Gram, IllConditionedError, NormalFactor, NormalSystem, extend, safe_ridge
from samara.solvers.root import Qr, RootFactor, RootSystem, numerical_rank
from samara.solvers.rows import KeepRows, RowFactor, RowSystem
from samara.summaries import Layout

SOLVERS = ("gram", "qr", "svd", "dual")


def factorize(
    name: str, n_folds: int, fit_intercept: bool, source: Source, engine: Engine, layout: Layout
) -> Factor:
    """Run the solver of that name over the rows."""
    if name == "gram":
        return Gram(n_folds, fit_intercept)(source, engine, layout)
    if name == "qr":
        return Qr(n_folds, fit_intercept)(source, engine, layout)
    return KeepRows(n_folds, fit_intercept, "svd" if name == "svd" else "dual")(source, engine, layout)


__all__ = [
    "SOLVERS",
    "Gram",
    "IllConditionedError",
    "KeepRows",
    "NormalFactor",
    "NormalSystem",
    "Qr",
    "RootFactor",
    "RootSystem",
    "RowFactor",
    "RowSystem",
    "extend",
    "factorize",
    "numerical_rank",
    "safe_ridge",
]
