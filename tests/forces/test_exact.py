"""Repulsion over all pairs against NumPy, and its independence from threads."""

import numpy as np
import pytest

from reference.jedi import map_affinities
from unprior._threads import compiled_threads
from unprior.forces import exact_field
from unprior.forces._exact import easy_field


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


def test_samples_in_one_place_are_easy():
    field = easy_field(np.full((7, 3), 2.5))
    np.testing.assert_array_equal(field.force, 0)
    assert field.normalizer == exact_field(np.full((7, 3), 2.5)).normalizer == 7 * 6


@pytest.mark.parametrize("far", [1e12, -1e12, np.nan])
def test_maps_that_diverged_are_summed_over_all_pairs(rng, far):
    Y = rng.normal(size=(7, 3))
    Y[3, 1] = far
    np.testing.assert_array_equal(easy_field(Y).force, exact_field(Y).force)


def test_other_maps_are_not_easy(rng):
    assert easy_field(rng.normal(size=(7, 3))) is None
    assert easy_field(np.array([[0.0, 0, 0], [0, 0, 0], [0, 1, 0]])) is None
