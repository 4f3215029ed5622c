"""Samara: nonlinear models in closed form, in one pass over the rows, inside the memory given."""

from typing import TYPE_CHECKING, Any

from samara.errors import (
    BudgetError,
    ConditionWarning,
    ConvergenceWarning,
    InputError,
    LockedError,
    NonFiniteError,
    SamaraError,
    StoreError,
)
from samara.estimators import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor

if TYPE_CHECKING:
    from samara.report import SelectionDisplay, SpectrumDisplay
    from samara.sources.scan import scan

__version__ = "0.1.0"

__all__ = [
    "BudgetError",
    "ConditionWarning",
    "ConvergenceWarning",
    "ELMClassifier",
    "ELMRegressor",
    "InputError",
    "KernelELMClassifier",
    "KernelELMRegressor",
    "LockedError",
    "NonFiniteError",
    "SamaraError",
    "SelectionDisplay",
    "SpectrumDisplay",
    "StoreError",
    "__version__",
    "scan",
]


def __getattr__(name: str) -> Any:
    """The displays need Matplotlib and scan needs pyarrow, which are loaded only when asked for."""
    if name == "scan":
        from samara.sources.scan import scan

        return scan
    if name in ("SelectionDisplay", "SpectrumDisplay"):
        from samara import report

        return getattr(report, name)
    raise AttributeError(f"module 'samara' has no attribute {name!r}")
