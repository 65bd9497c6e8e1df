"""Strengths as numbers, lists and dicts."""

import numpy as np
import pytest

from unprior._params import Number
from unprior._strengths import read_strengths


@pytest.mark.parametrize("strength", [2, [2, 2], (2.0, 2.0), np.array([2, 2]), {"b": 2, "a": 2}])
def test_reads_a_number_a_list_or_a_dict(strength):
    read = read_strengths("JEDI", strength, ["a", "b"], Number(0))
    np.testing.assert_array_equal(read, [2.0, 2.0])


def test_a_dict_goes_by_name():
    read = read_strengths("JEDI", {"b": 1, "a": 3}, ["a", "b"], Number(0))
    np.testing.assert_array_equal(read, [3.0, 1.0])


@pytest.mark.parametrize(
    ("strength", "message"),
    [
        ([1.0], r"a number or one for each prior; got 1 for 2 priors\."),
        ({"a": 1.0}, r"one number for each prior, \['a', 'b'\]; got \['a'\]\."),
        ([1.0, -1.0], r"takes a number of at least 0; got -1\.0\."),
        (np.nan, "takes a number of at least 0; got nan"),
        ("strong", "takes a number of at least 0; got 'strong'"),
    ],
)
def test_refuses(strength, message):
    with pytest.raises(ValueError, match=f"JEDI: 'strength' .*{message}"):
        read_strengths("JEDI", strength, ["a", "b"], Number(0))
