"""Some columns of a map are those columns of the whole."""

import numpy as np
import pytest

from samara.maps import AdditiveNodes, AsFloat, DirectLink, KernelRows, Project, RadialNodes, chosen, fused
from samara.maps.kernels import Kernel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 4))
ADDITIVE = AdditiveNodes(RNG.normal(size=(5, 12)), "tanh")
RADIAL = RadialNodes(RNG.normal(size=(12, 4)), RNG.uniform(0.1, 1, 12), "rbf")
MAPS = [
    ADDITIVE,
    RADIAL,
    fused((AsFloat(4, np.dtype("float64")), ADDITIVE), False)[0],
    DirectLink(4, RADIAL),
    KernelRows(Kernel("rbf", gamma=0.3), RNG.normal(size=(12, 4)), np.dtype("float64")),
    Project(RNG.normal(size=(4, 12))),
]


@pytest.mark.parametrize("whole", MAPS, ids=lambda whole: type(whole).__name__)
@pytest.mark.parametrize("columns", [[0], [2, 3, 9, 10, 11], [5, 6, 7], range(12)])
def test_the_same_columns(whole, columns):
    """With room given or not."""
    columns = np.array(columns)
    some = chosen(whole, columns)
    assert some.n_out == len(columns)
    expected = whole(X)[:, columns]
    np.testing.assert_allclose(some(X), expected, rtol=1e-12, atol=1e-14)
    out = np.empty((50, len(columns)))
    some(X, out=out)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)


def test_only_what_is_asked_for_is_computed():
    """Nodes alone where no input is among the columns of a direct link."""
    assert isinstance(chosen(DirectLink(4, RADIAL), np.array([5, 8])), RadialNodes)
