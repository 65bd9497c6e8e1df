"""Priors whose largest distances are capped."""

import numpy as np
import pytest

from unprior import priors
from unprior.priors._simplified import TIMES, USUAL, cap_distances


@pytest.fixture
def ages(rng):
    return rng.uniform(20, 80, 60)


def test_usual_distances_stay_to_the_bit(ages):
    prior = priors.features(ages)
    capped = cap_distances(prior)
    np.testing.assert_array_equal(capped.to_array(), prior.to_array())
    i, j = np.triu_indices(60, k=1)
    np.testing.assert_array_equal(capped.pairs(i, j), prior.pairs(i, j))


def test_far_ones_are_cut(ages):
    ages[7] = 9999
    prior = priors.features(ages)
    D, cut = prior.to_array(), cap_distances(prior).to_array()
    cap = TIMES * np.quantile(D[np.triu_indices(60, k=1)], USUAL)
    np.testing.assert_array_equal(cut, np.minimum(D, cap))
    assert cut.max() < 300


def test_rows_are_cut_as_all_are(ages):
    ages[7] = 9999
    capped = cap_distances(priors.features(ages))
    rows = np.array([3, 7, 5])
    np.testing.assert_array_equal(capped[rows].to_array(), capped.block(rows, rows))


def test_labels_and_rare_values_are_left_alone():
    labels, rare = priors.labels([*"aab"]), priors.features([0.0] * 99 + [5.0])
    assert cap_distances(labels) is labels
    assert cap_distances(rare) is rare
