"""Kernels, their matrices in tiles, and their rows as maps: against scikit-learn's pairwise kernels."""

import copy
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.gaussian_process.kernels import Matern
from sklearn.metrics.pairwise import pairwise_kernels

from samara.core import Block, BlockMap
from samara.errors import InputError
from samara.linalg import kernels
from samara.maps import KERNELS, Gramian, Kernel, KernelRows, Whitened, as_dtype, leading, sides

MATERN = {"laplace": 0.5, "matern32": 1.5, "matern52": 2.5}
NAMED = ("rbf", "linear", "polynomial", "laplacian", "sigmoid", "cosine", *MATERN)
PATHS = [
    pytest.param(
        True, marks=pytest.mark.skipif(not kernels.compiled(), reason="installed without a C compiler")
    ),
    False,
]
DOUBLE, SINGLE = np.dtype(np.float64), np.dtype(np.float32)


@pytest.fixture(params=PATHS, ids=lambda compiled: "compiled" if compiled else "numpy")
def path(request, monkeypatch):
    """With the compiled loops and without."""
    if not request.param:
        monkeypatch.setattr(kernels, "compiled", lambda: False)


def table(n, d, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def theirs(kernel, X, Z):
    if kernel.name in MATERN:
        return Matern(1 / kernel.gamma, nu=MATERN[kernel.name])(np.asarray(X, float), np.asarray(Z, float))
    options = {
        name: getattr(kernel, name)
        for name in ("gamma", "degree", "coef0")
        if (name == "gamma" and kernel.uses_gamma)
        or (name == "degree" and kernel.name == "polynomial")
        or (name == "coef0" and kernel.name in ("polynomial", "sigmoid"))
    }
    return pairwise_kernels(np.asarray(X, float), np.asarray(Z, float), metric=kernel.name, **options)


def close(made, expected, rtol):
    np.testing.assert_allclose(made, expected, rtol=rtol, atol=rtol * abs(expected).max() / 10)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(("dtype", "rtol"), [(DOUBLE, 1e-12), (SINGLE, 1e-5)], ids=["double", "single"])
@pytest.mark.parametrize(("n", "m", "d"), [(1, 1, 1), (1, 70, 3), (70, 1, 1), (300, 517, 20), (33, 65, 130)])
def test_rows_are_those_of_scikit_learn(name, dtype, rtol, n, m, d):
    kernel = Kernel(name, gamma=0.7 / d)
    X, Z = table(n, d), table(m, d, 1)
    close(KernelRows(kernel, Z, dtype)(X), theirs(kernel, X, Z), rtol)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("degree", [1, 2, 3, 7, 2.5])
@pytest.mark.parametrize("coef0", [0, 0.5, 3])
def test_every_degree(degree, coef0):
    kernel = Kernel("polynomial", gamma=0.3, degree=degree, coef0=coef0)
    X, Z = abs(table(40, 5)), abs(table(77, 5, 1))
    close(KernelRows(kernel, Z, DOUBLE)(X), theirs(kernel, X, Z), 1e-12)


@pytest.mark.usefixtures("path")
def test_a_root_of_a_negative_number_is_refused():
    X = table(10, 2)
    with pytest.raises(InputError, match=r"degree 2\.5 needs"):
        Gramian(Kernel("polynomial", 1.0, degree=2.5, coef0=0), X, DOUBLE).tile(slice(None), slice(None))


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_a_large_common_offset_costs_no_accuracy(name, dtype):
    X = table(50, 4) + 1e6
    kernel = Kernel(name, 0.2)
    # Differences first: the expansion that scikit-learn uses cancels here.
    gaps = X[:, None] - X
    exact = np.exp(-0.2 * ((gaps**2) if name == "rbf" else abs(gaps)).sum(axis=2))
    rtol = 1e-12 if dtype == DOUBLE else 1e-5
    np.testing.assert_allclose(KernelRows(kernel, X, dtype)(X), exact, rtol=rtol)
    np.testing.assert_allclose(Gramian(kernel, X, dtype).tile(slice(None), slice(None)), exact, rtol=rtol)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
@pytest.mark.parametrize("d", [1, 3, 20, 700])
@pytest.mark.parametrize("scale", [1e-3, 1, 30])
def test_equal_rows_give_one_and_none_gives_more(name, dtype, d, scale):
    X = scale * np.repeat(table(90, d), 2, axis=0)
    K = Gramian(Kernel(name, 1 / d), X, dtype).tile(slice(None), slice(None))
    pairs = np.kron(np.eye(90, dtype=bool), np.ones((2, 2), bool))
    assert (K[pairs] == 1).all()
    assert K.max() == 1
    assert K.min() >= 0


@pytest.mark.usefixtures("path")
def test_near_rows_are_told_from_equal_ones():
    # ‖x‖² of 100 leaves x·z − ½‖x‖² − ½‖z‖² an error of 1e-5 in single precision, ten times the answer.
    X = np.array([[10.0], [10.001], [-10.0]], np.float32)
    K = Gramian(Kernel("rbf", 1.0), X, SINGLE).tile(slice(None), slice(None))
    gap = float(X[1, 0]) - float(X[0, 0])
    assert 1 - K[0, 1].astype(float) == pytest.approx(gap**2, rel=0.1)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_far_rows_give_nothing(dtype):
    X = np.array([[0.0], [1e3]])
    for name in ("rbf", "laplacian"):
        K = Gramian(Kernel(name, 10.0), X, dtype).tile(slice(None), slice(None))
        np.testing.assert_array_equal(K, np.eye(2))


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_tiles_are_the_matrix_however_it_is_cut(name, dtype):
    X = table(700, 6)
    gramian = Gramian(Kernel(name, 0.1), X, dtype)
    assert gramian.shape == (gramian.n, gramian.n) == (700, 700)
    assert gramian.dtype == dtype
    K = gramian.tile(slice(None), slice(None))
    tolerance = 20 * np.finfo(dtype).eps * abs(K).max()
    rng = np.random.default_rng(3)
    some, others = rng.integers(0, 700, 37), rng.permutation(700)
    cuts = (slice(0, 256), slice(256, 700), slice(5, 6), slice(9, 9), slice(690, 5, -7), some, others)
    for rows in cuts:
        for columns in cuts:
            expected = K[rows][:, columns]
            np.testing.assert_allclose(gramian.tile(rows, columns), expected, atol=tolerance, rtol=0)
            room = np.full((len(expected), expected.shape[1] + 3), 7, dtype)
            made = gramian.tile(rows, columns, out=room[:, 2:-1])
            np.testing.assert_allclose(made, expected, atol=tolerance, rtol=0)
            assert (room[:, [0, 1, -1]] == 7).all()
    np.testing.assert_allclose(gramian.diagonal(), K.diagonal(), atol=tolerance, rtol=0)


def test_room_of_another_precision_or_order_is_filled_too():
    X = table(30, 4)
    gramian = Gramian(Kernel("rbf", 0.1), X, DOUBLE)
    K = gramian.tile(slice(None), slice(None))
    for room in (np.empty((30, 30), np.float32), np.empty((30, 30), order="F"), np.empty((60, 60))[::2, ::2]):
        np.testing.assert_allclose(gramian.tile(slice(None), slice(None), out=room), K, rtol=1e-6)
        assert np.shares_memory(gramian.tile(slice(None), slice(None), out=room), room)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize(("d", "density"), [(30, 0.2), (2000, 0.01), (600, 0.2)])
def test_sparse_rows_are_dense_rows(name, d, density):
    X = sparse.random_array((60, d), density=density, rng=1, format="csr")
    Z = sparse.random_array((45, d), density=density, rng=2, format="csr")
    kernel = Kernel(name, 3 / d)
    expected = theirs(kernel, X.toarray(), Z.toarray())
    for centres in (Z, Z.toarray(), sparse.csr_matrix(Z)):
        for rows in (X, X.toarray(), sparse.csr_matrix(X)):
            close(KernelRows(kernel, centres, DOUBLE)(rows), expected, 1e-12)
    dense, thin = Gramian(kernel, X.toarray(), DOUBLE), Gramian(kernel, X, DOUBLE)
    some = np.array([3, 3, 0, 59])
    for rows, columns in ((slice(7, 50), slice(None)), (some, slice(1, 9)), (some, some)):
        close(thin.tile(rows, columns), dense.tile(rows, columns), 1e-12)
    assert thin.tile(slice(0, 0), some).shape == (0, 4)
    close(thin.diagonal(), dense.diagonal(), 1e-12)


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
@pytest.mark.parametrize("d", [30, 1000])
def test_sparse_rows_in_pieces_are_filled_less_the_shift(name, d, monkeypatch):
    X = sparse.random_array((60, d), density=0.01, rng=1, format="csr")
    Z = sparse.random_array((45, d), density=0.01, rng=2, format="csr")
    rows, shift = KernelRows(Kernel(name, 3 / d), Z, DOUBLE), np.arange(45.0)
    whole = rows(X)
    monkeypatch.setattr(sides, "PIECE_NUMBERS", 20 * d if name == "laplacian" else 500)
    room = np.full((60, 47), 7.0)
    rows.fill(X, room[:, 1:-1], shift)
    close(room[:, 1:-1] + shift, whole, 1e-12)
    assert (room[:, [0, -1]] == 7).all()


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
@pytest.mark.parametrize("d", [30, 5000])
def test_equal_sparse_rows_give_one_and_none_gives_more(dtype, d):
    X = sparse.random_array((60, d), density=0.03, rng=1, format="csr")
    X = sparse.vstack([X, X], format="csr")
    K = Gramian(Kernel("rbf", 1.0), X, dtype).tile(slice(None), slice(None))
    assert (K[np.arange(60), 60 + np.arange(60)] == 1).all()
    assert (K.diagonal() == 1).all()
    assert K.max() == 1


def test_sparse_rows_with_entries_twice_are_summed():
    X = sparse.csr_array((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    close(
        Gramian(Kernel("rbf", 0.1), X, DOUBLE).tile(slice(None), slice(None)),
        theirs(Kernel("rbf", 0.1), X.toarray(), X.toarray()),
        1e-12,
    )
    assert X.nnz == 3


def test_precomputed_matrices_are_looked_up():
    K = table(20, 20)
    kernel = Kernel("precomputed")
    some = np.array([4, 4, 0])
    for matrix in (K, sparse.csr_array(K)):
        gramian = Gramian(kernel, matrix, SINGLE)
        np.testing.assert_array_equal(gramian.tile(some, slice(3, 9)), K.astype(np.float32)[some, 3:9])
        np.testing.assert_array_equal(gramian.tile(some, some), K.astype(np.float32)[np.ix_(some, some)])
        np.testing.assert_array_equal(gramian.diagonal(), K.astype(np.float32).diagonal())
        rows = KernelRows(kernel, some, DOUBLE)
        np.testing.assert_array_equal(rows(matrix[:5]), K[:5, some])
        np.testing.assert_array_equal(rows.leading(2)(matrix[:5]), K[:5, [4, 4]])
    assert not np.shares_memory(Gramian(kernel, K, DOUBLE).tile(slice(None), slice(None)), K)
    with pytest.raises(InputError, match=r"square array, got shape \(20, 19\)"):
        Gramian(kernel, K[:, 1:], DOUBLE)


def test_a_function_of_ones_own():
    kernel = Kernel("callable", function=lambda X, Z: (X @ Z.T).round())
    X, Z = table(40, 3), table(7, 3, 1)
    np.testing.assert_array_equal(KernelRows(kernel, Z, SINGLE)(X), (X @ Z.T).round().astype(np.float32))
    gramian = Gramian(kernel, X, DOUBLE)
    np.testing.assert_array_equal(gramian.tile(np.array([1, 2]), slice(0, 5)), (X[1:3] @ X[:5].T).round())
    np.testing.assert_array_equal(gramian.diagonal(), (X @ X.T).round().diagonal())
    assert gramian.tile(slice(0, 0), slice(None)).shape == (0, 40)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda X, Z: (X @ Z.T).T, r"shapes \(4, 3\) and \(5, 3\) and must return .* \(4, 5\), got \(5, 4\)"),
        (lambda X, Z: 1.0, r"matrix of \(4, 5\), got \(\)"),
        (lambda X, Z: np.full((4, 5), "a"), "must return numbers, got <U1"),
        (lambda X, Z: X @ Z.T + 1j, "must return numbers, got complex128"),
        (lambda X, Z: (X @ Z.T) * np.nan, "a NaN or an infinity"),
    ],
)
def test_functions_that_give_no_matrix_are_refused(function, message):
    rows = KernelRows(Kernel("callable", function=function), table(5, 3), DOUBLE)
    with pytest.raises(InputError, match=message):
        rows(table(4, 3))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (Kernel("gauss"), "Unknown kernel 'gauss'"),
        (Kernel("rfb"), "Did you mean 'rbf'"),
        *((Kernel("rbf", gamma=bad), "gamma must be") for bad in (0, -1.0, np.nan, np.inf, "scale", None)),
        *((Kernel("polynomial", degree=bad), "degree must be") for bad in (0, 0.5, np.inf, "3")),
        (Kernel("sigmoid", coef0=np.nan), "coef0 must be"),
        (Kernel("callable"), "needs a function"),
    ],
)
def test_bad_settings_are_refused(kernel, message):
    with pytest.raises(InputError, match=message):
        kernel.validate()


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", MATERN)
@pytest.mark.parametrize(("dtype", "least"), [(DOUBLE, 1e-13), (SINGLE, 1e-6)], ids=["double", "single"])
def test_small_distances_far_from_zero_are_kept(name, dtype, least):
    """A root makes much of the rounding of squares that cancel: near ones come from the differences."""
    X = np.round(table(40, 6), 2) + 100
    X[1] = X[0]
    X[3] = X[2] + 1e-4 * np.arange(6)
    K = Gramian(Kernel(name, 0.5), X.astype(dtype), dtype).tile(slice(None), slice(None))
    assert K[0, 1] == K[1, 0] == 1
    exact = theirs(Kernel(name, 0.5), X.astype(dtype), X.astype(dtype))
    assert abs(K - exact)[:4, :4].max() < 100 * least


