"""Fitted models in other formats: ONNX. The package `onnx` is imported only here, when it is needed."""

from samara.export.onnx_model import to_onnx

__all__ = ["to_onnx"]
