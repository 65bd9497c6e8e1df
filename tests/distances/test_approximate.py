import re
from dataclasses import replace

import numpy as np
import pytest

from unprior import RecallWarning, priors
from unprior.distances import _approximate, _buckets, factor_on_demand
from unprior.distances import find_factored_neighbors as find
from unprior.distances._linear import LinearLook
from unprior.neighbors import find_neighbors
from unprior.neighbors._tiled import TiledSearch


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


@pytest.fixture(scope="module")
def with_rare():
    """Data with a scattered class of 3 %, which are the first 60 samples."""

    def make(operator):
        rng = np.random.default_rng(1)
        centers = rng.normal(size=(15, 4), scale=8)
        X = centers[rng.integers(15, size=2000)] + rng.normal(size=(2000, 4))
        X[:60] = rng.normal(size=(60, 4), scale=12)
        y = np.where(np.arange(2000) < 60, 2, rng.integers(2, size=2000))
        known = {"y": priors.labels(y)}
        return factor_on_demand(priors.features(X), known, operator=operator)

    return make


def recall(graph, truth, some=slice(None)):
    pairs = zip(graph.indices[some], truth.indices[some], strict=True)
    return np.mean([np.isin(t, g).mean() for g, t in pairs])


def few_visits(monkeypatch, widenings=0):
    """Let plans promise far too little."""
    plan = _approximate._plan
    monkeypatch.setattr(
        _approximate, "_plan", lambda *a, **threads: plan(*a[:-1], recall=0.3, **threads)
    )
    monkeypatch.setattr(_approximate, "RESERVE", 0.0)
    monkeypatch.setattr(_approximate, "WIDENINGS", widenings)


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


@pytest.mark.parametrize("operator", ["balanced", "linear", "quantile"])
def test_a_rare_scattered_class_gets_its_share(with_rare, operator):
    factored = with_rare(operator)
    graph, share = find(factored, 15)
    truth = find_neighbors(factored, 15)
    assert share < 1
    assert share == pytest.approx(recall(graph, truth), abs=0.01)
    # Half of the class was looked up: the other half cannot be far from it.
    assert recall(graph, truth, slice(60)) >= 0.93


def test_the_share_is_that_of_all_samples_and_not_of_all_groups(with_rare, monkeypatch):
    few_visits(monkeypatch)
    factored = with_rare("linear")
    with pytest.warns(RecallWarning):
        graph, share = find(factored, 15)
    truth = find_neighbors(factored, 15)
    assert abs(recall(graph, truth, slice(60)) - recall(graph, truth)) > 0.1
    assert share == pytest.approx(recall(graph, truth), abs=0.02)


def plan_of(factored, recall):
    buckets = _buckets.make_buckets(factored)
    search = _approximate.tiled_search(factored, buckets.order)
    return _approximate._plan(search, buckets, 10, recall)


def test_does_not_look_at_all_pairs(factored):
    plan = plan_of(factored, 0.95)
    assert plan.share < 0.3
    assert plan.share < plan_of(factored, 0.999).share


def test_looks_further_only_from_where_it_must(with_rare):
    plan = plan_of(with_rare("linear"), 0.95)
    *usual, rare = plan.n_visits
    assert rare == len(plan.visits)
    assert max(usual) < 0.4 * len(plan.visits)
    assert plan.shares[-1] == 1
    assert max(plan.shares[:-1]) < plan.share < 0.4


@pytest.fixture
def looks(monkeypatch):
    """Counts how often the search looked from each sample at each; probes are not counted."""
    counts, nearest = np.zeros((2000, 2000), dtype=int), TiledSearch.nearest

    def noted(search, rows, columns, k):
        if isinstance(rows, slice):
            for here in columns:
                counts[np.ix_(search.order[rows], search.order[here])] += 1
        return nearest(search, rows, columns, k)

    monkeypatch.setattr(TiledSearch, "nearest", noted)
    return counts


@pytest.mark.parametrize("operator", ["balanced", "linear", "quantile"])
@pytest.mark.parametrize("few", [False, True])
def test_a_hard_group_alone_looks_at_all_and_no_pair_twice(
    with_rare, looks, monkeypatch, operator, few
):
    if few:
        few_visits(monkeypatch, widenings=6)  # it turns out to be hard when others are done
    factored = with_rare(operator)
    graph, share = find(factored, 15)
    truth = find_neighbors(factored, 15)
    assert looks.max() == 1
    assert (looks[:60] == 1).all()
    assert looks[60:].mean() < 0.2
    np.testing.assert_array_equal(graph.indices[:60], truth.indices[:60])
    np.testing.assert_allclose(graph.distances[:60], truth.distances[:60])
    assert 0.95 <= share < 1
    assert share == pytest.approx(recall(graph, truth), abs=0.02)


def test_a_warning_is_of_who_did_not_look_at_all(with_rare, monkeypatch):
    plan = _approximate._plan

    def narrow(*given, **threads):
        made = plan(*given, **threads)
        return replace(made, n_visits=np.r_[1, made.n_visits[1:]])

    monkeypatch.setattr(_approximate, "_plan", narrow)
    monkeypatch.setattr(_approximate, "WIDENINGS", 0)
    factored = with_rare("linear")
    with pytest.warns(RecallWarning, match="of those of the (?!60 )"):
        graph, share = find(factored, 15)
    assert share == pytest.approx(recall(graph, find_neighbors(factored, 15)), abs=0.02)


