"""Perplexities that samples can have."""

import pytest

from unprior import UnpriorWarning
from unprior.affinities import resolve_perplexity


@pytest.mark.parametrize(("n", "expected"), [(1000, 200.0), (50, 10.0), (8, 2.0), (4, 1.0)])
def test_auto_is_a_share_of_n_within_reach(n, expected):
    assert resolve_perplexity("JEDI", "perplexity", "auto", n, 1 / 5) == expected


def test_a_number_is_kept():
    assert resolve_perplexity("JEDI", "perplexity", 30, 1000, 1 / 5) == 30.0


def test_too_large_is_cut_with_a_warning():
    with pytest.warns(UnpriorWarning, match="'perplexity' of 30 is too large for 31 samples; 10 "):
        assert resolve_perplexity("JEDI", "perplexity", 30, 31, 1 / 5) == 10.0


def test_a_third_of_the_others_is_not_too_large():
    assert resolve_perplexity("JEDI", "perplexity", 10, 31, 1 / 5) == 10.0
