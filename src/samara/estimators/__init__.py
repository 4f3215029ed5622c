"""The scikit-learn face."""

from samara.estimators.classifier import ELMClassifier
from samara.estimators.deep import DeepELMClassifier, DeepELMRegressor
from samara.estimators.kernel import KernelELMClassifier, KernelELMRegressor
from samara.estimators.regressor import ELMRegressor
from samara.estimators.spectral import SpectralRegression
from samara.estimators.trees import TreeELMClassifier, TreeELMRegressor
from samara.estimators.two_stage import TwoStageELMClassifier, TwoStageELMRegressor

__all__ = [
    "DeepELMClassifier",
    "DeepELMRegressor",
    "ELMClassifier",
    "ELMRegressor",
    "KernelELMClassifier",
    "KernelELMRegressor",
    "SpectralRegression",
    "TreeELMClassifier",
    "TreeELMRegressor",
    "TwoStageELMClassifier",
    "TwoStageELMRegressor",
]
