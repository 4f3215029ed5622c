"""Conjugate gradients: what they claim is true, and where they can't they say so."""

import numpy as np
import pytest

from samara import InputError
from samara.linalg import NystroemPreconditioner, conjugate_gradients, pivoted_cholesky


def normal(*size, seed=9):
    """Normal numbers, the same in whatever order the tests run."""
    return np.random.default_rng(seed).normal(size=size)


def kernel(n=300, width=1.0, dimensions=3):
    """A Gaussian kernel matrix."""
    X = np.random.default_rng(1).normal(size=(n, dimensions))
    return np.exp(-((X[:, None] - X) ** 2).sum(-1) / (2 * width**2))


def problem(condition=1e8, n=200, t=4):
    """A positive definite matrix and right-hand sides."""
    V = np.linalg.qr(np.random.default_rng(2).normal(size=(n, n)))[0]
    A = (V * np.geomspace(1, 1 / condition, n)) @ V.T
    return (A + A.T) / 2, np.random.default_rng(3).normal(size=(n, t))


def relative(A, X, Y):
    """True relative residuals."""
    return np.linalg.norm(Y - A @ X, axis=0) / np.linalg.norm(Y, axis=0)


class Product:
    """Products with a matrix, counted by their columns."""

    def __init__(self, A):
        self.A, self.widths = A, []

    def __call__(self, P):
        assert P.dtype == np.float64
        assert P.flags.c_contiguous
        self.widths.append(P.shape[1])
        return self.A @ P.astype(self.A.dtype, copy=False)


@pytest.mark.parametrize("precondition", [None, lambda R: R, lambda R: 3 * R])
def test_it_solves(precondition):
    """Like a dense solver, for columns and for a vector."""
    A, Y = problem(100)
    for right in (Y, Y[:, 0], Y[:, :1], np.asfortranarray(Y), Y.astype(np.float32)):
        found = conjugate_gradients(A.dot, right, precondition=precondition, tol=1e-12, max_iter=500)
        assert found.converged
        assert found.X.shape == right.shape
        assert found.X.dtype == np.float64
        np.testing.assert_allclose(found.X, np.linalg.solve(A, right.astype(float)), atol=1e-9)
        assert len(found.history) == found.n_iter + 1
        assert found.history[0] == 1


@pytest.mark.parametrize(
    ("rank", "alpha"), [(60, 1e-6), (150, 1e-6), (5, 1e-3), (60, 1e-3), (150, 1e-3), (5, 1.0), (150, 1.0)]
)
def test_an_ill_conditioned_kernel_with_its_preconditioner(rank, alpha):
    """A condition of up to 1e8; steps within the bound that the trace left promises."""
    K = kernel()
    factor = pivoted_cholesky(K, rank, random_state=0)
    A, Y = K + alpha * np.eye(300), normal(300, 3)
    tol = max(1e-8, rounding(A))
    found = conjugate_gradients(
        A.dot, Y, precondition=NystroemPreconditioner(factor.F, alpha), tol=tol, max_iter=3000
    )
    assert found.converged
    np.testing.assert_allclose(found.residuals, relative(A, found.X, Y), atol=1e-9)
    condition = 1 + factor.error / alpha
    if condition < 1e4:  # the bound is for the error in the norm of A, hence the condition in the logarithm
        assert found.n_iter <= 0.5 * np.sqrt(condition) * np.log(2 * np.linalg.cond(A) / tol) + 1
    exact = np.linalg.solve(A, Y)
    np.testing.assert_allclose(found.X, exact, atol=10 * tol / alpha)


def test_columns_leave_when_they_are_done():
    """An eigenvector takes one step, so that the product narrows; the check is for all at once."""
    A, Y = problem(1e4)
    Y[:, 1] = np.linalg.eigh(A)[1][:, -1]
    product = Product(A)
    found = conjugate_gradients(product, Y, precondition=None, tol=1e-10, max_iter=2000)
    assert found.converged
    assert product.widths[0] == 4
    assert product.widths[1] == 3
    assert product.widths[-1] == 4
    assert (np.diff(product.widths[:-1]) <= 0).all()
    alone = conjugate_gradients(A.dot, Y[:, 2], precondition=None, tol=1e-10, max_iter=2000)
    np.testing.assert_allclose(found.X[:, 2], alone.X, atol=1e-6)


