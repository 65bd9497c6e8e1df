"""Sparse Sinkhorn rounds equal scaling the dense kernel, and give each stratum its share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference import balanced as twin
from unprior import BalanceWarning, ConfettiNeighbors, priors
from unprior.operators import _sinkhorn
from unprior.operators._candidates import CandidateSearch, join_lists
from unprior.operators._sinkhorn import Potentials, balance, shifts_of
from unprior.operators._squares import Squares
from unprior.operators._strata import strata_of
from unprior.priors._keep import Keep

N = 45


@pytest.fixture
def thorough(sinkhorn):
    sinkhorn(400, 1e-5)


@pytest.fixture
def few(few_candidates):
    few_candidates(2, 5)


def find_candidates(data, strata, k, *, scale=1.0, plain=False):
    search = CandidateSearch(data, strata, k, Squares.of(data, scale))
    return join_lists([search.per_stratum(), *([search.plain()] if plain else [])])


def data_of(rng, n=N):
    y = rng.permutation(np.r_[np.zeros(n // 2), np.ones(n // 3), np.full(n - n // 2 - n // 3, 2)])
    X = rng.normal(size=(n, 3))
    X[:, 0] += 2 * y
    return X, y.astype(int)


def dense(candidates, values):
    """Numbers of candidate pairs as a matrix, NaN for all others."""
    n = candidates.n_samples
    matrix = np.full((n, n), np.nan)
    rows = np.repeat(np.arange(n), np.diff(candidates.starts))
    matrix[rows, candidates.columns] = values
    return matrix


def nearness(candidates, potentials, width):
    exponents = (shifts_of(candidates, potentials) - candidates.squares).astype(float) / width
    return np.nan_to_num(dense(candidates, np.exp(exponents)))


def groups_of(strata):
    return [twin.group_matrix(one.codes, one.classes) for one in strata]


def assert_shares(P, strata, rtol=0.02):
    """Every group has its share for every sample, unless it has no candidates."""
    for one, groups in zip(strata, groups_of(strata), strict=True):
        sums, wanted = twin.group_sums(P, groups, one.count + 1), one.shares()
        there = (sums > 0) & (wanted > 0)
        assert there.any()
        np.testing.assert_allclose(sums[there], wanted[there], rtol=rtol)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("names", [["y"], ["z"], ["y", "u"]])
@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("width", [0.3, 2.0])
def test_equals_scaling_the_dense_kernel(rng, names, strength, width, sinkhorn):
    sinkhorn(8, 0.0)
    X, y = data_of(rng)
    known = {"y": priors.labels(y), "z": priors.features(X[:, 0]), "u": priors.labels(y[::-1])}
    strata = [strata_of(known[name]) for name in names]
    strengths = [strength, 1.0][: len(strata)]
    candidates = find_candidates(priors.features(X), strata, 6, plain=True)
    squared = dense(candidates, candidates.squares)
    expected = twin.balanced_nearness(
        np.nan_to_num(squared), ~np.isnan(squared), groups_of(strata), strengths, width, 8
    )
    found = balance(candidates, strata, width, strengths)
    P = nearness(candidates, found.potentials, width)
    np.testing.assert_allclose(P, expected, rtol=1e-3)


@pytest.mark.usefixtures("thorough")
@settings(max_examples=3)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 3.0]))
def test_every_stratum_has_its_share_where_all_pairs_are_candidates(seed, width):
    rng = np.random.default_rng(seed)
    X, y = data_of(rng)
    strata = [strata_of(priors.labels(y)), strata_of(priors.labels(rng.integers(2, size=N)))]
    for some in (strata[:1], strata):
        candidates = find_candidates(priors.features(X), some, 40)
        assert len(candidates.columns) == N * (N - 1)
        found = balance(candidates, some, width, [1.0] * len(some))
        P = nearness(candidates, found.potentials, width)
        assert found.error < 0.01
        assert_shares(P, some)
        np.testing.assert_allclose(P, P.T, rtol=1e-4)


@pytest.mark.usefixtures("thorough")
def test_small_classes_that_share_a_stratum_have_their_shares(rng):
    y = rng.permutation(np.r_[np.zeros(30), 1 + np.arange(80) // 2].astype(int))
    strata = [strata_of(priors.labels(y))]
    assert (strata[0].classes >= 0).sum() > 50
    X = rng.normal(size=(len(y), 3))
    candidates = find_candidates(priors.features(X), strata, len(y) - 1)
    P = nearness(candidates, balance(candidates, strata, 3.0, [1.0]).potentials, 3.0)
    assert_shares(P, strata)


@pytest.mark.usefixtures("thorough")
def test_a_prior_that_another_implies_changes_nothing(rng):
    X, y = data_of(rng)
    fine, coarse = strata_of(priors.labels(y)), strata_of(priors.labels(y > 0))
    candidates = find_candidates(priors.features(X), [fine], 40)
    one, both = (
        nearness(candidates, balance(candidates, some, 2.0, [1.0] * len(some)).potentials, 2.0)
        for some in ([fine], [fine, coarse])
    )
    np.testing.assert_allclose(both, one, rtol=0.02, atol=1e-6)


# Beyond this, single precision no longer resolves which of another class is nearer.
def far_apart(rng, times):
    y = np.repeat([0, 1], 150)
    return rng.normal(size=(300, 5)) + times * np.eye(5)[0] * y[:, None], y


@pytest.mark.parametrize("times", [3, 1e2, 1e3])
def test_shares_are_met_far_apart_classes_are(rng, times):
    X, y = far_apart(rng, times)
    strata, scale = [strata_of(priors.labels(y))], max(1, times)
    candidates = find_candidates(priors.features(X), strata, 15, scale=scale)
    width = 1 / scale**2
    P = nearness(candidates, balance(candidates, strata, width, [1.0]).potentials, width)
    sums, wanted = P @ np.eye(2)[y], strata[0].shares()[:, :2]
    assert np.median(np.abs(sums / wanted - 1)) < 0.1


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
def test_wanted_shares_go_evenly_to_those_of_the_samples(rng, strength):
    X, y = data_of(rng)
    strata = [strata_of(priors.labels(y))]
    candidates = find_candidates(priors.features(X), strata, 40)
    plain, some, full = (
        balance(candidates, strata, 1.0, [s]).shares[0] for s in (0.0, strength, 1.0)
    )
    np.testing.assert_array_equal(full, strata[0].shares())
    np.testing.assert_allclose(some, strength * full + (1 - strength) * plain, atol=1e-6)
    np.testing.assert_allclose(plain.sum(axis=1), 1, atol=1e-6)
    assert np.abs(plain - full).max() > 0.2


def test_broader_widths_are_halved_down_to_the_width(rng):
    X, y = data_of(rng)
    candidates = find_candidates(priors.features(X), [strata_of(priors.labels(y))], 40)
    widths = _sinkhorn._broader_widths(candidates, 0.01)
    np.testing.assert_allclose(widths[:-1] / widths[1:], 2)
    assert widths[-1] == pytest.approx(0.02)
    broadest = 0.25 * np.quantile(candidates.squares, 0.9)
    assert broadest <= widths[0] < 2 * broadest
    assert len(_sinkhorn._broader_widths(candidates, 2 * broadest)) == 0


def test_blocks_and_pairs_are_sums_of_both_ends(rng):
    y = np.r_[np.zeros(20), np.ones(20), 2 + np.arange(40)].astype(int)
    strata = strata_of(priors.labels(y))
    values = rng.normal(size=(80, strata.count + 1)).astype(np.float32)
    potentials, everyone = Potentials(strata, values), np.arange(80)
    own = np.take_along_axis(values, twin.group_matrix(strata.codes, strata.classes), axis=1)
    block = potentials.block(everyone, everyone)
    np.testing.assert_allclose(block, own + own.T, rtol=1e-6)
    i, j = rng.integers(80, size=(2, 50))
    np.testing.assert_array_equal(potentials.pairs(i, j), block[i, j])
    assert potentials.n_samples == 80


def test_says_so_if_shares_are_not_met(rng, sinkhorn):
    X, y = far_apart(rng, 1e3)
    sinkhorn(1, _sinkhorn.TOLERANCE)
    with pytest.warns(BalanceWarning, match="not factored out; scale the columns") as record:
        ConfettiNeighbors(5).fit(X, prior=priors.labels(y))
    assert record[0].filename == __file__


def test_the_dense_kernel_is_that_of_the_data(rng):
    """The inputs of the reference are right."""
    X, y = data_of(rng)
    candidates = find_candidates(priors.features(X), [strata_of(priors.labels(y))], 40)
    squared = np.nan_to_num(dense(candidates, candidates.squares))
    np.testing.assert_allclose(squared, cdist(X, X, "sqeuclidean"), rtol=1e-5, atol=1e-9)


def test_a_stratum_that_a_sample_cannot_see_is_left_alone(rng):
    """Its candidates are all of its own class, although the other should have a share."""
    X, y = far_apart(rng, 1e2)
    data, strata = priors.features(X), [strata_of(priors.labels(y))]
    candidates = join_lists([CandidateSearch(data, strata, 5, Squares.of(data, 1.0)).plain()])
    (found,) = balance(candidates, strata, 1.0, [1.0]).potentials
    assert np.isfinite(found.values).all()
    other = np.take_along_axis(found.values, 1 - strata[0].codes[:, None], axis=1)
    assert (other == other[0]).all()


def test_a_stratum_without_a_share_is_left_alone(rng):
    """The second class occurs only in the second kept class: elsewhere its share is 0."""
    X, y = data_of(rng)
    keep = Keep((y > 0).astype(np.intp), np.arange(2))
    strata = [strata_of(priors.labels(y), keep)]
    assert (strata[0].shares() == 0).any()
    candidates = find_candidates(priors.features(X), strata, 40)
    found = balance(candidates, strata, 2.0, [1.0])
    assert np.isfinite(found.potentials[0].values).all()
    assert np.isfinite(found.error)
