"""Balanced neighbours and reweighted affinities against slow references."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference import conditional as reference
from unprior import priors
from unprior.affinities import (
    PairWeights,
    balanced_neighbors,
    conditional_affinities,
    dense_affinities,
)

SIZES = {"even": [20, 20, 20], "one large": [53, 4, 3], "single": [30, 29, 1]}


@pytest.fixture(params=SIZES)
def labels(request, rng):
    return priors.labels(rng.permutation(np.repeat(list("abc"), SIZES[request.param])))


@pytest.fixture
def X(rng, labels):
    """The labels are visible in the data: unbalanced neighbourhoods would have one label only."""
    return rng.normal(size=(60, 3)) + 5 * np.eye(3)[labels.codes]


@pytest.mark.parametrize("k", [1, 2, 9, 30, 59])
def test_neighbours_equal_the_twin(X, labels, k):
    graph = balanced_neighbors(priors.features(X), labels, k)
    D = cdist(X, X)
    assert [{*row} for row in graph.indices] == reference.balanced_neighbors(D, labels.codes, k)
    np.testing.assert_allclose(graph.distances, np.take_along_axis(D, graph.indices, axis=1))


def test_half_of_the_neighbours_have_other_labels(rng):
    labels = priors.labels(np.repeat(list("ab"), 30))
    X = rng.normal(size=(60, 2)) + 100 * labels.codes[:, None]
    graph = balanced_neighbors(priors.features(X), labels, 9)
    same = labels.codes[graph.indices] == labels.codes[:, None]
    np.testing.assert_array_equal(same.sum(axis=1), 5)


def test_the_blocks_and_the_threads_do_not_matter(X, labels, in_blocks):
    whole = balanced_neighbors(priors.features(X), labels, 10)
    in_blocks(240)
    for n_jobs in (1, 2):
        parts = balanced_neighbors(priors.features(X), labels, 10, n_jobs=n_jobs)
        np.testing.assert_array_equal(parts.indices, whole.indices)
        # Distances of a few rows at a time may differ in their last bits.
        np.testing.assert_allclose(parts.distances, whole.distances, rtol=1e-12)


@settings(max_examples=50)
@given(codes=st.lists(st.integers(0, 3), min_size=12, max_size=12), k=st.integers(1, 11))
def test_every_class_size_has_its_neighbours(codes, k):
    X = np.random.default_rng(0).normal(size=(12, 2))
    graph = balanced_neighbors(priors.features(X), priors.labels(codes), k)
    expected = reference.balanced_neighbors(cdist(X, X), codes, k)
    assert [{*row} for row in graph.indices] == expected


@pytest.mark.parametrize("same", [1.0, 0.1, 1e-3])
def test_affinities_equal_the_twin(X, labels, same):
    ours = conditional_affinities(priors.features(X), labels, 6.0, same).matrix.toarray()
    expected = reference.revised_affinities(cdist(X, X), labels.codes, 6.0, same, k=18)
    np.testing.assert_allclose(ours, expected, rtol=1e-3, atol=1e-9)


def test_equal_weights_over_all_samples_are_tsne(X, labels):
    source = priors.features(X)
    ours = conditional_affinities(source, labels, 59 / 3, 1.0).matrix.toarray()
    np.testing.assert_allclose(ours, dense_affinities(source, 59 / 3).matrix, atol=1e-12)


def test_less_weight_moves_affinity_to_other_labels(rng, labels):
    same = reference.same_label(labels.codes)
    source = priors.features(rng.normal(size=(60, 3)))
    left = [
        conditional_affinities(source, labels, 19.0, weight).matrix.toarray()[same].sum()
        for weight in (1.0, 0.3, 0.1, 1e-6)
    ]
    assert left == sorted(left, reverse=True)
    assert left[0] > 0.3
    assert left[-1] < 1e-3


def test_symmetric_normalised_and_empty_on_the_diagonal(X, labels):
    P = conditional_affinities(priors.features(X), labels, 5.0, 0.1).matrix.toarray()
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_array_equal(np.diag(P), 0)
    assert P.sum() == pytest.approx(1)


CODES = st.lists(st.integers(0, 3), min_size=4, max_size=30).filter(
    lambda codes: 1 < len(set(codes)) < len(codes)
)


def as_matrix(weights, codes):
    return np.where(reference.same_label(codes), weights.same, weights.other)


@pytest.mark.parametrize("make", [PairWeights.from_other, PairWeights.from_same])
@given(codes=CODES, weight=st.floats(1e-6, 1))
def test_the_mean_over_all_pairs_is_one(make, codes, weight):
    weights = make(priors.labels(codes), weight)
    off = ~np.eye(len(codes), dtype=bool)
    assert as_matrix(weights, codes)[off].mean() == pytest.approx(1)


@given(codes=CODES, weight=st.floats(1e-6, 1))
def test_one_weight_tells_the_other(codes, weight):
    labels = priors.labels(codes)
    weights = PairWeights.from_other(labels, weight)
    assert weights.other == weight
    assert weights.same >= 1 - 1e-12
    assert PairWeights.from_same(labels, weights.same).other == pytest.approx(weight, abs=1e-9)


def test_one_is_one():
    labels = priors.labels(list("aabbb"))
    for weights in (PairWeights.from_other(labels, 1), PairWeights.from_same(labels, 1)):
        assert (weights.same, weights.other) == (pytest.approx(1), pytest.approx(1))
