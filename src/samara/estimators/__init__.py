"""The scikit-learn face."""

from samara.estimators.elm import ELMClassifier, ELMRegressor

__all__ = ["ELMClassifier", "ELMRegressor"]
