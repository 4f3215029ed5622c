"""Kernels, matrices and settings that can't be used: refused in one line, nothing half-fitted."""

import numpy as np
import pytest

from samara import ConditionWarning, InputError, KernelELMClassifier, KernelELMRegressor
from samara.errors import NonFiniteError
from samara.kernel_settings import Nystroem
from samara.maps import Kernel
from samara.selection import KFold
from samara.solvers.kernel import Divide, KernelSketch, Pcg, Ssvd
from tests.faults.checks import refused, survives
from tests.oracles_kernel import kernel_matrix
from tests.problems import make_problem

SOLVERS = ["exact", "sketch", "ssvd", "nystroem", "pcg", "divide", "leaves"]
PROBLEM = make_problem(0, 60, 3, 1, False)
X, Y = PROBLEM.X, PROBLEM.y
K = kernel_matrix(X)


@pytest.mark.parametrize(
    ("parameters", "suggested", "known"),
    [
        ({"kernel": "rbff"}, "rbf", "laplacian"),
        ({"kernel": "callable"}, None, "precomputed"),
        ({"kernel": 3}, None, "callable"),
        ({"gamma": "sclae"}, "scale", "median"),
        ({"solver": "exactly"}, "exact", "nystroem"),
        ({"solver": Nystroem("kmean")}, "kmeans", "pivoted"),
        ({"selection": "k-fold"}, "kfold", "loo"),
        ({"scale": "standart"}, "standard", "quantile"),
        ({"dtype": "float46"}, "float64", "float32"),
        ({"kernel": Kernel("rgf")}, "rbf", "linear"),
    ],
    ids=str,
)
def test_unknown_names(parameters, suggested, known):
    """An unknown name lists the known ones and suggests the nearest."""
    text = refused(KernelELMRegressor(**parameters), InputError, "Unknown", X, Y)
    assert known in text
    assert not suggested or f"Did you mean '{suggested}'?" in text


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"gamma": 0}, "gamma must be a positive number, got 0"),
        ({"gamma": -1.0}, "got -1.0"),
        ({"gamma": np.nan}, "got nan"),
        ({"gamma": None}, "got None"),
        ({"gamma": True}, "got True"),
        ({"kernel": Kernel("rbf", -2.0)}, "gamma.*got -2.0"),
        ({"kernel": "polynomial", "degree": 0}, "degree.*got 0"),
        ({"kernel": "sigmoid", "coef0": "a"}, "coef0.*'a'"),
        (
            {"kernel": "polynomial", "gamma": "median"},
            'gamma="median" is for kernels of a distance, not for polynomial',
        ),
        ({"kernel": "polynomial", "degree": 1.5, "coef0": 0}, "Use a whole degree"),
        ({"alpha": -1.0}, "alpha must be 0 or more"),
        ({"solver": None}, "solver must be a name or a solver.*NoneType"),
        ({"solver": Pcg}, "the class Pcg"),
        ({"solver": Pcg(tol=0)}, "tol must lie between 0 and 1"),
        ({"solver": Pcg(max_iter=-1)}, "max_iter"),
        ({"solver": Divide(0)}, "parts must be at least 1"),
        ({"solver": KernelSketch(oversampling=-1)}, "oversampling"),
        ({"solver": Ssvd(oversampling=-1)}, "oversampling must be a whole number, at least 0, got -1"),
        ({"solver": Ssvd(power=-1)}, "power must be a whole number, at least 0, got -1"),
        ({"solver": Ssvd(power=1.5)}, "power must be a whole number, at least 0, got 1.5"),
        ({"solver": Ssvd}, "the class Ssvd"),
        ({"solver": "svd"}, "svd.*ssvd"),
        ({"solver": "ssvd", "rank": [5, 10]}, "Several ranks are for"),
        ({"selection": "gcv"}, 'no gcv: use selection="loo" or "kfold"'),
        ({"selection": KFold(1)}, "at least 2 folds"),
        ({"kernel": "precomputed", "scale": "standard"}, "use scale=None"),
        ({"rank": 10, "solver": "exact"}, 'solver="exact" uses every row'),
        ({"rank": 10, "solver": Divide(3)}, 'solver="divide" uses every row'),
        ({"alpha": 0, "solver": "sketch"}, "needs a ridge above 0"),
        ({"alpha": [0, 1], "solver": "pcg"}, "needs a ridge above 0"),
    ],
    ids=str,
)
def test_settings_out_of_range(parameters, message):
    """What can't be is named."""
    refused(KernelELMRegressor(**parameters), InputError, message, X, Y)


@pytest.mark.parametrize("solver", ["sketch", "ssvd", "nystroem", "pcg"])
@pytest.mark.parametrize(
    ("rank", "message"),
    [
        (0, "rank must be.*got 0"),
        (-3, "got -3"),
        (1.5, "got 1.5"),
        (True, "got True"),
        (61, "61.*the 60 rows"),
    ],
)
def test_ranks_that_cannot_be(solver, rank, message):
    """No directions, or more directions or centres than rows."""
    refused(KernelELMRegressor(solver=solver, rank=rank), InputError, message, X, Y)


