"""OS-ELM as the papers write it, in NumPy, without any of the care that Samara takes."""

import numpy as np

Array = np.ndarray


def sigmoid(X: Array, weights: Array, bias: Array) -> Array:
    """Hidden rows."""
    H = X @ weights + bias
    np.negative(H, out=H)
    np.exp(H, out=H)
    H += 1
    return np.reciprocal(H, out=H)


class LiteralOSELM:
    """P and β updated chunk by chunk (Schindler eq. 2.16, 2.17; with a ridge eq. 2.18 to 2.20)."""

    def __init__(self, H: Array, T: Array, alpha: float) -> None:
        eye = np.eye(H.shape[1], dtype=H.dtype)
        self.P = np.linalg.inv(H.T @ H + H.dtype.type(alpha) * eye)
        self.beta = self.P @ (H.T @ T)

    def learn(self, H: Array, T: Array) -> None:
        """One chunk."""
        PHt = self.P @ H.T
        inner = np.eye(len(H), dtype=H.dtype) + H @ PHt
        self.P -= PHt @ np.linalg.inv(inner) @ PHt.T
        self.beta += self.P @ (H.T @ (T - H @ self.beta))
