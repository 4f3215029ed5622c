"""Every kind of matrix gives what its dense twin gives, and what is no matrix is refused in one sentence."""

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from samara import InputError, NonFiniteError
from samara.linalg import EnergyStop, ErrorStop, GradientStop, fast_svd, nystroem, pinv, range_finder, rsvd
from samara.sources import ArraySource
from tests.oracles_lowrank import rbf_nodes

A = rbf_nodes(700, 90, inputs=3)
A[A < 0.05] = 0
STOPS = [ErrorStop(), GradientStop(), EnergyStop(0.02)]


class Products:
    """Nothing but a shape and products."""

    def __init__(self, A):
        self._A, self.shape = A, A.shape

    def __matmul__(self, V):
        return self._A @ V

    @property
    def T(self):  # noqa: N802
        return Products(self._A.T)


class Kept:
    """A map h(x) = x, as a feature map."""

    n_out = 90

    def __call__(self, X, out=None):
        if out is None:
            return X
        out[...] = X
        return out


def source(A, **options):
    """The rows as a source with targets that do not matter."""
    return ArraySource(A, np.zeros((len(A), 1)), **options)


KINDS = {
    "fortran": np.asfortranarray,
    "strided": lambda A: np.repeat(np.repeat(A, 2, axis=0), 2, axis=1)[::2, ::2],
    "list": lambda A: A.tolist(),
    "csr": sparse.csr_array,
    "csc matrix": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "operator": aslinearoperator,
    "products": Products,
    "source": source,
    "mapped source": lambda A: source(A).map(Kept()),
    "source in folds": lambda A: source(A).folded(3),
    "weighted source": lambda A: source(A, weight=np.linspace(1, 2, len(A))),
}
NORMLESS = ("operator", "products")  # can't tell how much energy they have


@pytest.mark.parametrize(
    ("kind", "stop"),
    [(kind, stop) for kind in KINDS for stop in STOPS if stop.watches == "probes" or kind not in NORMLESS],
    ids=str,
)
def test_every_kind_has_the_same_range(kind, stop):
    """Same count, same watched values, same span."""
    expected = range_finder(A, stop, random_state=0)
    found = range_finder(KINDS[kind](A), stop, random_state=0)
    assert found.rank == expected.rank
    np.testing.assert_allclose(found.history, expected.history, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(found.Q @ found.Q.T, expected.Q @ expected.Q.T, atol=1e-8)
    assert found.error == pytest.approx(expected.error, rel=1)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_the_same_decompositions(kind):
    """fast_svd, rsvd and pinv."""
    given = KINDS[kind](A)
    for solve in (
        lambda A: fast_svd(A, random_state=1),
        lambda A: rsvd(A, 12, random_state=1),
        lambda A: pinv(A, random_state=1),
    ):
        expected, found = solve(A), solve(given)
        np.testing.assert_allclose(found.s, expected.s, rtol=1e-8)
        np.testing.assert_allclose(found.dense(), expected.dense(), atol=1e-7)
        assert expected.error / 2 <= found.error <= 2 * expected.error


SPARSE = sparse.random_array((500, 60), density=0.01, rng=np.random.default_rng(1)).tocsr()


@pytest.mark.parametrize(
    ("given", "dense"),
    [(SPARSE, SPARSE.toarray()), (aslinearoperator(A), A), (source(A), A), (aslinearoperator(A.T), A.T)],
    ids=["sparse", "operator", "source", "wide"],
)
@pytest.mark.parametrize("seed", range(6))
def test_the_error_estimate_is_within_a_factor_two(given, dense, seed):
    """Whether the norm is known or not."""
    for found in (rsvd(given, 9, random_state=seed), fast_svd(given, GradientStop(), random_state=seed)):
        truth = np.linalg.norm(dense - found.dense())
        assert truth / 2 <= found.error <= 2 * truth


def test_a_source_is_never_in_memory_whole():
    """Blocks of at most 1024 rows reach the map."""
    seen = []

    class Watching(Kept):
        def __call__(self, X, out=None):
            seen.append(len(X))
            return super().__call__(X, out)

    range_finder(source(np.tile(A, (6, 1))).map(Watching()), random_state=0)
    assert max(seen) <= 1024
    assert sum(seen) >= 4200


@pytest.mark.parametrize(
    "kind", [np.asarray, sparse.csr_array, aslinearoperator], ids=["dense", "sparse", "operator"]
)
def test_float32_stays_float32(kind):
    """In every factor; counts and estimates as good as the precision."""
    given = kind(A.astype(np.float32))
    found = fast_svd(given, GradientStop(), random_state=0)
    assert found.U.dtype == found.s.dtype == found.Vt.dtype == np.float32
    assert range_finder(given, ErrorStop(), random_state=0).Q.dtype == np.float32
    truth = np.linalg.norm(A - found.dense())
    assert truth / 2 <= found.error <= 2 * truth
    assert np.abs(found.U.T @ found.U - np.eye(found.rank)).max() < 1e-4


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool, np.float16, np.longdouble])
def test_other_numbers_become_float64(dtype):
    """Computed as their float64 twins."""
    given = (np.random.default_rng(0).random((40, 20)) * 3).astype(dtype)
    found = rsvd(given, 5, random_state=0)
    assert found.s.dtype == np.float64
    np.testing.assert_array_equal(found.s, rsvd(given.astype(float), 5, random_state=0).s)


