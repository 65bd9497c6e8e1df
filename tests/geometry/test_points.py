"""Points have the distances of the priors they come from, in single precision as well."""

import numpy as np
import pytest

from unprior import priors
from unprior.geometry import Curve
from unprior.kernels._draws import point_distances

MAKE = {
    "features": lambda rng: priors.features(rng.normal(size=(40, 3))),
    "far off": lambda rng: priors.features(1e9 + rng.random((40, 1))),
    "large": lambda rng: priors.features(1e60 * rng.normal(size=(40, 2))),
    "cosine": lambda rng: priors.features(rng.normal(size=(40, 3)), metric="cosine"),
    "squared": lambda rng: priors.features(5 + rng.normal(size=(40, 3)), metric="sqeuclidean"),
    "constant": lambda rng: priors.features(np.ones((40, 1))),
    "geo": lambda rng: priors.geo(rng.uniform(-90, 90, 40), rng.uniform(-180, 180, 40)),
    "cyclic": lambda rng: priors.cyclic(24 * rng.random(40), period=24),
}


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("name", MAKE)
def test_points_tell_the_distances(rng, name, single):
    prior = MAKE[name](rng)
    points = prior.points()
    if single:
        points = points.in_single()
        assert points.values.dtype == np.float32
    partners = np.tile(np.arange(40, dtype=np.int32), (40, 1))
    squared = point_distances(points.values, int(points.curve), points.unit, partners)
    expected = prior.block(np.arange(40), np.arange(40))
    # The chord of points that lie opposite each other hardly changes with the arc above it.
    digits = (1e-3 if points.curve is Curve.ARC else 3e-6) if single else 1e-7
    np.testing.assert_allclose(np.sqrt(squared), expected, rtol=0, atol=digits * expected.max())


def test_single_precision_stays_as_it_is(rng):
    points = priors.features(rng.normal(size=(10, 2)).astype(np.float32)).points()
    assert points.in_single() is points
