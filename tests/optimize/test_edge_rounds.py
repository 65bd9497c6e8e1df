"""Edges in rounds: every edge once, in the bucket of its parts."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, random_array

from unprior.optimize._edge_rounds import count_parts, edge_rounds, part_of_each


def symmetric(n, density, seed):
    graph = random_array((n, n), density=density, rng=np.random.default_rng(seed))
    graph = graph + graph.T
    graph.setdiag(0)
    graph.eliminate_zeros()
    return graph.tocsr()


@given(st.integers(4, 2000), st.floats(0, 0.5), st.integers(0, 5))
def test_holds_every_edge_once_with_its_weight(n, least, seed):
    graph = symmetric(n, min(1.0, 4 / n), seed)
    rounds = edge_rounds(graph, least, np.random.RandomState(seed))
    heads, tails = rounds.order[rounds.heads], rounds.order[rounds.tails]
    again = csr_matrix((rounds.often, (heads, tails)), shape=graph.shape)
    most = graph.max() if graph.nnz else 1
    wanted = (graph / most).toarray()
    wanted[wanted < least] = 0
    np.testing.assert_allclose((again + again.T).toarray(), wanted, rtol=1e-6)


@given(st.integers(4, 3000))
def test_buckets_hold_the_edges_of_their_parts(n):
    rounds = edge_rounds(symmetric(n, min(1.0, 4 / n), 0), 0.0, np.random.RandomState(0))
    part, n_parts = part_of_each(n, rounds.n_parts), rounds.n_parts
    assert (rounds.heads < rounds.tails).all()
    bucket = np.repeat(np.arange(n_parts**2), np.diff(rounds.first))
    np.testing.assert_array_equal(part[rounds.heads], bucket // n_parts)
    np.testing.assert_array_equal(part[rounds.tails], bucket % n_parts)


@given(st.integers(4, 3000), st.sampled_from([2, 4, 12]))
def test_parts_are_about_equal(n, n_parts):
    sizes = np.bincount(part_of_each(n, n_parts), minlength=n_parts)
    assert sizes.max() - sizes.min() <= 1
    # The compiled loop cuts where this does.
    np.testing.assert_array_equal(np.cumsum(sizes), np.arange(1, n_parts + 1) * n // n_parts)


@given(st.integers(1, 10**8))
def test_the_number_of_parts_is_even_and_bounded(n):
    assert count_parts(n) in range(2, 65, 2)


def test_a_graph_without_edges_has_empty_rounds():
    assert edge_rounds(csr_matrix((9, 9)), 0.1, np.random.RandomState(0)).n_edges == 0
