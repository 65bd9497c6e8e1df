import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.chance import coherence_by_luck
from unprior import priors, scores
from unprior.scores._distances import read_map
from unprior.tuning._chance import chance_deviation, sum_prior

N = 6


def draw_map(seed, n=N):
    return np.random.default_rng(seed).normal(size=(n, 2))


@settings(max_examples=15)
@given(st.integers(0, 1000), st.integers(1, 4), st.booleans())
def test_it_is_the_deviation_over_all_orders_of_the_prior(seed, k, labelled):
    rng = np.random.default_rng(seed + 1)
    known = rng.permutation(list("aabbbc")) if labelled else rng.exponential(size=N)
    prior, Y = priors.as_prior(known), draw_map(seed)
    by_luck = coherence_by_luck(Y, prior.to_array(), k)
    assert by_luck.mean() == pytest.approx(0, abs=1e-12)
    deviation = chance_deviation(read_map("test", Y), k, sum_prior(prior))
    assert deviation == pytest.approx(by_luck.std())


def test_it_is_what_scores_do_under_shuffles_also_in_blocks(in_blocks):
    n, rng = 300, np.random.default_rng(0)
    Y, labels = draw_map(0, n), rng.permutation(np.repeat(["a", "b", "c"], n // 3))
    shuffled = [scores.neighbor_purity(Y, rng.permutation(labels)) for _ in range(200)]
    in_blocks(7 * n)
    found = chance_deviation(read_map("test", Y), 15, sum_prior(priors.labels(labels)))
    assert found == pytest.approx(np.std(shuffled), rel=0.15)


def test_a_map_with_all_samples_tied_leaves_nothing_to_luck():
    prior = priors.as_prior(["a", "b", "b", "c", "c", "c"])
    Y = read_map("test", np.zeros((N, 2)))
    # The square root of rounding, where the variance is 0.
    assert chance_deviation(Y, 2, sum_prior(prior)) == pytest.approx(0, abs=1e-7)
