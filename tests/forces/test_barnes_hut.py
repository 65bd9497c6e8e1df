"""Repulsion summed over a tree against the sum over all pairs."""

import numpy as np
import pytest

from reference.repulsion import assert_close, random_map
from unprior._threads import compiled_threads
from unprior.forces import barnes_hut_field, exact_field


@pytest.mark.parametrize("n_components", [2, 3])
@pytest.mark.parametrize("scale", [1e-4, 1.0, 30.0])
def test_a_precise_tree_equals_the_exact_sum(rng, n_components, scale):
    Y = random_map(rng, 250, n_components, scale)
    assert_close(barnes_hut_field(Y, theta=1e-9), exact_field(Y), 1e-12)


@pytest.mark.parametrize("n_components", [2, 3])
def test_the_default_tree_is_near(rng, n_components):
    Y = random_map(rng, 600, n_components, scale=10)
    assert_close(barnes_hut_field(Y), exact_field(Y), 0.03)


def test_the_bits_do_not_depend_on_the_threads(rng):
    Y = random_map(rng, 500, 3)
    fields = []
    for n_threads in (1, 2):
        with compiled_threads(n_threads):
            fields.append(barnes_hut_field(Y))
    np.testing.assert_array_equal(fields[0].force, fields[1].force)
    assert fields[0].normalizer == fields[1].normalizer


def test_the_map_is_not_modified(rng):
    Y = random_map(rng, 50, 3)
    before = Y.copy()
    Y.setflags(write=False)
    barnes_hut_field(Y)
    np.testing.assert_array_equal(Y, before)


@pytest.mark.parametrize("where", [0.0, 3.0])
def test_coincident_samples_do_not_repel(where):
    field = barnes_hut_field(np.full((20, 3), where))
    np.testing.assert_array_equal(field.force, 0)
    assert field.normalizer == 20 * 19
