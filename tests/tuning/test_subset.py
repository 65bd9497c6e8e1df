"""Some of the samples, in which every prior still tells samples apart."""

import numpy as np
import pytest

from unprior import priors
from unprior.tuning._subset import MATES, RARE, draw_part


def test_all_if_there_are_no_more():
    np.testing.assert_array_equal(draw_part([], 5, 9, seed=0), np.arange(5))


def test_the_same_seed_draws_the_same_samples_in_order():
    rows = draw_part([], 100, 20, seed=3)
    np.testing.assert_array_equal(rows, draw_part([], 100, 20, seed=3))
    assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize(
    "prior",
    [
        priors.labels(["a"] * 2980 + ["b"] * 20),
        priors.features(np.r_[np.zeros(2980), np.arange(1.0, 21.0)]),
    ],
    ids=["labels", "features"],
)
def test_rare_samples_take_the_place_of_others(prior):
    rows = draw_part([prior], 3000, 40, seed=1)
    assert len(rows) == len(set(rows)) == 40
    assert not prior[rows].is_constant()
    assert (rows >= 2980).sum() <= RARE


def test_many_small_classes_are_drawn_as_classes():
    """At random, a sample would have 1.4 others of its class, where it has 139 in the data."""
    prior = priors.labels(np.arange(70_000) % 500)
    rows = draw_part([prior], 70_000, 1000, seed=0)
    assert len(set(rows)) == 1000
    assert (np.diff(rows) > 0).all()
    sizes = np.unique(prior.codes[rows], return_counts=True)[1]
    np.testing.assert_array_equal(np.sort(sizes)[1:], MATES + 1)


def test_samples_that_are_a_class_each_come_last():
    prior = priors.labels(np.r_[np.repeat(np.arange(20), 2), np.arange(20, 5000)])
    rows = draw_part([prior], prior.n_samples, 50, seed=0)
    assert {*range(40)} <= {*rows.tolist()}
    assert len(set(rows)) == 50


@pytest.mark.parametrize("n_classes", [2, 30])
def test_classes_of_which_enough_are_drawn_change_nothing(n_classes):
    prior = priors.labels(np.arange(3000) % n_classes)
    np.testing.assert_array_equal(draw_part([prior], 3000, 900, 2), draw_part([], 3000, 900, 2))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("turn", [1, -1])
def test_no_prior_takes_the_rare_samples_of_another(seed, turn):
    """Classes are drawn for the pairs, and rare samples for both of the others."""
    rng = np.random.default_rng(0)
    pairs = priors.labels(rng.permutation(np.arange(2500) // 2))
    rare = [priors.labels(np.isin(np.arange(2500), some)) for some in ([3, 900], [4, 901])]
    known = [*rare, pairs][::turn]
    rows = draw_part(known, 2500, 40, seed)
    assert len(set(rows)) == 40
    assert not any(prior[rows].is_constant() for prior in known)
