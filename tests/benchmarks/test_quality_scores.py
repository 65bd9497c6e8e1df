"""Scores of the quality benchmark, against loops and against the library's own."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from unprior import priors, scores

# At the end: a benchmark there has the name of a package that others may import.
sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))

from quality.case import Case
from quality.compare import difference, differences, method_means
from quality.rivals import combat_tsne, pare_tsne
from quality.scores import (
    coherence,
    nearest,
    purity,
    purity_within,
    score_map,
    unevenness,
    worst_class,
)
from quality.summary import Row


@pytest.fixture
def case(two_groups):
    X, known, hidden = two_groups
    return Case(X, priors.labels(known), hidden, name="small")


class TestScores:
    def test_a_map_of_the_hidden_columns(self, case):
        found = score_map(case.X[:, 3:5], case)
        assert abs(found.left) < 0.15
        assert found.kept > 0.9
        assert found.score == found.kept - abs(found.left)
        assert abs(found.left) <= found.worst < 0.3

    def test_a_map_of_the_known_columns(self, case):
        found = score_map(case.X[:, :3], case)
        assert found.left > 0.9
        assert found.worst > 0.9
        assert abs(found.kept) < 0.15

    def test_left_is_the_purity_of_the_library_where_classes_are_large(self, case):
        Y = case.X[:, :2]
        found = score_map(Y, case)
        assert found.left == pytest.approx(scores.neighbor_purity(Y, case.prior.codes, 15))
        assert found.kept == pytest.approx(scores.neighbor_purity(Y, case.hidden, 15))

    def test_left_within_is_that_of_the_library(self, case, rng):
        Y, groups = case.X[:, :2], rng.integers(3, size=90)
        groups[case.prior.codes == 0] //= 2  # of different composition
        _, neighbors = nearest(Y, 15)
        left = purity_within(case.prior.codes, groups, neighbors)
        assert left == pytest.approx(scores.left_within(Y, case.prior, groups.astype(str)))
        uneven = replace(case, hidden=groups, family="composition")
        assert score_map(Y, uneven).left == left

    def test_continuous_priors_are_as_the_library_scores_them(self, case, rng):
        Y, age = case.X[:, :2], priors.features(case.X[:, 0] + rng.normal(size=90))
        _, neighbors = nearest(Y, 15)
        assert coherence(age, neighbors) == pytest.approx(scores.neighbor_coherence(Y, age, 15))

    def test_the_worst_class_by_hand(self, rng):
        Y = rng.normal(size=(200, 2))
        labels = np.repeat([0, 1, 2, 3], [100, 60, 20, 20])
        Y[labels == 1] += 8
        _, neighbors = nearest(Y, 15)

        def left(members):
            chances, reaches, alikes = [], [], []
            for i in members:
                size = (labels == labels[i]).sum()
                alikes.append(np.mean([labels[j] == labels[i] for j in neighbors[i]]))
                chances.append((size - 1) / 199)
                reaches.append(min(15, size - 1) / 15)
            return (np.sum(alikes) - np.sum(chances)) / (np.sum(reaches) - np.sum(chances))

        # The two classes of 20 are measured as one.
        groups = [np.flatnonzero(m) for m in (labels == 0, labels == 1, labels >= 2)]
        expected = max(abs(left(members)) for members in groups)
        assert worst_class(labels, neighbors) == pytest.approx(expected)
        assert expected > 0.9

    def test_pairs_that_are_neighbours_are_all_that_can_be_left(self, rng):
        spots = np.repeat(100 * rng.normal(size=(60, 2)), 2, axis=0) + rng.normal(size=(120, 2))
        _, neighbors = nearest(spots, 15)
        assert purity(np.arange(120) // 2, neighbors) == pytest.approx(1, abs=0.02)
        assert abs(purity(rng.permutation(np.arange(120) // 2), neighbors)) < 0.2
        assert purity(np.arange(120), neighbors) == 0

    def test_no_sample_is_its_own_neighbour_where_many_coincide(self):
        Y = np.zeros((40, 2))
        distances, neighbors = nearest(Y, 15)
        assert (neighbors != np.arange(40)[:, None]).all()
        assert unevenness(distances) == 0

    def test_clumps_are_uneven(self, rng):
        even = rng.random((400, 2))
        clumped = np.concatenate([even[:200], 0.01 * even[200:]])
        assert unevenness(nearest(clumped, 15)[0]) > 2 * unevenness(nearest(even, 15)[0])
        assert unevenness(nearest(7 * even, 15)[0]) == pytest.approx(
            unevenness(nearest(even, 15)[0])
        )

    def test_a_broken_map_is_refused(self, case):
        with pytest.raises(ValueError, match="finite"):
            score_map(np.full((90, 2), np.nan), case)


class TestCompare:
    ROWS = (
        Row("a", "tsne", 9, 1, left=0.5, kept=0.5, unevenness=0.2, score=0.0),
        Row("a", "x", 9, 1, left=-0.1, kept=0.6, unevenness=0.4, score=0.5),
        Row("b", "tsne", 9, 1, left=0.4, kept=0.5, unevenness=0.3, score=0.1),
        Row("b", "x", 9, 1, left=0.1, kept=0.205, unevenness=0.3, score=0.105),
        Row("c", "x", 9, 1, left=0.0, kept=0.9, unevenness=0.3, score=0.9),
        Row("a", "y", 9, 0, failure="no"),
    )

    def test_left_counts_by_its_size_and_unevenness_against_plain_maps(self):
        best, plain = method_means(self.ROWS)
        assert (best.method, best.cases, plain.cases) == ("x", 3, 2)
        assert best.left == pytest.approx(0.2 / 3)
        assert best.unevenness == pytest.approx(np.sqrt(2))
        assert plain.unevenness == pytest.approx(1)
        assert np.isnan(best.worst)

    def test_only_common_cases_are_compared(self):
        (found,) = differences(self.ROWS, "x")
        assert (found.other, found.cases, found.won, found.lost) == ("tsne", 2, 1, 0)
        assert found.mean == pytest.approx((0.5 + 0.005) / 2)

    def test_the_sign_test(self):
        own, other = {str(k): 1.0 for k in range(5)}, {str(k): 0.0 for k in range(5)}
        assert difference("x", own, "y", other).chance == pytest.approx(2 / 32)


def test_combat_takes_the_shift_of_a_batch_out(rng, monkeypatch):
    pytest.importorskip("scanpy")
    codes = rng.integers(2, size=80)
    X = rng.normal(size=(80, 5)) + 5 * codes[:, None]
    drawn = []
    monkeypatch.setattr("quality.rivals.plain_tsne", lambda X, *rest: drawn.append(X))
    combat_tsne(X, "euclidean", priors.labels(codes), 0)
    means = [drawn[0][codes == c].mean(axis=0) for c in (0, 1)]
    # Shifts of 5 go but for what ComBat shrinks towards their mean over columns.
    np.testing.assert_allclose(*means, atol=0.5)


def test_pare_refuses_priors_without_columns():
    D, prior = np.zeros((4, 4)), priors.distances(1 - np.eye(4))
    with pytest.raises(TypeError, match="PARE takes labels or features as prior; got distances"):
        pare_tsne(D, "precomputed", prior, 0)


def test_pare_takes_the_prior_out_as_regression_does(rng, monkeypatch):
    from scipy.spatial.distance import cdist

    codes = rng.integers(3, size=60)
    X = rng.normal(size=(60, 4)) + 5 * rng.normal(size=(3, 4))[codes]
    drawn = []
    monkeypatch.setattr("quality.rivals.plain_tsne", lambda D, *rest: drawn.append(D))
    pare_tsne(X, "euclidean", priors.labels(codes), 0)
    residual = X - np.array([X[codes == c].mean(axis=0) for c in range(3)])[codes]
    np.testing.assert_allclose(drawn[0], cdist(residual, residual), atol=1e-6)
