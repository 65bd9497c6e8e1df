import numpy as np
import pytest

from unprior import priors
from unprior.scores._distances import distances_to_all, rank_climbs, read_data, read_map


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_sample_comes_before_its_neighbors(dtype):
    D = np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]], dtype=dtype)
    prior, before = priors.distances(D), D.copy()
    distances = distances_to_all(prior, np.array([0, 1, 2]))
    assert distances.dtype == np.float64
    np.testing.assert_array_equal(distances.argmin(axis=1), [0, 1, 2])
    np.testing.assert_array_equal(D, before)
    low, high = rank_climbs(prior, np.array([0, 2]))
    # Sample 0 has a duplicate, 2, which is its first neighbour all the same.
    np.testing.assert_array_equal(low, [[3, 1, 0], [0, 1, 3]])
    np.testing.assert_array_equal(high, [[4, 2, 1], [1, 2, 4]])


def test_maps_are_coordinates_in_any_shape():
    assert read_map("me", [0.0, 1.0, 3.0]).block([0], [2]) == 3
    square = np.diag([3.0, 4.0, 0.0])
    assert read_map("me", square).block([0], [1]) == 5
    assert read_data("me", "X", square, "cityblock").block([0], [1]) == 7
    prior = priors.features(square)
    assert read_map("me", prior) is prior
