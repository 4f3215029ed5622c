"""Spectral regression: responses are eigenvectors, maps are ridge regressions, each against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse
from sklearn.neighbors import kneighbors_graph

from samara import SpectralRegression
from samara.linalg.graph import DENSE_ROWS, RowGraph, group_responses
from samara.maps import Additive, Kernel

SIZES = st.lists(st.integers(1, 7), min_size=2, max_size=5)


def table(seed, n=60, d=4):
    """Rows in three overlapping clouds, and their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    return rng.normal(size=(n, d)) + 1.5 * np.eye(3, d)[y], y


def weights_of(X, codes, neighbours=5, delta=0.1, sigma=None):
    """W of Liu et al. step 2, entry by entry."""
    near = kneighbors_graph(X, neighbours).toarray() > 0
    near |= near.T
    n = len(X)
    W = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if codes[i] >= 0 and codes[i] == codes[j]:
                W[i, j] = 1 / np.sum(codes == codes[i])
            elif near[i, j]:
                W[i, j] = delta * (
                    1 if sigma is None else np.exp(-np.sum((X[i] - X[j]) ** 2) / (2 * sigma**2))
                )
    return W


def leading(W, count):
    """Eigenvectors of Wy = λDy after the constant one, of mean square 1 under D."""
    D = W.sum(axis=1)
    values, vectors = linalg.eigh(W, np.diag(D))
    assert values[-1] == pytest.approx(1)
    return values[::-1], vectors[:, -2 : -2 - count : -1] * np.sqrt(D.sum())


def same_up_to_sign(found, wanted, tol=1e-8):
    """Each column equals, or is the opposite."""
    signs = np.sign(np.sum(found * wanted, axis=0))
    np.testing.assert_allclose(found * signs, wanted, atol=tol)


def spanned(A, B):
    """How much of B is left beyond the span of A."""
    return np.abs(B - A @ np.linalg.lstsq(A, B, rcond=None)[0]).max()


@settings(max_examples=20, deadline=None)
@given(sizes=SIZES)
def test_responses_of_classes_span_the_eigenvectors_of_their_graph(sizes):
    """With the constant, all those of the eigenvalue 1; no eigensolver was asked."""
    codes = np.repeat(np.arange(len(sizes)), sizes)
    W = np.where(codes[:, None] == codes, 1 / np.array(sizes, float)[codes], 0.0)
    values, vectors = np.linalg.eigh(W)  # D is 1
    top = vectors[:, values > 0.5]
    Y = group_responses(np.array(sizes, float))[codes]
    assert Y.shape[1] == len(sizes) - 1 == top.shape[1] - 1
    assert spanned(np.column_stack([np.ones(len(codes)), Y]), top) < 1e-10
    np.testing.assert_allclose(W @ Y, Y, atol=1e-10)


@settings(max_examples=20, deadline=None)
@given(sizes=SIZES)
def test_responses_of_classes_are_orthogonal_to_each_other_and_to_the_constant(sizes):
    codes = np.repeat(np.arange(len(sizes)), sizes)
    Y = np.column_stack([np.ones(len(codes)), group_responses(np.array(sizes, float))[codes]])
    np.testing.assert_allclose(Y.T @ Y / len(Y), np.eye(Y.shape[1]), atol=1e-10)


def test_responses_of_classes_are_those_of_gram_and_schmidt():
    codes = np.array([0, 0, 1, 1, 1, 2])
    basis = [np.ones(6)]
    for k in range(2):
        v = (codes == k).astype(float)
        for u in basis:
            v -= (v @ u) / (u @ u) * u
        basis.append(v * np.sqrt(6) / np.linalg.norm(v))
    np.testing.assert_allclose(
        group_responses(np.array([2.0, 3.0, 1.0]))[codes], np.array(basis[1:]).T, atol=1e-12
    )


def responses(X, y, **parameters):
    """The eigenvectors that a fit maps its rows to, for any embedding."""
    model = SpectralRegression(**parameters)
    model.classes_, codes = model._classes(len(X), y)
    return model._responses(X, codes), codes


@pytest.mark.parametrize("sigma", [None, 1.3])
@pytest.mark.parametrize("labelled", [0, 20, 60])
def test_responses_of_a_graph_are_those_of_the_dense_eigenproblem(labelled, sigma):
    X, y = table(0)
    y[labelled:] = -1
    given_to = {"similarity": "heat", "sigma": sigma} if sigma else {}
    kind = "semi" if labelled else "unsupervised"
    Y, codes = responses(X, y if labelled else None, supervision=kind, n_components=4, **given_to)
    W = weights_of(X, codes, sigma=sigma)
    values, wanted = leading(W, 4)
    assert (values[1:5] < 1 - 1e-6).all()  # one piece, so that each eigenvector is known but for its sign
    same_up_to_sign(Y, wanted)
    assert (np.sum(Y**3, axis=0) > 0).all()


def test_responses_of_many_rows_are_those_of_few():
    """Lanczos' method and all eigenvectors at once."""
    X, y = table(1, n=DENSE_ROWS + 50)
    y[100:] = -1
    Y, codes = responses(X, y, supervision="semi", n_components=3, n_neighbors=8)
    same_up_to_sign(Y, leading(weights_of(X, codes, neighbours=8), 3)[1], tol=1e-6)