def test_good_settings_pass_and_unused_ones_are_not_looked_at():
    for name in KERNELS:
        Kernel(name, function=np.dot).validate()
    Kernel("linear", gamma=-1).validate()
    Kernel("rbf", degree=-1, coef0=np.nan).validate()


def test_what_a_kernel_knows_of_itself():
    definite = {name for name in KERNELS if Kernel(name).is_definite}
    assert definite == {"rbf", "linear", "polynomial", "laplacian", "cosine", *MATERN}
    assert not Kernel("polynomial", coef0=-1).is_definite
    assert not Kernel("polynomial", degree=2.5).is_definite
    assert {name for name in KERNELS if Kernel(name).uses_gamma} == {
        "rbf",
        "laplacian",
        "polynomial",
        "sigmoid",
        *MATERN,
    }


@pytest.mark.parametrize(
    ("kernel", "rank"),
    [
        (Kernel("linear"), 3),
        (Kernel("cosine"), 3),
        (Kernel("polynomial", degree=2), 10),
        (Kernel("polynomial", degree=2, coef0=0), 6),
        (Kernel("polynomial", degree=2.5), None),
        (Kernel("rbf"), None),
    ],
)
def test_max_rank_is_the_rank(kernel, rank):
    assert kernel.max_rank(3) == rank
    if rank is not None:
        K = Gramian(kernel, table(40, 3), DOUBLE).tile(slice(None), slice(None))
        assert np.linalg.matrix_rank(K, rtol=1e-10) == rank


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("name", ["rbf", "laplacian", "polynomial", "sigmoid", "linear"])
@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_a_block_is_filled_less_the_shift(name, dtype):
    X, Z = table(300, 5), table(40, 5, 1)
    rows = KernelRows(Kernel(name, 0.1), Z, dtype)
    assert isinstance(rows, BlockMap)
    shift = table(1, 40, 2)[0]
    room = np.full((300, 44), 7, dtype)
    Block(X, X[:, :1], None, 0, maps=(rows,)).features(room[:, 2:-2], shift)
    np.testing.assert_allclose(room[:, 2:-2], rows(X) - shift, atol=30 * np.finfo(dtype).eps)
    assert (room[:, [0, 1, -2, -1]] == 7).all()


