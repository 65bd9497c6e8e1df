from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist
from scipy.stats import spearmanr

from unprior import priors
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.operators import factor_on_demand
from unprior.optimize import _graph_start
from unprior.optimize._graph_start import graph_start


def start_of(source, k=8, n_components=2, seed=0):
    neighbors = find_neighbors(source, k)
    return graph_start(neighbors, source, n_components, np.random.RandomState(seed))


@pytest.fixture
def line(rng):
    return np.sort(rng.uniform(size=200))


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_start_is_centred_with_unit_spread(line, n_components):
    start = start_of(priors.features(line), n_components=n_components)
    assert start.shape == (200, n_components)
    np.testing.assert_allclose(start.mean(axis=0), 0, atol=1e-4)
    assert start.std() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("few", [50, 300])
@pytest.mark.parametrize("n_components", [10, 59, 60, 198, 199, 200, 210])
def test_any_number_of_components_has_a_start(line, n_components, few, monkeypatch):
    monkeypatch.setattr(_graph_start, "FEW", few)
    start = start_of(priors.features(line), n_components=n_components)
    assert start.shape == (200, n_components)
    assert np.isfinite(start).all()
    assert start.std() == pytest.approx(1, abs=0.01)


def test_a_line_stays_in_order(line):
    start = start_of(priors.features(line))
    assert abs(spearmanr(start[:, 0], line).statistic) > 0.99


def test_lanczos_finds_what_all_eigenvectors_show(line, monkeypatch):
    dense = start_of(priors.features(line))
    monkeypatch.setattr(_graph_start, "FEW", 50)
    lanczos = start_of(priors.features(line))
    assert not np.array_equal(dense, lanczos)
    for axis in range(2):
        assert abs(np.corrcoef(dense[:, axis], lanczos[:, axis])[0, 1]) > 0.999


def test_no_convergence_leaves_a_random_start(line, monkeypatch):
    monkeypatch.setattr(_graph_start, "FEW", 50)
    monkeypatch.setattr(_graph_start, "LANCZOS", 4)
    monkeypatch.setattr(_graph_start, "MAX_ITER", 1)
    start = start_of(priors.features(line))
    assert np.isfinite(start).all()
    assert abs(spearmanr(start[:, 0], line).statistic) < 0.3


def test_the_same_seed_gives_the_same_start(line):
    prior = priors.features(line)
    np.testing.assert_array_equal(start_of(prior, seed=1), start_of(prior, seed=1))
    assert not np.array_equal(start_of(prior, seed=1), start_of(prior, seed=2))


def test_parts_are_kept_apart_and_placed_by_their_distances(rng):
    part = np.repeat([0, 1, 2], 40)
    X = rng.normal(size=(120, 2)) + np.array([0, 20, 80])[part, None]
    start = start_of(priors.features(X))
    centers = np.array([start[part == p].mean(axis=0) for p in range(3)])
    apart = cdist(centers, centers)
    assert apart[0, 1] < apart[1, 2] < apart[0, 2]
    nearest = np.argsort(cdist(start, start), axis=1)[:, 1]
    np.testing.assert_array_equal(part[nearest], part)


def test_each_part_is_laid_out_on_its_own(line):
    X = np.r_[line, line + 10]
    start = start_of(priors.features(X))
    for half in (start[:200], start[200:]):
        nearest = np.argsort(cdist(half, half), axis=1)[:, 1]
        assert np.median(np.abs(nearest - np.arange(200))) <= 2


def test_pairs_of_samples_are_parts_too(rng):
    X = np.repeat(np.arange(10.0), 2) * 100 + rng.uniform(size=20)
    start = start_of(priors.features(X), k=1)
    assert len(np.unique(start, axis=0)) == 20
    assert np.isfinite(start).all()


def test_too_many_parts_lie_anywhere(rng, monkeypatch):
    X = np.repeat(np.arange(10.0), 4) * 100 + rng.uniform(size=40)
    placed = start_of(priors.features(X), k=2)
    monkeypatch.setattr(_graph_start, "MANY_COMPONENTS", 9)
    strewn = start_of(priors.features(X), k=2)
    for start, least, most in [(placed, 0.8, 1.0), (strewn, -0.5, 0.5)]:
        centers = start.reshape(10, 4, 2).mean(axis=1)
        apart = spearmanr(pdist(centers), pdist(np.arange(10.0)[:, None])).statistic
        assert least < apart < most
        np.testing.assert_array_equal(cdist(start, centers).argmin(axis=1), np.arange(40) // 4)


def test_equal_distances_have_a_start():
    prior = priors.distances(1 - np.eye(12))
    assert np.isfinite(start_of(prior, k=5)).all()


def test_a_constant_on_all_distances_changes_nothing(line):
    prior = priors.features(line)
    near = find_neighbors(prior, 8)
    far = KNNGraph(near.indices, near.distances + 1)
    a, b = (graph_start(graph, prior, 2, np.random.RandomState(0)) for graph in (near, far))
    np.testing.assert_allclose(a, b, atol=1e-6)


def test_a_prior_that_is_factored_out_does_not_come_back(two_groups):
    X, known, hidden = two_groups
    known_features = {"known": priors.features(X[:, :3])}
    start = start_of(factor_on_demand(priors.features(X), known_features, 1.0, operator="quantile"))
    nearest = np.argsort(cdist(start, start), axis=1)[:, 1:11]
    assert (known[nearest] == known[:, None]).mean() < 0.45  # a third by chance
    assert (hidden[nearest] == hidden[:, None]).mean() > 0.85
