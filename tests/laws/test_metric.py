"""The laws of learned metrics: what they find, what changes nothing, and scores that do not flatter."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor, KernelELMClassifier, KernelELMRegressor
from samara.engines import Threads
from samara.estimators.held_out import held_out_outputs
from samara.estimators.kernel_settings import make_kernel_settings
from samara.estimators.settings import make_settings
from samara.fit import fit
from samara.gradients import gradient_outer_product, input_gradients
from samara.kernel_fit import fit_kernel
from samara.metric_fit import FLOOR, normalized, root_of
from samara.sources import ArraySource, Lot, Share
from tests.onnx_runs import assert_near, run_rows
from tests.problems import make_problem
from tests.raw_tables import mixed_table

WHOLE = Threads(workers=1, block_rows=10_000)
ELM = ELMRegressor(60, hidden="tanh", metric="agop", rounds=2, random_state=0)
KERNEL = KernelELMRegressor("laplace", scale="standard", alpha=0.01, metric="agop", rounds=2, random_state=0)
BOTH = pytest.mark.parametrize("model", [ELM, KERNEL], ids=["elm", "kernel"])


def planted(n=400, d=5, seed=0):
    """A target that changes along one direction alone."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    direction = rng.standard_normal(d)
    direction /= np.linalg.norm(direction)
    return X, np.sin(2 * X @ direction), direction


def degrees(metric, direction):
    """Between the leading eigenvector and the direction."""
    leading = np.linalg.eigh(metric)[1][:, -1]
    return np.degrees(np.arccos(min(1.0, abs(float(leading @ direction)))))


@pytest.mark.parametrize(
    "model",
    [
        *(ELMRegressor(150, hidden=one, metric="agop", random_state=0) for one in ("tanh", "rbf")),
        *(
            clone(KERNEL).set_params(solver=one)
            for one in ("exact", "sketch", "ssvd", "pcg", "divide", "leaves")
        ),
        clone(KERNEL).set_params(solver="nystroem", rank=100, alpha="auto"),
        clone(KERNEL).set_params(kernel="matern52", dtype="float32"),
    ],
)
def test_a_planted_direction_is_found(model):
    """Within five degrees, and new rows are predicted better for it, by every solver."""
    X, y, direction = planted()
    fresh = planted(200, seed=1)[0]
    scale = X.std(axis=0)  # the metric is of the scaled inputs
    plain = clone(model).set_params(metric=None).fit(X, y)
    found = clone(model).fit(X, y)
    expected = direction * scale / np.linalg.norm(direction * scale)
    assert degrees(found.metric_, expected) < 5
    assert found.rounds_ > 0
    truth = np.sin(2 * fresh @ direction)
    errors = [np.mean((one.predict(fresh) - truth) ** 2) for one in (found, plain)]
    assert errors[0] < errors[1] / 2


def test_a_diagonal_metric_finds_the_inputs_that_matter():
    """Factors of the others fall to the floor."""
    X, _, _ = planted(d=6)
    y = np.sin(2 * X[:, 1]) + 0.3 * X[:, 4]
    for model in (ELM, KERNEL):
        found = clone(model).set_params(metric="agop_diagonal").fit(X, y)
        assert found.metric_.shape == (6,)
        assert set(np.argsort(found.metric_)[-2:]) == {1, 4}
        assert found.metric_[[0, 2, 3, 5]].max() < 0.5


@pytest.mark.parametrize("root", [np.eye(4), np.ones(4)], ids=["full", "diagonal"])
@pytest.mark.parametrize(
    "model",
    [
        *(ELMRegressor(20, hidden=hidden, random_state=0) for hidden in ("tanh", "rbf", "fourier")),
        ELMRegressor(20, direct_link=True, random_state=0),
        *(
            KernelELMRegressor("matern32", gamma=0.4, solver=one, scale="standard")
            for one in ("exact", "pcg")
        ),
        KernelELMRegressor("laplace", gamma=0.4, solver="nystroem", rank=30, random_state=0),
    ],
)
def test_the_identity_changes_nothing(model, root):
    problem = make_problem(1, 120, 4, 2, weighted=True)
    source = ArraySource(problem.X, problem.y, problem.weight)
    kernel = isinstance(model, KernelELMRegressor)
    settings = (make_kernel_settings if kernel else make_settings)(model, None)
    run = fit_kernel if kernel else fit
    plain, turned = run(source, settings), run(source, replace(settings, root=root))
    assert turned.alpha == pytest.approx(plain.alpha)
    expected = plain.model.predict(source, WHOLE)
    np.testing.assert_allclose(turned.model.predict(source, WHOLE), expected, rtol=1e-6, atol=1e-8)