def rounding(A):
    """Residual that no products rounded to the precision of A get below for certain: eps·cond(A)."""
    return float(np.finfo(A.dtype).eps * np.linalg.cond(A.astype(float)))


def test_a_float32_product():
    """Reaches what a recurrence in float32 would only claim, or says what it reached."""
    K = kernel()
    for alpha, reached in [(1.0, True), (1e-2, True), (1e-2, False)]:
        A, Y = (K + alpha * np.eye(300)).astype(np.float32), normal(300, 3)
        tol = max(1e-4, rounding(A)) if reached else 1e-14
        preconditioner = NystroemPreconditioner(pivoted_cholesky(K, 40, random_state=0).F, alpha)
        product = Product(A)
        found = conjugate_gradients(product, Y, precondition=preconditioner, tol=tol, max_iter=2000)
        assert found.converged == reached
        truth = relative(A.astype(float), found.X, Y)
        np.testing.assert_allclose(found.residuals, truth, atol=1e-4)  # the product's own rounding
        assert found.residuals.max() < (tol if reached else rounding(A))
        assert found.n_iter < 1000


def test_restarts_recover_what_the_recurrence_lost():
    """A product that is off by a part in 1e3, each time another: claims are checked, columns start again."""
    A, Y = problem(1e3)
    noise = np.random.default_rng(5)

    def product(P):
        return A @ P * (1 + 1e-3 * noise.normal(size=P.shape))

    found = conjugate_gradients(product, Y, precondition=None, tol=1e-6, max_iter=3000)
    truth = relative(A, found.X, Y)
    assert not found.converged
    assert found.residuals.max() > 1e-6
    assert truth.max() < 2 * found.residuals.max() + 1e-2


def test_zero_right_hand_sides():
    """Have the solution 0 whatever the start, and take no step."""
    A, Y = problem(10)
    Y[:, 2] = 0
    found = conjugate_gradients(A.dot, Y, precondition=None, tol=1e-10, max_iter=100, start=np.ones_like(Y))
    assert found.converged
    assert not found.X[:, 2].any()
    assert found.residuals[2] == 0
    product = Product(A)
    found = conjugate_gradients(product, 0 * Y, precondition=None, tol=1e-10, max_iter=100)
    assert (found.converged, found.n_iter, product.widths) == (True, 0, [])
    assert not found.X.any()


def test_a_start_is_used():
    """The solution takes no step, one near it fewer than none at all; it is not overwritten."""
    A, Y = problem(1e3)
    exact = np.linalg.solve(A, Y)
    options = {"precondition": None, "tol": 1e-8, "max_iter": 1000}
    found = conjugate_gradients(A.dot, Y, start=exact, **options)
    assert (found.converged, found.n_iter) == (True, 0)
    near = exact * (1 + 1e-6 * normal(*exact.shape))
    before = near.copy()
    cold, warm = (conjugate_gradients(A.dot, Y, start=s, **options) for s in (None, near))
    assert warm.converged
    assert warm.n_iter < cold.n_iter
    np.testing.assert_array_equal(near, before)


def test_out_of_steps():
    """The residuals are those of what was reached."""
    A, Y = problem(1e8)
    steps = []
    found = conjugate_gradients(
        A.dot, Y, precondition=None, tol=1e-10, max_iter=7, on_step=lambda *step: steps.append(step)
    )
    assert not found.converged
    assert found.n_iter == 7
    assert [i for i, _ in steps] == list(range(1, 8))
    assert [r for _, r in steps] == found.history[1:].tolist()
    np.testing.assert_allclose(found.residuals, relative(A, found.X, Y), rtol=1e-10)
    found = conjugate_gradients(A.dot, Y, precondition=None, tol=1e-10, max_iter=0)
    assert (found.n_iter, found.converged, found.residuals.tolist()) == (0, False, [1.0] * 4)


def test_a_step_may_interrupt():
    """What the callback raises goes through."""

    def interrupt(iteration, _):
        if iteration == 3:
            raise KeyboardInterrupt

    A, Y = problem()
    with pytest.raises(KeyboardInterrupt):
        conjugate_gradients(A.dot, Y, precondition=None, tol=1e-10, max_iter=99, on_step=interrupt)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("call", [1, 2, 5])
