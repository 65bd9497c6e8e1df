"""Rounded tiles propose candidates, exact distances decide: no neighbour may be lost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_info, threadpool_limits

from reference.confetti import nearest
from unprior import priors
from unprior.neighbors import _tiled, find_neighbors
from unprior.neighbors._tiled import column_tiles, tiled_search


@pytest.fixture(autouse=True, params=["rows alone", "rows and columns"])
def always(in_tiles, request):
    """Go this way for few samples too."""
    if request.param == "rows alone":
        in_tiles(mirrored=False)
    else:
        in_tiles(64, 40)


def assert_nearest(X, k, metric="euclidean"):
    graph = find_neighbors(priors.features(X, metric=metric), k)
    D = priors.features(X, metric=metric).to_array()
    indices, distances = nearest(D, k)
    np.testing.assert_allclose(graph.distances, distances, rtol=1e-12)
    # Different neighbours only where two distances differ by rounding alone.
    own = np.take_along_axis(D, graph.indices, axis=1)
    np.testing.assert_allclose(own, distances, rtol=1e-12)
    return graph, indices


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0, 1e3, 1e6])
def test_equals_sorting_every_row(rng, dtype, offset):
    X = (rng.normal(size=(400, 20)) + offset).astype(dtype)
    graph, indices = assert_nearest(X, 30)
    if dtype is np.float64 or offset < 1e6:  # beyond, single precision leaves ties
        np.testing.assert_array_equal(graph.indices, indices)


@given(st.integers(2, 25), st.data(), st.integers(0, 10**6))
def test_among_equals_the_hash_of_the_pair_decides(n, data, seed):
    k = data.draw(st.integers(1, n - 1))
    X = np.random.default_rng(seed).integers(0, 3, size=(n, 2)).astype(float)
    graph, indices = assert_nearest(X, k)
    np.testing.assert_array_equal(graph.indices, indices)


@pytest.mark.parametrize("room", [1, 64, 1000])
def test_crowds_are_searched_as_anything_else(rng, monkeypatch, room):
    monkeypatch.setattr(_tiled, "CROWDED", 1)
    monkeypatch.setattr(_tiled, "ROOM", room)
    ties = rng.integers(0, 2, size=(200, 4)).astype(float)
    graph, indices = assert_nearest(ties, 3)
    np.testing.assert_array_equal(graph.indices, indices)
    clusters = rng.normal(size=(200, 3)).astype(np.float32)
    clusters[100:] += 1e6
    assert_nearest(clusters, 3)


@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e15])
def test_an_outlier_and_the_unit_do_not_matter(rng, unit):
    X = rng.normal(size=(300, 5)).astype(np.float32)
    X[17] = 1e5
    _, indices = assert_nearest(X * np.float32(unit), 10)
    graph, _ = assert_nearest(X, 10)
    np.testing.assert_array_equal(graph.indices, indices)


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "seuclidean"])
def test_other_metrics_of_points(rng, metric):
    assert_nearest(rng.normal(size=(200, 6)), 12, metric)


def test_candidates_are_few(rng, monkeypatch):
    looked_at, pairs = [], priors.Features.pairs
    monkeypatch.setattr(
        priors.Features,
        "pairs",
        lambda self, i, j: (looked_at.append(len(i)), pairs(self, i, j))[1],
    )
    search = tiled_search(priors.features(rng.normal(size=(1000, 50))), rng.permutation(1000))
    search.nearest(slice(0, 100), column_tiles(1000), 15)
    assert 1500 <= sum(looked_at) < 1600


def test_rows_may_stand_anywhere(rng):
    search = tiled_search(priors.features(rng.normal(size=(300, 4))), rng.permutation(300))
    whole = search.nearest(slice(0, 300), column_tiles(300), 5)
    some = search.nearest(np.array([250, 3, 3]), column_tiles(300), 5)
    np.testing.assert_array_equal(some[0], whole[0][[250, 3, 3]])


def test_takes_the_threads_it_was_given_and_no_more(rng, monkeypatch, in_tiles):
    seen, pairs = [], priors.Features.pairs

    def spy(self, i, j):
        seen.extend(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")
        return pairs(self, i, j)

    monkeypatch.setattr(priors.Features, "pairs", spy)
    X = priors.features(rng.normal(size=(200, 3)))
    with threadpool_limits(2, user_api="blas"):
        whole = find_neighbors(X, 5)
    assert {*seen} == {1}
    in_tiles(30, 70)
    parts = find_neighbors(X, 5, n_jobs=2)
    np.testing.assert_array_equal(parts.indices, whole.indices)
    np.testing.assert_array_equal(parts.distances, whole.distances)
