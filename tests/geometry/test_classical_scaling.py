import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.decomposition import PCA

from reference.residual import centered_gram
from unprior import priors
from unprior.geometry import _classical_scaling, positive_axes, principal_coordinates


def up_to_sign(A, B, atol=1e-8):
    np.testing.assert_allclose(A * np.sign((A * B).sum(axis=0)), B, atol=atol)


def test_of_points_they_are_the_principal_components(rng):
    X = rng.normal(size=(60, 4)) * [5, 3, 2, 1]
    found = principal_coordinates(priors.features(X))
    assert found.shape == (60, 4)
    up_to_sign(found, PCA().fit_transform(X))


def test_their_gram_matrix_is_the_positive_part_of_the_distances(rng):
    D = cdist(rng.normal(size=(40, 3)), rng.normal(size=(40, 3)), "cityblock")
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    values, vectors = np.linalg.eigh(centered_gram(D))
    assert values[0] < -1  # no points have these distances
    Y = principal_coordinates(priors.distances(D))
    expected = (vectors * np.maximum(values, 0)) @ vectors.T
    np.testing.assert_allclose(Y @ Y.T, expected, atol=1e-8)


@pytest.mark.parametrize(("share", "most", "axes"), [(0.9, None, 2), (0.99, None, 3), (1, 2, 2)])
def test_as_many_axes_as_hold_the_share(share, most, axes):
    hadamard = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * np.sqrt([7, 2.5, 0.5])
    prior = priors.features(hadamard)  # shares of the spectrum: 0.7, 0.25, 0.05
    found = principal_coordinates(prior, share=share, most=most)
    assert found.shape[1] == axes
    np.testing.assert_allclose(found.var(axis=0), [7, 2.5, 0.5][:axes])


def test_a_share_that_is_met_exactly_takes_no_axis_more():
    hadamard = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) * np.sqrt([7, 2.5, 0.5])
    assert principal_coordinates(priors.features(hadamard), share=0.95).shape[1] == 2


def test_landmarks_place_points_exactly(rng, monkeypatch, in_blocks):
    X = rng.normal(size=(300, 3)) * [5, 3, 1]
    monkeypatch.setattr(_classical_scaling, "LANDMARKS", 50)
    in_blocks(700)  # blocks that do not divide 300
    found = principal_coordinates(priors.features(X))
    np.testing.assert_allclose(cdist(found, found), cdist(X, X), atol=1e-6)
    np.testing.assert_array_equal(found, principal_coordinates(priors.features(X)))


def test_signs_are_fixed(rng):
    values, axes = positive_axes(cdist(X := rng.normal(size=(30, 3)), X) ** 2)
    assert (np.diff(values) <= 0).all()
    assert (axes.max(axis=0) == np.abs(axes).max(axis=0)).all()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("power", [-100, -40, 40, 100])
def test_the_unit_of_distances_does_not_matter(rng, dtype, power):
    X = rng.normal(size=(40, 3))
    D, unit = cdist(X, X).astype(dtype), 2.0**power
    plain, scaled = (
        principal_coordinates(priors.distances(each)) for each in (D, D * D.dtype.type(unit))
    )
    np.testing.assert_array_equal(scaled, unit * plain)