def test_a_product_that_is_not_finite_stops_at_once(bad, call):
    """With an error that says so, from the product and from the preconditioner."""
    A, Y = problem()

    def broken():
        calls = []

        def product(P):
            calls.append(1)
            found = A @ P
            if len(calls) >= call:
                found[0, 0] = bad
            return found

        return product

    with pytest.raises(ArithmeticError, match="the product gave a NaN or an infinity"):
        conjugate_gradients(broken(), Y, precondition=None, tol=1e-10, max_iter=99)
    with pytest.raises(ArithmeticError, match="the preconditioner gave a NaN or an infinity"):
        conjugate_gradients(A.dot, Y, precondition=broken(), tol=1e-10, max_iter=99)


def test_an_indefinite_matrix_ends():
    """Not in a loop, and not as converged."""
    A = np.diag(np.linspace(-1, 1, 50))
    found = conjugate_gradients(A.dot, np.ones(50), precondition=None, tol=1e-10, max_iter=10_000)
    assert not found.converged
    assert found.n_iter < 1000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Y": np.array([1.0, np.nan])}, "finite"),
        ({"Y": np.ones((2, 2, 2))}, "dimensions"),
        ({"start": np.ones(3)}, "shape of Y"),
        ({"tol": 0.0}, "tol"),
        ({"max_iter": -1}, "max_iter"),
    ],
)
def test_refusals(change, message):
    """One sentence each."""
    options = {"Y": np.ones(2), "precondition": None, "tol": 1e-3, "max_iter": 5} | change
    with pytest.raises(InputError, match=message):
        conjugate_gradients(np.copy, **options)


@pytest.mark.parametrize("alpha", [1e-8, 1e-3, 10.0])
def test_the_preconditioner_is_an_inverse(alpha):
    """Of FᵀF + αI, for another ridge too, and with repeated rows in F."""
    F = normal(20, 80)
    F = np.vstack([F, F[:3], 1e-3 * normal(2, 80, seed=10)])
    made = NystroemPreconditioner(F, 5.0)
    assert len(made.squares) == 22
    assert (np.diff(made.squares) <= 0).all()
    moved = made.for_ridge(alpha)
    assert (made.alpha, moved.alpha) == (5.0, alpha)
    V = normal(80, 3)
    for found, ridge in ((made, 5.0), (moved, alpha)):
        M = F.T @ F + ridge * np.eye(80)
        # Rounding errors of 1e-16·max(S²)/α at least, in what conjugate gradients see.
        np.testing.assert_allclose(np.linalg.eigvals(found(M)), 1, atol=1e-3 if ridge < 1e-5 else 1e-8)
        np.testing.assert_array_equal(found(V[:, 0]), found(V[:, :1])[:, 0])


def test_the_preconditioner_in_the_place_of_its_factor():
    """Many columns, any precision; overwritten only where allowed."""
    F = normal(7, 9001)
    V = normal(9001, 2)
    before = F.copy()
    expected = NystroemPreconditioner(F, 0.1)(V)
    np.testing.assert_array_equal(F, before)
    np.testing.assert_allclose(NystroemPreconditioner(F.astype(np.float32), 0.1)(V), expected, atol=1e-5)
    made = NystroemPreconditioner(F, 0.1, overwrite=True)
    np.testing.assert_allclose(made(V), expected, atol=1e-12)
    assert not np.array_equal(F, before)


def test_a_preconditioner_of_nothing():
    """Rank 0 divides by the ridge; a ridge of 0 is none."""
    V = normal(6, 2)
    np.testing.assert_allclose(NystroemPreconditioner(np.zeros((0, 6)), 2.0)(V), V / 2)
    np.testing.assert_allclose(NystroemPreconditioner(np.zeros((3, 6)), 2.0)(V), V / 2)
    for alpha in (0.0, -1.0, np.nan, np.inf):
        with pytest.raises(InputError, match="ridge above 0"):
            NystroemPreconditioner(np.ones((1, 6)), alpha)


def test_a_precise_check_makes_up_for_imprecise_steps():
    """Steps in float32, true residuals in float64: the solution is float64's."""
    rng = np.random.default_rng(5)
    A = rng.standard_normal((80, 60))
    K, y = A.T @ A + np.eye(60), rng.standard_normal(60)
    rough = K.astype(np.float32)
    found = conjugate_gradients(
        (lambda P: rough @ P.astype(np.float32), lambda P: K @ P),
        y,
        precondition=None,
        tol=1e-11,
        max_iter=2000,
    )
    assert found.converged
    np.testing.assert_allclose(found.X, np.linalg.solve(K, y), rtol=1e-8)
