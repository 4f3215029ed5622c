"""Exported models as onnxruntime runs them."""

from __future__ import annotations

import numpy as np
import onnxruntime

from samara import to_onnx

TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(string)": object}


def run_model(proto, inputs):
    """Name → result of a model's outputs, for name → rows of its inputs; given in the types it asks for."""
    session = onnxruntime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    given = {i.name: np.asarray(inputs[i.name], TYPES[i.type]) for i in session.get_inputs()}
    assert given.keys() == inputs.keys()
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, given), strict=True))


def run_rows(estimator, X, **settings):
    """The outputs of an exported estimator for rows of numbers."""
    return run_model(to_onnx(estimator, **settings), {"X": X})


def assert_near(found, wanted, tolerance=1e-5):
    """Equal to a share of the spread of what was wanted, of the same shape."""
    assert found.shape == wanted.shape
    spread = np.ptp(wanted, axis=0) if len(wanted) > 1 else np.abs(wanted)
    assert (np.abs(found - wanted) <= tolerance * spread).all()


def assert_same_model(estimator, X, tolerance=1e-5, **settings):
    """An export gives what the estimator's own methods give."""
    made = run_rows(estimator, X, **settings)
    if not hasattr(estimator, "classes_"):
        assert made["prediction"].dtype == estimator.dtype
        assert_near(made["prediction"], estimator.predict(X), tolerance)
        return
    assert made["probabilities"].dtype == made["scores"].dtype == estimator.dtype
    assert made["label"].tolist() == estimator.predict(X).tolist()
    assert_near(made["probabilities"], estimator.predict_proba(X), tolerance)
    assert_near(made["scores"], estimator.decision_function(X), tolerance)


def raw_inputs(schema, X, labels):
    """Name → column of a raw table, as an exported model takes it: texts for codes, "" where missing."""
    return {
        column.name: np.array([[labels[column.name].get(code, "")] for code in X[:, j].tolist()], object)
        if column.kind == "text"
        else X[:, [j]]
        for j, column in enumerate(schema)
    }
