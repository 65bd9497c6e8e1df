"""What we rely on in openTSNE's private tree, and what reaches neither it nor a grid."""

import numpy as np
import pytest
from openTSNE import __version__, _tsne
from openTSNE.quad_tree import QuadTree

from reference.jedi import map_affinities
from reference.repulsion import random_map
from unprior.forces import barnes_hut_field, exact_field, fft_field

CHANGED = f"openTSNE {__version__} changed a kernel that forces/_opentsne.py calls: "


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
    gradient -= 1 / normalizer - 1  # it divides all that it finds in the array
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
