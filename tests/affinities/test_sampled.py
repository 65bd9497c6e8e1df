"""Strata hold every sample once and draw more where affinities are high."""

import numpy as np
import pytest

from unprior import priors
from unprior.affinities import _sampled, affinity_strata, estimate_bandwidths


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


def test_densities_are_mean_affinities_to_landmarks(rng):
    """By plain loops: the mean over a stratum of p to the landmark of another, both ways."""
    values, n = rng.normal(size=(60, 2)) * np.linspace(0.2, 3, 60)[:, None], 60
    prior = priors.features(values)
    bandwidths = estimate_bandwidths(prior, 10.0, np.random.RandomState(0))
    found = affinity_strata(prior, bandwidths, np.random.RandomState(1))
    landmarks = np.sort(np.random.RandomState(1).permutation(n)[: n // 4])
    squared = np.square(prior.to_array()[:, landmarks])
    np.testing.assert_array_equal(found.of_sample, squared.argmin(axis=1))
    mean = np.zeros((len(landmarks), len(landmarks)))
    for a in range(len(landmarks)):
        members = np.flatnonzero(found.of_sample == a)
        for i in members:
            excess = np.maximum(squared[i] - bandwidths.nearest[i], 0)
            p = np.exp(-bandwidths.precision[i] * excess) / bandwidths.total[i]
            mean[a] += p / len(members)
    density = (mean + mean.T) / 2
    density /= (density * found.sizes).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found.density, 0.9 * density + 0.1 / n, rtol=1e-6)


def test_a_part_of_the_samples_tells_of_all(rng, monkeypatch):
    prior = priors.features(rng.normal(size=(900, 3)))
    whole = estimate_bandwidths(prior, 60.0, np.random.RandomState(0))
    monkeypatch.setattr(_sampled, "LEAST", 300)
    monkeypatch.setattr(_sampled, "EFFECTIVE", 20)
    part = estimate_bandwidths(prior, 60.0, np.random.RandomState(0))
    # Relative to one and the same nearest neighbour.
    totals = [np.log(each.total) - each.precision * each.nearest for each in (whole, part)]
    assert abs(np.mean(totals[1] - totals[0])) < 0.2
    assert np.mean(part.precision / whole.precision) == pytest.approx(1, abs=0.1)
