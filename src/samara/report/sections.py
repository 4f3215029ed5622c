"""The parts of the report below its first screen."""

from __future__ import annotations

import numpy as np

from samara.report import scores
from samara.report.class_charts import calibration_chart, mistake_charts
from samara.report.drawing import short
from samara.report.fit_charts import importance_chart, memory_chart
from samara.report.residual_charts import coverage_chart, first_target, residual_charts, target_name
from samara.report.run import Evaluation, Run
from samara.report.surface_charts import chosen, surface_charts
from samara.report.tables import Section, columns_section, plan_section

MOST_TARGETS = 200  # listed


def sections(run: Run) -> list[Section]:
    """All parts of the page below the summary, in their order."""
    return [
        columns_section(run),
        plan_section(run),
        _surface(run),
        _results(run.evaluation),
        _calibration(run),
        _importances(run),
        _memory(run),
    ]


def _surface(run: Run) -> Section:
    charts = surface_charts(run)
    none = "Ridge and size were given, or too few rows could be held out: nothing was compared."
    if hasattr(run.estimator, "leaderboard_"):
        none = "The search compared whole models: the leaderboard is at the top."
    return Section("selection", "Choice of ridge and size", "" if charts else none, charts)


def _results(evaluation: Evaluation | None) -> Section:
    if evaluation is None:
        return Section("results", "Predictions", "The model was not evaluated: no predictions were given.")
    if evaluation.classes is not None:
        return Section(
            "results", "Mistakes", evaluation.what, mistake_charts(evaluation, np.asarray(evaluation.classes))
        )
    several = np.ndim(evaluation.y_true) > 1 and np.shape(evaluation.y_true)[1] > 1
    notes = _by_target(evaluation) if several else []
    return Section("results", "Residuals", evaluation.what, residual_charts(evaluation), notes=notes)


def _by_target(evaluation: Evaluation) -> list[str]:
    """One line a target; the charts are those of the first."""
    true, predicted = np.asarray(evaluation.y_true, float), np.asarray(evaluation.predicted, float)
    lines = []
    for k in range(min(true.shape[1], MOST_TARGETS)):
        r2, rmse = scores.r2_and_rmse(true[:, k], predicted[:, k])
        name = target_name(evaluation, k) if k < len(evaluation.targets) else f"target {k + 1}"
        lines.append(f"{name}: R² {short(r2, 4)}, RMSE {short(rmse, 4)}{' (drawn above)' if k == 0 else ''}")
    return lines


def _calibration(run: Run) -> Section:
    evaluation, title = run.evaluation, "Calibration"
    if evaluation is None:
        return Section("calibration", title, "Nothing was predicted that could be compared with the truth.")
    if evaluation.classes is not None:
        if evaluation.probabilities is None:
            return Section("calibration", title, "No class probabilities were given.")
        chart = calibration_chart(
            evaluation, np.asarray(evaluation.probabilities), np.asarray(evaluation.classes)
        )
        return Section("calibration", title, charts=[chart])
    _, rmse = scores.r2_and_rmse(*first_target(evaluation))
    origin = "that of these rows"
    tried = getattr(run.estimator, "selection_", None)
    if tried is not None and tried.method != "lcurve" and tried.target_scores.shape[-1] == 1:
        rmse, origin = chosen(tried)[2], "estimated when ridge and size were chosen"
    if rmse == 0:
        return Section("calibration", title, "Every prediction is exact, so there is no error to calibrate.")
    return Section("calibration", title, charts=[coverage_chart(evaluation, rmse, origin)])


def _importances(run: Run) -> Section:
    if not run.importances:
        return Section("columns", "Columns that matter", "No columns were shuffled to see which ones matter.")
    return Section(
        "columns", "Columns that matter", charts=[importance_chart(run.importances, run.score_name)]
    )


def _memory(run: Run) -> Section:
    if run.memory is None:
        return Section("memory", "Memory over time", "Memory was not watched during this fit.")
    return Section("memory", "Memory over time", charts=[memory_chart(run, run.memory)])
