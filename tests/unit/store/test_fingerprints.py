"""Fingerprints see every change of data and settings, and nothing else."""

import hashlib

import numpy as np
import pytest
import scipy.sparse as sp

from samara.errors import InputError, StoreError
from samara.store import Fingerprint, compare, digest, fingerprints
from tests.traced import traced_peak

X = np.random.default_rng(0).normal(size=(2000, 700))  # 11 MB: three pieces


@pytest.mark.parametrize(
    "same",
    [
        pytest.param(X.copy(), id="copy"),
        pytest.param(np.asfortranarray(X), id="columns back to back"),
        pytest.param(np.repeat(X, 2, axis=1)[:, ::2], id="strided"),
        pytest.param(X[::-1].copy()[::-1], id="reversed"),
    ],
)
def test_the_layout_does_not_matter(same):
    """Only dtype, shape and values do."""
    assert digest(same) == digest(X)


def test_a_memory_map_is_its_array(tmp_path):
    """Of either order."""
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "F.npy", np.asfortranarray(X))
    assert digest(np.load(tmp_path / "X.npy", mmap_mode="r")) == digest(X)
    assert digest(np.load(tmp_path / "F.npy", mmap_mode="r")) == digest(X)


def test_every_change_matters():
    """A value, a sign of zero, the dtype, the shape, the order, the number of arrays."""
    changed = X.copy()
    changed[-1, -1] = np.nextafter(changed[-1, -1], np.inf)
    small = np.zeros((2, 3))
    seen = [
        digest(X),
        digest(changed),
        digest(X.astype("f4")),
        digest(X.reshape(700, 2000)),
        digest(X[:-1]),
        digest(X, X),
        digest(X[:1000], X[1000:]),
        digest(small),
        digest(-small),
        digest(small.astype("i8")),
        digest(small.T),
        digest(small[:0]),
        digest(small[:0].T),
        digest(),
        digest(np.array(0.0)),
        digest(np.zeros(1)),
        digest(small, X),
        digest(X, small),
        digest(np.array(["a", "b"])),
        digest(np.array(["a", "c"])),
    ]
    assert len(set(seen)) == len(seen)
    assert {len(text) for text in seen} == {64}


def test_sparse_matrices():
    """Values, indices, shape and format count; the class of the matrix doesn't."""
    S = sp.random(300, 40, 0.1, "csr", rng=0)
    assert digest(S.copy()) == digest(S) == digest(sp.csr_array(S))
    wider = sp.csr_matrix((S.data, S.indices, S.indptr), (300, 41))
    moved = S.copy()
    moved.indices[0] = (set(range(40)) - set(S.indices[: S.indptr[1]])).pop()
    other = S.copy()
    other.data[-1] += 1
    seen = [digest(S), digest(wider), digest(moved), digest(other), digest(S.toarray()), digest(S.tocsc())]
    assert len(set(seen)) == len(seen)


def test_the_number_of_threads_does_not_matter(monkeypatch):
    """Nor that there are any."""
    alone = digest(X)
    for threads in (1, 2, 3):
        monkeypatch.setattr(fingerprints, "_WORTH_THREADS", 0)
        monkeypatch.setattr(fingerprints, "_THREADS", threads)
        assert digest(X) == alone


def test_a_small_array_by_hand():
    """The hash of what is said about the arrays and of the hashes of their pieces."""
    array = np.arange(6, dtype="i4").reshape(2, 3)
    leaf = hashlib.blake2b(array.tobytes(), digest_size=32).digest()
    about = b"[('int32', (2, 3))]"
    assert digest(array) == hashlib.blake2b(about + leaf, digest_size=32).hexdigest()


@pytest.mark.parametrize("view", [X, X.T, X[::2], X.reshape(1, -1).repeat(2, axis=0)[:, ::2]])
def test_no_copy_of_the_whole_is_made(view):
    """A piece of 4 MB at most, and a little beside it."""
    assert traced_peak(lambda: digest(view)) < 4.3e6


@pytest.mark.parametrize("given", [np.array(["a", None]), np.array([object()]), sp.coo_matrix(np.eye(2))])
def test_what_has_no_fingerprint_is_refused(given):
    """Addresses of objects are no content."""
    with pytest.raises(InputError, match="has no fingerprint"):
        digest(given)


def test_compare_names_what_differs():
    """Changed, gone and new entries, in order."""
    assert compare({"a": "1", "b": "2", "c": "3"}, {"d": "4", "c": "3", "a": "0"}) == ["a", "b", "d"]
    assert compare({"a": "1", "b": "2"}, {"b": "2", "a": "1"}) == []


WRITTEN = Fingerprint({"rows": "r", "columns": "c"}, {"alpha": "1.0", "hidden": "tanh", "scale": "None"})


@pytest.mark.parametrize(
    ("data", "settings", "message"),
    [
        (
            {"columns": "x"},
            {"alpha": "2.0", "hidden": "relu"},
            "run.ckpt was written for other data: the columns, the settings alpha and hidden differ. "
            "Delete it or fit the same data.",
        ),
        (
            {"rows": "x"},
            {},
            "run.ckpt was written for other data: the rows differ. Delete it or fit the same data.",
        ),
        (
            {},
            {"alpha": "2.0"},
            "run.ckpt was written with other settings: the setting alpha differs. "
            "Delete it or use the same settings.",
        ),
        (
            {},
            {"alpha": "2.0", "hidden": "relu", "scale": "standard"},
            "run.ckpt was written with other settings: the settings alpha, hidden and scale differ. "
            "Delete it or use the same settings.",
        ),
    ],
)
def test_a_file_for_something_else_is_refused(data, settings, message):
    """Saying what differs and what to do."""
    now = Fingerprint({**WRITTEN.data, **data}, {**WRITTEN.settings, **settings})
    with pytest.raises(StoreError) as caught:
        now.check(WRITTEN, "run.ckpt")
    assert str(caught.value) == message


def test_the_same_fingerprint_passes_through_a_header():
    """And nothing is raised; anything else is not the same."""
    again = Fingerprint.from_header(WRITTEN.as_header())
    WRITTEN.check(again, "run.ckpt")
    for broken in (None, [], {}, {"data": 3}, {"data": {}, "settings": []}):
        with pytest.raises(StoreError, match="the rows, the columns, the settings"):
            WRITTEN.check(Fingerprint.from_header(broken), "run.ckpt")
