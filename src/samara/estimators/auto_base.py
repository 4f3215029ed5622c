"""What the automatic estimators share: parameters, the fit of a source, and its results."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from samara.core import Source, dense
from samara.errors import InputError
from samara.estimators.common import ClosedForm
from samara.estimators.given import Given, budgeted
from samara.estimators.parameters import read_budget, read_engine, read_seed
from samara.maps import AsFloat, Beside
from samara.model import Model
from samara.prepare import sample_salt
from samara.search import AutoFitted, AutoSettings, Clock, auto_fit
from samara.search.clock import read_time
from samara.selection import KFold
from samara.settings import QUANTILE_ROWS, Settings
from samara.sources import ArraySource
from samara.summaries import Profile

DENSE_BYTES = 1 << 28  # up to which sparse rows are made dense, so that every candidate can be tried


class BaseAutoELM(ClosedForm):
    """Parameters, the fit of a source, and its results."""

    missing = None  # frames and files may have gaps, arrays not
    calibration = "auto"

    def __init__(
        self,
        time: Any = "30s",
        *,
        rounds: Any = None,
        memory: str | int | None = None,
        engine: Any = None,
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.time = time
        self.rounds = rounds
        self.memory = memory
        self.engine = engine
        self.verbose = verbose
        self.random_state = random_state

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""
        if where[0] is not None:
            raise InputError(f"{type(self).__name__} has no checkpoints: use checkpoint=None.")

        def run(progress: Any) -> AutoFitted:
            settings = self._auto_settings(progress)
            clock = self._clock(settings.seconds)
            looking = budgeted(looking_settings(settings), given)
            settings = replace(settings, budget=looking.budget)
            source, profile = given.seen(looking)
            source = made_dense(source)
            if profile is None or len(profile.sample) < min(QUANTILE_ROWS, source.n_rows):
                make = partial(Profile, QUANTILE_ROWS, sample_salt(settings.entropy))
                engine = settings.crew.planned(settings.budget.workers, 4096, progress)
                profile = engine.summarize(source, make, name="look")
            return auto_fit(source, settings, profile, clock)

        done = self._following(given, run)
        self.model_, self.plan_, self.leaderboard_ = done.model, done.plan, done.board
        self.weights_, self.held_out_score_ = done.weights, done.score
        left_out = done.left_out
        self._learn_left_out(None if left_out is None else lambda: left_out)

    def _clock(self, seconds: float | None) -> Clock:
        return Clock(seconds)

    def _auto_settings(self, progress: Any) -> AutoSettings:
        """Every parameter checked; the first that can't be used is named."""
        engine = read_engine(self.engine)
        return AutoSettings(
            seconds=read_time(self.time),
            rounds=_rounds(self.rounds),
            classes=is_classifier(self),
            budget=read_budget(self.memory, engine),
            crew=engine,
            entropy=read_seed(self.random_state),
            progress=progress or engine.progress,
        )

    def _settings(self) -> AutoSettings:
        return self._auto_settings(None)

    @property
    def models_(self) -> tuple[Model, ...]:
        """What each member of the blend adds to ``model_``, the intercept with the first."""
        check_is_fitted(self, "model_")
        model = self.model_
        if not isinstance(model.maps[0], Beside):
            return (model,)
        parts = enumerate(model.maps[0].parts())
        none = np.zeros_like(model.intercept)
        return tuple(
            Model(chain, model.coef[columns], none if number else model.intercept)
            for number, (chain, columns) in parts
        )


def _rounds(given: Any) -> int | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, Integral) or int(given) < 1:
        raise InputError(f"rounds must be a whole number of 1 or more, or None; got {given!r}.")
    return int(given)


def looking_settings(settings: AutoSettings) -> Settings:
    """The settings of a fit that asks for no more than a look at the rows."""
    return Settings(
        layer=AsFloat(1, np.dtype(np.float64)),
        sizes=(1,),
        alphas=None,
        solver=None,
        selector=KFold(),
        selection_why="",
        scale="quantile",
        direct_link=False,
        fit_intercept=True,
        budget=settings.budget,
        crew=settings.crew,
        dtype=np.dtype(np.float64),
        entropy=settings.entropy,
        progress=settings.progress,
    )


def made_dense(source: Source) -> Source:
    """Sparse rows in memory as an array, where that is small."""
    if not isinstance(source, ArraySource) or not source.is_sparse:
        return source
    small = 8 * source.X.shape[0] * source.X.shape[1] <= DENSE_BYTES
    return replace(source, X=dense(source.X)) if small else source
