"""The methods of the comparison. AutoELM has the time that tuning LightGBM would take, up to a limit."""

from collections.abc import Mapping
from typing import Any

from bench.accuracy.boosting import FOLDS, PATIENCE, ROUNDS, TRIALS, Boosted, Tuned, stopped_early
from bench.contest.methods import RIDGES, Method, Problem, gradient_boosting, mlp, ridge_cv

OURS, BOOSTED, TUNED = "AutoELM", "LightGBM", "LightGBM tuned"


def random_forest(problem: Problem) -> Any:
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if problem.regression else RandomForestClassifier
    return kind(n_jobs=-1, random_state=problem.seed)


def neighbours(problem: Problem) -> Any:
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

    return (KNeighborsRegressor if problem.regression else KNeighborsClassifier)(n_jobs=-1)


def auto_elm(problem: Problem) -> Any:
    import samara

    kind = samara.AutoELMRegressor if problem.regression else samara.AutoELMClassifier
    return kind(time=f"{problem.seconds:.3g}s", random_state=problem.seed)


_ALL = (
    Method(BOOSTED, "as it comes", Boosted, "lightgbm", coded=True),
    Method(
        "LightGBM stopped",
        f"at most {ROUNDS} rounds, ended when a fifth of the rows is not better for {PATIENCE}",
        stopped_early,
        "lightgbm",
        coded=True,
    ),
    # Before AutoELM, whose time is that of the trials.
    Method(
        TUNED,
        f"the best of {TRIALS} random settings by {FOLDS}-fold cross-validation",
        Tuned,
        "lightgbm",
        coded=True,
    ),
    Method("HistGradientBoosting", "as it comes", gradient_boosting, coded=True),
    Method("RandomForest", "as it comes, on all cores", random_forest),
    Method("MLP", "as it comes: 100 nodes, Adam", mlp),
    Method("Ridge", f"RidgeCV, RidgeClassifierCV: ridge chosen among {len(RIDGES)}", ridge_cv),
    Method("k-NN", "as it comes: 5 neighbours, on all cores", neighbours),
    Method(OURS, "as it comes, in the time given", auto_elm, ours=True),
)
METHODS: Mapping[str, Method] = {method.name: method for method in _ALL}
RANKED = tuple(name for name in METHODS if name != TUNED)  # it has one split only, and is beside the ranks