def test_little_weight_of_neighbours_leaves_the_responses_of_the_classes():
    X, y = table(2)
    wanted, _ = responses(X, y)
    for delta in (1e-3, 1e-6):
        found, _ = responses(X, y, supervision="semi", delta=delta)
        assert spanned(np.column_stack([np.ones(len(X)), wanted]), found) < 50 * delta


def test_unsupervised_responses_do_not_hang_on_delta():
    X, _ = table(3)
    np.testing.assert_allclose(
        responses(X, None, supervision="unsupervised", delta=1.0)[0],
        responses(X, None, supervision="unsupervised", delta=0.01)[0],
        atol=1e-8,
    )


def test_pieces_of_a_graph_have_responses_of_their_own():
    """Two far clouds: the first response tells them apart, the next is an eigenvector within."""
    X, _ = table(4, n=40)
    X[25:] += 100
    found, codes = responses(X, None, supervision="unsupervised", n_components=2)
    W = weights_of(X, codes, delta=0.1)
    assert len(np.unique(found[:, 0].round(8))) == 2
    D = W.sum(axis=1)
    np.testing.assert_allclose(W @ found[:, 0], D * found[:, 0], atol=1e-10)
    values = linalg.eigh(W, np.diag(D), eigvals_only=True)[::-1]
    np.testing.assert_allclose(W @ found[:, 1], values[2] * D * found[:, 1], atol=1e-8)


def test_edges_within_a_class_are_refused():
    edges = sparse.csr_array(np.ones((2, 2)) - np.eye(2))
    with pytest.raises(ValueError, match="leave them out"):
        RowGraph(edges, np.array([0, 0]))


@pytest.mark.parametrize("d", [4, 90])
def test_the_linear_map_is_ridge_regression(d):
    """In the primal and in the dual."""
    X, y = table(5, d=d)
    model = SpectralRegression(alpha=0.7).fit(X, y)
    Y, _ = responses(X, y)
    centred = X - X.mean(axis=0)
    A = np.linalg.solve(centred.T @ centred + 0.7 * np.eye(d), centred.T @ Y)
    np.testing.assert_allclose(model.transform(X[:9]), centred[:9] @ A + Y.mean(axis=0), atol=1e-9)
    assert model.model_.coef.shape == (d, 2)


def test_the_kernel_map_is_kernel_ridge_regression():
    X, y = table(6)
    model = SpectralRegression(Kernel("rbf", 0.3), alpha=0.2).fit(X, y)
    K = np.exp(-0.3 * np.sum((X[:, None] - X) ** 2, axis=2))
    n, (Y, _) = len(X), responses(X, y)
    ones = np.ones((n, 1))
    system = np.block([[K + 0.2 * np.eye(n), ones], [ones.T, np.zeros((1, 1))]])
    c = np.linalg.solve(system, np.vstack([Y, np.zeros((1, 2))]))
    np.testing.assert_allclose(model.transform(X), K @ c[:-1] + c[-1], atol=1e-9)


def test_the_map_with_nodes_is_ridge_on_hidden_rows():
    X, y = table(7)
    model = SpectralRegression(Additive("tanh"), n_hidden=20, alpha=0.3, random_state=0).fit(X, y)
    H = model.model_.features(X)
    Y, _ = responses(X, y)
    centred = H - H.mean(axis=0)
    beta = np.linalg.solve(centred.T @ centred + 0.3 * np.eye(20), centred.T @ Y)
    np.testing.assert_allclose(model.transform(X), centred @ beta + Y.mean(axis=0), atol=1e-8)


@pytest.mark.parametrize("supervision", ["supervised", "semi", "unsupervised"])
def test_the_order_of_rows_does_not_matter(supervision):
    X, y = table(8)
    y[::3] = -1 if supervision == "semi" else y[::3]
    order = np.random.default_rng(0).permutation(len(X))
    one = SpectralRegression("kernel", supervision=supervision).fit(X, y)
    other = SpectralRegression("kernel", supervision=supervision).fit(X[order], y[order])
    np.testing.assert_allclose(one.transform(X), other.transform(X), atol=1e-6)


@pytest.mark.parametrize("supervision", ["supervised", "unsupervised"])
@pytest.mark.parametrize("embedding", ["linear", "kernel", "elm"])
def test_sparse_rows_are_mapped_as_dense_ones(embedding, supervision):
    X, y = table(9)
    X[np.abs(X) < 0.7] = 0
    asked = {"supervision": supervision, "n_hidden": 30, "random_state": 0}
    dense = SpectralRegression(embedding, **asked).fit(X, y)
    kept = SpectralRegression(embedding, **asked).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(kept.transform(sparse.csr_matrix(X)), dense.transform(X), atol=1e-6)
    np.testing.assert_allclose(kept.transform(X), dense.transform(X), atol=1e-6)


def test_of_two_maps_the_better_one_is_taken():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    ring = (np.linalg.norm(X, axis=1) > 1).astype(int)
    side = (X[:, 0] > 0).astype(int)
    assert SpectralRegression("auto").fit(X, ring).embedding_ == "kernel"
    wide = rng.normal(size=(40, 300))
    wide[:, 0] += 8 * side[:40]
    found = SpectralRegression("auto").fit(wide, side[:40])
    scores = [
        SpectralRegression(e).fit(wide, side[:40]).selection_.scores.min() for e in ("linear", "kernel")
    ]
    assert found.selection_.scores.min() == min(scores)
