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
    from samara.export import to_onnx
    from samara.report import SelectionDisplay, SpectrumDisplay

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
    "to_onnx",
]


def __getattr__(name: str) -> Any:
    """What needs Matplotlib or few ask for is loaded when it is asked for."""
    if name in ("SelectionDisplay", "SpectrumDisplay"):
        from samara import report

        return getattr(report, name)
    if name == "to_onnx":
        from samara import export

        return export.to_onnx
    raise AttributeError(f"module 'samara' has no attribute {name!r}")
