"""Partners are drawn from where they should be, with weights that count all samples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unprior import priors
from unprior.affinities import affinity_strata, find_bandwidths
from unprior.objectives import LikelyPartners, NearPartners
from unprior.objectives._partners import curve_places


def likely(values, perplexity):
    prior = priors.features(values)
    random = np.random.RandomState(0)
    return LikelyPartners(
        affinity_strata(prior, find_bandwidths(prior, perplexity, random), random)
    )


def in_space(Y):
    return np.column_stack([Y, np.zeros((len(Y), 3 - Y.shape[1]))])


@pytest.mark.parametrize("kind", ["likely", "near"])
def test_every_sample_counts_once_on_average(rng, kind):
    """Sums of any function over draws are, on average, its sums over all samples."""
    Y = in_space(3 * rng.normal(size=(60, 2)))
    partners = likely(Y[:, :2], 10.0) if kind == "likely" else NearPartners.of(np.zeros(60, int))
    values = rng.normal(size=60)
    sums = []
    for number in range(400):
        drawn, weights = partners.draw(Y, 8, 1, number)
        sums.append((weights * values[drawn]).sum(axis=1))
    error = np.std(sums, axis=0) / np.sqrt(len(sums))
    z = (np.mean(sums, axis=0) - values.sum()) / error
    assert 0.7 < np.sqrt((z**2).mean()) < 1.3


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 40), min_size=1, max_size=6),
    n_draws=st.integers(1, 30),
    seed=st.integers(0, 2**31 - 1),
)
def test_groups_draw_from_themselves(sizes, n_draws, seed):
    groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    Y = in_space(np.random.default_rng(seed).normal(size=(len(groups), 2)))
    drawn, weights = NearPartners.of(groups).draw(Y, n_draws, seed, 0)
    assert (groups[drawn] == groups[:, None]).all()
    small = np.array(sizes)[groups] <= n_draws
    # A small group is taken whole.
    np.testing.assert_allclose(weights[small].sum(axis=1), np.array(sizes)[groups][small])
    for i in np.flatnonzero(small):
        assert sorted(drawn[i][weights[i] > 0]) == list(np.flatnonzero(groups == groups[i]))


def test_near_partners_are_drawn_more_often(rng):
    Y = in_space(10 * rng.uniform(-1, 1, size=(2000, 2)))
    drawn, weights = NearPartners.of(np.zeros(2000, int)).draw(Y, 40, 0, 0)
    apart = np.linalg.norm(Y[drawn] - Y[:, None], axis=2)
    assert (apart < 3).mean() > 0.25  # drawn from all alike it would be 0.06
    assert weights.sum(axis=1).mean() == pytest.approx(2000, rel=0.01)


@pytest.mark.compiled
def test_likely_partners_are_drawn_more_often(rng):
    line = np.sort(rng.normal(size=2000))
    drawn, _ = likely(line, 100.0).draw(in_space(line[:, None]), 20, 0, 0)
    near = np.abs(drawn - np.arange(2000)[:, None]) < 200
    assert near.mean() > 0.6  # drawn from all alike it would be 0.2


def test_many_classes_take_memory_of_the_samples_alone():
    """Two thousand classes: a table of classes by classes would have four million entries."""
    import tracemalloc

    groups = np.arange(10_000) % 2000
    Y = in_space(np.random.default_rng(0).normal(size=(10_000, 2)))
    partners = NearPartners.of(groups)
    partners.draw(Y, 10, 0, 0)  # compiled
    tracemalloc.start()
    partners.draw(Y, 10, 0, 1)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 8e6


def test_neighbours_on_the_curve_are_neighbours_in_the_map(rng):
    Y = in_space(rng.uniform(size=(1000, 2)))
    order = np.argsort(curve_places(Y))
    steps = np.linalg.norm(np.diff(Y[order], axis=0), axis=1)
    assert steps.mean() < 0.1  # in no order it would be 0.52


def test_the_curve_goes_from_corner_to_corner():
    line = np.repeat(np.linspace(-3, 5, 40)[:, None], 3, axis=1)
    assert (np.diff(curve_places(line)) > 0).all()
