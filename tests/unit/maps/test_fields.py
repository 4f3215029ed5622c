"""Local receptive fields: against loops, at the borders, in both precisions, for any image."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara import ELMClassifier, InputError
from samara.maps import LocalFields, PooledFields, as_dtype


def drawn(seed=0, **settings):
    """A layer and its map."""
    layer = LocalFields(**settings)
    layer.validate()
    return layer, layer.draw(
        0, int(np.prod(settings["image"])), np.empty((0, 0)), np.random.SeedSequence(seed)
    )


def naive(one, images):
    """The formula, a loop for each of its indices."""
    height, width, channels = one.image
    down, across = height - one.size + 1, width - one.size + 1
    maps = one.filters.shape[1]
    made = []
    for image in images.reshape(-1, height, width, channels):
        answers = np.zeros((down, across, maps))
        for i, j, k in np.ndindex(answers.shape):
            field = image[i : i + one.size, j : j + one.size].ravel()
            answers[i, j, k] = field @ one.filters[:, k]
        for p in range(0, down, one.stride):
            for q in range(0, across, one.stride):
                for k in range(maps):
                    near = [
                        answers[i, j, k] ** 2
                        for i in range(p - one.pool, p + one.pool + 1)
                        for j in range(q - one.pool, q + one.pool + 1)
                        if 0 <= i < down and 0 <= j < across
                    ]
                    made.append(np.sqrt(sum(near)))
    return np.array(made).reshape(len(images), -1)


@given(
    height=st.integers(3, 7),
    width=st.integers(3, 7),
    channels=st.integers(0, 3),
    size=st.integers(1, 3),
    pool=st.integers(0, 8),
    stride=st.integers(1, 4),
    maps=st.integers(1, 12),
    seed=st.integers(0, 1000),
)
def test_against_loops(height, width, channels, size, pool, stride, maps, seed):
    """Any image, filter, neighbourhood and step; a neighbourhood may be larger than the image."""
    image = (height, width, channels) if channels else (height, width)
    layer, one = drawn(seed, image=image, n_maps=maps, size=size, pool=pool, stride=stride)
    images = np.random.default_rng(seed).normal(size=(2, int(np.prod(image))))
    made = one(images)
    assert made.shape == (2, layer.n_out) == (2, one.n_out)
    np.testing.assert_allclose(made, naive(one, images), rtol=1e-12, atol=1e-12)


def test_filters_are_orthonormal():
    """Up to as many filters as pixels of a field; then by groups of as many."""
    for channels, maps in ((1, 7), (3, 20)):
        _, one = drawn(image=(6, 6, channels), n_maps=maps, size=3)
        np.testing.assert_allclose(one.filters.T @ one.filters, np.eye(maps), atol=1e-12)
    _, one = drawn(image=(6, 6), n_maps=10, size=2)
    for group in (slice(0, 4), slice(4, 8)):
        np.testing.assert_allclose(one.filters[:, group].T @ one.filters[:, group], np.eye(4), atol=1e-12)


@given(rows=st.integers(1, 40), cut=st.integers(0, 40))
def test_blocks_change_nothing(rows, cut):
    """Images do not see each other, and the room given is used."""
    _, one = drawn(image=(5, 6), n_maps=3, size=2)
    images = np.random.default_rng(rows).normal(size=(rows, 30))
    room = np.empty((rows, one.n_out))
    assert one(images, out=room) is room
    parts = [one(part) for part in (images[:cut], images[cut:]) if len(part)]
    np.testing.assert_allclose(np.concatenate(parts), room, rtol=1e-13)


def test_precision_and_copies():
    """float32 in, float32 out, near float64; a copy by pickle gives the same bits; sparse rows are taken."""
    from scipy import sparse

    _, one = drawn(image=(6, 5), n_maps=4, size=3)
    images = np.random.default_rng(0).normal(size=(9, 30))
    small = as_dtype(one, np.dtype(np.float32))
    assert isinstance(small, PooledFields)
    made = small(images.astype(np.float32))
    assert made.dtype == np.float32
    np.testing.assert_allclose(made, one(images), rtol=2e-5)
    assert pickle.loads(pickle.dumps(one))(images).tobytes() == one(images).tobytes()
    np.testing.assert_array_equal(one(sparse.csr_matrix(images)), one(images))
    whole = one(np.round(images).astype(int))
    np.testing.assert_array_equal(whole, one(np.round(images)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"image": 8}, r"image must be \(height, width\) or \(height, width, channels\), got 8\."),
        ({"image": (8,)}, "image must be"),
        ({"image": (8, 0)}, "image must be"),
        ({"image": (8, 8.5)}, "image must be"),
        ({"image": (8, 8), "n_maps": 0}, "n_maps must be a whole number of 1 or more, got 0"),
        ({"image": (8, 8), "size": 0}, "size must be a whole number of 1 or more, got 0"),
        ({"image": (8, 8), "pool": -1}, "pool must be a whole number of 0 or more, got -1"),
        ({"image": (8, 8), "stride": 1.5}, "stride must be a whole number of 1 or more, got 1.5"),
        ({"image": (8, 4), "size": 5}, "A filter of 5 × 5 pixels does not fit an image of 8 × 4"),
        ({"image": (8, 7), "size": 3}, "An image of 8 × 7 has 56 values, but the rows have 64 columns"),
    ],
    ids=str,
)
def test_refusals(settings, message):
    """What can't be is refused by the fit, in one sentence."""
    rng = np.random.default_rng(0)
    with pytest.raises(InputError, match=message):
        ELMClassifier(hidden=LocalFields(**settings), scale=None).fit(
            rng.normal(size=(20, 64)), np.arange(20) % 2
        )
