from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr

from reference.confetti import balanced_nearness, balanced_width
from unprior import priors
from unprior.distances import _potentials
from unprior.distances._potentials import balance, learn_potentials


@pytest.fixture
def cells(rng):
    return np.r_[np.zeros(20), np.ones(9), 2, 2, 2].astype(int)[rng.permutation(32)]


@pytest.fixture
def squared(rng, cells):
    X = rng.normal(size=(32, 2)) + cells[:, None]
    return cdist(X, X, "sqeuclidean")


@pytest.fixture
def thorough(monkeypatch):
    monkeypatch.setattr(_potentials, "MOST_TURNS", 200)
    monkeypatch.setattr(_potentials, "TOLERANCE", 1e-12)


def nearness(values, squared, cells, width):
    sums = values[:, cells] + values[:, cells].T
    P = np.exp((sums - squared) / width)
    np.fill_diagonal(P, 0)
    return P


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("width", [0.5, 3.0])
def test_equals_scaling_cell_by_cell(squared, cells, width):
    P = nearness(balance(squared, cells, width, level=31), squared, cells, width)
    np.testing.assert_allclose(P, balanced_nearness(squared, cells, width), rtol=1e-6)


@pytest.mark.usefixtures("thorough")
def test_every_sample_gives_each_cell_its_share(squared, cells):
    data = priors.distances(np.sqrt(squared))
    found = learn_potentials(data, cells, scale=1.0)
    assert found.width == pytest.approx(balanced_width(squared))
    P = nearness(found.values, squared, cells, found.width)
    for cell in range(3):
        wanted = ((cells == cell).sum() - (cells == cell)) / 31
        np.testing.assert_allclose(P[:, cells == cell].sum(axis=1), wanted, rtol=0.01)


def test_blocks_and_pairs_are_sums_of_both_ends(squared, cells):
    found = learn_potentials(priors.distances(np.sqrt(squared)), cells, scale=1.0)
    i, j = np.array([0, 5, 5]), np.array([1, 5, 30])
    block = found.block(i, j)
    np.testing.assert_array_equal(found.pairs(i, j), block.diagonal())
    np.testing.assert_array_equal(block, found.block(j, i).T)
    assert block[0, 0] == found.values[0, cells[1]] + found.values[1, cells[0]]
    assert found.n_samples == 32


def test_drawn_landmarks_do_for_all_samples(rng, monkeypatch):
    cells = rng.integers(3, size=400)
    data = priors.features(rng.normal(size=(400, 3)) + 2 * cells[:, None])
    everyone = np.arange(400)
    exact = learn_potentials(data, cells, scale=1.0).block(everyone, everyone)
    monkeypatch.setattr(_potentials, "LANDMARKS", 150)
    monkeypatch.setattr(_potentials, "BLOCK_ENTRIES", 10_000)
    drawn = learn_potentials(data, cells, scale=1.0).block(everyone, everyone)
    assert not np.array_equal(drawn, exact)
    assert spearmanr(drawn.ravel(), exact.ravel()).statistic > 0.9


def test_small_cells_have_landmarks_too(monkeypatch):
    monkeypatch.setattr(_potentials, "LANDMARKS", 50)
    cells = np.r_[np.zeros(300), np.ones(4), np.full(8, 2)].astype(int)
    drawn = _potentials._draw(cells)
    assert np.bincount(cells[drawn]).tolist() == [48, 4, 5]


@pytest.mark.parametrize("far", [1e2, 1e5])
def test_an_outlier_breaks_nothing(squared, cells, far):
    D = np.sqrt(squared)
    D[3], D[:, 3], D[3, 3] = far, far, 0
    found = learn_potentials(priors.distances(D), cells, scale=1.0)
    assert np.isfinite(found.values).all()


def test_identical_samples_break_nothing(cells):
    D = (np.arange(32) >= 30)[:, None] * 1.0
    found = learn_potentials(priors.distances(np.maximum(D, D.T) * (1 - np.eye(32))), cells, 1.0)
    assert np.isfinite(found.values).all()
    assert found.width > 0
