"""Two-stage extreme learning machines: few coordinates first, hidden nodes over them second."""

from __future__ import annotations

from typing import Any

from samara.centre_fit import KernelFitted
from samara.errors import InputError, unknown_name
from samara.estimators.classification import Classification
from samara.estimators.common import ClosedForm
from samara.estimators.embedding import (
    WIDER,
    FirstStage,
    FirstStages,
    best_of,
    first_settings,
    held_out_error,
)
from samara.estimators.given import Given
from samara.estimators.parameters import read_seed
from samara.estimators.regression import Regression
from samara.estimators.second_stage import KINDS, Embedding, refitted, reused, second_settings, simplex
from samara.fit import Fitted
from samara.settings import Settings


class BaseTwoStage(ClosedForm):
    """Parameters, the fit of a source, and its results."""

    def __init__(
        self,
        embedding: Any = "auto",
        *,
        second_stage: str = "refit",
        n_hidden: Any = 500,
        hidden: Any = "rbf",
        gamma: Any = "scale",
        alpha: Any = "auto",
        scale: Any = None,
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        self.embedding = embedding
        self.second_stage = second_stage
        self.n_hidden = n_hidden
        self.hidden = hidden
        self.gamma = gamma
        self.alpha = alpha
        self.scale = scale
        self.memory = memory
        self.engine = engine
        self.dtype = dtype
        self.verbose = verbose
        self.random_state = random_state

    def _fit_rows(self, given: Given, where: tuple[Any, Any]) -> None:
        """Fit, then set every attribute at once."""
        if where[0] is not None:
            raise InputError(f"{type(self).__name__} has no checkpoints: use checkpoint=None.")
        seeded = self._seeded()

        def run(progress: Any) -> tuple[FirstStage, Fitted]:
            again = second_settings(seeded, progress)
            return self._searched(FirstStages(seeded, given, progress), again, seeded.random_state)

        stage, done = self._following(given, run)
        self.embedding_, self.embedding_alpha_ = stage.name, stage.fitted.alpha
        self.model_, self.plan_, self.selection_ = done.model, done.plan, done.selection
        self.alpha_, self.n_hidden_ = done.alpha, len(done.model.coef)
        self.rank_, self.condition_ = done.rank, done.condition
        self.approximation_error_ = done.approximation_error
        self._learn_left_out(done.left_out)

    def _searched(self, stages: FirstStages, settings: Settings, seed: int) -> tuple[FirstStage, Fitted]:
        """Both stages: first which length of rows, then which map has the smallest held-out error."""

        def tried(name: str, **other: Any) -> tuple[FirstStage, Fitted]:
            stage = stages.fitted(name, **other)
            return stage, self._second(stage, settings, seed)

        def error(one: tuple[FirstStage, Fitted]) -> float:
            return held_out_error(one[1])

        if stages.names[0] != "linear" or self.embedding != "auto":
            return tried(stages.names[0])
        scales = (None, "unit") if self.scale is None else (self.scale,)
        if len(stages.names) == 1:  # of wide rows the second stage takes longer than the first: only one
            stage = best_of(stages.fitted("linear", scale=scale) for scale in scales)
            return stage, self._second(stage, settings, seed)
        found = [min((tried(stages.names[0], scale=scale) for scale in scales), key=error)]
        scale = found[0][0].scale
        found.append(tried("kernel", scale=scale))
        kernel = found[1][0].fitted
        if isinstance(self.gamma, str) and isinstance(kernel, KernelFitted):
            found.append(tried("kernel", scale=scale, gamma=WIDER * kernel.kernel.gamma))
        return min(found, key=error)

    def _second(self, stage: FirstStage, settings: Settings, seed: int) -> Fitted:
        """A second stage over the coordinates of a first."""
        turn = simplex(stage.source.n_targets) if isinstance(self, Classification) else None
        embedding = Embedding(stage, turn)
        if self.second_stage == "refit":
            return refitted(embedding, settings)
        return reused(embedding, self.second_stage, seed)

    def _seeded(self) -> Any:
        """The same parameters, checked, with one seed for both stages."""
        if self.second_stage not in KINDS:
            raise unknown_name("second_stage", self.second_stage, KINDS)
        parameters = self.get_params(deep=False)
        parameters["random_state"] = read_seed(self.random_state)
        auto = isinstance(self.embedding, str) and self.embedding == "auto"
        if self.second_stage != "refit" and auto:
            parameters["embedding"] = "elm"  # only nodes have weights that can be reused
        return type(self)(**parameters)

    def _settings(self) -> Any:
        made = self._seeded()
        second_settings(made)
        return first_settings(made)


class TwoStageELMRegressor(BaseTwoStage, Regression):
    """Two-stage extreme learning machine for regression (Liu et al. Table 2).

    The first stage maps rows to as many coordinates as there are targets, z = Bᵀh(x), by ridge regression in
    the inputs, with a kernel or with nodes; the second is a hidden layer over z. For inputs of many columns:
    the products with d×L random weights of :class:`ELMRegressor` are not needed.

    Parameters
    ----------
    embedding : {"auto", "linear", "kernel", "elm"}, Kernel or layer, default="auto"
        The first stage, as in :class:`SpectralRegression`; the paper's is ``elm``. ``auto`` is
        ``elm`` for more than 5000 rows; else that whose second stage has the smallest held-out error: linear,
        on rows as they are or, where no scale is given, divided by their length; then, on the better of
        these, a kernel of this gamma, and one of a tenth of it. Where columns are twice the rows or more it
        is ``linear``, and the error that of the first stage.
    second_stage : {"refit", "paired", "literal"}, default="refit"
        Where the weights of the second stage come from. ``refit``: solved for, on coordinates that models
        gave which had not seen the row. ``paired``: those of the first stage, with the first stage's
        centres, mapped, as centres. ``literal``: those of the first stage, with centres drawn anew, as
        printed in Table 2: weights and nodes then have nothing to do with each other, and the predictions
        are no better than chance. These two need Gaussian nodes in the first stage: ``auto`` is then
        ``elm``.
    n_hidden : int, list of int or "auto", default=500
        Nodes of the second stage, and of the first where it has nodes (Gaussian ones: at most one a row).
    hidden : str, layer or FeatureMap, default="rbf"
        Nodes of a second stage that is fitted, as in :class:`ELMRegressor`, beside which the coordinates
        themselves are linked to the outputs: rows of the fit lie further out than the held-out coordinates
        it saw, where Gaussian nodes have died away.
    gamma : float, "scale", "median" or "auto", default="scale"
        Of ``kernel``, as in :class:`KernelELMRegressor`.
    alpha : float, list of float or "auto", default="auto"
        Ridges of both stages, chosen for each; coordinates by models that had not seen the row come with
        that choice, so that with one given ridge there are none.
    scale : {"standard", "quantile", "unit"}, FeatureMap or None, default=None
        Scaling of the inputs. Coordinates are always standardized.
    memory, engine, dtype, verbose
        As in :class:`ELMRegressor`.
    random_state : int, RandomState or None, default=None
        Seed of the nodes of both stages.

    Attributes
    ----------
    embedding_ : str
        The first stage used: linear, kernel or elm.
    embedding_alpha_ : float
        Its ridge.
    alpha_, n_hidden_, selection_, plan_, rank_, condition_, approximation_error_
        Of the second stage, as in :class:`ELMRegressor`; of the first where its weights are reused.
    model_ : :class:`samara.model.Model`
        Maps of both stages and coefficients.
    n_features_in_, feature_names_in_
        As in :class:`ELMRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from samara import TwoStageELMRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> TwoStageELMRegressor(random_state=0).fit(X, y).predict(X[:2]).shape
    (2,)
    """


class TwoStageELMClassifier(BaseTwoStage, Classification):
    """Two-stage extreme learning machine for classification (Liu et al. Table 2).

    The first stage maps rows to one coordinate fewer than there are classes, supervised spectral regression;
    the second is a hidden layer over these. The parameters are those of :class:`TwoStageELMRegressor`, and
    ``class_weight``.

    Parameters
    ----------
    embedding, second_stage, n_hidden, hidden, gamma, alpha, scale, memory, engine, dtype, verbose, \
random_state
        As in :class:`TwoStageELMRegressor`.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, multiplied onto the rows' weights; ``"balanced"`` gives every class the
        same total.
    calibration : {"auto", "temperature", "isotonic"} or None, default="auto"
        How outputs become the probabilities of ``predict_proba``, learned from rows of the fit as the models
        without them see them: by one temperature, or by a rising curve for each class. None takes outputs
        for 2p − 1; ``auto`` is the better of a temperature and None on those rows. Labels are the largest
        output's in any case.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    calibration_ : :class:`samara.calibration.Temperature`, :class:`samara.calibration.Isotonic` or None
        What was learned; None also where the solver can't leave rows out, and after ``partial_fit``.
    embedding_, embedding_alpha_, alpha_, n_hidden_, selection_, plan_, rank_, condition_, \
approximation_error_, model_, n_features_in_, feature_names_in_
        As in :class:`TwoStageELMRegressor`.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from samara import TwoStageELMClassifier
    >>> X, y = load_digits(return_X_y=True)
    >>> model = TwoStageELMClassifier(random_state=0).fit(X[:900], y[:900])
    >>> bool(model.score(X[900:], y[900:]) > 0.9)
    True
    """

    def __init__(
        self,
        embedding: Any = "auto",
        *,
        second_stage: str = "refit",
        n_hidden: Any = 500,
        hidden: Any = "rbf",
        gamma: Any = "scale",
        alpha: Any = "auto",
        scale: Any = None,
        class_weight: Any = None,
        calibration: Any = "auto",
        memory: str | int | None = None,
        engine: Any = None,
        dtype: Any = "float64",
        verbose: bool = False,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            embedding,
            second_stage=second_stage,
            n_hidden=n_hidden,
            hidden=hidden,
            gamma=gamma,
            alpha=alpha,
            scale=scale,
            memory=memory,
            engine=engine,
            dtype=dtype,
            verbose=verbose,
            random_state=random_state,
        )
        self.class_weight = class_weight
        self.calibration = calibration
