import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import unprior as up
from unprior.neighbors import KNNGraph
from unprior.tl._graphs import connectivities, distances, distances_with_self, nearest


def neighbors_of(n, k, seed):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    indices = D.argsort(axis=1)[:, :k]
    return KNNGraph(indices, np.take_along_axis(D, indices, axis=1))


@given(n=st.integers(5, 40), k=st.integers(1, 4), seed=st.integers(0, 100))
def test_the_nearest_are_found_again_in_the_symmetric_graph(n, k, seed):
    neighbors = neighbors_of(n, k, seed)
    graph = neighbors.to_sparse()
    for stored in (graph, graph.sorted_indices()):
        found = nearest(stored, k)
        np.testing.assert_array_equal(found.indices, neighbors.indices)
        np.testing.assert_allclose(found.distances, neighbors.distances)


def test_identical_samples_keep_their_edges():
    neighbors = KNNGraph(np.array([[1], [0], [1]]), np.array([[0.0], [0.0], [2.0]]))
    assert distances(nearest(neighbors.to_sparse(), 1)).nnz == 3


def test_rows_hold_the_neighbours_and_the_sample_itself_if_asked():
    neighbors = neighbors_of(20, 4, 0)
    without, within = distances(neighbors), distances_with_self(neighbors)
    np.testing.assert_array_equal(without.indices.reshape(20, 4), neighbors.indices)
    np.testing.assert_array_equal(within.indices.reshape(20, 5)[:, 0], np.arange(20))
    np.testing.assert_array_equal(within.toarray(), without.toarray())


def test_connectivities_are_those_of_umap(two_groups):
    X, known, _ = two_groups
    confetti = up.Confetti(
        n_neighbors=7, operator="linear", embedder_params={"n_epochs": 1}, random_state=0
    )
    confetti.fit(X, prior=up.priors.labels(known))
    weights = connectivities(nearest(confetti.graph_, 7), None)
    # umap-learn then drops edges too weak for so few epochs.
    np.testing.assert_allclose(weights.toarray(), confetti.embedder_.graph_.toarray(), atol=1e-6)
