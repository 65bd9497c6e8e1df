import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA

from unprior.residual._principal_axes import find_axes, from_distances, to_distances


@pytest.mark.parametrize("shape", [(40, 3), (5, 8), (70, 60), (8, 60)])
def test_there_and_back(rng, shape):
    X = rng.normal(size=shape) + 4
    frame = find_axes(X)
    points = frame.points(X)
    assert frame.n_axes <= 50
    np.testing.assert_allclose(frame.vectors(points) + frame.mean, X, atol=1e-10)
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(cdist(points, points), cdist(X, X), atol=1e-9)


def test_axes_are_the_principal_ones(rng):
    X = rng.normal(size=(60, 5)) * [1, 5, 2, 9, 3]
    points = find_axes(X).points(X)
    np.testing.assert_allclose(np.abs(points), np.abs(PCA().fit_transform(X)), atol=1e-9)


def test_many_features_have_their_leading_axes_first(rng):
    X = rng.normal(size=(80, 120)) * np.r_[np.full(10, 20.0), np.full(110, 0.1)]
    points = find_axes(X).points(X)
    assert points.shape == (80, 50 + 120)
    assert np.square(points[:, :10]).sum() > 0.999 * np.square(X - X.mean(axis=0)).sum()


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_distances_there_and_back(rng, metric):
    X = rng.normal(size=(30, 3))
    D = cdist(X, X, metric)
    points, n_real, n_axes = from_distances(D**2)
    assert n_axes == n_real == 3 if metric == "euclidean" else n_real < points.shape[1]
    np.testing.assert_allclose(points.mean(axis=0), 0, atol=1e-10)
    found = to_distances(points, n_real)
    np.testing.assert_allclose(found, D**2, atol=1e-9)
    np.testing.assert_array_equal(found, found.T)
    assert not np.diagonal(found).any()


def test_distances_have_their_leading_axes_first(rng):
    X = rng.normal(size=(30, 3)) * [1, 9, 3]
    points, n_real, _ = from_distances(cdist(X, X) ** 2)
    np.testing.assert_allclose(
        np.abs(points[:, :n_real]), np.abs(PCA().fit_transform(X)), atol=1e-9
    )
