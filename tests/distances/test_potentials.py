from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from sklearn.datasets import load_wine

from reference.confetti import balanced_by_turns, balanced_nearness, balanced_width
from unprior import BalanceWarning, ConfettiNeighbors, priors
from unprior.distances import _balance, _potential_landmarks, _potentials
from unprior.distances._balance import balance
from unprior.distances._potential_landmarks import Landmarks
from unprior.distances._potentials import Response, learn_potentials

#: Nobody is of a class without a cell; everybody is only their own twin.
NOBODY, ONESELF = np.empty((0, 32), dtype=int), np.eye(32, dtype=bool)

#: Everybody counts the same.
ALIKE = np.ones(32)


@pytest.fixture
def cells(rng):
    return np.r_[np.zeros(20), np.ones(9), 2, 2, 2].astype(int)[rng.permutation(32)][None]


@pytest.fixture
def two(rng, cells):
    """Cells of two priors: the second has four, each with a few of every cell of the first."""
    return np.vstack([cells, 3 + np.argsort(rng.permutation(32)) % 4])


@pytest.fixture
def squared(rng, cells):
    X = rng.normal(size=(32, 2)) + cells.T
    return cdist(X, X, "sqeuclidean")


@pytest.fixture
def thorough(monkeypatch):
    monkeypatch.setattr(_balance, "MOST_TURNS", 200)
    for module in (_balance, _potentials):
        monkeypatch.setattr(module, "MOST_SHARED_TURNS", 500)
        monkeypatch.setattr(module, "TOLERANCE", 1e-12)


def nearness(values, squared, cells, width):
    sums = sum(values[:, own] + values[:, own].T for own in cells)
    exponents = (sums - squared) / width
    np.fill_diagonal(exponents, -np.inf)
    return np.exp(exponents)


@pytest.mark.usefixtures("thorough")
@pytest.mark.parametrize("width", [0.5, 3.0])
def test_equals_scaling_cell_by_cell(squared, cells, width):
    P = nearness(balance(squared, cells, ONESELF, ALIKE, width, level=31)[0], squared, cells, width)
    np.testing.assert_allclose(P, balanced_nearness(squared, *cells, width), rtol=1e-6)


@pytest.mark.usefixtures("thorough")
def test_every_sample_gives_each_cell_its_share(squared, cells):
    data = priors.distances(np.sqrt(squared))
    found = learn_potentials(data, cells, NOBODY, scale=1.0)
    assert found.width == pytest.approx(balanced_width(squared))
    P = nearness(found.values, squared, cells, found.width)
    assert_shares(P, *cells)


@pytest.mark.usefixtures("thorough")
def test_every_sample_gives_each_cell_of_every_prior_its_share(squared, two):
    found = learn_potentials(priors.distances(np.sqrt(squared)), two, NOBODY, scale=1.0)
    P = nearness(found.values, squared, two, found.width)
    assert_shares(P, two[0])
    assert_shares(P, two[1])


@pytest.mark.usefixtures("thorough")
def test_several_priors_equal_scaling_by_turns(squared, two):
    P = nearness(balance(squared, two, ONESELF, ALIKE, 0.5, level=31)[0], squared, two, 0.5)
    np.testing.assert_allclose(P, balanced_by_turns(squared, two, 0.5), rtol=1e-5)


@pytest.mark.usefixtures("thorough")
def test_a_prior_that_another_implies_changes_nothing(squared, cells):
    nested = np.vstack([cells, 3 + (cells > 0)])
    both = nearness(
        balance(squared, nested, ONESELF, ALIKE, 3.0, level=31)[0], squared, nested, 3.0
    )
    np.testing.assert_allclose(both, balanced_nearness(squared, *cells, 3.0), rtol=1e-5)


@pytest.mark.usefixtures("thorough")
def test_kin_are_put_apart_and_the_others_get_their_shares(rng, squared):
    kin, everyone = np.arange(32) // 4, np.arange(32)
    found = learn_potentials(
        priors.distances(np.sqrt(squared)), np.zeros((1, 32), dtype=int), kin[None], scale=1.0
    )
    rest, same = squared - found.block(everyone, everyone), kin[:, None] == kin
    assert rest[same].min() > squared.max() / 2
    P = np.where(same, 0, np.exp(-rest / found.width))
    np.testing.assert_allclose(P.sum(axis=1), 28 / 31, rtol=0.01)
    i, j = rng.integers(32, size=(2, 20))
    np.testing.assert_array_equal(found.pairs(i, j), found.block(everyone, everyone)[i, j])


def assert_shares(P, cells):
    for cell in np.unique(cells):
        wanted = ((cells == cell).sum() - (cells == cell)) / 31
        np.testing.assert_allclose(P[:, cells == cell].sum(axis=1), wanted, rtol=0.01)


def test_blocks_and_pairs_are_sums_of_both_ends(squared, two):
    found = learn_potentials(priors.distances(np.sqrt(squared)), two, NOBODY, scale=1.0)
    i, j = np.array([0, 5, 5]), np.array([1, 5, 30])
    block = found.block(i, j)
    np.testing.assert_array_equal(found.pairs(i, j), block.diagonal())
    np.testing.assert_array_equal(block, found.block(j, i).T)
    ends = found.values[0, two[:, 1]].sum() + found.values[1, two[:, 0]].sum()
    assert block[0, 0] == pytest.approx(ends)
    assert found.n_samples == 32


