"""Graphs against Floyd and Warshall."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

import unprior.priors._graph as module
from reference.priors import shortest_paths
from unprior import priors


@st.composite
def graphs(draw):
    n_nodes = draw(st.integers(1, 9))
    node = st.integers(0, n_nodes - 1)
    edges = draw(st.lists(st.tuples(node, node, st.integers(0, 6)), max_size=14))
    return n_nodes, edges


@given(graphs())
def test_distances_are_shortest_paths(given_graph):
    n_nodes, edges = given_graph
    network = nx.MultiDiGraph()
    network.add_nodes_from(range(n_nodes))
    network.add_weighted_edges_from(edges)
    prior = priors.graph(network)
    found, expected = prior.to_array(), shortest_paths(n_nodes, edges)
    connected = np.isfinite(expected)
    np.testing.assert_array_equal(found[connected], expected[connected])
    # Without a path: one constant, above zero and no less than any path.
    assert (found[~connected] == prior.unconnected).all()
    assert prior.unconnected > 0
    assert prior.unconnected >= expected[connected].max()
    assert prior.largest() == found.max()


@given(graphs())
def test_distances_are_a_metric(given_graph):
    n_nodes, edges = given_graph
    matrix = np.full((n_nodes, n_nodes), np.inf)
    for i, j, length in edges:
        matrix[i, j] = length + 1
    found = priors.graph(matrix).to_array()
    np.testing.assert_array_equal(np.diag(found), 0)
    np.testing.assert_array_equal(found, found.T)
    assert (found[~np.eye(n_nodes, dtype=bool)] > 0).all()
    if np.isfinite(shortest_paths(n_nodes, edges)).all():
        detour = (found[:, :, None] + found[None, :, :]).min(axis=1)
        assert (found <= detour).all()


DENSE = np.array([[0.0, 1, 0, 0], [3, 0, 2, 0], [0, 2, 5, 0], [0, 0, 0, 0]])
EXPECTED = [[0, 1, 3, 6], [1, 0, 2, 6], [3, 2, 0, 6], [6, 6, 6, 0]]


@pytest.mark.parametrize(
    "adjacency",
    [
        DENSE,
        DENSE.astype(int),
        DENSE.astype(np.float32),
        DENSE.tolist(),
        np.where(DENSE == 0, np.inf, DENSE),
        csr_array(DENSE),
        csr_matrix(DENSE),
        coo_array(DENSE),
        nx.from_numpy_array(DENSE, create_using=nx.DiGraph),
    ],
    ids=["dense", "int", "single", "list", "infinite", "csr", "matrix", "coo", "networkx"],
)
def test_every_kind_of_adjacency(adjacency):
    np.testing.assert_array_equal(priors.graph(adjacency).to_array(), EXPECTED)


def test_booleans_count_one():
    D = priors.graph(np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)).to_array()
    np.testing.assert_array_equal(D, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])


def test_stored_zeros_are_edges_of_no_length():
    stored = csr_array(([0.0, 2.0], ([0, 1], [1, 2])), shape=(3, 3))
    np.testing.assert_array_equal(priors.graph(stored).block([0], [0, 1, 2]), [[0, 0, 2]])


def test_nodes_place_the_samples():
    tips = [2, 0, 2, 3]
    prior = priors.graph(DENSE, nodes=tips)
    np.testing.assert_array_equal(prior.to_array(), np.array(EXPECTED)[np.ix_(tips, tips)])
    # A subset keeps paths through nodes without samples.
    np.testing.assert_array_equal(prior[[0, 1]].to_array(), [[0, 3], [3, 0]])
    np.testing.assert_array_equal(prior[:2].edges.toarray(), prior.edges.toarray())


def test_nodes_of_networkx_go_by_their_names():
    network = nx.Graph()
    network.add_edge("rome", "paris", weight=1100.0)
    network.add_edge("paris", "london", weight=340.0)
    prior = priors.graph(network, nodes=["london", "rome", "london"])
    np.testing.assert_array_equal(prior.block([0], [0, 1, 2]), [[0, 1440, 0]])


def test_without_edges_all_nodes_are_one_apart():
    np.testing.assert_array_equal(priors.graph(np.zeros((3, 3))).to_array(), 1 - np.eye(3))


def test_paths_are_searched_in_pieces(in_blocks, rng):
    adjacency = rng.random((20, 20)) * (rng.random((20, 20)) < 0.2)
    prior = priors.graph(adjacency, nodes=rng.integers(0, 20, 30))
    whole = prior.to_array()
    i, j = rng.integers(0, 30, size=(2, 100))
    in_blocks(3 * 20)
    np.testing.assert_array_equal(prior.to_array(), whole)
    np.testing.assert_allclose(prior.pairs(i, j), whole[i, j], rtol=1e-12)


def test_only_the_nodes_asked_for_are_searched_from(monkeypatch, rng):
    searched = []
    real = module.dijkstra

    def counted(edges, *, indices):
        searched.extend(indices.tolist())
        return real(edges, indices=indices)

    prior = priors.graph(nx.cycle_graph(12))
    monkeypatch.setattr(module, "dijkstra", counted)
    prior.block([3, 3, 4], range(12))
    assert searched == [3, 4]
    searched.clear()
    prior.block(range(12), [5])
    prior.pairs(range(12), [7] * 12)
    assert searched == [5, 7]


def test_the_input_is_left_alone():
    adjacency = coo_array(([1.0, 2.0, 1.0], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    prior = priors.graph(adjacency)
    assert adjacency.nnz == 3
    # Entries stored twice are one entry, their sum, as everywhere in SciPy.
    np.testing.assert_array_equal(prior.block([0], [1, 2]), [[3, 4]])


@pytest.mark.parametrize(
    ("adjacency", "nodes", "match"),
    [
        (-DENSE, None, "'adjacency' takes lengths of edges.*got -1 between nodes 0 and 1"),
        (csr_array([[0, np.nan], [0, 0]]), None, "got nan between nodes 0 and 1"),
        (np.array([[0, np.nan], [0, 0]]), None, "got nan between nodes 0 and 1"),
        (np.ones((2, 3)), None, r"takes a square matrix; got shape \(2, 3\)"),
        (csr_array(np.ones((2, 3))), None, r"takes a square matrix; got shape \(2, 3\)"),
        (DENSE, [0, 4], "'nodes' takes nodes of the graph, which has 4; got 4 for sample 1"),
        (DENSE, [-1], "got -1 for sample 0"),
        (DENSE, np.array([0.5]), "got 0.5 for sample 0"),
        (nx.path_graph(3), ["a"], "got 'a' for sample 0"),
    ],
)
def test_bad_graphs_are_refused(adjacency, nodes, match):
    with pytest.raises(ValueError, match=rf"^graph: .*{match}"):
        priors.graph(adjacency, nodes=nodes)
