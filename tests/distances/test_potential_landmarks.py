"""Landmarks stand for all samples, also for those of small populations."""

import numpy as np
import pytest

import unprior as up
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
