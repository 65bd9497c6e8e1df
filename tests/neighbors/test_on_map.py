import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from unprior.neighbors._on_map import map_neighbors


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_neighbours_are_those_of_a_full_search(rng, n_components):
    Y, rows = rng.normal(size=(80, n_components)), np.array([3, 70, 0, 41])
    indices, distances = map_neighbors(Y, rows, 7)
    found = NearestNeighbors(n_neighbors=7).fit(Y).kneighbors(None)
    np.testing.assert_array_equal(indices, found[1][rows])
    np.testing.assert_allclose(distances, found[0][rows])


@given(st.lists(st.integers(0, 2), min_size=6, max_size=40), st.integers(1, 5))
def test_nobody_is_a_neighbour_of_itself_even_where_many_share_a_spot(spots, k):
    Y = np.array(spots, dtype=float)[:, None]
    rows = np.arange(len(Y))
    indices, distances = map_neighbors(Y, rows, k)
    assert indices.shape == distances.shape == (len(Y), k)
    for i in rows:
        assert i not in indices[i]
        assert len({*indices[i].tolist()}) == k
        nearest = np.sort(np.abs(np.delete(Y, i) - Y[i, 0]))[:k]
        np.testing.assert_array_equal(distances[i], nearest)
