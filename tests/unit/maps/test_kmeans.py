"""Centres by k-means."""

import numpy as np

from samara.maps.kmeans import kmeans_centres


def test_clusters_are_found():
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]])
    sample = np.concatenate([mean + 0.1 * rng.standard_normal((50, 2)) for mean in means])
    starts = (kmeans_centres(sample, 3, 20, np.random.default_rng(seed)) for seed in range(10))
    off = [np.abs(found[:, None] - means).sum(axis=2).min(axis=0).max() for found in starts]
    assert min(off) < 0.1  # the best of ten starts: one start may keep two centres in one cluster


def test_a_cluster_without_rows_keeps_its_centre_and_says_nothing():
    sample = np.repeat(np.arange(5.0)[:, None], 40, axis=0)  # five distinct rows, twenty clusters
    found = kmeans_centres(sample, 20, 10, np.random.default_rng(0))  # warnings are errors in the tests
    assert found.shape == (20, 1)
    assert np.isin(found, sample).all()