def test_drawn_landmarks_do_for_all_samples(rng, monkeypatch):
    cells = rng.integers(3, size=(1, 400))
    data = priors.features(rng.normal(size=(400, 3)) + 2 * cells.T)
    everyone = np.arange(400)
    exact = learn_potentials(data, cells, NOBODY, scale=1.0).block(everyone, everyone)
    monkeypatch.setattr(_potential_landmarks, "DRAWN", 150)
    monkeypatch.setattr(_potentials, "BLOCK_ENTRIES", 10_000)
    drawn = learn_potentials(data, cells, NOBODY, scale=1.0).block(everyone, everyone)
    assert not np.array_equal(drawn, exact)
    assert spearmanr(drawn.ravel(), exact.ravel()).statistic > 0.9


def test_a_landmark_of_weight_two_counts_as_two(rng, squared, cells):
    """As two identical samples do, but for what they are to each other."""
    twice = np.append(np.arange(32), 4)
    squared, weights = squared + 1.0, np.where(np.arange(32) == 4, 2.0, 1.0)
    rows = np.setdiff1d(np.arange(32), 4)
    data = priors.distances(np.sqrt(squared) * (1 - np.eye(32)))
    once, both = (
        Response(data, cells, NOBODY, Landmarks(some, weight, 1.0), values, 1.0, 2.0)(rows)
        for values in [rng.normal(size=(32, 3))]
        for some, weight, values in [
            (np.arange(32), weights, values),
            (twice, np.ones(33), values[twice]),
        ]
    )
    np.testing.assert_allclose(once, both, atol=1e-9)


def test_small_cells_have_landmarks_too(monkeypatch):
    monkeypatch.setattr(_potential_landmarks, "DRAWN", 50)
    cells = np.r_[np.zeros(300), np.ones(4), np.full(8, 2)].astype(int)
    drawn = _potential_landmarks.draw_from_cells(cells[None])
    assert np.bincount(cells[drawn]).tolist() == [48, 4, 5]


def test_every_prior_has_landmarks_in_all_of_its_cells(rng, monkeypatch):
    monkeypatch.setattr(_potential_landmarks, "DRAWN", 60)
    cells = np.vstack([np.repeat([0, 1], [300, 12]), rng.permutation(np.repeat([2, 3], [304, 8]))])
    drawn = _potential_landmarks.draw_from_cells(cells)
    assert len(drawn) == len({*drawn}) < 80
    assert (np.bincount(cells[:, drawn].ravel()) >= 5).all()


@pytest.mark.parametrize("far", [1e2, 1e5])
def test_an_outlier_breaks_nothing(squared, cells, far):
    D = np.sqrt(squared)
    D[3], D[:, 3], D[3, 3] = far, far, 0
    found = learn_potentials(priors.distances(D), cells, NOBODY, scale=1.0)
    assert np.isfinite(found.values).all()


def test_identical_samples_break_nothing(cells):
    D = (np.arange(32) >= 30)[:, None] * 1.0
    found = learn_potentials(
        priors.distances(np.maximum(D, D.T) * (1 - np.eye(32))), cells, NOBODY, 1.0
    )
    assert np.isfinite(found.values).all()
    assert found.width > 0


def far_apart(rng, *, times):
    """Two classes, one of them moved by so many times its spread."""
    labels = np.repeat([0, 1], 150)
    return rng.normal(size=(300, 5)) + times * np.eye(5)[0] * labels[:, None], labels


def unscaled(rng, *, times):
    """Columns with units of their own."""
    X, labels = load_wine(return_X_y=True)
    return times * X, labels


@pytest.mark.parametrize(("make", "times"), [(far_apart, 1e2), (far_apart, 1e5), (unscaled, 1)])
def test_shares_are_met_however_far_apart_cells_are(rng, make, times):
    X, labels = make(rng, times=times)
    n = len(X)
    found = learn_potentials(priors.features(X), labels[None], np.empty((0, n), int), scale=1.0)
    P = nearness(found.values, cdist(X, X, "sqeuclidean"), labels[None], found.width)
    members = np.eye(labels.max() + 1)[labels]
    off = P @ members / ((members.sum(axis=0) - members) / (n - 1)) - 1
    assert np.abs(off).mean() < 0.05


def test_an_outlier_does_not_change_how_others_are_balanced(rng):
    X, labels = far_apart(rng, times=3)
    nobody, everyone = np.empty((0, 300), int), np.arange(1, 300)
    found = []
    for far in (30, 1e4):
        X[0] = far
        learnt = learn_potentials(priors.features(X), labels[None], nobody, scale=1.0)
        found.append(learnt.block(everyone, everyone))
    np.testing.assert_allclose(*found, rtol=0, atol=0.1 * np.abs(found[0]).mean())


def test_says_so_if_shares_are_not_met(rng, monkeypatch):
    X, labels = far_apart(rng, times=1e3)
    monkeypatch.setattr(_balance, "_widths_above", lambda width, largest: [])
    with pytest.warns(BalanceWarning, match="not factored out; scale the columns") as record:
        ConfettiNeighbors(5).fit(X, prior=priors.labels(labels))
    assert record[0].filename == __file__
