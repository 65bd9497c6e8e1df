import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold._locally_linear import barycenter_weights
from threadpoolctl import threadpool_info, threadpool_limits

from reference.confetti import nearest
from reference.lle import gram_of_points, weights
from unprior.lle._weights import reconstruction_weights

# Fewer axes than neighbours; more, with few neighbours; more, with many.
CASES = [(3, 8), (12, 6), (40, 30)]


@pytest.mark.parametrize(("n_axes", "k"), CASES)
@pytest.mark.parametrize("regularization", [1e-3, 1e-6, 10.0])
def test_weights_equal_the_slow_ones_and_those_of_sklearn(rng, n_axes, k, regularization):
    X = rng.normal(size=(60, n_axes)) + 5
    neighbors = nearest(cdist(X, X), k)[0]
    found = reconstruction_weights(X, neighbors, regularization)
    slow = weights(lambda i, near: gram_of_points(X, i, near), neighbors, regularization)
    np.testing.assert_allclose(found.toarray(), slow, atol=1e-8)
    theirs = barycenter_weights(X, X, neighbors, reg=regularization)
    np.testing.assert_allclose(found.data.reshape(60, k), theirs, atol=1e-8)


@pytest.mark.parametrize(("n_axes", "k"), CASES)
def test_the_bits_do_not_depend_on_threads_or_blocks(rng, in_blocks, n_axes, k):
    X = rng.normal(size=(60, n_axes))
    neighbors = nearest(cdist(X, X), k)[0]
    with threadpool_limits(2, user_api="blas"):
        before = threadpool_info()
        alone = reconstruction_weights(X, neighbors, 1e-3)
        in_blocks(7 * n_axes * k)
        together = reconstruction_weights(X, neighbors, 1e-3, n_jobs=2)
        assert threadpool_info() == before
    np.testing.assert_array_equal(alone.toarray(), together.toarray())


def test_neighbors_in_the_same_place_share_the_weight():
    X = np.zeros((4, 2))
    X[3] = 1
    found = reconstruction_weights(X, np.array([[1, 2], [0, 2], [0, 1], [0, 1]]), 1e-3)
    np.testing.assert_allclose(found.data, 0.5)
