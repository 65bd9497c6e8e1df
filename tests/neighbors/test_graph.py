from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import skew
from sklearn.neighbors import NearestNeighbors

from reference.confetti import nearest, symmetric_graph
from unprior.neighbors import KNNGraph


def graph_of(D, k):
    return KNNGraph(*nearest(D, k))


@pytest.fixture
def points():
    return np.random.default_rng(0).normal(size=(30, 3))


@given(st.integers(3, 15), st.integers(1, 6), st.integers(0, 10**6))
def test_sparse_graph_is_the_union_of_all_edges(n, k, seed):
    rng = np.random.default_rng(seed)
    Z = rng.integers(0, 3, size=(n, 2)).astype(float)  # with duplicates: edges of length zero
    graph = graph_of(cdist(Z, Z), min(k, n - 1))
    sparse = graph.to_sparse()
    dense = np.full(sparse.shape, np.nan)
    rows = np.repeat(np.arange(n), np.diff(sparse.indptr))
    dense[rows, sparse.indices] = sparse.data
    np.testing.assert_array_equal(dense, symmetric_graph(graph.indices, graph.distances))


def test_directions_that_differ_by_rounding_get_one_length():
    graph = KNNGraph(np.array([[1], [0], [0]]), np.array([[1.0], [1.0 + 1e-15], [2.0]]))
    sparse = graph.to_sparse()
    assert sparse[0, 1] == sparse[1, 0] == 1.0


def test_sklearn_finds_the_same_neighbors_in_the_sparse_graph(points):
    points[1] = points[0]
    D = cdist(points, points)
    graph = graph_of(D, 6)
    found = NearestNeighbors(n_neighbors=6, metric="precomputed").fit(graph.to_sparse())
    distances, _ = found.kneighbors()  # warns unless each row ascends
    np.testing.assert_allclose(distances, graph.distances)


def test_with_self_puts_each_sample_first(points):
    indices, distances = graph_of(cdist(points, points), 4).with_self()
    np.testing.assert_array_equal(indices[:, 0], np.arange(30))
    np.testing.assert_array_equal(distances[:, 0], 0)
    assert indices.shape == distances.shape == (30, 5)


def test_counts(points):
    graph = graph_of(cdist(points, points), 4)
    assert (graph.n_samples, graph.k) == (30, 4)


def test_hubness_is_the_skewness_of_in_degrees(points):
    graph = graph_of(cdist(points, points), 4)
    counts = np.bincount(graph.indices.ravel(), minlength=30)
    assert graph.hubness == pytest.approx(skew(counts))
    ring = KNNGraph((np.arange(5)[:, None] + 1) % 5, np.ones((5, 1)))
    assert ring.hubness == 0


@pytest.mark.parametrize(
    ("indices", "distances", "problem"),
    [
        (
            [[1], [0]],
            [[1.0, 2.0], [1.0, 2.0]],
            r"share one shape, \(n, k\); got \(2, 1\), \(2, 2\)",
        ),
        (
            [[1, 2], [0, 2]],
            [[1.0, 2.0], [1.0, 2.0]],
            "2 samples have 1 to 1 neighbours each; got 2",
        ),
        ([[1], [2]], [[1.0], [1.0]], "samples 0 to 1; got 1 to 2"),
        ([[1], [1]], [[1.0], [1.0]], "not its own neighbour"),
        ([[1, 2], [0, 2], [0, 1]], [[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]], "ascend"),
        ([[1], [0]], [[-1.0], [1.0]], "from 0 or more"),
        ([[1], [0]], [[np.nan], [1.0]], "from 0 or more"),
    ],
)
def test_refuses(indices, distances, problem):
    with pytest.raises(ValueError, match=problem):
        KNNGraph(np.array(indices), np.array(distances))
