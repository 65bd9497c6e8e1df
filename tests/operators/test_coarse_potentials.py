"""Coarse potentials: in a distant class each sample finds its counterpart, not the near side."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from reference import balanced as twin
from unprior import priors
from unprior.operators import _coarse_potentials, factor_on_demand
from unprior.operators._coarse_potentials import _choose, coarse_potentials
from unprior.operators._squares import Squares, kernel_width
from unprior.operators._strata import strata_of


@pytest.fixture
def few_landmarks(landmarks):
    landmarks(150)


def far_classes(rng, n, far=20.0):
    y = rng.integers(2, size=n)
    X = rng.normal(size=(n, 4))
    X[:, 0] += far * y
    return X, y


@pytest.mark.parametrize("strength", [0.5, 1.0])
def test_across_classes_neighbors_are_near_in_the_other_columns(rng, strength, landmarks):
    n = 1500
    landmarks(500)
    X, y = far_classes(rng, n)
    known = {"y": priors.labels(y)}
    factored = factor_on_demand(priors.features(X), known, strength, operator="balanced")
    graph = factored.operator.neighbors(15)
    across = y[graph.indices] != y[:, None]
    assert across.mean() == pytest.approx(0.5 * strength, abs=0.01)
    moved = X - 20 * np.eye(4)[0] * y[:, None]
    lines = np.linalg.norm(moved[graph.indices] - moved[:, None], axis=2)
    # Apart from the shift of the class, as near as samples of the own class.
    assert np.median(lines[across]) < 1.25 * np.median(lines[~across])
    chance = np.median(np.linalg.norm(moved - moved[rng.permutation(n)], axis=1))
    assert np.median(lines[across]) < 0.3 * chance


@pytest.mark.usefixtures("few_landmarks")
def test_they_undo_the_move_of_a_class(rng):
    X, y = far_classes(rng, 1000)
    data, strata = priors.features(X), strata_of(priors.labels(y))
    values = coarse_potentials(data, [strata], Squares.of(data, 1.0), 0.15, None)[0].values
    # Squares grow by 2 * 20 * (x_j - x_i) in the first column: potentials have that slope.
    for own in (0, 1):
        here = y == own
        other = strata.codes[~here][0]
        slope = np.polyfit(X[here, 0], values[here, other], 1)[0]
        assert slope == pytest.approx(-40 if own == 0 else 40, rel=0.1)


@pytest.mark.usefixtures("few_landmarks")
def test_every_sample_is_balanced_with_the_landmarks(rng):
    X, y = far_classes(rng, 400, far=2.0)
    data, strata = priors.features(X), strata_of(priors.labels(y))
    squares = Squares.of(data, 3.0)
    values = coarse_potentials(data, [strata], squares, 0.3, None)[0].values
    landmarks = _choose([strata])
    assert len(landmarks) < 400
    few, own = data[landmarks], strata.codes[landmarks]
    among = kernel_width(few, squares, 0.3)
    # Balanced with all pairs of them, whose own potentials are those of the twin.
    S = (cdist(X[landmarks], X[landmarks]) / 3) ** 2
    groups, others = twin.group_matrix(own, np.full(len(own), -1)), ~np.eye(len(own), dtype=bool)
    P = twin.balanced_nearness(S, others, [groups], [1.0], among, 400)
    sums = twin.group_sums(P, groups, 2)
    np.testing.assert_allclose(sums, twin.shares(groups, 2), rtol=1e-3)
    at = values[landmarks]
    ends = np.take_along_axis(at[:, :2], groups, axis=1)
    Q = np.where(others, np.exp((ends + ends.T - S) / among), 0)
    np.testing.assert_allclose(twin.group_sums(Q, groups, 2), twin.shares(groups, 2), rtol=0.15)


def test_every_stratum_has_landmarks(rng, landmarks):
    landmarks(100)
    y = rng.permutation(np.r_[np.zeros(5000), np.ones(30), np.full(3, 2)].astype(int))
    u = rng.permutation(np.r_[np.zeros(5023), np.ones(10)].astype(int))
    strata = [strata_of(priors.labels(each)) for each in (y, u)]
    landmarks = _choose(strata)
    assert len(np.unique(landmarks)) == len(landmarks) <= 100 + 5 * _coarse_potentials.FEWEST
    for one in strata:
        own = np.bincount(one.codes[landmarks], minlength=one.count)
        assert (own >= np.minimum(one.sizes(), _coarse_potentials.FEWEST)).all()


@pytest.mark.usefixtures("few_landmarks")
@pytest.mark.parametrize("n_priors", [1, 2])
def test_threads_and_blocks_change_nothing(rng, n_priors, in_blocks):
    X, y = far_classes(rng, 400)
    data = priors.features(X)
    strata = [strata_of(priors.labels(y)), strata_of(priors.features(X[:, 1]))][:n_priors]
    squares = Squares.of(data, 1.0)
    whole = coarse_potentials(data, strata, squares, 0.15, 1)
    in_blocks(60 * 150)
    for n_jobs in (1, 2, 3):
        parts = coarse_potentials(data, strata, squares, 0.15, n_jobs)
        for one, other in zip(whole, parts, strict=True):
            np.testing.assert_allclose(other.values, one.values, rtol=1e-5, atol=1e-5)
        if n_jobs == 1:
            first = parts
        for one, other in zip(first, parts, strict=True):
            np.testing.assert_array_equal(other.values, one.values)


def test_a_stratum_of_one_and_few_samples_are_finite(rng):
    X = rng.normal(size=(4, 2))
    data, strata = priors.features(X), [strata_of(priors.labels([0, 1, 1, 1]))]
    found = coarse_potentials(data, strata, Squares.of(data, 1.0), 0.15, None)
    assert np.isfinite(found[0].values).all()
