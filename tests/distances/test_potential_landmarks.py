"""Landmarks stand for all samples, also for those of small populations."""

import numpy as np
import pytest

import unprior as up
from reference import landmarks as twin
from unprior import priors
from unprior.distances import _potential_landmarks
from unprior.distances._potential_landmarks import ENOUGH, choose_landmarks, draw_from_cells


@pytest.fixture(params=[0, 2])
def small_population(rng, request):
    """Two batches, and 20 samples of each far away: of one batch few or none are drawn."""
    batch = np.arange(3000) % 2
    drawn = draw_from_cells(batch[None])
    first, second = (np.flatnonzero(batch == b) for b in (0, 1))
    kept = rng.permutation(np.intersect1d(first, drawn))[: request.param]
    rest = rng.permutation(np.setdiff1d(first, drawn))[: 20 - request.param]
    small = np.r_[kept, rest, rng.permutation(second)[:20]]
    X = rng.normal(size=(3000, 5))
    X[small] = 0.5 * X[small] + [30, 0, 0, 0, 0]
    return X, batch, small


def test_all_of_few_samples_once(rng):
    cells = rng.integers(3, size=(1, 200))
    found = choose_landmarks(priors.features(rng.normal(size=(200, 2))), cells)
    np.testing.assert_array_equal(np.sort(found.samples), np.arange(200))
    assert (np.diff(cells[0, found.samples]) >= 0).all()
    np.testing.assert_array_equal(found.weights, 1)


def test_one_cloud_needs_hardly_more_than_are_drawn(rng):
    cells = rng.integers(3, size=(1, 3000))
    found = choose_landmarks(priors.features(rng.normal(size=(3000, 5))), cells)
    n_drawn = len(draw_from_cells(cells))
    assert len(found.samples) <= 1.05 * n_drawn
    assert found.weights.sum() < 1.01 * n_drawn


def test_small_populations_get_some_in_every_cell(small_population):
    X, batch, small = small_population
    found = choose_landmarks(priors.features(X), batch[None])
    assert len(found.samples) == len({*found.samples.tolist()})
    there = np.isin(found.samples, small)
    assert (np.bincount(batch[found.samples[there]]) >= ENOUGH).all()
    # Together they count as much as all samples do that are there.
    share = found.weights[there].sum() / found.weights.sum()
    assert share == pytest.approx(len(small) / len(X), rel=0.5)


@pytest.mark.parametrize("looked_at", [1, 3, 30])
@pytest.mark.parametrize("most", [7, 500])
@pytest.mark.parametrize("n_priors", [1, 2])
def test_lonely_samples_are_added_one_at_a_time(rng, monkeypatch, looked_at, most, n_priors):
    """However many are looked at together, to the bit."""
    for module in (_potential_landmarks, twin):
        monkeypatch.setattr(module, "MOST_ADDED", most)
    monkeypatch.setattr(_potential_landmarks, "LOOKED_AT", looked_at)
    X = rng.normal(size=(2500, 2))
    far = rng.permutation(2500)[:200]
    X[far] += 20 * rng.normal(size=(8, 2))[rng.integers(8, size=200)]
    cells = np.vstack([rng.integers(3 * p, 3 * p + 3, size=2500) for p in range(n_priors)])
    data = priors.features(X)
    found = choose_landmarks(data, cells)
    added, weights = twin.added(data.to_array(), cells, found.near)
    assert len(added) == most if most == 7 else 15 < len(added) < most
    samples = np.append(draw_from_cells(cells), added)
    order = np.argsort(cells[0, samples], kind="stable")
    np.testing.assert_array_equal(found.samples, samples[order])
    ones = np.ones(len(samples) - len(added))
    np.testing.assert_array_equal(found.weights, np.append(ones, weights)[order])


def test_threads_change_nothing(small_population):
    X, batch, _ = small_population
    here, there = (choose_landmarks(priors.features(X), batch[None], n_jobs) for n_jobs in (1, 2))
    np.testing.assert_array_equal(there.samples, here.samples)
    np.testing.assert_array_equal(there.weights, here.weights)


def test_no_more_are_added_than_allowed(small_population, monkeypatch):
    X, batch, _ = small_population
    monkeypatch.setattr(_potential_landmarks, "MOST_ADDED", 2)
    found = choose_landmarks(priors.features(X), batch[None])
    assert len(found.samples) == len(draw_from_cells(batch[None])) + 2


def test_batches_of_a_small_population_are_mixed(small_population):
    """Without landmarks, all 15 neighbours of the first batch were of the first batch."""
    X, batch, small = small_population
    graph = up.ConfettiNeighbors(15).fit(X, prior=priors.labels(batch)).graph_
    for own in (0, 1):
        rows = small[batch[small] == own]
        found = np.concatenate([graph[[row]].indices for row in rows])
        assert 0.15 < (batch[found] == own).mean() < 0.75
