"""Strata of a prior: groups of similar samples, and the target share of each group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from reference import balanced as twin
from unprior import priors
from unprior.geometry import _classical_scaling, data_distances, draw_landmarks
from unprior.operators import _strata
from unprior.operators._strata import MOST_STRATA, Strata, strata_of
from unprior.priors._keep import Keep


def same_partition(one, other):
    pairs = {*zip(one.tolist(), other.tolist(), strict=True)}
    return len(pairs) == len({*one.tolist()}) == len({*other.tolist()})


#: Class sizes: few classes, many equal ones, one or two large ones among many.
SIZES = [[5, 1, 7], [2] * 40, [1] * 45, [1, *[2] * 40, 60], [60, *[1] * 50], [9, 1, 40, *[2] * 35]]


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("seed", range(3))
def test_shares_equal_counting(sizes, seed):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(rng.permutation(len(sizes)), sizes))
    strata = strata_of(priors.labels(y))
    groups = twin.group_matrix(strata.codes, strata.classes)
    np.testing.assert_allclose(
        strata.shares(), twin.shares(groups, strata.count + 1), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(strata.shares().sum(axis=1), 1, rtol=1e-6)
    i, j = np.triu_indices(len(y), 1)
    np.testing.assert_array_equal(strata.groups(i, j), groups[i, j])


@given(st.lists(st.integers(0, 60), min_size=2, max_size=150))
def test_strata_of_classes(y):
    y = np.array(y)
    strata = strata_of(priors.labels(y.astype(str)))
    sizes = strata.sizes()
    assert strata.count <= MOST_STRATA
    assert sizes.min() >= 1
    assert sizes.sum() == strata.n_samples == len(y)
    # A class is never divided, and every sample that shares a stratum with others has a class.
    assert len({*zip(y, strata.codes, strict=True)}) == len({*y})
    alone = strata.classes < 0
    assert same_partition(y[alone], strata.codes[alone])
    assert not {*strata.codes[alone]} & {*strata.codes[~alone]}
    assert same_partition(y[~alone], strata.classes[~alone])


def test_few_classes_are_strata_whatever_their_names(rng):
    y = rng.integers(6, size=80)
    names = np.array(list("qxajzk"))[y]
    one, other = strata_of(priors.labels(y)), strata_of(priors.labels(names))
    assert same_partition(one.codes, y)
    assert same_partition(one.codes, other.codes)
    assert (one.classes == -1).all()


def test_of_many_classes_large_ones_stay_whole_and_others_fill_about_equal_strata(rng):
    y = rng.permutation(np.r_[np.zeros(2000), np.ones(500), 2 + np.arange(1500) % 300].astype(int))
    strata = strata_of(priors.labels(y))
    large = y < 2
    assert same_partition(y[large], strata.codes[large])
    shared = np.bincount(strata.codes[~large])
    shared = shared[shared > 0]
    assert len(shared) > 5
    assert shared.max() <= 1.2 * shared.min()


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, 7.0]), min_size=4, max_size=60))
def test_equal_numbers_stay_together_and_different_ones_are_parted(z):
    z = np.array(z)
    assume(len({*z}) > 1)
    codes = strata_of(priors.features(z)).codes
    assert len({*zip(z, codes, strict=True)}) == len({*z})
    assert codes.max() >= 1
    # The order of strata is that of the numbers.
    assert (np.diff(codes[np.argsort(z, kind="stable")]) >= 0).all()


@pytest.mark.parametrize("rare", [0.0, 10.0])
def test_rare_low_numbers_are_parted_as_rare_high_ones(rare):
    z = np.where(np.arange(200) < 4, rare, 5.0)
    assert same_partition(strata_of(priors.features(z)).codes, z)


def test_bins_of_different_numbers_have_equal_counts(rng):
    z = rng.standard_t(1, size=1000)
    sizes = strata_of(priors.features(z)).sizes()
    assert sizes.max() - sizes.min() <= 1
    assert same_partition(strata_of(priors.features(z)).codes, strata_of(priors.features(-z)).codes)


def test_more_samples_have_more_strata_but_no_more_than_there_may_be(rng):
    counts = [strata_of(priors.features(rng.normal(size=n))).count for n in (10, 1000, 20_000)]
    assert counts[0] < counts[1] < counts[2]
    assert strata_of(priors.features(rng.normal(size=300_000))).count == MOST_STRATA


@pytest.mark.parametrize("kind", ["features", "distances", "geo", "cyclic", "l1"])
def test_other_priors_are_cut_into_groups_that_are_near(rng, kind):
    Z = np.repeat(rng.uniform(-60, 60, (8, 2)), 20, axis=0) + rng.normal(size=(160, 2))
    known = {
        "features": priors.features(Z),
        "distances": priors.distances(priors.features(Z).to_array()),
        "geo": priors.geo(*Z.T),
        "cyclic": priors.cyclic(Z[:, 0] % 24, period=24),
        "l1": priors.features(Z, metric="l1"),
    }[kind]
    codes, D = strata_of(known).codes, known.to_array()
    assert 3 <= codes.max() + 1 <= 8
    assert D[codes[:, None] == codes].mean() < 0.5 * D.mean()


def test_few_values_are_strata_of_their_own():
    z = np.array([0.0, 1.0, 5.0])[np.arange(30) % 3]
    assert same_partition(strata_of(priors.features(z)).codes, z)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_points_are_two_strata(dtype):
    Z = np.array([[0, 1], [2, 3]], dtype=dtype)[np.arange(20) % 2]
    assert same_partition(strata_of(priors.features(Z)).codes, np.arange(20) % 2)


def test_how_far_from_zero_points_are_does_not_matter(rng):
    Z = rng.normal(size=(500, 3))
    here, there = (strata_of(priors.features(z)).codes for z in (Z, Z + 1e9))
    # Rounding there may put a few samples on the other side of a border.
    assert (here == there).mean() > 0.98


def test_points_that_are_read_some_at_a_time_are_cut_the_same(rng, monkeypatch):
    prior = priors.features(rng.normal(size=(400, 3)))
    whole = strata_of(prior).codes
    monkeypatch.setattr(_strata, "READ_ENTRIES", 100)
    np.testing.assert_array_equal(strata_of(prior).codes, whole)


def test_distances_in_which_no_landmark_differs_are_cut_all_the_same(monkeypatch):
    monkeypatch.setattr(_classical_scaling, "LANDMARKS", 20)
    z = np.zeros(300)
    z[np.setdiff1d(np.arange(300), draw_landmarks(300, 20))[:4]] = 5.0
    codes = strata_of(priors.features(z, metric="l1")).codes
    assert same_partition(codes, z)


def test_one_stratum_for_all():
    nothing = np.zeros(5, dtype=np.int32)
    strata = Strata(nothing, nothing - 1)
    assert strata.count == 1
    np.testing.assert_array_equal(strata.shares(), np.tile([1, 0], (5, 1)))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), min_size=4, max_size=25))
def test_shares_within_kept_classes(both):
    y, kept = map(np.array, zip(*both, strict=True))
    keep = Keep(kept, np.arange(3))
    strata = strata_of(priors.labels(y), keep)
    for i in range(len(y)):
        others = np.flatnonzero((np.arange(len(y)) != i) & (kept == kept[i]))
        if kept[i] < 0 or not len(others):
            others = np.delete(np.arange(len(y)), i)
        wanted = np.bincount(strata.codes[others], minlength=strata.count) / len(others)
        np.testing.assert_allclose(strata.shares()[i, :-1], wanted, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_shares_of_small_classes_within_kept_classes(seed):
    """Every sample's own class counts separately from the stratum that it shares with others."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.r_[np.zeros(60), 1 + np.arange(90) // 2].astype(int))
    kept = rng.integers(-1, 3, len(y))
    strata = strata_of(priors.labels(y), Keep(kept, np.arange(3)))
    assert (strata.classes >= 0).sum() == 90
    for i in range(len(y)):
        everyone = np.arange(len(y)) != i
        others = everyone & (kept == kept[i])
        if kept[i] < 0 or not others.any():
            others = everyone
        mates = others & (strata.classes == strata.classes[i]) & (strata.classes[i] >= 0)
        wanted = np.bincount(strata.codes[others & ~mates], minlength=strata.count)
        wanted = np.append(wanted, mates.sum()) / others.sum()
        np.testing.assert_allclose(strata.shares()[i], wanted, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_single_sample_far_away_is_a_stratum(seed):
    Z = np.zeros((30, 2))
    Z[1:5] = 3.0
    Z[0] = -50.0
    order = np.random.default_rng(seed).permutation(30)
    assert len({*strata_of(priors.features(Z[order])).codes.tolist()}) == 3


@pytest.mark.parametrize("n_classes", [33, 40, 70, 200])
def test_strata_of_small_classes_have_about_equal_sizes(rng, n_classes):
    y = rng.permutation(np.repeat(np.arange(n_classes), rng.integers(1, 4, n_classes)))
    strata = strata_of(priors.labels(y))
    shared = np.bincount(strata.codes)[np.unique(strata.codes[strata.classes >= 0])]
    assert shared.max() - shared.min() <= 3


@pytest.mark.parametrize("n_small", [33, 40, 70, 200])
def test_small_classes_fill_strata_of_an_equal_share_beside_large_ones(rng, n_small):
    small = rng.integers(1, 4, n_small)
    y = rng.permutation(np.repeat(np.arange(n_small + 2), [*small, 300, 90]))
    strata = strata_of(priors.labels(y))
    alone = strata.classes < 0
    assert {*y[alone]} == {n_small, n_small + 1}
    shared = {*strata.codes[~alone].tolist()}
    assert not shared & {*strata.codes[alone].tolist()}
    assert len(shared) == np.ceil(small.sum() * MOST_STRATA / len(y))


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_stored_priors_are_cut_as_those_in_memory(rng, store, metric):
    X = rng.normal(size=(80, 3))
    stored = data_distances(store(X, entries=20), metric)
    np.testing.assert_array_equal(
        strata_of(stored).codes, strata_of(data_distances(X, metric)).codes
    )
