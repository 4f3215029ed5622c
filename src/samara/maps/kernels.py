"""k(x, z): the kernels by name, as scikit-learn defines them where it has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from samara.core import Array
from samara.errors import InputError, unknown_name

OF_DISTANCE = ("laplace", "matern32", "matern52")  # functions of ‖x − z‖ itself, not of its square
KERNELS = (
    *("rbf", "linear", "polynomial", "laplacian", "sigmoid", "cosine"),
    *OF_DISTANCE,
    *("precomputed", "callable"),
)


@dataclass(frozen=True)
class Kernel:
    """k(x, z), one of a few by name or a function of yours.

    ========================  =============================
    ``rbf``                   exp(−γ‖x − z‖²)
    ``laplace``               exp(−γ‖x − z‖), of the Euclidean distance
    ``matern32``              (1 + a)e⁻ᵃ with a = √3·γ‖x − z‖ (Matérn, ν = 3/2)
    ``matern52``              (1 + a + a²/3)e⁻ᵃ with a = √5·γ‖x − z‖ (Matérn, ν = 5/2)
    ``laplacian``             exp(−γ‖x − z‖₁), of the sum of the differences of the columns
    ``polynomial``            (γ x·z + coef0)^degree
    ``sigmoid``               tanh(γ x·z + coef0)
    ``linear``                x·z
    ``cosine``                x·z / (‖x‖‖z‖), 0 for a row of zeros
    ``precomputed``           the rows given are those of the kernel matrix
    ``callable``              ``function(X, Z)``
    ========================  =============================

    Parameters
    ----------
    name : str
        A name of the table.
    gamma : float
        γ, positive; the others do not look at it.
    degree : float
        Of ``polynomial``, at least 1.
    coef0 : float
        Of ``polynomial`` and ``sigmoid``.
    function : callable
        Gets two arrays of rows, (n, d) and (m, d), as they were given, and returns the (n, m) matrix.
    """

    name: str
    gamma: float = 1.0
    degree: float = 3
    coef0: float = 1
    function: Callable[[Any, Any], Array] | None = None

    @property
    def uses_gamma(self) -> bool:
        """Whether γ changes it."""
        return self.is_of_difference or self.name in ("polynomial", "sigmoid")

    @property
    def is_of_difference(self) -> bool:
        """Whether it is a function of x − z, 1 where that is 0."""
        return self.name in ("rbf", "laplacian", *OF_DISTANCE)

    @property
    def is_definite(self) -> bool:
        """Whether its matrices are known to have no negative eigenvalue."""
        if self.name == "polynomial":
            return self.coef0 >= 0 and float(self.degree).is_integer()
        return self.is_of_difference or self.name in ("linear", "cosine")

    def max_rank(self, d: int) -> int | None:
        """Rank that its matrix of rows with d columns never exceeds; None where there is no such bound."""
        if self.name in ("linear", "cosine"):
            return d
        if self.name == "polynomial" and float(self.degree).is_integer():
            degree = int(self.degree)
            return comb(d + degree - (self.coef0 == 0), degree)
        return None

    def validate(self) -> None:
        """Refuse unknown names and impossible numbers."""
        if self.name not in KERNELS:
            raise unknown_name("kernel", self.name, KERNELS)
        if self.uses_gamma and not (_is_number(self.gamma) and self.gamma > 0):
            raise InputError(f"gamma must be a positive number, got {self.gamma!r}.")
        if self.name == "polynomial" and not (_is_number(self.degree) and self.degree >= 1):
            raise InputError(f"degree must be a number of at least 1, got {self.degree!r}.")
        if self.name in ("polynomial", "sigmoid") and not _is_number(self.coef0):
            raise InputError(f"coef0 must be a number, got {self.coef0!r}.")
        if self.name == "callable" and not callable(self.function):
            raise InputError(f"A callable kernel needs a function(X, Z), got {self.function!r}.")

    def called(self, X: Any, Z: Any) -> Array:
        """The function's matrix between two sets of rows, refused where it is not one."""
        needed = (X.shape[0], Z.shape[0])
        if 0 in needed:
            return np.zeros(needed)
        assert self.function is not None
        made = np.asarray(self.function(X, Z))
        rows = f"The kernel function was given rows of shapes {X.shape} and {Z.shape}"
        if made.dtype.kind not in "biuf":
            raise InputError(f"{rows} and must return numbers, got {made.dtype}.")
        if made.shape != needed:
            raise InputError(f"{rows} and must return a matrix of {needed}, got {made.shape}.")
        if not np.isfinite(made).all():
            raise InputError(f"{rows} and returned a NaN or an infinity.")
        return made


def _is_number(value: object) -> bool:
    """Whether it is one real, finite number."""
    real = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return bool(real and np.isfinite(value))  # type: ignore[call-overload]
