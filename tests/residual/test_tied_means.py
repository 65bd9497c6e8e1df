import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unprior import priors
from unprior.priors import Features
from unprior.residual._smoothers import find_neighbor_means, fitted_smoother, neighbor_weights


def both(Z, n_references, k, seed):
    """Return a smoother, and all weights by `neighbor_weights`, with some samples as landmarks."""
    rng = np.random.default_rng(seed)
    references = np.sort(rng.choice(len(Z), n_references, replace=False))
    own = np.full(len(Z), -1)
    own[references] = np.arange(n_references)
    D = np.abs(Z[:, None] - Z[references])
    smoother = find_neighbor_means(lambda rows: D[rows], references, own, k)
    others = np.where(references == np.arange(len(Z))[:, None], np.inf, D)
    return smoother, neighbor_weights(others, k)


@settings(max_examples=60)
@given(st.integers(4, 30), st.integers(1, 12), st.integers(0, 26), st.integers(0, 2**32 - 1))
def test_means_are_those_of_the_weights(n, k, n_left_out, seed):
    rng = np.random.default_rng(seed)
    ordinal, number = rng.integers(0, 4, n).astype(float), rng.normal(size=n)
    Z, X = np.where(rng.random(n) < 0.7, ordinal, number), rng.normal(size=(n, 3))
    smoother, W = both(Z, max(3, n - n_left_out), k, seed)
    memory = smoother.remember(X)
    means = smoother.means(memory, X)
    np.testing.assert_allclose(means, W @ memory, atol=1e-12)
    np.testing.assert_allclose(smoother.weight, W.power(2).sum(axis=1), atol=1e-12)
    untied = np.setdiff1d(np.arange(n), smoother.tied.rows)
    np.testing.assert_array_equal(means[untied], (W @ memory)[untied])


def test_of_ties_one_set_is_kept_for_all(rng, monkeypatch, in_blocks):
    Z, X = np.repeat([0.0, 1.0, 2.0], 400), rng.normal(size=(1200, 2))
    in_blocks(1200 * 100)
    smoother = fitted_smoother(priors.features(Z), 20)
    memory = smoother.remember(X)
    monkeypatch.setattr(Features, "block", lambda *_: pytest.fail("distances were asked for again"))
    means = smoother.means(memory, X)
    np.testing.assert_allclose(means[5], np.delete(X[:400], 5, axis=0).mean(axis=0))
    assert smoother.tied.members.nnz == 1200
    assert sum(kept.nnz for kept in smoother.kept) == 0


def test_distances_that_make_no_groups_are_weighted_one_by_one(rng):
    # Each sample is tied with its neighbours on a line, which are not tied with each other.
    place = np.arange(30)
    D = np.maximum(np.abs(place[:, None] - place) - 2.0, 0)
    smoother, X = fitted_smoother(priors.distances(D), 2), rng.normal(size=(30, 2))
    np.fill_diagonal(D, np.inf)
    W = neighbor_weights(D, 2)
    np.testing.assert_array_equal(smoother.means(smoother.remember(X), X), W @ X)
    assert len(smoother.tied.rows) == 0
