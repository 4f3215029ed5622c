"""Bad input for components and gaps: a sentence each."""

import numpy as np
import pytest
from scipy import sparse

from samara import AdaptivePCA, InputError, LowRankImputer, NonFiniteError, StoreError
from samara.linalg import GradientStop, RidgeStop

X = np.random.default_rng(0).standard_normal((20, 4))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_components": 5}, r"between 1 and 4, the smaller of 20 rows and 4 columns, got 5"),
        ({"n_components": 5, "solver": "random"}, r"between 1 and 4, the smaller of 20 rows and 4 columns"),
        ({"n_components": 0}, r"positive whole number, a share of the variance in \(0, 1\)"),
        ({"n_components": True}, "got True"),
        ({"n_components": 1.5}, "got 1.5"),
        ({"n_components": "mle"}, "n_components"),
        ({"n_components": 2, "stop": "press"}, 'goes with n_components="auto"'),
        ({"stop": "soon"}, "stop"),
        ({"stop": RidgeStop(1.0)}, "stop"),
        ({"stop": GradientStop(), "solver": "gram"}, "A stop watches the range finder"),
        ({"stop": "press", "solver": "random"}, "needs the whole spectrum"),
        ({"solver": "full"}, "solver"),
    ],
)
def test_bad_components(parameters, message):
    with pytest.raises(InputError, match=message):
        AdaptivePCA(**parameters).fit(X)


def test_bad_rows_of_components():
    gaps = X.copy()
    gaps[3, 1] = np.nan
    for solver in ("gram", "random"):
        with pytest.raises(NonFiniteError, match=r"NaN \(column 1, row 3\)"):
            AdaptivePCA(2, solver=solver).fit(gaps)
    with pytest.raises(NonFiniteError, match=r"NaN \(column 1, row 3\)"):
        AdaptivePCA(2, solver="dual").fit(gaps[:4])
    with pytest.raises(NonFiniteError):
        AdaptivePCA(2).partial_fit(gaps)
    late = np.vstack([np.ones((300, 4)), np.full((1, 4), np.inf)])  # beyond the rows that are looked at first
    with pytest.raises(NonFiniteError, match=r"infinity \(column 0, row 300\)"):
        AdaptivePCA(2).fit(late)
    fitted = AdaptivePCA(2).fit(X)
    with pytest.raises(NonFiniteError):
        fitted.transform(gaps)
    with pytest.raises(InputError, match="need 2 columns"):
        fitted.inverse_transform(X)


def test_batches_that_can_not_go_on(monkeypatch):
    with pytest.raises(InputError, match="is gone: give all rows to partial_fit"):
        AdaptivePCA(2, solver="random").fit(X).partial_fit(X)
    with pytest.raises(InputError, match="A stop watches a range finder"):
        assert AdaptivePCA(stop="gradient").partial_fit(X).components_ is None
    monkeypatch.setattr("samara.estimators.pca.GRAM_COLUMNS", 3)
    with pytest.raises(InputError, match="need n_components as a number"):
        AdaptivePCA(0.5).partial_fit(X)


def test_equal_rows_have_one_component_without_variance():
    for solver in ("gram", "random"):
        fitted = AdaptivePCA(solver=solver).fit(np.ones((10, 3)))
        assert fitted.n_components_ == 1
        assert fitted.explained_variance_[0] == 0
        assert np.isfinite(fitted.transform(np.ones((2, 3)))).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rank": 5}, "rank must be at most 4, the smaller of 20 rows and 4 columns, got 5"),
        ({"rank": 0}, 'rank must be a positive whole number or "auto", got 0'),
        ({"rank": 0.5}, "rank must be a positive whole number"),
        ({"method": "mean"}, "method"),
        ({"n_pieces": 3, "method": "hard"}, 'n_pieces is for method="gaussian"'),
        ({"n_pieces": True}, "n_pieces must be"),
        ({"shrinkage": -1, "method": "soft"}, "shrinkage must be a number of 0 or more, got -1"),
        ({"tol": float("nan")}, "tol must be"),
        ({"max_iter": "auto"}, "max_iter must be a positive whole number, got 'auto'"),
    ],
)
def test_bad_imputers(parameters, message):
    with pytest.raises(InputError, match=message):
        LowRankImputer(**parameters).fit(X)


def test_bad_rows_of_imputers():
    empty = X.copy()
    empty[:, 2] = np.nan
    with pytest.raises(InputError, match="Column 2 has no value in any row: leave it out"):
        LowRankImputer().fit(empty)
    infinite = X.copy()
    infinite[3, 1] = np.inf
    with pytest.raises(NonFiniteError, match=r"infinity \(column 1, row 3\)"):
        LowRankImputer().fit(infinite)
    with pytest.raises(NonFiniteError, match=r"infinity \(column 1, row 3\)"):
        LowRankImputer().fit(X).transform(infinite)
    for call in (LowRankImputer().fit, LowRankImputer().fit(X).transform):
        with pytest.raises(InputError, match="In a sparse matrix nothing is missing"):
            call(sparse.csr_array(X))
    with pytest.raises(InputError, match="at most 5,000 of them, got 5,001"):
        LowRankImputer().fit(np.zeros((3, 5001)))


def test_a_frame_with_an_empty_column_or_too_many_texts():
    import pandas as pd

    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(InputError, match="Column 'e' has no value in any row"):
        LowRankImputer().fit(frame.assign(e=np.nan))
    with pytest.raises(InputError, match="has 30 categories and there is no target"):
        LowRankImputer().fit(pd.concat([frame, frame]).head(30).assign(t=[f"t{i}" for i in range(30)]))


def test_odd_rows_are_filled():
    """A row of nothing, a constant column, two rows, one column."""
    rows = X.copy()
    rows[0], rows[:, 3], rows[5, 1] = np.nan, 7.0, np.nan
    rows[2, 3] = np.nan
    made = LowRankImputer(random_state=0).fit_transform(rows)
    assert np.isfinite(made).all()
    assert np.allclose(made[:, 3], 7.0)
    one = LowRankImputer(random_state=0).fit_transform(np.array([[1.0], [np.nan], [3.0]]))
    np.testing.assert_allclose(one[:, 0], [1, 2, 3], atol=0.2)


def test_a_file_that_lies_is_refused(tmp_path):
    from dataclasses import replace

    import samara

    fitted = LowRankImputer(random_state=0).fit(X)
    fitted.fill_ = replace(fitted.fill_, spread=np.zeros(4))
    with pytest.raises(InputError, match="spreads of the fill are not all above 0"):
        fitted.save(tmp_path / "x.samara")
    pca = AdaptivePCA(2).fit(X)
    pca.mean_ = pca.mean_[:2]
    with pytest.raises(InputError, match="its mean_ is not"):
        pca.save(tmp_path / "x.samara")
    with pytest.raises((StoreError, FileNotFoundError)):
        samara.load(tmp_path / "x.samara")
