import numpy as np
import pytest
from scipy.spatial.distance import cdist

from reference.overlap import membership
from unprior import priors
from unprior.scores._neighbors import nearest


@pytest.mark.parametrize("levels", [2, 4, 10**6])
@pytest.mark.parametrize("k", [1, 5, 29])
def test_weights_are_the_chance_of_being_a_neighbor(levels, k):
    Y = np.random.RandomState(levels).randint(levels, size=(30, 2)).astype(float)
    D, rows = cdist(Y, Y), np.array([0, 3, 4, 29])
    neighbors = nearest(priors.features(Y), rows, k)
    weights = np.zeros((4, 30))
    weights[neighbors.row, neighbors.column] = neighbors.weight
    expected = np.array([membership(D, i, k) for i in rows])
    np.testing.assert_allclose(weights, expected, atol=1e-12)
    values = np.random.RandomState(0).normal(size=(4, 30))
    np.testing.assert_allclose(
        neighbors.sum(values[neighbors.row, neighbors.column], 4), (expected * values).sum(axis=1)
    )
