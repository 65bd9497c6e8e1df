"""Revised ct-SNE as a user meets it."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import unprior as up
from reference import conditional as reference
from unprior import priors, scores


def test_the_first_steps_are_those_of_the_written_equations(two_groups):
    X, known, _ = two_groups
    start = 1e-2 * np.random.default_rng(1).normal(size=(90, 2))
    revised = up.RevisedConditionalTSNE(perplexity=10, init=start, n_iter=5, min_grad_norm=0).fit(
        X, prior=priors.labels(known)
    )
    expected = reference.descend(
        start,
        reference.revised_affinities(cdist(X, X), known, 10.0, 0.1, k=30),
        np.ones((90, 90)),
        n_iter=5,
        learning_rate=revised.learning_rate_,
        n_early=250,
    )
    # Bandwidths stop at an entropy within 1e-6.
    np.testing.assert_allclose(
        revised.embedding_, expected, rtol=0, atol=1e-4 * np.abs(expected).max()
    )


def test_equal_weights_over_all_samples_are_tsne(two_groups):
    X, known, _ = two_groups
    settings = {"perplexity": 89 / 3, "n_iter": 20, "random_state": 0}
    ours = up.RevisedConditionalTSNE(same_label_weight=1, **settings).fit_transform(
        X, prior=priors.labels(known)
    )
    with pytest.warns(up.PriorMissingWarning, match="RevisedConditionalTSNE was fitted without"):
        plain = up.RevisedConditionalTSNE(**settings).fit_transform(X)
    np.testing.assert_allclose(ours, plain, rtol=0, atol=1e-6 * np.abs(plain).max())


def test_less_weight_removes_more_of_the_labels(rng):
    known, hidden = rng.integers(0, 3, 150), rng.integers(0, 2, 150)
    X = rng.normal(size=(150, 4))
    X[:, 0] += 3 * known
    X[:, 1] += 8 * hidden
    strong, weak = (
        up.RevisedConditionalTSNE(
            same_label_weight=weight, n_iter=500, random_state=0
        ).fit_transform(X, prior=priors.labels(known))
        for weight in (0.01, 1.0)
    )
    left = [scores.neighbor_purity(Y, priors.labels(known)) for Y in (strong, weak)]
    assert left[0] < left[1] - 0.3
    assert scores.neighbor_purity(strong, priors.labels(hidden)) > 0.8


def test_same_seed_same_bits_for_any_number_of_threads(two_groups):
    X, known, _ = two_groups
    one, two, other = (
        up.RevisedConditionalTSNE(n_iter=30, perplexity=10, n_jobs=n_jobs, random_state=seed)
        .fit(X, prior=priors.labels(known))
        .embedding_
        for n_jobs, seed in [(1, 0), (2, 0), (1, 1)]
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
@pytest.mark.parametrize("sizes", [[40, 1, 1], [3, 3, 3], [30, 5, 2]])
def test_classes_smaller_than_half_the_neighbours(rng, sizes):
    labels = np.repeat(list("abc"), sizes)
    X = rng.normal(size=(len(labels), 3))
    Y = up.RevisedConditionalTSNE(perplexity=2.5, n_iter=50).fit_transform(X, prior=labels)
    assert np.isfinite(Y).all()