def test_counts_what_it_looks_at(factored):
    plan = plan_of(factored, 0.95)
    sizes, groups = plan.buckets.sizes, plan.buckets.groups
    pairs = sum(
        sizes[own] * sizes[plan.visits[own, : plan.n_visits[groups[own]]]].sum()
        for own in range(len(sizes))
    )
    assert plan.share == pytest.approx(pairs / 2400**2)


def test_looks_at_all_pairs_where_that_is_hardly_more(factored, monkeypatch):
    monkeypatch.setattr(_approximate, "WORTHWHILE", 0.0)
    graph, share = find(factored, 10)
    assert share == 1
    np.testing.assert_array_equal(graph.indices, find_neighbors(factored, 10).indices)


def test_warns_if_it_found_too_few_and_says_of_whom(with_rare, monkeypatch):
    few_visits(monkeypatch)
    factored = with_rare("linear")
    message = (
        r"found \d+% of the true neighbours, and (\d+)% of those of the 60 samples in one group of "
        r"the prior, such as sample (\d+), where 95% were wanted; neighbors=\"exact\" finds all\.$"
    )
    with pytest.warns(RecallWarning, match=message) as record:
        graph = find(factored, 15)[0]
    told, sample = re.search(message, str(record[0].message)).groups()
    truth = find_neighbors(factored, 15)
    assert int(told) / 100 == pytest.approx(recall(graph, truth, slice(60)), abs=0.06)
    assert int(sample) < 60
    assert record[0].filename == __file__


def test_warns_of_a_group_even_if_enough_was_found_of_all(with_rare, monkeypatch):
    plan = _approximate._plan

    def narrow(*given, **threads):
        made = plan(*given, **threads)
        return replace(made, n_visits=np.r_[made.n_visits[:-1], 1])

    monkeypatch.setattr(_approximate, "_plan", narrow)
    monkeypatch.setattr(_approximate, "WIDENINGS", 0)
    with pytest.warns(RecallWarning, match="of those of the 60 samples"):
        assert find(with_rare("linear"), 15)[1] >= 0.9


def test_looks_further_where_it_found_too_few(with_rare, monkeypatch):
    few_visits(monkeypatch, widenings=6)
    factored = with_rare("linear")
    graph, share = find(factored, 15)
    truth = find_neighbors(factored, 15)
    assert share >= 0.95
    assert recall(graph, truth) >= 0.94
    assert recall(graph, truth, slice(60)) >= 0.93


def test_groups_look_at_all_samples_if_looking_further_is_hardly_less(factored, monkeypatch):
    few_visits(monkeypatch, widenings=6)
    monkeypatch.setattr(_approximate, "WORTHWHILE", plan_of(factored, 0.95).share / 2)
    graph, share = find(factored, 10)
    assert share == 1
    np.testing.assert_array_equal(graph.indices, find_neighbors(factored, 10).indices)


def test_does_not_depend_on_threads(factored, monkeypatch):
    few_visits(monkeypatch, widenings=3)  # so that it searches again
    one, two = (find(factored, 5, n_jobs=n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one[0].indices, two[0].indices)
    assert one[1] == two[1]
    assert one[1] < 1


@pytest.mark.parametrize(
    ("kind", "operator"),
    [("features", "quantile"), ("l1", "linear"), ("two", "linear"), ("two", "balanced")],
)
def test_other_priors(kind, operator, monkeypatch):
    monkeypatch.setattr(_approximate, "WORTHWHILE", 1.0)
    rng = np.random.default_rng(1)
    centers = rng.normal(size=(20, 3), scale=10)
    X = centers[rng.integers(20, size=2000)] + rng.normal(size=(2000, 3))
    Z = rng.normal(size=(2000, 2))
    known = {
        "features": {"z": priors.features(Z[:, 0])},
        "l1": {"z": priors.features(Z, metric="l1")},
        "two": {"y": priors.labels(rng.integers(2, size=2000)), "z": priors.features(Z[:, 0])},
    }[kind]
    factored = factor_on_demand(priors.features(X), known, 0.5, operator=operator)
    graph, share = find(factored, 8)
    assert 0.95 <= share < 1
    assert recall(graph, find_neighbors(factored, 8)) >= 0.93


def test_large_buckets_are_looked_at_in_parts(monkeypatch):
    """A third of the samples are identical, which no cut can part."""
    rng = np.random.default_rng(0)
    X = np.vstack([np.zeros((700, 3)), rng.normal(size=(1400, 3), scale=20)])
    y = priors.labels(np.arange(2100) % 2)
    factored = factor_on_demand(priors.features(X), {"y": y}, 0.05)
    assert _buckets.make_buckets(factored).sizes.max() >= 350
    sizes, scan = [], LinearLook.scan

    def noted(look, tile, *rest):
        sizes.append(tile.shape)
        scan(look, tile, *rest)

    monkeypatch.setattr(LinearLook, "scan", noted)
    monkeypatch.setattr(_approximate, "TILE_ROWS", 100)
    monkeypatch.setattr(_approximate, "TILE_COLUMNS", 60)
    plan, sizes[:] = plan_of(factored, 0.95), []
    found = _approximate._search_from(plan, np.arange(len(plan.visits)), 10)
    assert np.max(sizes, axis=0).tolist() == [100, 60]
    assert {len(indices) for indices, _ in found.values()} == {*plan.buckets.sizes}


def test_refuses_more_neighbors_than_there_are(factored):
    with pytest.raises(ValueError, match="'k' takes a whole number in"):
        find(factored, 2400)
