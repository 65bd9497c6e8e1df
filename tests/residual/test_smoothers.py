import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.residual_smooth import class_weights
from reference.residual_smooth import neighbor_weights as slow_weights
from unprior import priors
from unprior.priors import Features
from unprior.residual import _smoothers
from unprior.residual._smoothers import fitted_smoother, neighbor_weights, new_smoother


def smoothed(smoother, X):
    return smoother.means(smoother.remember(X), X), smoother.weight


def check(smoother, X, W):
    means, weight = smoothed(smoother, X)
    np.testing.assert_allclose(means, W @ X, atol=1e-12)
    np.testing.assert_allclose(weight, np.square(W).sum(axis=1), atol=1e-12)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=3, max_size=25), st.integers(0, 2**32 - 1))
def test_means_over_the_class_leave_out_the_sample(labels, seed):
    X = np.random.default_rng(seed).normal(size=(len(labels), 3))
    check(fitted_smoother(priors.labels(labels), 5), X, class_weights(labels))


def test_of_a_sample_alone_in_its_class_nothing_is_told(rng):
    X = rng.normal(size=(4, 2))
    means, weight = smoothed(fitted_smoother(priors.labels(["a", "b", "b", "b"]), 5), X)
    assert not means[0].any()
    assert weight[0] == 0
    assert means[1:].all()


@settings(max_examples=60)
@given(st.integers(4, 25), st.integers(1, 30), st.booleans(), st.integers(0, 2**32 - 1))
def test_means_over_neighbors_leave_out_the_sample(n, k, ties, seed):
    rng = np.random.default_rng(seed)
    Z = rng.integers(0, 3, size=(n, 2)).astype(float) if ties else rng.normal(size=(n, 2))
    X = rng.normal(size=(n, 3))
    prior = priors.features(Z)
    check(fitted_smoother(prior, k), X, slow_weights(prior.to_array(), k))


def test_a_sample_does_not_move_its_own_mean(rng):
    X, prior = rng.normal(size=(40, 2)), priors.features(rng.normal(size=40))
    before = smoothed(fitted_smoother(prior, 6), X)[0]
    X[7] += 1000
    after = smoothed(fitted_smoother(prior, 6), X)[0]
    np.testing.assert_array_equal(before[7], after[7])
    assert np.abs(before - after).max() > 10


def test_a_neighbor_nearly_as_far_as_the_first_beyond_still_counts():
    radius = 1.0
    D = np.array([[np.inf, np.nextafter(radius, 0), radius, 2.0]])
    np.testing.assert_array_equal(neighbor_weights(D, 1).toarray(), [[0, 1, 0, 0]])


def test_blocks_make_no_difference(rng, in_blocks):
    X, prior = rng.normal(size=(50, 3)), priors.features(rng.normal(size=(50, 2)))
    whole = smoothed(fitted_smoother(prior, 7), X)
    in_blocks(170)
    smoother = fitted_smoother(prior, 7)
    assert len(smoother.blocks) > 1
    for a, b in zip(whole, smoothed(smoother, X), strict=True):
        np.testing.assert_array_equal(a, b)


def test_neighbors_are_found_once(rng, monkeypatch):
    X, prior = rng.normal(size=(50, 3)), priors.features(rng.normal(size=(50, 2)))
    smoother = fitted_smoother(prior, 7)
    first = smoothed(smoother, X)[0]
    monkeypatch.setattr(Features, "block", lambda *_: pytest.fail("distances were asked for again"))
    np.testing.assert_array_equal(smoothed(smoother, X)[0], first)
    assert smoother.kept[0].indices.dtype == smoother.kept[0].indptr.dtype == np.int32


@pytest.mark.parametrize("step", [1000, 7])
def test_neighbors_that_are_too_many_to_keep_are_found_again(rng, monkeypatch, step, in_blocks):
    X, D = rng.normal(size=(60, 3)), np.ones((60, 60)) - np.eye(60)
    D[:10, :10] *= cdist(X[:10], X[:10]) / 9
    prior = priors.distances(D)
    kept = fitted_smoother(prior, 4)
    in_blocks(step * 60)
    monkeypatch.setattr(_smoothers, "MOST_KEPT", 20)
    found = fitted_smoother(prior, 4)
    assert None not in kept.kept
    assert None in found.kept
    for a, b in zip(smoothed(kept, X), smoothed(found, X), strict=True):
        np.testing.assert_array_equal(a, b)


def test_many_samples_have_their_neighbors_among_some(rng, monkeypatch):
    monkeypatch.setattr(_smoothers, "MOST_LANDMARKS", 20)
    Z, X = rng.normal(size=(60, 2)), rng.normal(size=(60, 3))
    rows = _smoothers.landmark_rows(60)
    assert len(np.unique(rows)) == 20
    smoother = fitted_smoother(priors.features(Z), 5)
    assert smoother.remember(X).shape == (20, 3)
    means, _ = smoothed(smoother, X)
    D = cdist(Z, Z[rows])
    for i in range(60):
        others = [j for j in range(20) if rows[j] != i]
        d = D[i, others]
        w = np.maximum(1 - (d / np.sort(d)[5]) ** 2, 0)
        np.testing.assert_allclose(means[i], w @ X[rows[others]] / w.sum(), atol=1e-12)


def test_new_samples_are_in_no_mean(rng):
    labels = np.array([0, 0, 1, 1, 1, 2])
    X = rng.normal(size=(6, 2))
    prior = priors.labels(labels)
    memory = fitted_smoother(prior, 5).remember(X)
    new = new_smoother(prior, 5)(np.array([1, 2]))
    means = new.means(memory, np.zeros((2, 2)))
    np.testing.assert_allclose(means, [X[2:5].mean(axis=0), X[5]])
    np.testing.assert_allclose(new.weight, [1 / 3, 1])


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "seuclidean"])
def test_new_samples_by_distances_to_the_fitted_ones(rng, metric):
    Z, X = rng.normal(size=(30, 2)), rng.normal(size=(30, 3))
    prior = priors.features(Z[:25], metric=metric)
    memory = fitted_smoother(prior, 4).remember(X[:25])
    means = new_smoother(prior, 4)(Z[25:]).means(memory, X[25:])
    D = prior.row_metric.block(Z[25:], Z[:25])
    r = np.sort(D, axis=1)[:, [4]]
    W = np.maximum(1 - (D / r) ** 2, 0)
    np.testing.assert_allclose(means, W @ X[:25] / W.sum(axis=1, keepdims=True), atol=1e-12)
