"""A hash of the pair breaks ties of distances: no order of the data makes a hub."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import ties as reference
from unprior import priors
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.neighbors._ties import tie_order

DISCRETE = {
    "duplicates": lambda rng: np.repeat(rng.normal(size=(4, 3)), 250, axis=0),
    "all the same": lambda _: np.zeros((1000, 2)),
    "binary columns": lambda rng: rng.integers(2, size=(1000, 5)).astype(float),
    "sorted": lambda rng: np.sort(rng.integers(5, size=1000)).astype(float),
}


@given(st.integers(0, 2**40), st.integers(0, 2**40))
def test_the_hash_equals_the_twin_from_both_ends(i, j):
    assert int(tie_order(np.array(i), np.array(j))) == reference.tie_order(i, j)
    assert reference.tie_order(i, j) == reference.tie_order(j, i)


def test_the_hash_of_a_row_is_as_even_as_chance():
    """Shares of the lowest tenth, in each row of a table, and of each column of it."""
    numbers = tie_order(np.arange(2000)[:, None], np.arange(2000))
    low = numbers < np.uint64(2**64 // 10)
    for axis in (0, 1):
        shares = low.mean(axis=axis)
        assert abs(shares.mean() - 0.1) < 0.001
        assert np.isclose(shares.std(), np.sqrt(0.1 * 0.9 / 2000), rtol=0.1)


@pytest.mark.parametrize("tiles", [False, True])
@pytest.mark.parametrize("name", DISCRETE)
def test_duplicates_make_no_hub(rng, in_tiles, tiles, name):
    if tiles:
        in_tiles()
    graph = find_neighbors(priors.features(DISCRETE[name](rng)), 10)
    assert abs(graph.hubness) < 0.7
    counts = np.bincount(graph.indices.ravel(), minlength=1000)
    assert counts.max() < 40
    assert np.mean(counts == 0) < 0.01
    # The position of a sample in the data does not make it a neighbour more often.
    assert abs(np.corrcoef(counts, np.arange(1000))[0, 1]) < 0.1


def test_labels_make_no_hub(rng):
    graph = find_neighbors(priors.labels(rng.integers(3, size=900)), 10)
    assert isinstance(graph, KNNGraph)
    assert abs(graph.hubness) < 0.5


@pytest.mark.parametrize("name", DISCRETE)
def test_blocks_tiles_and_threads_do_not_matter(rng, in_tiles, name, in_blocks):
    X = priors.features(DISCRETE[name](rng)[::4])
    whole = find_neighbors(X, 7)
    graphs = [find_neighbors(X, 7, n_jobs=2)]
    in_blocks(2000)
    graphs.append(find_neighbors(X, 7))
    for rows, columns in ((64, 40), (30, 70)):
        in_tiles(rows, columns)
        graphs += [find_neighbors(X, 7, n_jobs=n_jobs) for n_jobs in (1, 2)]
    for graph in graphs:
        np.testing.assert_array_equal(graph.indices, whole.indices)


@given(st.integers(3, 25), st.data(), st.integers(0, 10**6))
def test_fewer_neighbours_are_the_first_of_more(n, data, seed):
    k = data.draw(st.integers(1, n - 1))
    X = priors.features(np.random.default_rng(seed).integers(0, 3, size=(n, 2)).astype(float))
    more = find_neighbors(X, n - 1).indices
    np.testing.assert_array_equal(find_neighbors(X, k).indices, more[:, :k])
