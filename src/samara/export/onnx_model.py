"""A fitted estimator as an ONNX model."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import numpy as np

from samara.errors import InputError, unknown_name
from samara.estimators import (
    DeepELMClassifier,
    DeepELMRegressor,
    ELMClassifier,
    ELMRegressor,
    KernelELMClassifier,
    KernelELMRegressor,
)
from samara.estimators.auto import AutoELMClassifier, AutoELMRegressor
from samara.estimators.meanings import Meaning
from samara.export.columns import column_inputs
from samara.export.features import features
from samara.export.graph import ROWS, Graph, Names, Value
from samara.export.outputs import (
    classification,
    label_values,
    ordered_classification,
    regression,
    several_labels,
)
from samara.export.weighted import weighted
from samara.links import Unlinked
from samara.maps import Columns
from samara.model import Model
from samara.schema import Column, Schema, names_of
from samara.store.files import replace_file, write_all

if TYPE_CHECKING:
    from onnx import ModelProto

PRECISIONS = ("float32", "float64")


def to_onnx(
    estimator: Any, path: str | os.PathLike[str] | None = None, *, input_dtype: Any = None
) -> ModelProto:
    """Write a fitted estimator as an ONNX model.

    Parameters
    ----------
    estimator : regressor or classifier of Samara
        A fitted one. Local fields, feature maps and kernel functions of your own have no ONNX form.
    path : str or path, optional
        File to write. It is replaced whole or not at all.
    input_dtype : {"float32", "float64"}, optional
        Precision of the inputs that the model takes; by default that of the estimator. The model computes in
        the estimator's own, and scales the inputs in float64.

    Returns
    -------
    model : onnx.ModelProto
        Takes ``X`` of shape (rows, n_features), of any number of rows. Fitted on a table with column names
        and kinds (``columns_``), it takes each column under its name, of shape (rows, 1): texts as strings,
        numbers, booleans and dates (days since 1970) as floats in which NaN is missing. A regressor gives
        ``prediction``; a classifier ``label``, ``probabilities`` and ``scores``: what ``predict``,
        ``predict_proba`` and ``decision_function`` give.

    Raises
    ------
    InputError
        If a piece of the model has no ONNX form, or the model is larger than the 2 GB of a file.
    ImportError
        If the package ``onnx`` is not there.
    StoreError
        If the file can't be written.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> import samara
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = samara.to_onnx(samara.ELMRegressor(n_hidden=50, random_state=0).fit(X, y))
    >>> [output.name for output in model.graph.output]
    ['prediction']
    """
    _need_onnx()
    _check(estimator)
    with estimator._together():  # another thread may be learning
        model, dtype = estimator.model_, _input_dtype(estimator.model_, input_dtype)
        graph, facts = _written(estimator, model, dtype)
    made = graph.model(version("samara"), facts, _described(estimator))
    if path is not None:
        data = made.SerializeToString()
        replace_file(path, lambda fd: write_all(fd, data))
    return made


def _need_onnx() -> None:
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise ImportError('to_onnx needs onnx: pip install "samara[onnx]"') from error


def _check(estimator: Any) -> None:
    known = (
        *(ELMRegressor, ELMClassifier, KernelELMRegressor, KernelELMClassifier),
        *(DeepELMRegressor, DeepELMClassifier, AutoELMRegressor, AutoELMClassifier),
    )
    if not isinstance(estimator, known):
        names = ", ".join(kind.__name__ for kind in known)
        raise InputError(f"to_onnx takes a fitted {names}; got {type(estimator).__name__}.")
    estimator.intercept_  # noqa: B018 - says that it is not fitted


def _input_dtype(model: Model, given: Any) -> np.dtype[np.floating]:
    if given is None:
        return model.coef.dtype
    name = given if isinstance(given, str) else getattr(np.dtype(given), "name", given)
    if name not in PRECISIONS:
        raise unknown_name("input_dtype", given, PRECISIONS)
    return np.dtype(name)


def _written(estimator: Any, model: Model, dtype: np.dtype[np.floating]) -> tuple[Graph, dict[str, str]]:
    """The graph from the inputs to the outputs, and what is told beside it."""
    schema = _schema(estimator)
    columns = getattr(estimator, "columns_", None)
    if columns is None:
        graph = Graph(Names(["X"]))
        X = graph.input("X", dtype, (ROWS, estimator.n_features_in_))
    else:
        graph = Graph(Names(names_of(schema)))
        X = column_inputs(columns, graph, dtype)
    outputs = _outputs(graph, model, X)
    told = [{"name": column.name, "kind": column.kind} for column in schema]
    facts = {"samara_version": version("samara"), "estimator": type(estimator).__name__}
    facts["columns"] = json.dumps(told, ensure_ascii=False)
    if isinstance(estimator, ELMClassifier | KernelELMClassifier | DeepELMClassifier | AutoELMClassifier):
        facts["classes"] = json.dumps(label_values(estimator.classes_).tolist(), ensure_ascii=False)
        meaning = Meaning.of(estimator)
        written = ordered_classification if meaning.is_ordered(model.coef) else classification
        (several_labels if meaning.several else written)(graph, outputs, meaning)
    else:
        one = isinstance(estimator.intercept_, float)
        regression(graph, outputs, None if one else model.coef.shape[1], Unlinked.of(estimator))
    return graph, facts


def _outputs(graph: Graph, model: Model, X: Value) -> Value:
    """h(x)ᵀ coef + intercept, in the precision of the model."""
    *before, last = model.maps
    for feature_map in before:
        X = features(feature_map, graph, X)
    made = weighted(last, graph, X, model.coef)
    made = graph.node("Add", made, graph.constant(model.intercept.astype(made.dtype)))
    return graph.cast(made, model.coef.dtype)


def _schema(estimator: Any) -> Schema:
    """Names and kinds of the inputs, where they have names."""
    columns: Columns | None = getattr(estimator, "columns_", None)
    if columns is not None:
        return columns.schema
    return tuple(Column(str(name), "number") for name in getattr(estimator, "feature_names_in_", ()))


def _described(estimator: Any) -> str:
    return f"{type(estimator).__name__} fitted by Samara {version('samara')}."
