import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.lle import pushed
from unprior import priors
from unprior.lle import push_classmates


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
def test_blocks_and_pairs_equal_the_definition(two_groups, strength):
    X, known, _ = two_groups
    D = cdist(X, X)
    expected = pushed(D, known, strength)
    distances = push_classmates(priors.distances(D), priors.labels(known), strength)
    everyone, some = np.arange(90), np.array([3, 80, 3, 17])
    np.testing.assert_allclose(distances.block(everyone, everyone), expected, atol=1e-12)
    np.testing.assert_allclose(distances.block(some, everyone), expected[some], atol=1e-12)
    i, j = np.meshgrid(everyone, some)
    np.testing.assert_allclose(
        distances.pairs(i.ravel(), j.ravel()), expected[i.ravel(), j.ravel()], atol=1e-12
    )
    assert distances.n_samples == 90


@settings(max_examples=30)
@given(st.lists(st.integers(0, 2), min_size=5, max_size=12), st.floats(0, 1))
def test_only_classmates_move_and_all_by_the_same(codes, strength):
    places = np.arange(len(codes), dtype=float) ** 2
    data = priors.features(places)
    change = (
        push_classmates(data, priors.labels(codes), strength).block(*[np.arange(len(codes))] * 2)
        - data.to_array()
    )
    same = np.equal.outer(codes, codes) & ~np.eye(len(codes), dtype=bool)
    np.testing.assert_allclose(change[same], strength * places[-1], atol=1e-12)
    assert not change[~same].any()


def test_the_data_are_not_touched(two_groups):
    X, known, _ = two_groups
    D = cdist(X, X)
    before = D.copy()
    push_classmates(priors.distances(D), priors.labels(known), 1.0).block(
        np.arange(90), np.arange(90)
    )
    np.testing.assert_array_equal(D, before)
