"""The ``samara`` command: what it says and how it ends. What it computes lives in the rooms below."""

from samara.cli.app import app, main

__all__ = ["app", "main"]
