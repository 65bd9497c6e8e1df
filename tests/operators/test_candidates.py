"""Candidates: the nearest of every sample in each stratum, in both directions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import balanced as twin
from reference.confetti import nearest
from unprior import priors
from unprior.neighbors._lift import Lift
from unprior.operators import _candidates
from unprior.operators._candidates import CandidateSearch, join_lists
from unprior.operators._squares import Squares
from unprior.operators._strata import Strata, strata_of
from unprior.priors._keep import Keep


@pytest.fixture
def few(few_candidates):
    """Fewer candidates than there are samples, of a small number too."""
    few_candidates(1, 1)


def find_candidates(data, strata, k, *, scale=1.0, plain=False):
    search = CandidateSearch(data, strata, k, Squares.of(data, scale))
    return join_lists([search.per_stratum(), *([search.plain()] if plain else [])])


def pairs_of(candidates):
    rows = np.repeat(np.arange(candidates.n_samples), np.diff(candidates.starts))
    return [*zip(rows.tolist(), candidates.columns.tolist(), strict=True)]


def named_by(D, strata, k, *, plain):
    """The samples that each one lists: its nearest in each stratum of each prior, and of all."""
    named = [[] for _ in D]
    for one in strata:
        counts = _candidates._counts(one, k, len(strata))
        for i, parts in enumerate(twin.nearest_per_stratum(D, one.codes, counts)):
            named[i] += [j for part in parts for j in part]
    if plain:
        for i, row in enumerate(nearest(D, k)[0]):
            named[i] += row.tolist()
    return named


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("names", [["y"], ["z"], ["y", "z"]])
def test_equals_the_union_of_all_that_are_named(rng, names, plain):
    X = rng.normal(size=(70, 4))
    known = {"y": priors.labels(rng.integers(4, size=70)), "z": priors.features(X[:, 0])}
    strata = [strata_of(known[name]) for name in names]
    data = priors.features(X)
    candidates = find_candidates(data, strata, 6, scale=3.0, plain=plain)
    D = data.to_array()
    expected = twin.candidate_pairs(named_by(D, strata, 6, plain=plain))
    assert pairs_of(candidates) == sorted(expected)
    assert len(expected) < 70 * 60
    squares = [(D[i, j] / 3) ** 2 for i, j in sorted(expected)]
    np.testing.assert_allclose(candidates.squares, squares, rtol=1e-5)
    assert candidates.recall == 1


def test_pairs_have_one_length_from_both_ends(rng):
    X = (1e3 + rng.normal(size=(80, 30))).astype(np.float32)
    strata = [strata_of(priors.labels(rng.integers(3, size=80)))]
    candidates = find_candidates(priors.features(X), strata, 5, plain=True)
    lengths = dict(zip(pairs_of(candidates), candidates.squares.tolist(), strict=True))
    assert all(lengths[j, i] == square for (i, j), square in lengths.items())


@settings(max_examples=40)
@given(
    st.integers(3, 40),
    st.sampled_from([1, 2, 5, 40]),
    st.integers(1, 39),
    st.sampled_from([0.1, 1.0, 10.0]),
    st.integers(0, 10**6),
)
def test_everybody_has_enough_candidates(n, n_classes, k, by_share, seed):
    """However few candidates are requested, k neighbours can be chosen among them."""
    rng, k = np.random.default_rng(seed), min(k, n - 1)
    y = rng.integers(n_classes, size=n) ** 2 // n_classes  # the first are large
    strata = [strata_of(priors.labels(y))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_candidates, "SHARED", 0)
        patch.setattr(_candidates, "PER_NEIGHBOR", by_share)
        patch.setattr(_candidates, "MORE", 0)
        candidates = find_candidates(priors.features(rng.normal(size=(n, 2))), strata, k)
    assert np.diff(candidates.starts).min() >= k


@pytest.mark.parametrize("most", [2_000, 10**9])
def test_many_samples_have_fewer_candidates_each(rng, monkeypatch, most):
    monkeypatch.setattr(_candidates, "MOST_CANDIDATES", most)
    monkeypatch.setattr(_candidates, "LEAST", 30)
    strata = strata_of(priors.labels(rng.integers(5, size=1000)))
    several = [_candidates._counts(strata, 15, n_priors).sum() for n_priors in (1, 2)]
    if most == 2000:
        assert 30 <= several[0] <= 35  # but for rounding
        # Never fewer than a stratum's share, and one to choose among.
        assert 15 + 5 <= several[1] <= 15 + 2 * 5
    else:
        assert several[0] == several[1] > 35


def test_many_neighbors_have_more_candidates(rng, monkeypatch):
    """To choose 90 neighbours, as t-SNE needs, of hardly more candidates makes hubs."""
    monkeypatch.setattr(_candidates, "MOST_CANDIDATES", 100_000)
    strata = strata_of(priors.labels(rng.integers(5, size=1000)))
    few, more = (_candidates._counts(strata, k, 1).sum() for k in (30, 90))
    assert few == pytest.approx(100, abs=5)  # rounded up in each stratum
    assert more == pytest.approx(300, abs=5)


@pytest.mark.usefixtures("few")
def test_a_lift_is_taken_off_squares_and_leaves_them_as_they_are(rng):
    X, y = rng.normal(size=(60, 3)), rng.integers(3, size=60)
    data, strata, off = priors.features(X), strata_of(priors.labels(y)), rng.normal(size=(60, 3))
    squares = Squares.of(data, 2.0)
    search = CandidateSearch(data, [strata], 6, squares)
    named = search.per_stratum(Lift(np.eye(3)[y], off, squares.factor))
    truth = (data.to_array() / 2) ** 2
    counts = _candidates._counts(strata, 6, 1)
    expected = twin.nearest_per_stratum(truth - off[:, y].T, strata.codes, counts)
    assert named.indices.tolist() == [[j for part in parts for j in part] for parts in expected]
    own = np.take_along_axis(truth, named.indices.astype(int), axis=1)
    np.testing.assert_allclose(named.squares, own, rtol=1e-4)


def test_more_neighbors_than_candidates_are_refused(rng):
    strata = strata_of(priors.labels(np.arange(30) % 2))
    data = priors.features(rng.normal(size=(30, 2)))
    candidates = join_lists([CandidateSearch(data, [strata], 5, Squares.of(data, 1.0)).plain()])
    fewest = np.diff(candidates.starts).min()
    lengths = candidates.squares
    assert candidates.nearest(fewest, lengths, strata, strata.shares()).k == fewest
    with pytest.raises(
        ValueError, match=rf"'k' takes at most {fewest}, .*got {fewest + 1}\. Search with"
    ):
        candidates.nearest(fewest + 1, lengths, strata, strata.shares())


@pytest.mark.usefixtures("few")
def test_the_nearest_are_sorted_and_ties_go_by_the_hash(rng):
    X = rng.integers(0, 3, size=(60, 2)).astype(float)
    strata = [strata_of(priors.labels(rng.integers(3, size=60)))]
    candidates = find_candidates(priors.features(X), strata, 5)
    shares = np.ones_like(strata[0].shares())  # the nearest, whatever the stratum
    graph = candidates.nearest(5, candidates.squares, strata[0], shares)
    D = np.full((60, 60), np.inf)
    rows = np.repeat(np.arange(60), np.diff(candidates.starts))
    D[rows, candidates.columns] = candidates.squares
    indices, distances = nearest(D, 5)
    np.testing.assert_array_equal(graph.indices, indices)
    np.testing.assert_array_equal(graph.distances, distances)


def test_candidates_are_as_many_as_the_kept_class_with_the_largest_share_needs():
    # Of five strata, one kept class has the first three alone, the other the last two.
    codes = np.repeat(np.arange(5), [10, 20, 30, 5, 35]).astype(np.int32)
    keep = Keep((codes > 2).astype(np.intp), np.array(["low", "high"]))
    strata = Strata(codes, np.full(100, -1, dtype=np.int32), keep)
    shares = np.array([10 / 60, 20 / 60, 30 / 60, 5 / 40, 35 / 40])
    found = _candidates._counts(strata, 10, 1)
    np.testing.assert_array_equal(found, np.ceil((300 + 3 * 10) * shares + 20))
