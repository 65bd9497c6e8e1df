"""Affinities of priors."""

import numpy as np
import pytest

from unprior import priors
from unprior.affinities import dense_affinities, label_affinities, prior_affinities


def test_labels_are_uniform_within_classes():
    P = label_affinities(priors.labels(["a", "a", "a", "b", "b"])).matrix
    same = np.array([[1, 1, 1, 0, 0]] * 3 + [[0, 0, 0, 1, 1]] * 2) - np.eye(5)
    expected = same / same.sum(axis=1, keepdims=True) / 5
    np.testing.assert_allclose(P, expected)


def test_labels_are_the_limit_of_a_narrow_kernel(rng):
    """Classes larger than the perplexity: calibration itself ends at uniform classes."""
    labels = priors.labels(rng.choice(list("ab"), 40))
    np.testing.assert_allclose(
        label_affinities(labels).matrix, dense_affinities(labels, 4.0).matrix, atol=1e-15
    )


def test_a_class_of_one_knows_no_neighbour():
    P = label_affinities(priors.labels(["a", "a", "b"])).matrix
    np.testing.assert_array_equal(P[2], 0)
    assert P.sum() == pytest.approx(1)


def test_other_priors_have_a_perplexity(rng):
    prior = priors.cyclic(rng.uniform(0, 24, 30), 24)
    np.testing.assert_array_equal(
        prior_affinities(prior, 5.0).matrix, dense_affinities(prior, 5.0).matrix
    )
