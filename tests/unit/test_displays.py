"""What the displays draw: values, scales, labels."""

import sys
from dataclasses import replace

import numpy as np
import pytest

from samara import ELMClassifier, ELMRegressor, InputError, SamaraError, SelectionDisplay, SpectrumDisplay

pytest.importorskip("matplotlib")
from matplotlib import pyplot as plt
from matplotlib.figure import Figure


@pytest.fixture(autouse=True)
def _agg():
    plt.switch_backend("Agg")
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 4))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2 + 0.3 * rng.standard_normal(300)


def regressor(data, n_hidden=30, rows=slice(None), **options):
    X, y = data
    return ELMRegressor(n_hidden, random_state=0, **options).fit(X[rows], y[rows])


def test_one_line_a_size_and_the_chosen_one_stands_out(data):
    model = regressor(data, [10, 20, 40])
    display = SelectionDisplay.from_estimator(model)
    tried = model.selection_
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_xlabel() == "ridge α"
    assert display.ax_.get_ylabel() == "held-out RMSE, 5 folds"
    for row, line in enumerate(display.lines_):
        np.testing.assert_allclose(line.get_xdata(), tried.alphas)
        np.testing.assert_allclose(line.get_ydata(), np.sqrt(tried.scores[row]))
    widths = [line.get_linewidth() for line in display.lines_]
    assert np.argmax(widths) == list(tried.n_hidden).index(model.n_hidden_)
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert sorted(labels) == ["10 nodes", "20 nodes", "40 nodes"]


def test_the_chosen_point_is_marked_and_labelled(data):
    model = regressor(data)
    display = SelectionDisplay.from_estimator(model)
    root = np.sqrt(model.selection_.best_score)
    point = display.ax_.collections[-1].get_offsets()
    np.testing.assert_allclose(point, [[model.alpha_, root]])
    text = display.label_.get_text()
    assert "30 nodes" in text
    assert f"RMSE {root:.2f}"[:8] in text
    assert "±" in text
    assert tuple(display.label_.xy) == pytest.approx((model.alpha_, root))


def test_the_label_lies_below_every_curve_and_no_number_beside_it(data):
    display = SelectionDisplay.from_estimator(regressor(data, [10, 20]))
    display.figure_.canvas.draw()
    box = display.label_.get_window_extent()
    lowest = min(np.min(line.get_ydata()) for line in display.lines_)
    assert box.y1 < display.ax_.transData.transform((1, lowest))[1]
    assert min(display.ax_.get_yticks()) > display.ax_.get_ylim()[0]


def test_the_band_is_one_standard_error(data):
    model = regressor(data)
    display = SelectionDisplay.from_estimator(model)
    heights = display.ax_.collections[0].get_paths()[0].vertices[:, 1]
    tried = model.selection_
    assert heights.max() == pytest.approx(np.sqrt((tried.scores + tried.errors).max()))
    assert heights.min() == pytest.approx(np.sqrt((tried.scores - tried.errors).min()))


def test_many_sizes_get_a_colour_bar(data):
    display = SelectionDisplay.from_estimator(regressor(data, list(range(5, 45, 2))))
    assert display.ax_.get_legend() is None
    bar = display.figure_.axes[-1]
    assert bar.get_ylabel() == "hidden nodes"
    assert [text.get_text() for text in bar.get_yticklabels()][-1] == "43"


def test_one_ridge_is_drawn_against_size(data):
    model = regressor(data, [4, 8, 16, 32, 64], alpha=1.0)
    display = SelectionDisplay.from_estimator(model)
    (line,) = display.lines_
    assert display.ax_.get_xlabel() == "hidden nodes"
    np.testing.assert_array_equal(line.get_xdata(), [4, 8, 16, 32, 64])
    np.testing.assert_allclose(line.get_ydata(), np.sqrt(model.selection_.scores[:, 0]))
    assert [text.get_text() for text in display.ax_.get_xticklabels()] == ["4", "8", "16", "32", "64"]


def test_a_ridge_of_each_target_is_marked(data):
    X, y = data
    Y = np.stack([y, np.random.default_rng(1).standard_normal(len(y))], axis=1)
    model = ELMRegressor(30, alpha_per_target=True, random_state=0).fit(X, Y)
    assert len(set(model.alpha_)) == 2
    display = SelectionDisplay.from_estimator(model)
    np.testing.assert_allclose(display.ax_.collections[-1].get_offsets()[:, 0], np.sort(model.alpha_))
    assert "one a target" in display.label_.get_text()


def test_the_l_curve_is_named_and_has_no_band(data):
    model = regressor(data, selection="lcurve")
    display = SelectionDisplay.from_estimator(model)
    assert display.ax_.get_ylabel() == "minus the curvature of the L-curve"
    assert "curvature" in display.label_.get_text()
    np.testing.assert_allclose(display.lines_[0].get_ydata(), model.selection_.scores[0])
    assert len(display.ax_.collections) == 1


