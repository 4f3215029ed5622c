"""What the fitted estimators have, and of which type: what goes into a file, and may come out of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samara.calibration import Isotonic, Temperature
from samara.continued import StreamState
from samara.core import Array
from samara.estimators.auto_base import BaseAutoELM
from samara.estimators.common import ClosedForm
from samara.estimators.deep import BaseDeepELM
from samara.estimators.imputer import LowRankImputer
from samara.estimators.kernel_base import BaseKernelELM
from samara.estimators.pca import AdaptivePCA
from samara.estimators.regression import Regression
from samara.estimators.spectral import SpectralRegression
from samara.estimators.trees import BaseTreeELM
from samara.estimators.two_stage import BaseTwoStage
from samara.intervals import Intervals
from samara.links import Log, Logit
from samara.maps import Columns
from samara.model import Model
from samara.plans import Plan
from samara.search import Leaderboard
from samara.selection import Selection

TRANSFORMERS = (AdaptivePCA, LowRankImputer)  # without a model of targets: they say what they keep
_SHARED: Mapping[str, Any] = {
    "model_": Model,
    "plan_": Plan,
    "selection_": Selection | None,
    "alpha_": float | Array,
    "rank_": int,
    "condition_": float,
    "approximation_error_": float,
    "n_features_in_": int,
}
_OF_ELM: Mapping[str, Any] = {"n_hidden_": int, "_n_features_out": int}
_OF_DEEP: Mapping[str, Any] = {**_OF_ELM, "layer_alphas_": Array, "layer_errors_": Array}
_OF_TREES: Mapping[str, Any] = {**_OF_ELM, "n_trees_": int}
_OF_KERNEL: Mapping[str, Any] = {"gamma_": float, "fnorm_": float, "residual_": float, "n_iter_": int}
_OF_SPECTRAL: Mapping[str, Any] = {"embedding_": str, "_n_features_out": int}
_OF_TWO_STAGE: Mapping[str, Any] = {"embedding_": str, "embedding_alpha_": float | Array, "n_hidden_": int}
_OF_AUTO: Mapping[str, Any] = {"leaderboard_": Leaderboard, "weights_": Array, "held_out_score_": float}
_NOT_OF_AUTO = ("selection_", "alpha_", "rank_", "condition_", "approximation_error_")
MAY_BE_NONE = (("calibration_", "threshold_"), ("intervals_", "link_", "smearing_"))  # classes, numbers
IF_THERE: Mapping[str, Any] = {
    "feature_names_in_": Array,
    "target_names_": Array,
    "columns_": Columns,
    "calibration_": Temperature | Isotonic,
    "threshold_": float | Array,
    "_several": bool,
    "intervals_": Intervals,
    "link_": Log | Logit,
    "smearing_": Array,
    "metric_": Array,
    "rounds_": int,
    "rounds_scores_": Array,
    "_stream": StreamState,
}


def attributes_of(cls: type[ClosedForm]) -> dict[str, Any]:
    """What a fitted estimator of this class has, and of which type."""
    if issubclass(cls, TRANSFORMERS):
        return dict(cls._SAVED)
    kinds = {
        BaseKernelELM: _OF_KERNEL,
        BaseDeepELM: _OF_DEEP,
        BaseTreeELM: _OF_TREES,
        BaseTwoStage: _OF_TWO_STAGE,
        SpectralRegression: _OF_SPECTRAL,
        BaseAutoELM: _OF_AUTO,
    }
    unknown = _NOT_OF_AUTO if issubclass(cls, BaseAutoELM) else ()
    shared = {name: hint for name, hint in _SHARED.items() if name not in unknown}
    own = next((own for kind, own in kinds.items() if issubclass(cls, kind)), _OF_ELM)
    if issubclass(cls, Regression):
        return {**shared, **own, "_one_target": bool}
    return {**shared, **own, "classes_": Array}
