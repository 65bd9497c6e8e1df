"""Strata hold every sample once and draw more where affinities are high."""

import numpy as np

from unprior import priors
from unprior.affinities import affinity_strata, estimate_bandwidths


def strata_of(values, perplexity):
    prior = priors.features(values)
    random = np.random.RandomState(0)
    return affinity_strata(prior, estimate_bandwidths(prior, perplexity, random), random)


def test_every_sample_is_a_member_of_its_stratum_alone(rng):
    strata = strata_of(rng.normal(size=(500, 2)), 50.0)
    assert sorted(strata.order) == list(range(500))
    expected = np.repeat(np.arange(len(strata.sizes)), strata.sizes)
    np.testing.assert_array_equal(strata.of_sample[strata.order], expected)


def test_densities_are_probabilities_with_a_floor(rng):
    strata = strata_of(rng.normal(size=(500, 2)), 50.0)
    np.testing.assert_allclose((strata.density * strata.sizes).sum(axis=1), 1)
    assert strata.density.min() >= 0.1 / 500 * (1 - 1e-9)


def test_samples_that_coincide_share_a_stratum():
    strata = strata_of(np.repeat([0.0, 1.0, 5.0], 40), 10.0)
    assert len(strata.sizes) == 3
