"""OS-ELM and OS-RELM as the papers write them, in NumPy, without any of the care that Samara takes."""

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


class LiteralOSRELM:
    """Algorithm 2 with its direct β (eq. 2.21): H of all rows is kept, as the thesis' program does."""

    def __init__(self, H: Array, T: Array, candidates: list[float]) -> None:
        self.alpha = candidates[0]
        if len(candidates) > 1:
            U, s, Vt = np.linalg.svd(H, full_matrices=False)
            self.alpha = min(candidates, key=lambda alpha: press(U, s, T, alpha))
            self.R_inverse = (Vt.T / (s**2 + self.alpha)) @ Vt
        else:
            self.R_inverse = np.linalg.inv(H.T @ H + self.alpha * np.eye(H.shape[1]))

    def learn(self, H: Array) -> None:
        """Update R⁻¹ by one chunk, eq. 2.20."""
        RHt = self.R_inverse @ H.T
        self.R_inverse -= RHt @ np.linalg.inv(np.eye(len(H)) + H @ RHt) @ RHt.T

    def coef(self, H: Array, T: Array) -> Array:
        """β of all rows, eq. 2.21."""
        return self.R_inverse @ (H.T @ T)


def press(U: Array, s: Array, T: Array, alpha: float) -> float:
    """Sum of squared leave-one-out errors, eq. 2.22 to 2.25."""
    share = s**2 / (s**2 + alpha)
    residual = T - U @ (share[:, None] * (U.T @ T))
    return float(np.sum((residual / (1 - (U**2 @ share))[:, None]) ** 2))
