"""Kernels against the distances of the points they come from."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from reference.priors import kernel_distances
from unprior import priors


@given(arrays(float, st.tuples(st.integers(1, 8), st.integers(1, 3)), elements=st.floats(-9, 9)))
def test_the_linear_kernel_gives_euclidean_distances(points):
    # Inner products have rounding errors of their own size, which a root makes larger.
    D = priors.kernel(points @ points.T).to_array()
    np.testing.assert_allclose(D, cdist(points, points), atol=1e-6)


def test_distances_are_those_of_the_reference(rng):
    K = rbf_kernel(rng.normal(size=(15, 3)))
    np.testing.assert_allclose(priors.kernel(K).to_array(), kernel_distances(K), atol=1e-14)


def test_a_constant_may_be_added(rng):
    points = rng.normal(size=(10, 2))
    squared = cdist(points, points, "sqeuclidean")
    np.testing.assert_allclose(priors.kernel(3 - squared / 2).to_array(), np.sqrt(squared))


def test_single_precision_is_measured_in_double(rng):
    points = rng.normal(size=(10, 2)).astype(np.float32)
    K = points @ points.T
    K = (K + K.T) / 2
    np.testing.assert_array_equal(
        priors.kernel(K).to_array(), priors.kernel(K.astype(float)).to_array()
    )


def test_rounding_is_mended_in_a_copy(rng):
    K = rbf_kernel(rng.normal(size=(6, 2)))
    K[0, 1] += 1e-9
    before = K.copy()
    D = priors.kernel(K).to_array()
    np.testing.assert_array_equal(K, before)
    np.testing.assert_array_equal(D, D.T)


@pytest.mark.parametrize(
    ("bad", "match"),
    [
        (np.ones(3), r"takes a square matrix; got shape \(3,\)"),
        (np.ones((2, 3)), r"takes a square matrix; got shape \(2, 3\)"),
        (
            [[1.0, 0.5], [0.4, 1.0]],
            r"symmetric similarities; got 0.5 at \(0, 1\) and 0.4 at \(1, 0",
        ),
        ([[1.0, np.nan], [np.nan, 1.0]], "'K' holds NaN .first in row 0, column 1"),
        ([[0.0, 1.0], [1.0, 0.0]], "< 0 for samples 0 and 1. If these are distances"),
    ],
)
def test_bad_kernels_are_refused(bad, match):
    with pytest.raises(ValueError, match=rf"^kernel: 'K' .*{match}|^kernel: {match}"):
        priors.kernel(bad)


def test_an_indefinite_kernel_is_found_in_any_block(in_blocks):
    in_blocks(10)
    K = np.eye(10)
    K[8, 9] = K[9, 8] = 2
    with pytest.raises(ValueError, match="= -2 < 0 for samples 8 and 9"):
        priors.kernel(K)
