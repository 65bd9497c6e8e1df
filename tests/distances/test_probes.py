import numpy as np
import pytest

from unprior import priors
from unprior.distances import _buckets, factor_on_demand
from unprior.distances._probes import N_PROBES, OF_GROUP, Probes, look_up_probes
from unprior.neighbors import find_neighbors
from unprior.neighbors._tiled import tiled_search


@pytest.fixture
def probed(rng, monkeypatch):
    """Classes of many, of few and of next to no samples, their buckets, and probes of them."""
    monkeypatch.setattr(_buckets, "SIZE", 50)
    y = rng.permutation(np.repeat([0, 1, 2], [1800, 190, 10]))
    X = rng.normal(size=(2000, 3))
    factored = factor_on_demand(priors.features(X), {"y": priors.labels(y)})
    buckets = _buckets.make_buckets(factored)
    search = tiled_search(factored, buckets.order)
    return factored, buckets, [look_up_probes(search, buckets, 5, seed=s) for s in (0, 0, 1)]


def test_every_group_has_probes_from_all_over_it(probed):
    _, buckets, (probes, *_) = probed
    counts = np.bincount(probes.groups)
    np.testing.assert_array_equal(counts, [round(0.9 * N_PROBES), N_PROBES * 190 // 2000, 10])
    assert counts[1] >= OF_GROUP
    assert len(np.unique(probes.places)) == len(probes.places)
    own = np.searchsorted(buckets.starts, probes.places, side="right") - 1
    np.testing.assert_array_equal(buckets.groups[own], probes.groups)
    assert len(np.unique(own)) == len(buckets.groups)


def test_knows_true_neighbors(probed):
    factored, buckets, (probes, *_) = probed
    truth = find_neighbors(factored, 5).indices
    np.testing.assert_array_equal(probes.neighbors, truth[buckets.order[probes.places]])


def test_the_seed_decides(probed):
    first, again, other = (probes.places for probes in probed[2])
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_shares_are_those_of_each_group():
    probes = Probes(np.arange(3), np.array([0, 1, 1]), np.array([[3, 4], [5, 6], [7, 8]]))
    shares = probes.shares_in(np.array([[4, 3], [1, 5], [9, 1]]))
    np.testing.assert_array_equal(shares, [1.0, 0.25])