def noise(seed, n=400, d=40):
    """Targets that nothing predicts."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)), rng.standard_normal(n)


@pytest.mark.parametrize("seed", range(3))
def test_scores_of_noise_do_not_flatter(seed):
    """The reported R² of every round is 0 or less, but for chance: the metric has not seen the rows."""
    X, y = noise(seed)
    settings = {"scale": "standard", "metric": "agop", "rounds": 2, "random_state": seed}
    kernel = KernelELMRegressor("laplace", alpha=[1.0, 2.0], **settings).fit(X, y)
    elm = ELMRegressor(40, hidden="tanh", **settings).fit(X, y)
    for model in (kernel, elm):
        assert (1 - model.rounds_scores_).max() < 0.03


@pytest.mark.parametrize("seed", range(3))
def test_folds_of_rows_that_the_metric_has_seen_would_flatter(seed):
    """The trap: leave-one-out with a metric made from all targets finds a third of pure noise predictable."""
    X, y = noise(seed)
    source = ArraySource(X, y[:, None])
    model = KernelELMRegressor("laplace", scale="standard", alpha=[1.0, 2.0], random_state=0)
    settings = make_kernel_settings(model, None)
    fitted = fit_kernel(source, settings)
    for _ in range(2):
        products = gradient_outer_product(fitted.model, source, WHOLE, inner=1)
        fitted = fit_kernel(source, replace(settings, root=root_of(normalized(products))))
    assert 1 - fitted.selection.best_score / y.var() > 0.2


def test_held_out_outputs_are_not_given_where_they_would_flatter():
    """Folds of rows that the metric has seen are no held-out rows."""
    X, y, _ = planted()
    assert held_out_outputs(clone(ELM).fit(X, y), X) is None
    assert held_out_outputs(clone(ELM).set_params(metric=None).fit(X, y), X) is not None


@BOTH
def test_the_scores_are_those_of_rows_left_out(model):
    """The first score is that of a plain fit on four fifths of the rows, on the other fifth."""
    X, y, _ = planted()
    found = clone(model).fit(X, y)
    lot = Lot(0x5C0E, 0.0, 0.2)
    source = ArraySource(X, y[:, None])
    held = np.concatenate([block.X for part in Share(source, lot).parts(1) for block in part.blocks(50)])
    out = (X[:, None] == held[None]).all(axis=2).any(axis=1)
    assert 40 < out.sum() < 120
    scale = samara.maps.Standardize(X.mean(axis=0), X.std(axis=0), np.dtype(float))
    if model is ELM:  # it looks at the inputs of all rows once
        alone = clone(model).set_params(metric=None, scale=scale).fit(X[~out], y[~out])
    else:
        alone = clone(model).set_params(metric=None).fit(X[~out], y[~out])
    expected = np.mean((alone.predict(X[out]) - y[out]) ** 2) / y[out].var()
    assert found.rounds_scores_[0] == pytest.approx(expected, rel=1e-6)


@BOTH
def test_every_engine_gives_the_same_metric(crew, model):
    """Sums of gradients travel, and so do shares of the rows."""
    problem = make_problem(3, 700, 4, 2, weighted=True)
    model = clone(model).set_params(rounds=1)
    here = problem.fit(clone(model).set_params(engine=WHOLE))
    there = problem.fit(clone(model).set_params(engine=crew.given))
    assert here.rounds_ == 1
    np.testing.assert_allclose(there.metric_, here.metric_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(there.rounds_scores_, here.rounds_scores_, rtol=1e-6)
    assert there.rounds_ == here.rounds_


@BOTH
def test_cutting_changes_nothing_and_a_rerun_gives_the_same_bits(model):
    problem = make_problem(4, 500, 4, 1, weighted=False)
    first, again = (problem.fit(clone(model).set_params(engine=Threads(2, 61))) for _ in range(2))
    assert first.metric_.tobytes() == again.metric_.tobytes()
    assert first.model_.coef.tobytes() == again.model_.coef.tobytes()
    whole = problem.fit(clone(model).set_params(engine=WHOLE))
    np.testing.assert_allclose(first.metric_, whole.metric_, rtol=1e-7, atol=1e-10)


def test_a_weight_of_two_is_a_row_twice():
    problem = make_problem(9, 300, 3, 1, weighted=False)
    weight = np.random.default_rng(0).integers(1, 3, 300)
    twice = problem.rows(np.repeat(np.arange(300), weight)).fit(clone(ELM))
    weighed = clone(ELM).fit(problem.X, problem.y, sample_weight=weight.astype(float))
    np.testing.assert_allclose(weighed.metric_, twice.metric_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(weighed.rounds_scores_, twice.rounds_scores_, rtol=1e-6)


def test_files_give_what_arrays_give(tmp_path):
    """A stream of row groups inside a budget."""
    X, y, _ = planted(600)
    table = pa.table({**{f"x{j}": X[:, j] for j in range(X.shape[1])}, "y": y})
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=97)
    scan = samara.scan(tmp_path / "rows.parquet", target="y")
    for model in (ELM, KERNEL):
        here, there = clone(model).fit(X, y), clone(model).fit(scan)
        np.testing.assert_allclose(there.metric_, here.metric_, rtol=1e-6, atol=1e-9)
        assert there.rounds_ == here.rounds_


def test_tables_with_categories_have_a_metric_of_their_columns():
    table = mixed_table(300)
    frame = table.drop_columns(["y", "w"]).to_pandas()
    for metric, shape in (("agop", 2), ("agop_diagonal", 1)):
        model = ELMRegressor(15, metric=metric, rounds=1, random_state=0).fit(frame, table["y"].to_numpy())
        assert model.metric_.shape == (model.columns_.n_out,) * shape


@pytest.mark.parametrize("scale", ["standard", None])
@pytest.mark.parametrize("kernel", [False, True])
def test_sparse_rows_have_the_metric_of_dense_ones(scale, kernel):
    X, y, _ = planted()
    X = np.where(np.abs(X) > 0.8, X, 0.0)
    model = KERNEL if kernel else ELM
    model = clone(model).set_params(metric="agop_diagonal", scale=scale)
    dense, thin = clone(model).fit(X, y), clone(model).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.metric_, dense.metric_, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(thin.predict(sparse.csr_array(X)), dense.predict(X), rtol=1e-4, atol=1e-5)


@BOTH
@pytest.mark.parametrize("metric", ["agop", "agop_diagonal"])
def test_saved_models_and_exported_ones_have_it(model, metric, tmp_path):
    X, y, _ = planted(300)
    fitted = clone(model).set_params(metric=metric, rounds=1).fit(X, y)
    fitted.save(tmp_path / "one.samara")
    loaded = samara.load(tmp_path / "one.samara")
    assert loaded.metric_.tobytes() == fitted.metric_.tobytes()
    assert (loaded.rounds_, loaded.rounds_scores_.tolist()) == (
        fitted.rounds_,
        fitted.rounds_scores_.tolist(),
    )
    assert loaded.predict(X).tobytes() == fitted.predict(X).tobytes()
    assert fitted.rounds_ == 1
    assert_near(next(iter(run_rows(fitted, X).values())), fitted.predict(X), 1e-9)


def test_classes_and_several_targets_add_up():
    X, y, direction = planted()
    labels = np.digitize(y, [-0.5, 0.5])
    for model in (
        ELMClassifier(60, hidden="tanh", metric="agop", random_state=0),
        KernelELMClassifier("laplace", scale="standard", alpha=0.1, metric="agop", random_state=0),
    ):
        scaled = direction * X.std(axis=0)
        assert degrees(model.fit(X, labels).metric_, scaled / np.linalg.norm(scaled)) < 10
        assert model.rounds_scores_.shape == (4,)
    two = clone(ELM).fit(X, np.column_stack([y, 1000 * y]))
    one = clone(ELM).fit(X, y)
    np.testing.assert_allclose(two.metric_, one.metric_, rtol=1e-5, atol=1e-7)  # units do not count


def test_the_metric_is_the_mean_outer_product_of_the_gradients():
    """By a loop over the rows, in the coordinates of the scaled inputs, with a trace of d."""
    X, y, _ = planted()
    model = clone(ELM).set_params(rounds=1)
    found = clone(model).fit(X, y)
    plain = clone(model).set_params(metric=None).fit(X, y).model_
    products = sum(np.outer(g[0], g[0]) for g in input_gradients(plain, X, inner=1)) / len(X)
    expected = products * 5 / np.trace(products) + FLOOR * np.eye(5)
    np.testing.assert_allclose(found.metric_, expected, rtol=1e-8, atol=1e-12)
    assert np.trace(found.metric_) == pytest.approx(5 * (1 + FLOOR))


def test_the_plan_tells_of_the_rounds():
    X, y, _ = planted()
    model = clone(ELM).fit(X, y)
    assert "metric agop: 2 of 2 rounds kept, 6 fits" in model.plan_.reasons[-1]
    assert model.plan_.passes > 2 * clone(ELM).set_params(metric=None).fit(X, y).plan_.passes
    plain = samara.plan(clone(ELM).set_params(metric=None), X, y).chosen
    planned = samara.plan(ELM, X, y).chosen
    assert planned.passes == 4 * (plain.passes + 1)
    assert planned.passes <= model.plan_.passes <= planned.most_passes


def test_few_rows_keep_the_plain_model():
    X, y, _ = planted(30)
    model = clone(ELM).fit(X, y)
    assert (model.rounds_, model.metric_.tolist()) == (0, np.eye(5).tolist())
    assert np.isnan(model.rounds_scores_).all()
    assert "fewer than 40 different rows" in model.plan_.reasons[-1]
    alike = clone(KERNEL).fit(np.ones((50, 2)), np.arange(50.0))
    assert alike.rounds_ == 0
    assert np.isnan(alike.rounds_scores_).all()


def test_shares_are_all_rows_once():
    problem = make_problem(2, 500, 3, 1, weighted=True)
    source = ArraySource(problem.X, problem.y[:, None], problem.weight)
    shares = [Share(source, Lot(7, *ends)) for ends in ((0.0, 0.3), (0.3, 1.0))]
    rows = [
        np.concatenate([block.X for part in share.parts(3) for block in part.blocks(50)]) for share in shares
    ]
    together = np.concatenate(rows)
    assert len(together) == 500
    assert sorted(map(tuple, together)) == sorted(map(tuple, problem.X))
    assert 0.2 < len(rows[0]) / 500 < 0.4


def test_roots_and_gradients_of_nothing():
    A = np.array([[2.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(root_of(A) @ root_of(A), A)
    np.testing.assert_allclose(root_of(np.array([4.0, 9.0])), [2.0, 3.0])
    assert normalized(np.zeros((2, 2))).tolist() == np.eye(2).tolist()
    assert normalized(np.zeros(2)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("metric", ["agop", "agop_diagonal"])
@pytest.mark.parametrize("cls", [ELMRegressor, KernelELMRegressor])
def test_rows_of_length_one_have_a_metric(cls, metric):
    """A target that hangs on where rows point to, in one column alone."""
    X, _, _ = planted(300)
    y = np.sin(3 * X[:, 0] / np.linalg.norm(X, axis=1))
    model = cls(scale="unit", metric=metric, rounds=1, random_state=0).fit(X, y)
    found = model.metric_ if model.metric_.ndim == 1 else np.diagonal(model.metric_)
    assert found.argmax() == 0