def whitened(dtype=DOUBLE, centres=30, gamma=0.5):
    Z = table(centres, 4, 1)
    rows = KernelRows(Kernel("rbf", gamma), Z, dtype)
    K = KernelRows(Kernel("rbf", gamma), Z, DOUBLE)(Z)
    return Whitened(rows, np.linalg.cholesky(K + 1e-9 * np.eye(centres), upper=True).astype(dtype)), K


def test_products_of_whitened_rows_are_the_kernel_at_its_centres():
    nystroem, K = whitened()
    assert isinstance(nystroem, BlockMap)
    Phi = nystroem(nystroem.rows.centres)
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-7)
    X = table(200, 4)
    np.testing.assert_allclose(nystroem(X) @ nystroem.triangle, nystroem.rows(X), atol=1e-13)
    # What lies below the diagonal is not read.
    dirty = Whitened(nystroem.rows, nystroem.triangle + np.tril(np.full((30, 30), np.nan), -1))
    np.testing.assert_array_equal(dirty(X), nystroem(X))


@pytest.mark.parametrize("dtype", [DOUBLE, SINGLE])
def test_whitened_blocks_are_filled_less_the_shift(dtype):
    nystroem, _ = whitened()
    X, shift = table(2500, 4), table(1, 30)[0]
    expected = nystroem(X) - shift
    room = np.full((2500, 33), 7, dtype)
    nystroem.fill(X, room[:, 1:-2], shift)
    np.testing.assert_allclose(room[:, 1:-2], expected, atol=1e-10 if dtype == DOUBLE else 1e-5)
    assert (room[:, [0, -2, -1]] == 7).all()


