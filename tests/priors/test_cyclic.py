"""Positions on a circle against going round by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.priors import all_pairs, cyclic_distance
from unprior import priors

positions = st.lists(st.floats(-500, 500), min_size=1, max_size=8)
periods = st.floats(0.5, 400)


@given(positions, periods)
def test_distances_are_those_of_the_reference(v, period):
    prior = priors.cyclic(v, period)
    found = prior.to_array()
    expected = all_pairs(v, lambda a, b: cyclic_distance(a, b, period))
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert prior.largest() == found.max()


@given(positions, periods)
def test_distances_are_a_metric_up_to_half_the_period(v, period):
    found = priors.cyclic(v, period).to_array()
    np.testing.assert_array_equal(np.diag(found), 0)
    np.testing.assert_array_equal(found, found.T)
    assert (found >= 0).all()
    assert (found <= period / 2).all()
    detour = (found[:, :, None] + found[None, :, :]).min(axis=1)
    assert (found <= detour + 1e-10).all()


def test_hours_of_the_day():
    found = priors.cyclic(np.array([23, 1, 25, 12]), 24).to_array()
    np.testing.assert_array_equal(found[0], [0, 2, 2, 11])


@pytest.mark.parametrize(
    ("v", "period", "match"),
    [
        ([1.0], "day", "'period' 'day' takes dates; got other values"),
        ([1.0], 0, "'period' takes a number above 0 .*; got 0"),
        ([1.0], -24, "'period' takes a number above 0 .*; got -24"),
        ([1.0], np.nan, "'period' takes a number above 0 .*; got nan"),
        ([1.0, np.inf], 24, "'v' holds infinity .first in row 1"),
        ([[1.0, 2.0]], 24, r"'v' takes one position for each sample; got shape \(1, 2\)"),
        (["monday"], 7, "'v' takes numbers; got"),
    ],
)
def test_bad_positions_are_refused(v, period, match):
    with pytest.raises(ValueError, match=rf"^cyclic: {match}"):
        priors.cyclic(v, period)
