"""Fitted estimators to files and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from samara.engines.clusters import is_cluster
from samara.errors import InputError
from samara.estimators.attributes import IF_THERE, MAY_BE_NONE, TRANSFORMERS, attributes_of
from samara.estimators.auto import AutoELMClassifier, AutoELMRegressor
from samara.estimators.auto_base import BaseAutoELM
from samara.estimators.classification import Classification
from samara.estimators.classifier import ELMClassifier
from samara.estimators.common import ClosedForm
from samara.estimators.deep import DeepELMClassifier, DeepELMRegressor
from samara.estimators.imputer import LowRankImputer
from samara.estimators.kernel import KernelELMClassifier, KernelELMRegressor
from samara.estimators.online import Online
from samara.estimators.parameters import read_calibration, read_link, read_ordinal, read_threshold
from samara.estimators.pca import AdaptivePCA
from samara.estimators.regression import Regression
from samara.estimators.regressor import ELMRegressor
from samara.estimators.spectral import SpectralRegression
from samara.estimators.trees import TreeELMClassifier, TreeELMRegressor
from samara.estimators.two_stage import TwoStageELMClassifier, TwoStageELMRegressor
from samara.fitted_checks import check_distinct, check_labels, check_metric, check_ridge, check_selection
from samara.left_out_checks import check_left_out, check_targets
from samara.maps.contents import holds_rows
from samara.model_checks import check_array, check_columns, check_model
from samara.model_files import About, ModelFile, packed, read_model, refusals
from samara.store import RefusedError, refuse_other_names, write_record
from samara.store.annotations import fits
from samara.store.files import Path

ESTIMATORS: Mapping[str, type[ClosedForm]] = {
    cls.__name__: cls
    for cls in (
        *(ELMRegressor, ELMClassifier, KernelELMRegressor, KernelELMClassifier),
        *(DeepELMRegressor, DeepELMClassifier, TreeELMRegressor, TreeELMClassifier),
        *(SpectralRegression, TwoStageELMRegressor, TwoStageELMClassifier),
        *(AdaptivePCA, LowRankImputer, AutoELMRegressor, AutoELMClassifier),
    )
}


def save(estimator: ClosedForm, path: Path, resumable: bool, config: str | None) -> None:
    """Write a fitted estimator into a file."""
    name = type(estimator).__name__
    if ESTIMATORS.get(name) is not type(estimator):
        raise InputError(
            f"{name} can't be saved: a file holds Samara's own estimators only, {', '.join(ESTIMATORS)}."
        )
    check_is_fitted(estimator, None if isinstance(estimator, TRANSFORMERS) else "model_")
    asked = attributes_of(type(estimator))
    with estimator._together():  # another thread may be learning
        fitted = {one: getattr(estimator, one) for one in asked}
        names = [one for one in IF_THERE if one != "_stream"]
        fitted |= {one: vars(estimator)[one] for one in names if vars(estimator).get(one) is not None}
        # What the process held before the fit, and its cluster, are no part of the model: equal models give
        # equal files.
        plan = fitted.get("plan_")
        if plan is not None:
            own = plan.peak_bytes - plan.resident
            fitted["plan_"] = replace(plan, peak_bytes=own, resident=0, traffic=None)
        if resumable:
            fitted["_stream"] = estimator._learned()
    parameters = estimator.get_params(deep=False)
    if is_cluster(parameters["engine"]):  # whoever loads the model has another one, or none
        parameters["engine"] = None
    file = ModelFile(name, _about(fitted), parameters, fitted, config)
    header, arrays = packed(file)
    try:
        _revived(type(estimator), file)  # what could not be loaded again is not saved
    except RefusedError as refusal:
        raise InputError(f"{name} can't be saved: {refusal}.") from None
    write_record(path, header, arrays)


def load(path: Path) -> Any:
    """Load what :meth:`ELMRegressor.save` and the other estimators' wrote.

    Nothing in the file is executed. Every byte, every field and every shape is checked before the estimator
    is there; what could not have been saved is refused.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator
        The fitted estimator: it predicts the same to the bit, and can be fitted anew, copied and saved.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    StoreError
        If it is no model file, is damaged, was written by a newer version, or holds what can't be.

    Examples
    --------
    >>> import samara, tempfile, os
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.samara")
    >>> samara.ELMClassifier(n_hidden=50, random_state=0).fit(X, y).save(path)
    >>> samara.load(path).predict(X[:2])
    array([0, 0])
    """
    file = read_model(path)
    with refusals(path):
        cls = ESTIMATORS.get(file.estimator)
        if cls is None:
            raise RefusedError(f"its estimator is unknown: {file.estimator[:40]!a}")
        return _revived(cls, file)


def _revived(cls: type[ClosedForm], file: ModelFile) -> ClosedForm:
    """The estimator, if all that was read belongs together."""
    refuse_other_names(dict(file.parameters), cls._get_param_names(), "parameters")
    if is_cluster(file.parameters.get("engine")):  # nobody is connected to by opening a file
        raise RefusedError("its engine is a cluster, which no saved model has")
    estimator = cls(**file.parameters)
    settings = _settings_of(estimator)
    _check(cls, file.fitted)
    if file.about != _about(file.fitted):
        raise RefusedError("what it says about its model is not true of it")
    if issubclass(cls, Classification | Regression):  # not in the file where there is none
        estimator.__dict__.update(dict.fromkeys(MAY_BE_NONE[issubclass(cls, Regression)]))
    estimator.__dict__.update({name: value for name, value in file.fitted.items() if name != "_stream"})
    if "_stream" in file.fitted:
        _resume(estimator, file.fitted, settings)
    return estimator


def _resume(estimator: ClosedForm, fitted: Mapping[str, Any], settings: Any) -> None:
    """Give the estimator the stream that it had, if that is one of its kind."""
    labels, classes = fitted["_stream"].labels, fitted.get("classes_", np.empty(0))
    if not isinstance(estimator, Online):
        raise RefusedError("its estimator does not learn as rows arrive")
    if not np.array_equal(np.empty(0) if labels is None else np.sort(labels), classes):
        raise RefusedError("the labels of its stream are not its classes")
    try:
        estimator._resume(fitted["_stream"], settings)
    except InputError as error:
        raise RefusedError(f"its stream can't go on: {str(error).rstrip('.')}") from None


def _settings_of(estimator: ClosedForm) -> Any:
    """The settings of a fit; parameters that it would refuse are refused here."""
    given = estimator.get_params(deep=False)
    seed = 0 if given["random_state"] is None else given["random_state"]  # NumPy's own seed is not drawn from
    try:
        if isinstance(estimator, Classification):
            read_calibration(estimator.calibration)
            read_ordinal(estimator.ordinal, read_threshold(estimator.threshold))
        elif isinstance(estimator, Regression):
            read_link(estimator.link)
        return type(estimator)(**{**given, "random_state": seed})._settings()
    except Exception as error:  # whatever the checks stumble over, it is the parameters
        reason = " ".join(str(error).split()).rstrip(".")
        raise RefusedError(f"its parameters can't be used: {reason[:200]}") from None


def _check(cls: type[ClosedForm], fitted: Mapping[str, Any]) -> None:
    """Refuse attributes that can't be those of one fit."""
    asked = attributes_of(cls) | {name: hint for name, hint in IF_THERE.items() if name in fitted}
    refuse_other_names(dict(fitted), list(asked), "fitted")
    for name, hint in asked.items():
        if not fits(fitted[name], hint):
            raise RefusedError(f"its fitted/{name} is of the wrong type, {type(fitted[name]).__name__}")
    n_features, columns = fitted["n_features_in_"], fitted.get("columns_")
    names = fitted.get("feature_names_in_")
    if names is not None and (names.shape != (n_features,) or names.dtype != object):
        raise RefusedError(f"its feature names are not {n_features} texts")
    if columns is not None:
        check_columns(columns, n_features)
    if issubclass(cls, TRANSFORMERS):
        cls._check_saved(fitted)
    else:
        _check_fit(cls, fitted, n_features if columns is None else columns.n_out)


