"""Reports of automatic estimators: the leaderboard is where others have ridge and size."""

import numpy as np
import pytest

from samara import AutoELMClassifier, AutoELMRegressor
from samara.report import Evaluation, Run, write_report
from samara.report.summary import cards, lead

pytest.importorskip("plotly")
pytest.importorskip("jinja2")

X = np.random.default_rng(0).standard_normal((80, 3))
Y = X[:, 0] + np.sin(X[:, 1])


def test_numbers(tmp_path):
    model = AutoELMRegressor(None, rounds=3, random_state=0).fit(X, Y)
    run = Run("Automatic", model, n_rows=80, evaluation=Evaluation(Y, model.predict(X), "Training rows."))
    write_report(run, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    size, members = len(model.model_.coef), len(model.weights_)
    assert f"AutoELMRegressor with {size:,} features, a blend of {members} of 3 candidates." in lead(run)
    found = {card.name: card for card in cards(run)}
    assert found["Features"].value == f"{size:,}"
    assert found["Held-out score"].value == f"{model.held_out_score_:.4g}"
    assert "Ridge α" not in found
    for entry in model.leaderboard_:
        if entry.weight:
            card = found[entry.candidate.capitalize()]
            assert card.detail == f"R², weight {entry.weight:.2f}"
            assert card.name in page


def test_classes(tmp_path):
    model = AutoELMClassifier(None, rounds=2, random_state=0).fit(X, Y > 0)
    held = Evaluation(Y > 0, model.predict(X), "Training rows.", model.predict_proba(X), model.classes_)
    run = Run("Automatic", model, n_rows=80, evaluation=held)
    write_report(run, tmp_path / "report.html")
    assert "accuracy of the blend" in {card.detail for card in cards(run)}


def test_a_ridge_alone(tmp_path):
    """Copies of one row: there is no leaderboard."""
    model = AutoELMRegressor(None, random_state=0).fit(np.ones((12, 2)), np.arange(12.0))
    run = Run("Automatic", model)
    write_report(run, tmp_path / "report.html")
    assert lead(run) == "AutoELMRegressor with 2 features, a ridge regression."
