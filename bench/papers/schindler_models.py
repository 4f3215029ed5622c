"""Samara's counterparts of Schindler's four algorithms, at his settings."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from bench.papers.schindler_literal import edges
from bench.papers.schindler_printed import FASTEST_PAIR

# "A small fixed value", which one he does not say. Of his OS-RELM it must have been far smaller than of his
# PR-ELM: errors of the one are those of no ridge at all, of the other those of the noise.
ALPHA = 1e-4
ALPHAS = {"ELM": 0.0, "OS-RELM": 1e-8, "PR-ELM": ALPHA, "RSVD-ELM": ALPHA}
RANK = {"DS1": 30, "DS2": 100, "DS3": 50, "DS4": 150}


@dataclass
class InChunks:
    """OS-RELM: the rows arrive in chunks, the inverse is updated by each (eq. 2.20)."""

    model: Any
    pair: tuple[int, int]

    def fit(self, X: np.ndarray, y: np.ndarray) -> Self:
        """Chunk by chunk."""
        for lo, hi in edges(len(X), self.pair):
            self.model.partial_fit(X[lo:hi], y[lo:hi])
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """By the model as it is after the last chunk."""
        values: np.ndarray = self.model.predict(X)
        return values


def model_of(
    method: str, n_hidden: int, seed: int, pair: tuple[int, int] = FASTEST_PAIR, **given: Any
) -> Any:
    """One of the four; ``given`` (``alpha``, ``rank``) goes to the regressor, ``pair`` to OS-RELM.

    Unscaled, as his: inputs of size 1e-3 keep the nodes in their linear range, and his targets are linear.
    Standardised, 1000 nodes leave more than the noise: RMSE 0.06 to 0.15 on DS4, by size of the weights.
    """
    from samara import ELMRegressor

    ways: dict[str, dict[str, Any]] = {
        "ELM": {"solver": "svd"},
        "OS-RELM": {"update": "woodbury"},
        "PR-ELM": {"solver": "gram"},
        "RSVD-ELM": {"solver": "rsvd"},
    }
    fixed = {"hidden": "sigmoid", "alpha": ALPHAS[method], "scale": None, "dtype": "float64"}
    model = ELMRegressor(n_hidden, **{**fixed, **ways[method], **given}, random_state=seed)
    return InChunks(model, pair) if method == "OS-RELM" else model
