"""The nearest in each stratum equal sorting, for points, other data and stored data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference import balanced as twin
from unprior import RecallWarning, priors
from unprior.geometry import StoredDistances
from unprior.neighbors import _index, _stored_strata
from unprior.neighbors._per_stratum import nearest_per_stratum
from unprior.storage import HELD

METRICS = ["euclidean", "sqeuclidean", "cosine", "correlation", "l1"]


def assert_equals_sorting(nearest, D, strata, counts):
    counts = np.minimum(counts, np.bincount(strata))
    expected = twin.nearest_per_stratum(D, strata, counts)
    starts = np.r_[0, np.cumsum(counts)]
    assert nearest.indices.shape == nearest.distances.shape == (len(D), starts[-1])
    for i, (row, lengths) in enumerate(zip(nearest.indices, nearest.distances, strict=True)):
        for stratum, wanted in enumerate(expected[i]):
            here = slice(starts[stratum], starts[stratum + 1])
            found = row[here][row[here] >= 0]
            assert found.tolist() == wanted
            np.testing.assert_allclose(lengths[here][: len(found)], D[i, wanted], rtol=1e-5)
            # A stratum that has no more says so at its end.
            assert (row[here][len(found) :] == -1).all()


@pytest.mark.parametrize("metric", [*METRICS, "precomputed"])
@pytest.mark.parametrize("counts", [[4, 3, 2], [1, 60, 1], [60, 60, 60]])
def test_equals_sorting(rng, metric, counts):
    X = rng.normal(size=(60, 5)).astype(np.float32)
    strata = np.r_[np.zeros(40), np.ones(19), 2].astype(int)[rng.permutation(60)]
    data = priors.features(X, metric="euclidean" if metric == "precomputed" else metric)
    D = data.to_array()
    if metric == "precomputed":
        data = priors.distances(D)
    nearest = nearest_per_stratum(data, strata, np.array(counts))
    assert_equals_sorting(nearest, D, strata, counts)
    assert nearest.recall == 1


def test_arcs_are_not_euclidean(rng):
    place = priors.geo(rng.uniform(-90, 90, 40), rng.uniform(-180, 180, 40))
    strata = np.arange(40) % 3
    nearest = nearest_per_stratum(place, strata, np.array([3, 3, 3]))
    assert_equals_sorting(nearest, place.to_array(), strata, [3, 3, 3])


@given(st.integers(4, 30), st.integers(1, 6), st.integers(1, 12), st.integers(0, 10**6))
def test_ties_and_duplicates(n, n_strata, count, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, size=(n, 2)).astype(float)
    strata = np.unique(rng.integers(n_strata, size=n), return_inverse=True)[1]
    counts = [count] * (strata.max() + 1)
    data = priors.features(X)
    for source in (data, priors.distances(data.to_array())):
        found = nearest_per_stratum(source, strata, np.array(counts))
        assert_equals_sorting(found, data.to_array(), strata, counts)


def test_rows_at_a_time_are_the_same(rng, in_blocks):
    data, strata = priors.features(rng.normal(size=(50, 3)), metric="l1"), np.arange(50) % 3
    whole = nearest_per_stratum(data, strata, np.array([3, 4, 5]))
    in_blocks(7 * 50)
    parts = nearest_per_stratum(data, strata, np.array([3, 4, 5]), n_jobs=2)
    for one, other in zip(whole[:2], parts[:2], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.fixture
def clustered(rng, in_buckets):
    in_buckets(300)
    X = rng.normal(size=(40, 3), scale=10)[rng.integers(40, size=3000)]
    return X + rng.normal(size=(3000, 3)), np.r_[np.zeros(2000), np.ones(1000)].astype(int)


def recall(found, truth):
    return np.mean([np.isin(t, f).mean() for f, t in zip(found, truth, strict=True)])


def test_an_index_finds_what_it_says(clustered):
    X, strata = clustered
    data, counts = priors.features(X), np.array([12, 8])
    found = nearest_per_stratum(data, strata, counts)
    exact = nearest_per_stratum(data, strata, counts, exact=True)
    assert exact.recall == 1
    assert 0.95 <= found.recall < 1
    assert recall(found.indices, exact.indices) == pytest.approx(found.recall, abs=0.02)
    D = priors.features(X).block(np.arange(20), np.arange(3000))
    D[np.arange(20), np.arange(20)] = np.inf
    truth = [np.r_[np.argsort(row[:2000])[:12], 2000 + np.argsort(row[2000:])[:8]] for row in D]
    np.testing.assert_array_equal(exact.indices[:20], truth)


@pytest.mark.parametrize("exact", [False, True])
def test_threads_change_nothing(clustered, exact):
    X, strata = clustered
    one, *others = (
        nearest_per_stratum(priors.features(X), strata, np.array([9, 9]), exact=exact, n_jobs=n)
        for n in (1, 2, 3)
    )
    for other in others:
        np.testing.assert_array_equal(other.indices, one.indices)
        np.testing.assert_array_equal(other.distances, one.distances)
        assert other.recall == one.recall


@pytest.fixture
def stored(store):
    """A function that puts rows on disk, with a limit on the rows in memory."""

    def put(array, held, kind="disk"):
        return store(array, kind, entries=held * array.shape[1] // HELD)

    return put


@pytest.mark.parametrize("kind", ["disk", "dask"])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("held", [25, 60, 600])
def test_stored_data_have_the_same_to_the_bit(stored, rng, metric, held, kind):
    # With 25 rows in memory strata are divided; with 60, some are read together.
    X = rng.normal(size=(120, 4)).astype(np.float32)
    X[50:60] = X[0]
    strata = np.searchsorted([0.6, 0.9], rng.uniform(size=120))
    counts = np.array([30, 15, 5])
    here = nearest_per_stratum(priors.features(X, metric=metric), strata, counts)
    data = priors.features(stored(X, held, kind), metric=metric)
    assert isinstance(data, StoredDistances)
    there = nearest_per_stratum(data, strata, counts, n_jobs=2)
    np.testing.assert_array_equal(there.indices, here.indices)
    np.testing.assert_array_equal(there.distances, here.distances)
    assert there.recall == 1


def test_stored_data_are_looked_up_in_an_index(clustered, stored):
    X, strata = clustered
    truth = nearest_per_stratum(priors.features(X), strata, np.array([12, 8]), exact=True)
    data = priors.features(stored(X, 1200))
    found = nearest_per_stratum(data, strata, np.array([12, 8]))
    exact = nearest_per_stratum(data, strata, np.array([12, 8]), exact=True)
    np.testing.assert_array_equal(exact.indices, truth.indices)
    assert exact.recall == 1
    assert 0.95 <= found.recall < 1
    assert recall(found.indices, truth.indices) == pytest.approx(found.recall, abs=0.03)


def test_of_very_many_stored_samples_each_is_compared_with_a_limited_share(
    stored, rng, in_buckets, monkeypatch
):
    """All samples are queries, although the search is planned on few of them."""
    in_buckets(100)
    X, strata, counts = rng.normal(size=(600, 60)), np.arange(600) % 2, np.array([8, 8])
    data = priors.features(stored(X, 400))
    assert nearest_per_stratum(data, strata, counts).recall == 1
    monkeypatch.setattr(_index, "TOO_MANY", 500)
    with pytest.warns(RecallWarning, match=r"only \d+% of the nearest neighbours were found"):
        found = nearest_per_stratum(data, strata, counts)
    truth = nearest_per_stratum(data, strata, counts, exact=True)
    assert recall(found.indices, truth.indices) == pytest.approx(found.recall, abs=0.05)


def test_stored_data_are_read_once_for_each_part_that_is_held(stored, rng, monkeypatch):
    X = stored(rng.normal(size=(600, 4)), 250)
    data, read = priors.features(X), []
    reads = type(data.values)._read

    def noted(rows, some):
        read.append(some.stop - some.start if isinstance(some, slice) else len(some))
        return reads(rows, some)

    monkeypatch.setattr(type(data.values), "_read", noted)
    nearest_per_stratum(data, np.arange(600) % 5, np.full(5, 7))
    # Three parts, each indexed once and searched by all; the search is planned on some samples.
    assert sum(read) <= 600 + 3 * 600 + _stored_strata.SAMPLED_QUERIES + 1
    assert max(read) <= 250 + _stored_strata.SAMPLED_QUERIES


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12), st.integers(1, 40))
def test_strata_are_cut_into_what_may_be_held(sizes, most):
    held = [*_stored_strata._cut_strata(sizes, most)]
    lengths = [sum(cut.stop - cut.start for _, cut in cuts) for cuts in held]
    assert set(lengths[:-1]) <= {most}
    assert lengths[-1] <= most
    met = [
        (stratum, place)
        for cuts in held
        for stratum, cut in cuts
        for place in range(*cut.indices(30))
    ]
    assert met == [(stratum, place) for stratum, size in enumerate(sizes) for place in range(size)]
