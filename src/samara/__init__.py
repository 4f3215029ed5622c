"""Samara: nonlinear models in closed form, in one pass over the rows, inside the memory given."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from samara.errors import (
    BudgetError,
    ClusterError,
    ConditionWarning,
    ConvergenceWarning,
    InputError,
    LockedError,
    NonFiniteError,
    SamaraError,
    StoreError,
)

if TYPE_CHECKING:
    from samara.estimators import (
        DeepELMClassifier,
        DeepELMRegressor,
        ELMClassifier,
        ELMRegressor,
        KernelELMClassifier,
        KernelELMRegressor,
        SpectralRegression,
        TreeELMClassifier,
        TreeELMRegressor,
        TwoStageELMClassifier,
        TwoStageELMRegressor,
    )
    from samara.estimators.auto import AutoELMClassifier, AutoELMRegressor
    from samara.estimators.imputer import LowRankImputer
    from samara.estimators.pca import AdaptivePCA
    from samara.estimators.planning import plan
    from samara.estimators.saving import load
    from samara.estimators.scores import evaluate
    from samara.export import to_onnx
    from samara.model_files import ModelInfo, inspect
    from samara.report import SelectionDisplay, SpectrumDisplay, explain
    from samara.sources.scan import scan

__version__ = "0.1.0"

__all__ = [
    "AdaptivePCA",
    "AutoELMClassifier",
    "AutoELMRegressor",
    "BudgetError",
    "ClusterError",
    "ConditionWarning",
    "ConvergenceWarning",
    "DeepELMClassifier",
    "DeepELMRegressor",
    "ELMClassifier",
    "ELMRegressor",
    "InputError",
    "KernelELMClassifier",
    "KernelELMRegressor",
    "LockedError",
    "LowRankImputer",
    "ModelInfo",
    "NonFiniteError",
    "SamaraError",
    "SelectionDisplay",
    "SpectralRegression",
    "SpectrumDisplay",
    "StoreError",
    "TreeELMClassifier",
    "TreeELMRegressor",
    "TwoStageELMClassifier",
    "TwoStageELMRegressor",
    "__version__",
    "evaluate",
    "explain",
    "inspect",
    "load",
    "plan",
    "scan",
    "to_onnx",
]

# Loaded when asked for: scikit-learn takes a second to import, Matplotlib and pyarrow their share.
_ROOMS = {
    "AdaptivePCA": "samara.estimators.pca",
    "AutoELMClassifier": "samara.estimators.auto",
    "AutoELMRegressor": "samara.estimators.auto",
    "DeepELMClassifier": "samara.estimators",
    "DeepELMRegressor": "samara.estimators",
    "ELMClassifier": "samara.estimators",
    "ELMRegressor": "samara.estimators",
    "KernelELMClassifier": "samara.estimators",
    "KernelELMRegressor": "samara.estimators",
    "LowRankImputer": "samara.estimators.imputer",
    "ModelInfo": "samara.model_files",
    "SelectionDisplay": "samara.report",
    "SpectralRegression": "samara.estimators",
    "SpectrumDisplay": "samara.report",
    "TreeELMClassifier": "samara.estimators",
    "TreeELMRegressor": "samara.estimators",
    "TwoStageELMClassifier": "samara.estimators",
    "TwoStageELMRegressor": "samara.estimators",
    "evaluate": "samara.estimators.scores",
    "explain": "samara.report",
    "inspect": "samara.model_files",
    "load": "samara.estimators.saving",
    "plan": "samara.estimators.planning",
    "scan": "samara.sources.scan",
    "to_onnx": "samara.export",
}

# Public modules, so that ``import samara`` is enough for ``samara.datasets.load("letter")``.
_MODULES = {
    *("compat", "datasets", "engines", "gradients", "linalg", "maps"),
    *("report", "selection", "solvers", "sources"),
}


def __getattr__(name: str) -> Any:
    """A name of the public face, its room loaded now."""
    if name in _MODULES:
        return import_module(f"samara.{name}")
    if name not in _ROOMS:
        raise AttributeError(f"module 'samara' has no attribute {name!r}")
    value = getattr(import_module(_ROOMS[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
