"""Neighbours of many samples come from an index, if distances are Euclidean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

from reference.confetti import nearest
from unprior import priors
from unprior.neighbors import find_neighbors
from unprior.neighbors._exact import search_index


@given(st.integers(2, 25), st.data(), st.integers(0, 10**6))
def test_equals_sorting_every_row(n, data, seed):
    k = data.draw(st.integers(1, n - 1))
    # Few distinct coordinates make ties, of all lengths down to zero.
    Z = priors.features(np.random.default_rng(seed).integers(0, 4, size=(n, 2)).astype(float))
    graph = find_neighbors(Z, k)
    indices, distances = nearest(Z.to_array(), k)
    np.testing.assert_array_equal(graph.indices, indices)
    np.testing.assert_array_equal(graph.distances, distances)


def test_equals_sklearn():
    X = np.random.default_rng(0).normal(size=(300, 5))
    graph = find_neighbors(priors.features(X), 15)
    distances, indices = NearestNeighbors(n_neighbors=15).fit(X).kneighbors()
    np.testing.assert_array_equal(graph.indices, indices)
    np.testing.assert_allclose(graph.distances, distances)


@pytest.mark.parametrize("entries", [1, 300, 1000])
def test_does_not_depend_on_blocks_and_threads(in_blocks, entries):
    X = priors.features(np.random.default_rng(1).normal(size=(97, 3)))
    whole = find_neighbors(X, 7)
    in_blocks(entries)
    for n_jobs in (1, 2):
        parts = find_neighbors(X, 7, n_jobs=n_jobs)
        np.testing.assert_array_equal(parts.indices, whole.indices)
        np.testing.assert_array_equal(parts.distances, whole.distances)


def test_leaves_a_given_matrix_alone():
    D = priors.features(np.random.default_rng(2).normal(size=(20, 2))).to_array()
    before = D.copy()
    find_neighbors(priors.distances(D), 3)
    np.testing.assert_array_equal(D, before)


def test_float32_distances_come_out_in_double_precision():
    D = priors.features(np.random.default_rng(2).normal(size=(20, 2))).to_array()
    graph = find_neighbors(priors.distances(D.astype(np.float32)), 3)
    assert graph.distances.dtype == np.float64
    np.testing.assert_allclose(graph.distances, nearest(D, 3)[1], rtol=1e-6)


def test_shows_progress_when_asked(capsys):
    find_neighbors(priors.features(np.arange(9.0)), 2, verbose=1)
    shown = capsys.readouterr().err
    assert "neighbours" in shown
    assert "9/9" in shown


@pytest.mark.parametrize("k", [0, 5, 2.0])
def test_refuses_more_neighbors_than_there_are(k):
    with pytest.raises(ValueError, match=r"'k' takes a whole number in \[1, 4\]; got"):
        find_neighbors(priors.features(np.arange(5.0)), k)


@pytest.fixture
def large(in_buckets):
    """Use the index for few samples too."""
    in_buckets(0)


@pytest.fixture
def X(rng):
    centers = 5 * rng.normal(size=(20, 6))
    return centers[rng.integers(20, size=2000)] + rng.normal(size=(2000, 6))


def recall(graph, truth):
    return np.mean(
        [np.isin(*pair).mean() for pair in zip(truth.indices, graph.indices, strict=True)]
    )


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "metric", ["euclidean", "sqeuclidean", "cosine", "correlation", "seuclidean"]
)
def test_nearly_all_neighbours_are_found(X, metric):
    source = priors.features(X, metric=metric)
    graph, truth = find_neighbors(source, 10), find_neighbors(source, 10, exact=True)
    assert truth.recall == 1
    assert 0.95 <= graph.recall < 1
    assert abs(recall(graph, truth) - graph.recall) < 0.02
    rows = np.repeat(np.arange(2000), 10)
    lengths = source.pairs(rows, graph.indices.ravel()).reshape(-1, 10)
    np.testing.assert_allclose(graph.distances, lengths, rtol=1e-9, atol=1e-14)


@pytest.mark.usefixtures("large")
def test_the_threads_do_not_matter(X):
    one, two = (find_neighbors(priors.features(X), 10, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)
    assert one.recall == two.recall < 1


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    "make",
    [
        lambda X: priors.features(X, metric="l1"),
        lambda X: priors.features(X[:, :2] / 100, metric="haversine"),
        lambda X: priors.labels(X[:, 0] > 0),
        lambda X: priors.cyclic(X[:, 0], period=3),
        lambda X: priors.features(np.random.default_rng(0).normal(size=(2000, 80))),
    ],
    ids=["l1", "arcs", "labels", "circle", "noise"],
)
def test_what_has_no_lines_or_no_buckets_is_searched_in_full(X, make):
    source = make(X[:1000])
    assert search_index(source, 5) is None
    graph, truth = find_neighbors(source, 5), find_neighbors(source, 5, exact=True)
    np.testing.assert_array_equal(graph.indices, truth.indices)
    assert graph.recall == 1


def test_few_samples_are_searched_in_full(X, in_buckets):
    in_buckets(2001)
    assert find_neighbors(priors.features(X), 10).recall == 1
    in_buckets(2000)
    assert find_neighbors(priors.features(X), 10).recall < 1


@pytest.mark.usefixtures("large")
def test_discrete_data_make_no_hub(rng):
    X = priors.features(rng.integers(2, size=(3000, 5)).astype(float))
    graph = find_neighbors(X, 10)
    assert abs(graph.hubness) < 0.7
    assert not graph.distances.any()


@pytest.mark.usefixtures("large")
def test_the_index_shows_progress_when_asked(X, capsys):
    find_neighbors(priors.features(X), 5, verbose=1)
    shown = capsys.readouterr().err
    assert "neighbours" in shown
    assert "2000/2000" in shown
