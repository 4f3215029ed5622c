"""What ``samara fit --report`` puts into its report."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from samara.cli.endings import UsageError
from samara.cli.jobs import Job

ROWS = 5000  # predicted for the charts


def check_report(path: str | None) -> None:
    """Refuse a report that can't be drawn, before the fit and not after."""
    if path is not None and not (find_spec("plotly") and find_spec("jinja2")):
        raise UsageError("--report needs plotly and Jinja2: pip install samara[report].")


def write_run(job: Job, result: dict[str, Any], trace: Any, test: Any) -> None:
    """Write the report of a fit."""
    from samara.report import Run, profile_facts, write_report

    model, facts = job.estimator, getattr(job.estimator, "facts_", None)
    run = Run(
        title=f"{', '.join(result['data']['targets'])}: {result['estimator']}",
        estimator=model,
        data=f"Rows of {', '.join(job.request.data.path or ())}.",
        n_rows=result["data"]["rows"],
        profile=() if facts is None or not hasattr(model, "columns_") else profile_facts(facts),
        memory=trace,
        seconds=result["seconds"],
        measured_peak=result["memory"]["workers"] or result["memory"]["peak"],
        predicted_peak=result["memory"]["predicted"],
        budget=result["memory"]["limit"],
        **_predicted(job, test),
    )
    write_report(run, job.request.run.report or "")


def _predicted(job: Job, test: Any) -> dict[str, Any]:
    """Predictions beside the truth, and the columns that they lean on."""
    import numpy as np

    from samara.estimators.sampled import Sample
    from samara.report import Evaluation, permutation_importance

    model = job.estimator
    if getattr(model, "columns_", None) is None:  # a sparse matrix: no columns to name
        return {}
    sample = Sample(model, job.table if test is None else test, ROWS)
    if not len(sample.true):
        return {}
    classes = getattr(model, "classes_", None)
    made = sample.predictions(trained=test is None)
    told = Evaluation(
        sample.true,
        made.predicted,
        _which_rows(len(sample.true), test is not None, made.held_out),
        made.probabilities,
        classes,
        tuple(column.name for column in job.table.targets),
    )

    def score(true: Any, predicted: Any) -> float:
        if classes is not None:
            return float(np.mean(true == predicted))
        return float(1 - np.mean((true - predicted) ** 2) / max(np.var(true), 1e-300))

    columns = dict(zip(sample.names, sample.X.T, strict=True))
    drops = permutation_importance(
        lambda shuffled: sample.predict(np.column_stack(list(shuffled.values()))), columns, sample.true, score
    )
    name = "accuracy" if classes is not None else "R²"
    return {"evaluation": told, "importances": drops, "score_name": name}


def _which_rows(count: int, tested: bool, held_out: bool) -> str:
    """Which rows were predicted, and by what."""
    if tested:
        return f"{count:,} test rows, predicted by the model."
    if held_out:
        return f"{count:,} rows of the fit, each predicted by a model of the other folds."
    return f"{count:,} rows of the fit itself, predicted by the model: its errors on new rows will be larger."
