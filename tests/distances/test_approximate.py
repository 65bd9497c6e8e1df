import numpy as np
import pytest

from unprior import RecallWarning, priors
from unprior.distances import _approximate, _buckets, factor_on_demand
from unprior.distances import find_factored_neighbors as find
from unprior.neighbors import find_neighbors


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Cut few samples into many buckets."""
    monkeypatch.setattr(_buckets, "SIZE", 40)


@pytest.fixture(scope="module")
def factored():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(20, 3), scale=10)
    X = centers[rng.integers(20, size=2400)] + rng.normal(size=(2400, 3))
    return factor_on_demand(priors.features(X), {"y": priors.labels(rng.integers(3, size=2400))})


def recall(graph, truth):
    pairs = zip(graph.indices, truth.indices, strict=True)
    return np.mean([np.isin(t, g).mean() for g, t in pairs])


def test_finds_what_it_should_and_says_how_much(factored):
    graph, share = find(factored, 10)
    truth = find_neighbors(factored, 10)
    assert share >= 0.95
    assert share < 1
    assert share == pytest.approx(recall(graph, truth), abs=0.02)
    np.testing.assert_allclose(
        graph.distances,
        [factored.pairs(np.full(10, i), row) for i, row in enumerate(graph.indices)],
    )


def test_does_not_look_at_all_pairs(factored):
    buckets = _buckets.make_buckets(factored)
    search = _approximate.tiled_search(factored, buckets.order)
    plan = _approximate._plan(search, buckets, 10, 0.95)
    assert plan.n_visits < 0.3 * len(buckets.middles)
    assert plan.n_visits < _approximate._plan(search, buckets, 10, 0.999).n_visits


def test_looks_at_all_pairs_where_that_is_hardly_more(factored, monkeypatch):
    monkeypatch.setattr(_approximate, "WORTHWHILE", 0.0)
    graph, share = find(factored, 10)
    assert share == 1
    np.testing.assert_array_equal(graph.indices, find_neighbors(factored, 10).indices)


def test_warns_if_it_found_too_few(factored, monkeypatch):
    plan = _approximate._plan
    monkeypatch.setattr(_approximate, "_plan", lambda *a, **more: plan(*a[:-1], recall=0.3, **more))
    with pytest.warns(RecallWarning, match=r"found \d+% of the true neighbours where 95% were"):
        assert find(factored, 10)[1] < 0.95


def test_does_not_depend_on_threads(factored):
    one, two = (find(factored, 5, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one[0].indices, two[0].indices)
    assert one[1] == two[1]


@pytest.mark.parametrize(
    ("kind", "operator"),
    [("features", "quantile"), ("l1", "linear"), ("two", "linear"), ("two", "balanced")],
)
def test_other_priors(kind, operator):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1200, 3))
    known = {
        "features": {"z": priors.features(X[:, 0])},
        "l1": {"z": priors.features(X[:, :2], metric="l1")},
        "two": {"y": priors.labels(rng.integers(2, size=1200)), "z": priors.features(X[:, 0])},
    }[kind]
    factored = factor_on_demand(priors.features(X), known, 0.5, operator=operator)
    graph, share = find(factored, 8)
    assert share >= 0.95
    assert recall(graph, find_neighbors(factored, 8)) >= 0.93


def test_refuses_more_neighbors_than_there_are(factored):
    with pytest.raises(ValueError, match="'k' takes a whole number in"):
        find(factored, 2400)