@pytest.mark.parametrize("m", [1, 13, 30])
def test_leading_columns_are_those_of_the_first_centres_alone(m):
    nystroem, _ = whitened()
    X = table(50, 4)
    for whole in (nystroem, nystroem.rows):
        part = leading(whole, m)
        assert type(part) is type(whole)
        assert part.n_out == m
        np.testing.assert_allclose(part(X), whole(X)[:, :m], rtol=1e-9, atol=1e-11)


def test_maps_in_another_precision():
    nystroem, _ = whitened(gamma=5.0)
    single = as_dtype(nystroem, SINGLE)
    X = table(50, 4)
    assert single(X).dtype == as_dtype(nystroem.rows, SINGLE)(X).dtype == SINGLE
    np.testing.assert_allclose(single(X), nystroem(X), atol=1e-4)


def test_prepared_rows_stay_out_of_pickles_and_copies():
    rows = KernelRows(Kernel("rbf", 0.1), table(500, 20), SINGLE)
    fresh = len(pickle.dumps(rows))
    made = rows(table(9, 20))
    assert len(pickle.dumps(rows)) == fresh
    for again in (pickle.loads(pickle.dumps(rows)), copy.deepcopy(rows), copy.copy(rows)):
        np.testing.assert_array_equal(again(table(9, 20)), made)
    gramian = Gramian(rows.kernel, rows.centres, SINGLE)
    fresh = len(pickle.dumps(gramian))
    gramian.tile(slice(3), slice(3))
    assert len(pickle.dumps(gramian)) == fresh
