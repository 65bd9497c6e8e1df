"""Weights of pairs by their labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import conditional as reference
from unprior import priors
from unprior.affinities import PairWeights

CODES = st.lists(st.integers(0, 3), min_size=4, max_size=30).filter(
    lambda codes: 1 < len(set(codes)) < len(codes)
)


def as_matrix(weights, codes):
    return np.where(reference.same_label(codes), weights.same, weights.other)


@pytest.mark.parametrize("make", [PairWeights.from_other, PairWeights.from_same])
@given(codes=CODES, weight=st.floats(1e-6, 1))
def test_the_mean_over_all_pairs_is_one(make, codes, weight):
    weights = make(priors.labels(codes), weight)
    off = ~np.eye(len(codes), dtype=bool)
    assert as_matrix(weights, codes)[off].mean() == pytest.approx(1)


@given(codes=CODES, weight=st.floats(1e-6, 1))
def test_one_weight_tells_the_other(codes, weight):
    labels = priors.labels(codes)
    weights = PairWeights.from_other(labels, weight)
    assert weights.other == weight
    assert weights.same >= 1 - 1e-12
    assert PairWeights.from_same(labels, weights.same).other == pytest.approx(weight, abs=1e-9)


def test_one_is_one():
    labels = priors.labels(list("aabbb"))
    for weights in (PairWeights.from_other(labels, 1), PairWeights.from_same(labels, 1)):
        assert (weights.same, weights.other) == (pytest.approx(1), pytest.approx(1))
