"""Repulsion summed over a tree against the sum over all pairs."""

import numpy as np
import pytest
from openTSNE import __version__, _tsne
from openTSNE.quad_tree import QuadTree

from reference.jedi import map_affinities
from reference.repulsion import assert_close, random_map
from unprior._threads import compiled_threads
from unprior.forces import barnes_hut_field, exact_field, fft_field


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


CHANGED = f"openTSNE {__version__} changed a kernel that forces/_barnes_hut.py calls: "


def call_tree(Y, gradient):
    return _tsne.estimate_negative_gradient_bh(QuadTree(Y), Y, gradient, 1e-9, 1.0, 1)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_kernel_subtracts_the_repulsion_and_returns_its_normalizer(rng, n_components):
    Y = 2 * rng.normal(size=(80, n_components))
    Y[0] = 0
    _, W = map_affinities(Y)
    expected = (W**2).sum(axis=1)[:, None] * Y - W**2 @ Y
    gradient = np.ones_like(Y)
    try:
        normalizer = call_tree(Y, gradient)
    except (TypeError, ValueError, AttributeError) as error:
        pytest.fail(f"{CHANGED}it no longer takes these arguments ({error})")
    assert isinstance(normalizer, float), f"{CHANGED}it returned {normalizer!r}, not a number"
    assert normalizer == pytest.approx(W.sum(), rel=1e-4), f"{CHANGED}the normalizer differs"
    gradient -= 1 / normalizer - 1  # it divides everything in the array
    np.testing.assert_allclose(
        (1 - gradient) * normalizer,
        expected,
        atol=1e-3,
        err_msg=f"{CHANGED}it no longer subtracts the force divided by the normalizer",
    )


@pytest.mark.parametrize("method", [fft_field, barnes_hut_field])
@pytest.mark.parametrize("far", [1e9, 1e200, np.inf, np.nan])
def test_maps_that_flew_apart_do_not_reach_the_kernels(rng, method, far):
    Y = random_map(rng, 30, 2)
    Y[3, 1] = far
    expected = exact_field(Y)
    np.testing.assert_array_equal(method(Y).force, expected.force)
    np.testing.assert_equal(method(Y).normalizer, expected.normalizer)


@pytest.mark.parametrize("method", [fft_field, barnes_hut_field])
def test_any_layout_and_precision_is_read(rng, method):
    Y = random_map(rng, 30, 2).astype(np.float32)
    expected = method(Y.astype(np.float64)).force
    np.testing.assert_array_equal(method(Y).force, expected)
    np.testing.assert_array_equal(method(np.asfortranarray(Y)).force, expected)
