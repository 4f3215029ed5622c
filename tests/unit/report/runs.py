"""Small runs with everything that a report shows."""

import numpy as np

from samara import ELMClassifier, ELMRegressor
from samara.engines import Threads
from samara.report import Evaluation, MemoryWatch, Run, column_facts, permutation_importance

ODD = "</script><script>alert('odd')</script>"
BOLD = "<b>bold</b> & %{y}"


def rows(count=900, columns=5, seed=0):
    """Numbers, and their names, of which two look like tags."""
    X = np.random.default_rng(seed).standard_normal((count, columns))
    return X, [ODD, BOLD, *(f"column {k}" for k in range(2, columns))]


def stacked(columns):
    return np.column_stack(list(columns.values()))


def regression(title="A regression", **more):
    """A regressor with sizes to choose from, watched."""
    X, names = rows()
    y = np.sin(X[:, 0]) + X[:, 1] + 0.1 * np.random.default_rng(1).standard_normal(len(X))
    with MemoryWatch() as watch:
        engine = Threads(progress=watch)
        model = ELMRegressor([10, 20, 40], memory="200MB", engine=engine, random_state=0).fit(
            X[:600], y[:600]
        )
    held = Evaluation(y[600:], model.predict(X[600:]), "Held-out rows.", targets=(BOLD,))
    columns = dict(zip(names, X[600:].T, strict=True))
    drops = permutation_importance(
        lambda c: model.predict(stacked(c)), columns, y[600:], lambda t, p: -np.mean((t - p) ** 2)
    )
    dates = np.datetime64("2020-01-01") + np.arange(900)
    facts = column_facts(columns | {"day": dates, "word": np.array([ODD, "b", None] * 300, object)})
    parts = {"profile": facts, "evaluation": held, "importances": drops, "memory": watch.trace}
    return Run(title, model, **({"n_rows": 600, "score_name": "minus the MSE"} | parts | more))


def classification(count=3, **more):
    """A classifier of ``count`` classes, whose names look like tags."""
    X, names = rows(40 * count)
    codes = np.arange(len(X)) % count
    X[:, 0] += 2 * codes
    labels = np.array([f"<i>{k:02}</i>" for k in range(count)])
    model = ELMClassifier(30, random_state=0).fit(X, labels[codes])
    held = Evaluation(
        labels[codes], model.predict(X), "Training rows.", model.predict_proba(X), model.classes_
    )
    facts = column_facts(dict(zip(names, X.T, strict=True)))
    return Run("Classes", model, **({"n_rows": len(X), "profile": facts, "evaluation": held} | more))
