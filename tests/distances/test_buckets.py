import numpy as np

from unprior import priors
from unprior.distances import _buckets, factor_on_demand
from unprior.distances._buckets import make_buckets


def test_every_sample_is_in_one_bucket_of_its_class(rng, monkeypatch):
    monkeypatch.setattr(_buckets, "SIZE", 30)
    X, y = rng.normal(size=(600, 3)), rng.integers(4, size=600)
    buckets = make_buckets(factor_on_demand(priors.features(X), {"y": priors.labels(y)}))
    np.testing.assert_array_equal(np.sort(buckets.order), np.arange(600))
    assert len(buckets.slices) > 15
    np.testing.assert_array_equal(buckets.group_sizes, np.sort(np.bincount(y))[::-1])
    for here, middle, members in zip(buckets.slices, buckets.middles, buckets.members, strict=True):
        bucket = buckets.order[here]
        assert len(np.unique(y[bucket])) == 1
        assert middle in bucket
        assert np.isin(members, bucket).all()


def test_a_bucket_is_small_in_data_and_prior(rng, monkeypatch):
    monkeypatch.setattr(_buckets, "SIZE", 30)
    X, z = rng.normal(size=(1200, 2)), rng.normal(size=1200)
    buckets = make_buckets(factor_on_demand(priors.features(X), {"z": priors.features(z)}))
    inside = [
        (X[b].var(axis=0).sum(), z[b].var()) for b in (buckets.order[s] for s in buckets.slices)
    ]
    # Four buckets to each cell of the prior: each axis of the data is cut in two, which leaves
    # 1 - 2/π of its variance, and the prior in ten.
    assert (np.mean(inside, axis=0) < [2 * (1 - 2 / np.pi), 0.05]).all()


def test_tiny_classes_make_no_buckets(rng, monkeypatch):
    monkeypatch.setattr(_buckets, "SIZE", 30)
    X, y = rng.normal(size=(600, 2)), np.arange(600) // 2
    buckets = make_buckets(factor_on_demand(priors.features(X), {"y": priors.labels(y)}))
    assert len(buckets.slices) <= 20


def test_classes_are_crossed_while_cells_are_not_too_small(rng, monkeypatch):
    monkeypatch.setattr(_buckets, "SIZE", 30)
    n = 1200
    X, donor, plate = rng.normal(size=(n, 2)), np.arange(n) % 20, np.arange(n) // 20 % 20
    known = {"donor": priors.labels(donor), "plate": priors.labels(plate)}
    buckets = make_buckets(factor_on_demand(priors.features(X), known))
    assert len(buckets.slices) <= 2 * n / 30
    assert all(len({*donor[buckets.order[here]]}) == 1 for here in buckets.slices)


def test_the_smallest_cells_are_one_group(rng, monkeypatch):
    monkeypatch.setattr(_buckets, "SIZE", 30)
    monkeypatch.setattr(_buckets, "MOST_GROUPS", 3)
    X, y = rng.normal(size=(600, 2)), np.repeat(np.arange(5), [200, 40, 160, 120, 80])
    buckets = make_buckets(factor_on_demand(priors.features(X), {"y": priors.labels(y)}))
    np.testing.assert_array_equal(buckets.group_sizes, [200, 160, 240])
