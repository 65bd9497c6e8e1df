import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.overlap import membership
from unprior import priors
from unprior.scores import _neighbors
from unprior.scores._neighbors import map_points, nearest, search_map, search_rows


def weights(found, k, n_rows, n, places=None):
    neighbors = found.at(k, places)
    result = np.zeros((n_rows, n))
    result[neighbors.row, neighbors.column] = neighbors.weight
    return result


@given(
    seed=st.integers(0, 10**6),
    levels=st.sampled_from([1, 2, 4, 10**6]),
    d=st.integers(1, 5),
    k=st.integers(1, 29),
    more=st.integers(0, 28),
)
@settings(max_examples=60)
def test_ties_share_the_last_places_as_in_the_slow_twin(seed, levels, d, k, more):
    rng = np.random.RandomState(seed)
    Y, rows = rng.randint(levels, size=(30, d)).astype(float), np.array([0, 3, 4, 29])
    expected = np.array([membership(cdist(Y, Y), i, k) for i in rows])
    found = search_rows(priors.features(Y), rows, min(k + more, 29))
    np.testing.assert_allclose(weights(found, k, 4, 30), expected, atol=1e-12)
    some = weights(found, k, 2, 30, np.array([1, 2]))
    np.testing.assert_allclose(some, expected[1:3], atol=1e-12)
    np.testing.assert_allclose(found.reach(k), np.sort(cdist(Y[rows], Y))[:, k], rtol=1e-12)


@pytest.mark.parametrize("n_duplicates", [0, 5, 40])
def test_the_tree_finds_what_all_distances_show_and_asks_for_them_only_at_ties(
    n_duplicates, monkeypatch
):
    rng = np.random.RandomState(0)
    Y = rng.normal(size=(300, 2))
    Y[:n_duplicates] = 0.0
    asked, look = [], _neighbors._search_all

    def counted(places, rows, *rest):
        asked.extend(rows[places])
        return look(places, rows, *rest)

    monkeypatch.setattr(_neighbors, "_search_all", counted)
    found = search_map("me", priors.features(Y), 10, None, None)
    # Five at one place fit into what the tree is asked for; forty do not.
    assert (len(asked) > 0) == (n_duplicates == 40)
    assert len(asked) < 150
    monkeypatch.setattr(_neighbors, "MOST_COMPONENTS", 0)
    slow = search_map("me", priors.features(Y), 10, None, None)
    np.testing.assert_allclose(weights(found, 10, 300, 300), weights(slow, 10, 300, 300))


def test_runs_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(_neighbors, "STEP", 7)
    Y = priors.features(np.random.RandomState(0).normal(size=(30, 2)))
    found = search_map("me", Y, 3, None, None)
    np.testing.assert_array_equal(np.concatenate([*found.runs()]), np.arange(30))
    monkeypatch.setattr(_neighbors, "STEP", 1000)
    whole = search_map("me", Y, 3, None, None)
    np.testing.assert_array_equal(found.column, whole.column)
    np.testing.assert_array_equal(found.starts, whole.starts)


def test_rows_are_those_that_scores_draw():
    Y = priors.features(np.random.RandomState(0).normal(size=(50, 2)))
    found = search_map("me", Y, 3, 20, 4)
    assert len(found.rows) == 20
    np.testing.assert_array_equal(found.rows, search_map("me", Y, 5, 20, 4).rows)


def test_only_coordinates_can_be_drawn():
    Z = np.random.RandomState(0).normal(size=(10, 4))
    assert map_points(priors.features(Z[:, :3])) is not None
    assert map_points(priors.embedding(Z[:, :2])) is not None
    assert map_points(priors.features(Z)) is None
    assert map_points(priors.features(Z[:, :2], metric="cityblock")) is None
    assert map_points(priors.distances(cdist(Z, Z))) is None


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
