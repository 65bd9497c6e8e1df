"""Repulsion over all pairs against NumPy, and its independence from threads."""

import numpy as np

from reference.jedi import map_affinities
from unprior._threads import compiled_threads
from unprior.forces import exact_field


def test_equals_numpy(rng):
    Y = rng.normal(size=(57, 3))
    field = exact_field(Y)
    _, W = map_affinities(Y)
    np.testing.assert_allclose(field.normalizer, W.sum(), rtol=1e-14)
    expected = (W**2).sum(axis=1)[:, None] * Y - W**2 @ Y
    np.testing.assert_allclose(field.force, expected, atol=1e-12)


def test_the_bits_do_not_depend_on_the_threads(rng):
    Y = rng.normal(size=(301, 3))
    with compiled_threads(1):
        one = exact_field(Y)
    with compiled_threads(2):
        two = exact_field(Y)
    np.testing.assert_array_equal(one.force, two.force)
    assert one.normalizer == two.normalizer