@pytest.mark.parametrize(
    ("method", "name"), [("loo", "leave-one-out RMSE"), ("gcv", "RMSE estimated by GCV")]
)
def test_every_method_is_named(data, method, name):
    assert SelectionDisplay.from_estimator(regressor(data, selection=method)).ax_.get_ylabel() == name


def test_ridge_0_has_its_place(data):
    display = SelectionDisplay.from_estimator(regressor(data, alpha=[0, 0.1, 10]))
    assert display.ax_.get_xscale() == "symlog"
    assert display.ax_.get_xlim()[0] < 0


def test_scores_far_apart_are_drawn_on_a_logarithm_and_infinite_ones_not_at_all(data):
    selection = regressor(data).selection_
    scores = np.geomspace(1, 1e6, selection.scores.size).reshape(selection.scores.shape)
    scores[0, -1] = np.inf
    far = replace(selection, scores=scores, best_alpha=float(selection.alphas[0]))
    display = SelectionDisplay(far).plot()
    assert display.ax_.get_yscale() == "log"
    assert np.isnan(display.lines_[0].get_ydata()[-1])


def test_draws_where_told_and_passes_style_on(data):
    ax = Figure().subplots()
    display = SelectionDisplay.from_estimator(regressor(data), ax=ax, linestyle=":")
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert display.lines_[0].get_linestyle() == ":"


def test_nothing_chosen_is_said_so(data):
    with pytest.raises(InputError, match="no selection to show"):
        SelectionDisplay.from_estimator(regressor(data, alpha=1.0))
    with pytest.raises(InputError, match="not fitted"):
        SelectionDisplay.from_estimator(ELMRegressor())


def test_a_missing_matplotlib_is_named(data, monkeypatch):
    model = regressor(data)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(SamaraError, match=r"^Plots need Matplotlib: pip install samara\[plot\]\.$"):
        SelectionDisplay.from_estimator(model)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"direct_link": True},
        {"hidden": "rbf", "alpha": 1.0},
        {"dtype": "float32"},
    ],
)
def test_spectrum_is_that_of_the_hidden_matrix(data, options):
    model = regressor(data, **options)
    H = model.transform(data[0]).astype(float)
    if model.fit_intercept:
        H -= H.mean(axis=0)
    s = np.linalg.svd(H, compute_uv=False)
    display = SpectrumDisplay.from_estimator(model, data[0])
    tolerance = 1e-12 if model.dtype == "float64" else 1e-6
    np.testing.assert_allclose(display.singular_values, s, rtol=0, atol=tolerance * s[0])
    np.testing.assert_allclose(display.line_.get_ydata(), display.singular_values)
    assert display.n_above.tolist() == [np.sum(s > np.sqrt(model.alpha_))]
    np.testing.assert_allclose(display.freedom, [np.sum(s**2 / (s**2 + model.alpha_))], rtol=1e-4)
    assert display.condition == pytest.approx(s[0] / s[-1], rel=1e-3)


def test_spectrum_draws_the_ridge_and_says_what_it_does(data):
    model = regressor(data, alpha=9.0)
    display = SpectrumDisplay.from_estimator(model, data[0])
    assert display.ax_.get_yscale() == "log"
    assert display.ax_.get_ylabel() == "singular value of H"
    assert [line.get_ydata()[0] for line in display.ax_.lines[1:]] == [3.0]
    about_h, about_ridge = (text.get_text() for text in display.ax_.get_legend().get_texts())
    assert "300 rows × 30 columns" in about_h
    assert f"√α = 3, {display.n_above[0]} lie above" in about_ridge
    assert f"{display.freedom[0]:.3g} effective degrees of freedom" in about_ridge


def test_spectrum_of_fewer_rows_than_nodes_is_not_of_full_rank(data):
    rows = slice(20)
    display = SpectrumDisplay.from_estimator(regressor(data, rows=rows, alpha=1.0), data[0][rows])
    assert display.rank == 19
    assert display.condition == np.inf
    assert "rank 19" in display.ax_.get_legend().get_texts()[0].get_text()


def test_spectrum_of_a_pseudo_inverse_has_no_ridge(data):
    display = SpectrumDisplay.from_estimator(regressor(data, alpha=0), data[0])
    assert display.freedom.tolist() == [30]
    assert "α = 0" in display.ax_.get_legend().get_texts()[1].get_text()


def test_spectrum_checks_its_rows(data):
    model = regressor(data, alpha=1.0)
    bad = data[0].copy()
    bad[7, 2] = np.nan
    with pytest.raises(InputError, match="column 2, row 7"):
        SpectrumDisplay.from_estimator(model, bad)
    with pytest.raises(ValueError, match="features"):
        SpectrumDisplay.from_estimator(model, data[0][:, :2])
    with pytest.raises(InputError, match="at least two rows"):
        SpectrumDisplay.from_estimator(model, data[0][:1])


def test_classifiers_and_sparse_rows_have_a_spectrum_too(data):
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(data[0])
    model = ELMClassifier(20, random_state=0).fit(sparse, data[1] > 1)
    dense = SpectrumDisplay.from_estimator(model, data[0]).singular_values
    np.testing.assert_allclose(SpectrumDisplay.from_estimator(model, sparse).singular_values, dense)