def test_duplicate_entries_of_a_sparse_matrix_add_up():
    """The norm is that of the entries, and the matrix given is not changed."""
    given = sparse.csr_array((np.ones(4), np.array([0, 0, 1, 2]), np.array([0, 2, 3, 4])), shape=(3, 3))
    found = rsvd(given, 1, random_state=0)
    assert found.s[0] == pytest.approx(2)
    assert found.error == pytest.approx(np.sqrt(2))
    assert given.nnz == 4


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["dense", "fortran", "csr", "operator", "source"])
def test_what_is_not_finite_is_refused(bad, kind):
    """The row is named."""
    given = A.copy()
    given[345, 6] = bad
    given = KINDS.get(kind, np.asarray)(given)
    for solve in (range_finder, fast_svd, pinv, lambda A: rsvd(A, 3)):
        with pytest.raises(NonFiniteError, match="in row 345"):
            solve(given)


def test_numbers_whose_squares_overflow_are_refused():
    """Norms would be infinite, and a range that looks exhausted no answer."""
    with pytest.raises(NonFiniteError, match="too large in row 0"):
        range_finder(A * 1e200)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nystroem_refuses_what_is_not_finite(bad):
    """Before it is called indefinite."""
    M = np.eye(12)
    M[4, 4] = bad
    with pytest.raises(NonFiniteError, match="in row 4"):
        nystroem(M, 3)


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (np.zeros((0, 4)), r"empty: its shape is \(0, 4\)"),
        (np.zeros((4, 0)), "empty"),
        (sparse.csr_array((3, 0)), "empty"),
        (np.zeros(5), "two dimensions, got 1"),
        (np.zeros((2, 3, 4)), "two dimensions, got 3"),
        (3.0, "two dimensions, got 0"),
        (np.zeros((3, 3), complex), "real numbers, got complex128"),
        (np.array([["a", "b"]]), "real numbers"),
        (sparse.csr_array(np.eye(3) * 1j), "real numbers"),
        (source(np.zeros((0, 4))), "empty"),
    ],
)
def test_what_is_no_matrix_is_refused(given, word):
    """One sentence each."""
    for solve in (range_finder, fast_svd, pinv, lambda A: rsvd(A, 1), lambda A: nystroem(A, 1)):
        with pytest.raises(InputError, match=word):
            solve(given)


def test_an_operator_has_no_energy():
    """Its norm is not known, which is said with what to use instead."""
    with pytest.raises(InputError, match="ErrorStop"):
        fast_svd(aslinearoperator(A), EnergyStop(0.1))


def test_an_operator_without_a_transpose():
    """Enough for a range, too little for a decomposition."""
    given = LinearOperator(A.shape, matvec=lambda v: A @ v, dtype=float)
    assert range_finder(given, random_state=0).rank == range_finder(A, random_state=0).rank
    with pytest.raises(InputError, match="needs a transposed product"):
        fast_svd(given)


def test_an_operator_that_gives_another_shape():
    """Is told so."""

    class Wrong(Products):
        def __matmul__(self, V):
            return (self._A @ V)[:-1]

    with pytest.raises(InputError, match="where"):
        range_finder(Wrong(A))


def test_an_operator_may_keep_what_it_hands_out():
    """Its array is not written to."""
    kept = np.ones((20, 106))

    class Constant(Products):
        def __matmul__(self, V):
            return kept[:, : V.shape[1]]

    range_finder(Constant(np.ones((20, 20))), random_state=0, max_rank=1)
    assert (kept == 1).all()


def test_a_source_with_rows_of_weight_0_is_refused():
    """Its blocks leave them out, so that the rows of U would be others than those of the source."""
    weight = np.ones(len(A))
    weight[7] = 0
    with pytest.raises(InputError, match="weight 0"):
        range_finder(source(A, weight=weight))
