"""Some of the samples, in which every prior still tells samples apart."""

import numpy as np
import pytest

from unprior import priors
from unprior.priors._part import RARE, draw_part


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
