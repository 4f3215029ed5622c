"""What a report refuses, and what it leaves alone when it fails."""

import sys

import numpy as np
import pytest

from samara import ELMRegressor, InputError, SamaraError, StoreError
from samara.report import Evaluation, Run, write_report
from tests.unit.report.runs import regression

pytest.importorskip("plotly")
pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def run():
    return regression()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predicted": [1, 2]}, r"as many predictions as true values; \(2,\) predictions came with \(1,\)"),
        ({"y_true": [], "predicted": []}, "at least one row"),
        (
            {"y_true": [np.nan], "predicted": [1.0], "classes": None},
            "finite numbers; 1 of 1 true values are not",
        ),
        (
            {"y_true": [1.0], "predicted": [np.inf], "classes": None},
            "finite numbers; 1 of 1 predictions are not",
        ),
        ({"classes": None}, "finite numbers; 1 of 1 true values are not"),
        ({"classes": ["b"]}, "one of the 1 classes; 'a' is not"),
        ({"probabilities": np.ones((1, 3))}, r"a column for each class, \(1, 2\); their shape is \(1, 3\)"),
    ],
)
def test_an_evaluation_that_does_not_fit_together_is_refused(change, message):
    given = {"y_true": ["a"], "predicted": ["a"], "what": "One.", "classes": ["a", "b"]}
    with pytest.raises(InputError, match=message):
        Evaluation(**(given | change))


def test_an_estimator_that_is_not_fitted_is_refused():
    with pytest.raises(InputError, match="this ELMRegressor is not fitted yet: call fit"):
        Run("Early", ELMRegressor())


@pytest.mark.parametrize("package", ["jinja2", "plotly.offline"])
def test_without_its_packages_one_sentence_says_what_to_install(run, package, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SamaraError, match=r"needs plotly and Jinja2: pip install samara\[report\]"):
        write_report(run, tmp_path / "report.html")
    assert not list(tmp_path.iterdir())


def test_an_old_file_is_replaced_whole_or_not_at_all(run, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(StoreError, match="can't be written: there is no folder"):
        write_report(run, tmp_path / "nowhere" / "report.html")
    write_report(run, path)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