@pytest.mark.parametrize("solver", [one for one in SOLVERS if one != "leaves"])  # it takes no matrix
def test_a_matrix_must_be_square_and_symmetric(solver):
    """Named by its shape, or by the pair of entries that differ most."""
    model = KernelELMRegressor("precomputed", solver=solver)
    refused(model, InputError, r"square.*\(60, 30\)", K[:, :30], Y)
    bent = K.copy()
    bent[3, 5] += 0.1
    text = refused(model, InputError, "symmetric", bent, Y)
    assert "K[3, 5]" in text
    assert "K[5, 3]" in text
    survives(model, K, Y, bent, Y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_matrix_takes_no_weights_of_zero(solver):
    """Its columns would no longer be its rows."""
    weight = np.ones(60)
    weight[4] = 0
    model = KernelELMRegressor("precomputed", solver=solver)
    refused(model, InputError, "weights of 0", K, Y, weight)


def test_new_rows_of_a_matrix_have_its_columns():
    """K(new, training), not K(new, new)."""
    model = KernelELMRegressor("precomputed").fit(K, Y)
    with pytest.raises(ValueError, match="60"):
        model.predict(K[:, :30])


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: np.ones((len(A), 1)), r"must return a matrix of"),
        (lambda A, B: np.ones(len(A)), r"must return a matrix of"),
        (lambda A, B: 1.0, r"must return a matrix of .* got \(\)"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "returned a NaN"),
        (lambda A, B: np.full((len(A), len(B)), "a"), "must return numbers"),
        (lambda A, B: None, "must return numbers"),
    ],
    ids=["column", "vector", "number", "nan", "text", "none"],
)
def test_functions_that_return_no_kernel(solver, function, message):
    """The shapes it was given and what it returned."""
    refused(KernelELMRegressor(function, solver=solver, alpha=1.0), InputError, message, X, Y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_function_that_fails_says_so_itself(solver):
    """Its own error comes through."""

    def broken(A, B):
        raise RuntimeError("out of tea")

    refused(KernelELMRegressor(broken, solver=solver), RuntimeError, "out of tea", X, Y)


@pytest.mark.parametrize(
    "solver", ["exact", "sketch", "ssvd", "nystroem", Nystroem("kmeans"), "divide"], ids=str
)
@pytest.mark.parametrize(
    "kernel", ["sigmoid", lambda A, B: np.tanh(0.3 * A @ B.T - 0.5)], ids=["name", "function"]
)
@pytest.mark.parametrize("alpha", [0.5, "auto"])
def test_indefinite_kernels_warn_and_solve(solver, kernel, alpha):
    """A ConditionWarning, and a model all the same."""
    model = KernelELMRegressor(kernel, alpha=alpha, solver=solver, random_state=0)
    with pytest.warns(ConditionWarning, match="not positive definite"):
        model.fit(X, Y)
    assert np.isfinite(model.predict(X)).all()


def test_an_indefinite_kernel_sketched_in_full_is_exact():
    """Negative directions are kept too."""
    made = []
    for solver, rank in [("exact", "auto"), ("sketch", 1.0), ("ssvd", 1.0)]:
        with pytest.warns(ConditionWarning):
            model = KernelELMRegressor("sigmoid", alpha=0.5, solver=solver, rank=rank).fit(X, Y)
        made.append(model.predict(X))
    np.testing.assert_allclose(made[1:], 2 * made[:1], atol=1e-8 * np.std(Y))


def test_conjugate_gradients_need_a_definite_kernel():
    """Refused with what to use instead."""
    text = refused(KernelELMRegressor("sigmoid", solver="pcg"), InputError, "positive definite", X, Y)
    assert 'solver="exact"' in text


def test_a_kernel_definite_but_for_the_constant_needs_no_warning():
    """−‖x − z‖² with an intercept: conditionally positive definite."""
    model = KernelELMRegressor(lambda A, B: -((A[:, None] - B) ** 2).sum(-1), alpha=1.0).fit(X, Y)
    plain = KernelELMRegressor("linear", alpha=0.5).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), plain.predict(X), atol=1e-8)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_nan_is_named_by_column_and_row(solver, value):
    """Whatever the solver."""
    bad = X.copy()
    bad[7, 1] = value
    text = refused(KernelELMRegressor(solver=solver), NonFiniteError, "column 1, row 7", bad, Y)
    assert "X" in text
    refused(KernelELMClassifier(solver=solver), NonFiniteError, "column 1, row 7", bad, Y > 0)


@pytest.mark.parametrize("solver", ["exact", "sketch", "ssvd"])
def test_matrices_whose_squares_are_no_numbers(solver):
    """Refused rather than solved wrongly."""
    model = KernelELMRegressor("precomputed", alpha=1.0, solver=solver, random_state=0)
    refused(model, InputError, "between 1e-140 and 1e150", 1e160 * K, Y)


def test_matrices_whose_squares_vanish():
    """Refused by the solver that needs them."""
    model = KernelELMRegressor("precomputed", alpha=1.0, solver="exact")
    refused(model, InputError, "between 1e-140 and 1e150", 1e-150 * K, Y)


def test_inputs_whose_variance_is_no_number():
    """gamma="scale" says what to do."""
    refused(KernelELMRegressor(), InputError, 'use scale="standard"', 1e200 * X, Y)
    KernelELMRegressor(scale="standard").fit(1e200 * X, Y)
