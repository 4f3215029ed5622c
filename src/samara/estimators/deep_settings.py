"""From the parameters of a deep estimator to checked settings of its fit."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from samara.core import Progress
from samara.deep_fit import DeepLayer, DeepSettings
from samara.errors import InputError, unknown_name
from samara.estimators.parameters import read_alphas
from samara.estimators.settings import make_settings
from samara.maps import LocalFields
from samara.maps.activations import ACTIVATIONS

PENALTIES = ("l2", "l1")


def make_deep_settings(estimator: Any, progress: Progress | None) -> DeepSettings:
    """Check every parameter; the first that can't be used is named."""
    layers = _layers(estimator.layers)
    if estimator.penalty not in PENALTIES:
        raise unknown_name("penalty", estimator.penalty, PENALTIES)
    if estimator.activation not in ACTIVATIONS:
        raise unknown_name("activation", estimator.activation, ACTIVATIONS)
    alphas = _layer_alphas(estimator.layer_alpha)
    head = make_settings(estimator, progress)
    return DeepSettings(layers, estimator.activation, estimator.penalty, alphas, head)


def _layer_alphas(given: Any) -> tuple[float, ...] | None:
    try:
        alphas = read_alphas(given)
    except InputError as error:
        raise InputError(str(error).replace("alpha", "layer_alpha", 1)) from None
    if alphas is not None and alphas[0] <= 0:
        raise InputError("layer_alpha must be above 0: without it a layer would learn to copy its inputs.")
    return alphas


def _layers(given: Any) -> tuple[DeepLayer, ...]:
    if not isinstance(given, tuple | list):
        given = [given]
    if not given:
        raise InputError(
            "layers is empty: give at least one size, or use an estimator with one hidden layer."
        )
    return tuple(_layer(layer) for layer in given)


def _layer(layer: Any) -> DeepLayer:
    if isinstance(layer, LocalFields):
        layer.validate()
        return layer
    if not isinstance(layer, bool) and isinstance(layer, Integral) and int(layer) >= 1:
        return int(layer)
    if callable(layer) and hasattr(layer, "n_out") and not isinstance(layer, type):
        made: DeepLayer = layer
        return made
    raise InputError(
        f"layers must be positive whole numbers, samara.maps.LocalFields or maps of your own, got {layer!r}."
    )
