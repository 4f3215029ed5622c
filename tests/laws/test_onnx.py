"""An exported model is the model: whatever the rows, the layer, the kernel and the table."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, ELMRegressor, KernelELMRegressor, to_onnx
from samara.maps import LAYERS
from samara.tabular import learn_columns
from tests.onnx_runs import assert_near, assert_same_model, of_table, raw_inputs, run_model
from tests.problems import problems
from tests.tables import Table

kernels = st.sampled_from(["rbf", "linear", "polynomial", "laplacian", "cosine", "laplace", "matern52"])
scales = st.sampled_from(["standard", "quantile", "unit", None])


@given(problems(), st.sampled_from(sorted(LAYERS)), scales, st.booleans(), st.booleans())
def test_networks(problem, hidden, scale, direct_link, intercept):
    model = ELMRegressor(
        25,
        hidden=hidden,
        scale=scale,
        alpha=0.1,
        direct_link=direct_link,
        fit_intercept=intercept,
        random_state=0,
    )
    assert_same_model(problem.fit(model), problem.X, tolerance=1e-8)


@given(problems(), kernels, scales)
def test_kernels(problem, kernel, scale):
    model = KernelELMRegressor(kernel, scale=scale, alpha=0.1, random_state=0)
    assert_same_model(problem.fit(model), problem.X, tolerance=1e-8)


@given(problems(targets=(1, 1)), st.integers(2, 6), st.booleans())
def test_classes(problem, n_classes, texts):
    ranks = np.argsort(np.argsort(problem.y)) * n_classes // len(problem.y)
    y = np.array([f"class {k}" for k in range(n_classes)])[ranks] if texts else ranks * 7 - 3
    model = ELMClassifier(25, alpha=0.1, random_state=0).fit(problem.X, y)
    assert_same_model(model, problem.X, tolerance=1e-8)


@given(st.integers(0, 10**6), st.floats(0, 0.6), st.integers(1, 50))
def test_tables(seed, missing, one_hot_cap):
    table = Table(150, seed=seed, missing=missing)
    columns = learn_columns(table.profiled(), one_hot_cap)
    model = ELMRegressor(25, alpha=0.1, random_state=0).fit(columns(table.X), table.y[:, 0])
    new = Table(80, seed=seed + 1, missing=missing)
    made = run_model(to_onnx(of_table(model, columns)), raw_inputs(new.schema, new.X, new.labels))
    assert_near(made["prediction"], model.predict(columns(new.X)), 1e-8)
