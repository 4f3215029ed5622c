"""OS-ELM and OS-RELM: the inverse itself, updated chunk by chunk by Woodbury's formula."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import cho_factor, cho_solve, eigh

from samara.core import Array, Source
from samara.errors import ConditionWarning, InputError, NonFiniteError
from samara.linalg.workers import single_blas_thread
from samara.summaries import Layout

FORMS = ("incremental", "direct")


@dataclass(frozen=True)
class Woodbury:
    """K⁻¹ and β are current after each chunk (Schindler, equations 2.16 to 2.21).

    .. math:: K_{k+1}^{-1} = K_k^{-1} - K_k^{-1}H^\\top(I + HK_k^{-1}H^\\top)^{-1}HK_k^{-1} .

    Left alone it loses positive definiteness once cond(H)²·eps nears 1. Here the moments are kept as well,
    and the inverse is made anew from them every so many rows, and whenever β no longer solves the equations.

    Parameters
    ----------
    form : {"incremental", "direct"}
        β ← β + K⁻¹Hᵀ(T − Hβ), eq. 2.16, or β = K⁻¹ΣHᵀT, eq. 2.21.
    resync : int or None
        Rows after which the inverse is made anew; None: as many as there are nodes.
    """

    form: Literal["incremental", "direct"] = "incremental"
    resync: int | None = None
    name = "woodbury"

    def validate(self) -> None:
        """Refuse unknown names and impossible numbers."""
        if self.form not in FORMS:
            raise InputError(f"form must be one of {', '.join(FORMS)}, got {self.form!r}.")
        if self.resync is not None and self.resync < 1:
            raise InputError(f"resync must be at least one row, got {self.resync!r}.")


class Inverse:
    """The inverse of the regularised moments of [1, h], their solution, and the moments themselves."""

    DRIFT = 1e-8  # relative residual of β in the moments' equations beyond which the inverse is made anew

    def __init__(
        self, rule: Woodbury, layout: Layout, alpha: float, fit_intercept: bool, block_rows: int
    ) -> None:
        if not alpha > 0:
            raise InputError(
                'update="woodbury" needs a ridge above 0: its first inverse has no other footing.'
            )
        self.rule, self.layout, self.alpha, self.fit_intercept = rule, layout, alpha, fit_intercept
        self._first = 0 if fit_intercept else 1  # first column that takes part
        size = 1 + layout.n_features - self._first
        targets = 1 + layout.n_targets  # the constant first
        self.gram, self.cross = np.zeros((size, size)), np.zeros((size, targets))
        self.inverse, self.beta = np.zeros((0, 0)), np.zeros((size, targets))
        self._workspace: Array | None = None
        self._block_rows = block_rows
        self._since, self._warned = 0, False

    def __getstate__(self) -> dict[str, Any]:
        """Without the workspace: it holds nothing between two chunks."""
        return {**self.__dict__, "_workspace": None}

    def learn(self, source: Source) -> None:
        """Update by the chunks of a batch."""
        if self._workspace is None:
            self._workspace = self.layout.workspace(self._block_rows)
        with single_blas_thread():
            for part in source.parts(1):
                for block in part.blocks(self._block_rows):
                    Z = self.layout.fill(block, self._workspace)
                    self._chunk(np.asarray(Z, np.float64))
        self._check()

    def _chunk(self, Z: Array) -> None:
        end = 1 + self.layout.n_features
        A, Y = Z[:, self._first : end], np.column_stack([Z[:, 0], Z[:, end:]])
        with np.errstate(over="ignore", invalid="ignore"):
            self.gram += A.T @ A
            self.cross += A.T @ Y
        if not np.isfinite(self.gram.diagonal()).all() or not np.isfinite(self.cross).all():
            raise NonFiniteError(f"Features or targets of these rows are too large for {self.layout.dtype}.")
        self._since += len(Z)
        if not len(self.inverse) or self._since >= (self.rule.resync or self.layout.n_features):
            self.resync()
            return
        gain = self.inverse @ A.T
        inner = A @ gain
        inner[np.diag_indices_from(inner)] += 1
        try:
            self.inverse -= gain @ cho_solve(
                cho_factor(inner, check_finite=False), gain.T, check_finite=False
            )
        except np.linalg.LinAlgError:  # no longer positive definite
            self.resync()
            return
        if self.rule.form == "incremental":
            self.beta += self.inverse @ (A.T @ (Y - A @ self.beta))
        else:
            self.beta = self.inverse @ self.cross

    def _check(self) -> None:
        """Make the inverse anew where β has drifted from the equations."""
        rest = self.cross - self.gram @ self.beta - self._ridge()[:, None] * self.beta
        with np.errstate(invalid="ignore", over="ignore"):
            if not np.linalg.norm(rest) <= self.DRIFT * np.linalg.norm(self.cross):
                self.resync()

    def resync(self) -> None:
        """K⁻¹ from the moments: what rounding has done since is gone."""
        K = self.gram + np.diag(self._ridge())
        least = 8 * np.finfo(float).eps * float(np.trace(K))
        if self.alpha >= least:
            factor = cho_factor(K, check_finite=False)
            self.inverse = cho_solve(factor, np.eye(len(K)), check_finite=False)
            # Not by the inverse, which loses cond(K)·eps: fitted values off by 4e-4 where these are by 3e-7.
            self.beta = cho_solve(factor, self.cross, check_finite=False)
        else:  # a Cholesky factor would be one of rounding
            self._warn(least)
            values, vectors = eigh(K, check_finite=False)
            self.inverse = (vectors / np.maximum(values, least)) @ vectors.T
            self.beta = self.inverse @ self.cross
        self._since = 0

    def _warn(self, least: float) -> None:
        if not self._warned:
            warnings.warn(
                f"The ridge {self.alpha:.1e} is below the rounding of the moments, {least:.1e}, which serves "
                'along directions smaller still. update="qr" keeps them.',
                ConditionWarning,
                stacklevel=2,
            )
        self._warned = True

    def _ridge(self) -> Array:
        ridge = np.full(len(self.gram), self.alpha)
        if self.fit_intercept:
            ridge[0] = 0.0
        return ridge

    def widened(self, layout: Layout) -> Inverse:
        """The same rows with more targets, which were 0 in all of them."""
        made, more = copy(self), layout.n_targets - self.layout.n_targets
        made.layout, made._workspace = layout, None
        made.cross, made.beta = (np.pad(array, ((0, 0), (0, more))) for array in (self.cross, self.beta))
        return made

    def solution(self, turn: Array | None) -> Array:
        """(1 + L, t): intercept and weights; ``turn`` makes other targets of the constant and those kept."""
        beta = self.beta[:, 1:] if turn is None else self.beta @ turn
        return beta if self.fit_intercept else np.vstack([np.zeros((1, beta.shape[1])), beta])

    @property
    def condition(self) -> float:
        """Estimate of the condition number of the regularised H, in the 1-norm."""
        K = self.gram + np.diag(self._ridge())
        return float(np.sqrt(np.linalg.norm(K, 1) * np.linalg.norm(self.inverse, 1)))
