"""The scikit-learn face."""

from samara.estimators.classifier import ELMClassifier
from samara.estimators.deep import DeepELMClassifier, DeepELMRegressor
from samara.estimators.kernel import KernelELMClassifier, KernelELMRegressor
from samara.estimators.regressor import ELMRegressor

__all__ = [
    "DeepELMClassifier",
    "DeepELMRegressor",
    "ELMClassifier",
    "ELMRegressor",
    "KernelELMClassifier",
    "KernelELMRegressor",
]
