"""Letter recognition: 20,000 capital letters in 20 fonts, 16 numbers each."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal, overload

import numpy as np

from samara.core import Array

COLUMNS = (
    *("x-box", "y-box", "width", "high", "onpix", "x-bar", "y-bar", "x2bar"),
    *("y2bar", "xybar", "x2ybr", "xy2br", "x-ege", "xegvy", "y-ege", "yegvx"),
)
N_TRAIN = 16_000  # the rows UCI's description and most papers train on: the first ones


@overload
def load_letter(*, return_split: Literal[False] = False) -> tuple[Array, Array]: ...
@overload
def load_letter(*, return_split: Literal[True]) -> tuple[Array, Array, Array, Array]: ...
def load_letter(*, return_split: bool = False) -> tuple[Array, ...]:
    """Letter recognition: which of 26 capital letters is a distorted image of?

    20,000 black-and-white images of capital letters in 20 fonts, distorted at random, each described by
    16 whole numbers from 0 to 15: x-box, y-box, width, high, onpix, x-bar, y-bar, x2bar, y2bar, xybar,
    x2ybr, xy2br, x-ege, xegvy, y-ege, yegvx. The rows are in the order of the original file.

    Parameters
    ----------
    return_split : bool, default=False
        Return the usual split: the first 16,000 rows to fit, the last 4,000 to test.

    Returns
    -------
    X : ndarray of shape (20000, 16)
        Inputs, as float64.
    y : ndarray of shape (20000,)
        Labels, "A" to "Z".
    X_train, X_test, y_train, y_test : ndarray
        In place of X and y, with ``return_split=True``.

    Notes
    -----
    D. Slate, "Letter Recognition", UCI Machine Learning Repository, 1991, doi:10.24432/C5ZP40, licensed
    under CC BY 4.0. P. W. Frey and D. J. Slate, "Letter recognition using Holland-style adaptive
    classifiers", Machine Learning 6, 161-182, 1991. Unchanged but for the file format.

    Examples
    --------
    >>> from samara.datasets import load_letter
    >>> X, y = load_letter()
    >>> X.shape, str(y[0])
    ((20000, 16), 'T')
    """
    with files("samara.datasets").joinpath("letter.npz").open("rb") as file:
        stored = np.load(file, allow_pickle=False)
        X, codes = stored["X"].astype(np.float64), stored["y"]
    y = np.array([chr(ord("A") + code) for code in range(26)])[codes]
    if return_split:
        return X[:N_TRAIN], X[N_TRAIN:], y[:N_TRAIN], y[N_TRAIN:]
    return X, y
