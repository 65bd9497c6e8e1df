"""An index finds what a search of all points finds: all of it if they are few, else nearly all."""

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.nearest import nearest_points
from unprior import Confetti, RecallWarning, priors
from unprior.neighbors import _index
from unprior.neighbors._index import Plan, PointIndex


@pytest.fixture
def many(in_buckets, monkeypatch):
    """Put few points into buckets too."""
    in_buckets(100)
    monkeypatch.setattr(_index, "TOGETHER", 150)


def clusters(rng, n=2000, dtype=np.float64):
    centers = 5 * rng.normal(size=(20, 8))
    return (centers[rng.integers(20, size=n)] + rng.normal(size=(n, 8))).astype(dtype)


def assert_equal(found, truth):
    np.testing.assert_array_equal(found[0], truth[0])
    np.testing.assert_allclose(found[1], truth[1], rtol=1e-12)


@given(st.integers(1, 25), st.data(), st.integers(0, 10**6))
def test_few_points_are_all_looked_at(n, data, seed):
    rng, k = np.random.default_rng(seed), data.draw(st.integers(1, n))
    points, queries = (rng.integers(0, 3, size=(size, 2)).astype(float) for size in (n, 6))
    index = PointIndex.build(points)
    assert len(index.buckets) == 1
    assert index.plan(queries, k) == Plan(1, 1.0)
    assert_equal(index.query(queries, k), nearest_points(points, queries, k))


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("offset", [0.0, 1e4])
@pytest.mark.parametrize("unit", [1e-25, 1.0, 1e25])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_buckets_hold_all_neighbours(rng, dtype, unit, offset):
    X = (unit * (clusters(rng, 400) + offset)).astype(dtype)
    index = PointIndex.build(X[:300])
    assert len(index.buckets) > 10
    found = index.query(X[250:], 9, plan=Plan(len(index.buckets), 1.0))
    assert_equal(found, nearest_points(X[:300], X[250:], 9))


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("k", [1, 15, 90])
def test_finds_the_share_that_it_tells(rng, k):
    X, queries = np.split(clusters(rng, 3000), [2000])
    index = PointIndex.build(X)
    plan = index.plan(queries, k)
    assert plan.n_probes < len(index.buckets) / 3
    assert _index.TARGET_RECALL <= plan.recall < 1
    indices, distances = index.query(queries, k, plan=plan)
    truth = nearest_points(X, queries[:500], k)[0]
    shares = [np.isin(*pair).mean() for pair in zip(truth, indices, strict=False)]
    assert abs(np.mean(shares) - plan.recall) < 0.02
    gaps = np.linalg.norm(queries[:, None] - X[indices], axis=2)
    np.testing.assert_allclose(distances, gaps, rtol=1e-12)
    assert (np.diff(distances, axis=1) >= 0).all()


@pytest.mark.usefixtures("many")
def test_finds_the_nearest_in_the_buckets_that_are_looked_at(rng):
    X = clusters(rng, 500)
    index = PointIndex.build(X)
    probes = index.buckets.nearest(X, 3, n_jobs=1)
    indices, _ = index.query(X, 5, plan=Plan(3, 0.5))
    for row in range(0, 500, 25):
        members = np.flatnonzero(np.isin(index.buckets.bucket_of, probes[row]))
        place, _ = nearest_points(X[members], X[[row]], 5, members, [row])
        np.testing.assert_array_equal(indices[row], members[place[0]])


@pytest.mark.usefixtures("many")
def test_the_threads_and_the_run_do_not_matter(rng):
    X = clusters(rng, 3000, np.float32)
    first = PointIndex.build(X, n_jobs=1, random_state=3)
    found = first.query(X, 8, n_jobs=1)
    for n_jobs in (1, 2, 5):
        index = PointIndex.build(X, n_jobs=n_jobs, random_state=3)
        np.testing.assert_array_equal(index.buckets.centers, first.buckets.centers)
        for mine, other in zip(index.query(X, 8, n_jobs=n_jobs), found, strict=True):
            np.testing.assert_array_equal(mine, other)
    other = PointIndex.build(X, random_state=4)
    assert other.buckets.centers.shape != first.buckets.centers.shape or (
        (other.buckets.centers != first.buckets.centers).any()
    )


