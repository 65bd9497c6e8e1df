"""Affinities against a slow reference, scikit-learn and openTSNE, and where no perplexity fits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from reference import jedi as reference
from unprior import UnpriorWarning, priors
from unprior.affinities import (
    data_affinities,
    dense_affinities,
    label_affinities,
    prior_affinities,
    resolve_perplexity,
    sparse_affinities,
)
from unprior.affinities._entropic import calibrate_rows
from unprior.neighbors import find_neighbors


@pytest.mark.parametrize("perplexity", [2.0, 10.0, 40.0])
def test_equals_the_twin(rng, perplexity):
    X = rng.normal(size=(80, 4))
    ours = dense_affinities(priors.features(X), perplexity).matrix
    expected = reference.affinities(cdist(X, X), perplexity)
    # Bandwidths stop at an entropy within 1e-6.
    np.testing.assert_allclose(ours, expected, rtol=1e-3, atol=1e-12)


def test_equals_scikit_learn(rng):
    from scipy.spatial.distance import squareform
    from sklearn.manifold._t_sne import _joint_probabilities

    X = rng.normal(size=(60, 5))
    D2 = cdist(X, X, "sqeuclidean").astype(np.float32)
    theirs = squareform(_joint_probabilities(D2, 15.0, 0))
    ours = dense_affinities(priors.features(X), 15.0).matrix
    np.testing.assert_allclose(ours, theirs, atol=3e-7)


def test_sparse_equals_opentsne(rng):
    from openTSNE.affinity import PerplexityBasedNN
    from openTSNE.nearest_neighbors import PrecomputedNeighbors

    X = rng.normal(size=(200, 5))
    graph = find_neighbors(priors.features(X), 30)
    theirs = PerplexityBasedNN(
        perplexity=10, knn_index=PrecomputedNeighbors(graph.indices, graph.distances)
    ).P
    ours = sparse_affinities(graph, 10.0).matrix
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), atol=1e-8)


def test_sparse_over_all_neighbours_equals_dense(rng):
    X = rng.normal(size=(50, 3))
    source = priors.features(X)
    sparse = sparse_affinities(find_neighbors(source, 49), 8.0).matrix.toarray()
    np.testing.assert_allclose(sparse, dense_affinities(source, 8.0).matrix, rtol=1e-6)


def test_sparse_ones_take_little_memory(rng):
    P = sparse_affinities(find_neighbors(priors.features(rng.normal(size=(50, 3))), 9), 3.0).matrix
    assert {each.dtype.itemsize for each in (P.data, P.indices, P.indptr)} == {4}


def test_small_perplexities_are_sparse_and_large_ones_dense(rng):
    source = priors.features(rng.normal(size=(400, 3)))
    assert data_affinities(source, 10.0).is_sparse
    assert not data_affinities(source, 40.0).is_sparse


def test_features_and_their_distances_agree(rng):
    X = rng.normal(size=(40, 3))
    from_features = dense_affinities(priors.features(X), 5.0).matrix
    from_distances = dense_affinities(priors.distances(cdist(X, X)), 5.0).matrix
    np.testing.assert_allclose(from_features, from_distances, atol=1e-12)


def test_the_unit_of_the_distances_does_not_matter(rng):
    D = cdist(*[rng.normal(size=(30, 3))] * 2)
    expected = dense_affinities(priors.distances(D), 5.0).matrix
    for unit in (1e-200, 1e-3, 1e200):
        ours = dense_affinities(priors.distances(unit * D), 5.0).matrix
        np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-12)


def test_more_ties_than_the_perplexity_share_the_row(rng):
    """Sample 0 has six equally near ones; a perplexity of 2 cannot choose among them."""
    D = np.full((10, 10), 2.0)
    D[0, 1:7] = D[1:7, 0] = 1.0
    np.fill_diagonal(D, 0)
    rows = np.where(np.eye(10, dtype=bool), np.inf, D)
    calibrate_rows(rows, 2.0)
    np.testing.assert_allclose(rows[0], [0, *[1 / 6] * 6, 0, 0, 0])


@pytest.mark.parametrize("perplexity", [2.0, 30.0])
def test_rows_without_anybody_at_a_finite_distance_stay_empty(rng, perplexity):
    rows = cdist(*[rng.normal(size=(8, 2))] * 2)
    rows[np.eye(8, dtype=bool)] = rows[3] = np.inf
    calibrate_rows(rows, perplexity)
    np.testing.assert_allclose(rows.sum(axis=1), np.arange(8) != 3)


def test_duplicates_stay_finite(rng):
    X = np.repeat(rng.normal(size=(5, 2)), 8, axis=0)
    P = dense_affinities(priors.features(X), 10.0).matrix
    assert np.isfinite(P).all()
    assert P.sum() == pytest.approx(1)


def test_fewer_samples_than_the_perplexity_give_uniform_rows(rng):
    P = dense_affinities(priors.features(rng.normal(size=(6, 2))), 30.0).matrix
    np.testing.assert_allclose(P, (1 - np.eye(6)) / 30)


@settings(max_examples=60)
@given(
    Z=arrays(float, (9, 2), elements=st.floats(-1e6, 1e6, allow_subnormal=False)),
    perplexity=st.floats(1, 20),
)
def test_always_symmetric_normalised_and_finite(Z, perplexity):
    P = dense_affinities(priors.features(Z), perplexity).matrix
    assert np.isfinite(P).all()
    assert (P >= 0).all()
    assert P.sum() == pytest.approx(1)
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_array_equal(np.diag(P), 0)


def test_what_does_not_fit_into_memory_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr("unprior._memory._usable_memory", lambda: 2 * 8 * 40**2)
    few, many = (priors.features(np.arange(n, dtype=float)) for n in (40, 41))
    assert dense_affinities(few, 5).n_samples == 40
    with pytest.raises(MemoryError, match="JEDI: 41 samples need 2 arrays of 41 × 41"):
        data_affinities(many, 5, who="JEDI")


def test_labels_are_uniform_within_classes():
    P = label_affinities(np.array([0, 0, 0, 1, 1])).matrix
    same = np.array([[1, 1, 1, 0, 0]] * 3 + [[0, 0, 0, 1, 1]] * 2) - np.eye(5)
    expected = same / same.sum(axis=1, keepdims=True) / 5
    np.testing.assert_allclose(P, expected)


def test_labels_are_the_limit_of_a_narrow_kernel(rng):
    """Classes larger than the perplexity: calibration itself ends at uniform classes."""
    labels = priors.labels(rng.choice(list("ab"), 40))
    np.testing.assert_allclose(
        label_affinities(labels.codes).matrix, dense_affinities(labels, 4.0).matrix, atol=1e-15
    )


def test_a_class_of_one_knows_no_neighbour():
    P = label_affinities(np.array([0, 0, 1])).matrix
    np.testing.assert_array_equal(P[2], 0)
    assert P.sum() == pytest.approx(1)


def test_other_priors_have_a_perplexity(rng):
    prior = priors.cyclic(rng.uniform(0, 24, 30), 24)
    np.testing.assert_array_equal(
        prior_affinities(prior, 5.0).matrix, dense_affinities(prior, 5.0).matrix
    )


@pytest.mark.parametrize(("n", "expected"), [(1000, 200.0), (50, 10.0), (8, 2.0), (4, 1.0)])
def test_auto_is_a_share_of_n_within_reach(n, expected):
    assert resolve_perplexity("JEDI", "perplexity", "auto", n, 1 / 5) == expected


def test_a_number_is_kept():
    assert resolve_perplexity("JEDI", "perplexity", 30, 1000, 1 / 5) == 30.0


def test_too_large_is_cut_with_a_warning():
    with pytest.warns(UnpriorWarning, match="'perplexity' of 30 is too large for 31 samples; 10 "):
        assert resolve_perplexity("JEDI", "perplexity", 30, 31, 1 / 5) == 10.0


def test_a_third_of_the_others_is_not_too_large():
    assert resolve_perplexity("JEDI", "perplexity", 10, 31, 1 / 5) == 10.0


def test_of_very_few_samples_the_perplexity_is_one():
    with pytest.warns(UnpriorWarning, match="'perplexity' of 30 is too large for 3 samples; 1 is"):
        assert resolve_perplexity("JEDI", "perplexity", 30, 3, 1 / 5) == 1.0