def _check_fit(cls: type[ClosedForm], fitted: Mapping[str, Any], n_inputs: int) -> None:
    """Refuse a model whose parts can't have been fitted together."""
    model = fitted["model_"]
    check_model(model, n_inputs)
    n_nodes, n_outputs = model.coef.shape
    if "alpha_" in fitted:
        check_ridge(fitted["alpha_"], n_outputs)
    if fitted.get("selection_") is not None:
        check_selection(fitted["selection_"], n_outputs)
    if issubclass(cls, BaseAutoELM):
        check_array(fitted["weights_"], (None,), "weights")
    check_left_out(fitted.get("calibration_"), fitted.get("intervals_"), model.coef.shape)
    check_targets(fitted, n_outputs)
    targets, n_targets = fitted.get("target_names_"), 1 if "classes_" in fitted else n_outputs
    if targets is not None and (targets.shape != (n_targets,) or targets.dtype != object):
        raise RefusedError(f"its target names are not {n_targets} texts")
    given = n_outputs if issubclass(cls, SpectralRegression) else n_nodes
    if fitted.get("_n_features_out", given) != given:
        raise RefusedError(f"its number of features is not that of its {n_nodes} coefficients")
    if "metric_" in fitted:
        check_metric(fitted["metric_"], n_inputs)
    for name in ("layer_alphas_", "layer_errors_"):
        if name in fitted and fitted[name].shape != (fitted["layer_alphas_"].size,):
            raise RefusedError(f"its fitted/{name} is not one number a layer")
    if issubclass(cls, Classification):
        check_labels(fitted["classes_"], n_outputs, fitted.get("_several", False))
    elif not issubclass(cls, Regression):
        check_distinct(fitted["classes_"])
    elif fitted["_one_target"] and n_outputs != 1:
        raise RefusedError(f"its one target has {n_outputs} outputs")


def _about(fitted: Mapping[str, Any]) -> About:
    """What the file says at a glance."""
    names, columns = fitted.get("feature_names_in_"), fitted.get("columns_")
    classes, model = fitted.get("classes_"), fitted.get("model_")
    maps: tuple[Any, ...] = () if model is None else model.maps
    return About(
        n_features=int(fitted["n_features_in_"]),
        n_outputs=0 if model is None else int(np.shape(model.coef)[1]),
        n_nodes=0 if model is None else len(model.coef),
        maps=tuple(type(one).__name__ for one in maps),
        feature_names=None if names is None else tuple(names.tolist()),
        columns=None if columns is None else tuple((one.name, one.kind) for one in columns.schema),
        classes=None if classes is None else tuple(classes.tolist()),
        contains_training_rows=any(map(holds_rows, maps)),
        resumable="_stream" in fitted,
    )