@pytest.mark.usefixtures("many")
def test_processes_find_the_same(rng):
    X = clusters(rng, 400)
    here = PointIndex.build(X).query(X, 4)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        there = PointIndex.build(X).query(X, 4)
    for mine, other in zip(there, here, strict=True):
        np.testing.assert_array_equal(mine, other)


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("values", [2, 4])
def test_ties_go_by_the_numbers_of_the_samples(rng, values):
    X = rng.integers(values, size=(600, 4)).astype(float)
    ids, query_ids = np.split(rng.permutation(10_000)[:1000], [600])
    queries = rng.integers(values, size=(400, 4)).astype(float)
    index = PointIndex.build(X, ids=ids)
    found = index.query(queries, 7, ids=query_ids, plan=Plan(len(index.buckets), 1.0))
    assert_equal(found, nearest_points(X, queries, 7, ids, query_ids))


@pytest.mark.usefixtures("many")
@pytest.mark.parametrize("size", [1, 300])
def test_others_are_found_without_the_points_themselves(rng, size):
    """If 300 are identical, a point need not be among its own nearest."""
    X = np.repeat(clusters(rng, 600 // size), size, axis=0)
    index = PointIndex.build(X)
    everything = Plan(len(index.buckets), 1.0)
    indices, distances = index.neighbors(6, plan=everything)
    wanted, lengths = nearest_points(X, X, 7)
    for row in range(0, 600, 7):
        others = wanted[row] != row
        np.testing.assert_array_equal(indices[row], wanted[row][others][:6])
        np.testing.assert_allclose(distances[row], lengths[row][others][:6], rtol=1e-12)


@pytest.mark.usefixtures("many")
def test_duplicates_make_no_hub(rng):
    X = np.repeat(clusters(rng, 10), 300, axis=0)
    indices, distances = PointIndex.build(X).neighbors(10)
    assert not distances.any()
    counts = np.bincount(indices.ravel(), minlength=3000)
    assert counts.max() < 40
    assert np.mean(counts == 0) < 0.01


@pytest.mark.usefixtures("many")
def test_more_neighbours_than_a_bucket_holds(rng):
    X = clusters(rng, 400)
    index = PointIndex.build(X)
    indices, distances = index.query(X, 200, plan=Plan(1, 0.1))
    assert all(len({*row}) == 200 for row in indices)
    assert (np.diff(distances, axis=1) >= 0).all()


@pytest.mark.usefixtures("many")
def test_looks_at_everything_where_buckets_spare_little(rng):
    X = rng.normal(size=(600, 60))
    index = PointIndex.build(X)
    assert index.plan(X, 30) == Plan(len(index.buckets), 1.0)


@pytest.mark.usefixtures("many")
def test_very_many_queries_visit_a_limited_share(rng):
    X = rng.normal(size=(600, 60))
    index = PointIndex.build(X)
    plan = index.plan(X, 8, n_queries=_index.TOO_MANY + 1)
    visits = index.buckets.nearest(X, plan.n_probes, None)
    visited = index.buckets.sizes[visits].sum(axis=1).mean() / len(X)
    assert 0.5 * _index.LARGEST_SHARE < visited < 1.2 * _index.LARGEST_SHARE
    found = index.query(X, 8, plan=plan)[0]
    truth = index.query(X, 8, plan=index.whole)[0]
    shares = [np.isin(t[1:], f).mean() for t, f in zip(truth, found, strict=True)]
    assert abs(np.mean(shares) - plan.recall) < 0.03


@pytest.mark.usefixtures("many")
def test_too_few_neighbours_found_are_warned_of(rng, monkeypatch):
    monkeypatch.setattr(_index, "TOO_MANY", 500)
    with pytest.warns(RecallWarning, match=r"only \d+% of the nearest neighbours were found"):
        confetti = Confetti(embedder_params={"n_epochs": 1}, random_state=0).fit(
            rng.normal(size=(600, 60)), prior=priors.labels(np.arange(600) % 2)
        )
    assert confetti.neighbor_recall_ < _index.GOOD


@pytest.mark.usefixtures("many")
def test_neighbours_at_distance_zero_are_not_counted(rng):
    X = np.repeat(clusters(rng, 50), 20, axis=0)
    index = PointIndex.build(X)
    assert index.plan(X, 10) == Plan(1, 1.0)
    assert index.plan(X, 60).n_probes > 1


@pytest.mark.parametrize("k", [0, 6, 2.0])
def test_refuses_more_neighbours_than_there_are(k):
    with pytest.raises(ValueError, match=r"'k' takes a whole number in \[1, 5\]; got"):
        PointIndex.build(np.zeros((5, 2))).query(np.zeros((1, 2)), k)
