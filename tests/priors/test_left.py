import numpy as np
import pytest

from unprior import priors, scores
from unprior.neighbors._on_map import map_neighbors
from unprior.priors._left import PriorLeft

N = 90
RNG = np.random.default_rng(0)

KINDS = {
    "labels": priors.labels(RNG.choice([*"abc"], N, p=[0.8, 0.15, 0.05])),
    "small classes": priors.labels(np.arange(N) // 4),
    "number": priors.features(RNG.exponential(size=N)),
    "geo": priors.geo(RNG.uniform(-80, 80, N), RNG.uniform(-180, 180, N)),
    "distances": priors.distances(np.abs(np.subtract.outer(*2 * [RNG.normal(size=N)]))),
}


@pytest.mark.parametrize("k", [1, 15])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_score_of_the_map(kind, k):
    rows, Y = np.arange(N), RNG.normal(size=(N, 2))
    neighbors, _ = map_neighbors(Y, rows, k)
    left = PriorLeft.of(KINDS[kind], k).among(rows, neighbors)
    assert left == pytest.approx(scores.neighbor_coherence(Y, KINDS[kind], k), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_neighbours_dealt_out_at_random_share_nothing(kind):
    measure, rows = PriorLeft.of(KINDS[kind], 15), np.arange(N)
    dealt = [
        measure.among(rows, np.array([RNG.choice(np.delete(rows, i), 15, replace=False)
                                      for i in rows]))
        for _ in range(40)
    ]  # fmt: skip
    assert abs(np.mean(dealt)) < 4 * np.std(dealt) / np.sqrt(40)


def test_the_nearest_in_the_prior_share_all_of_it():
    for prior in (KINDS["labels"], KINDS["small classes"]):
        D = prior.to_array()
        np.fill_diagonal(D, np.inf)
        nearest = np.argsort(D, axis=1, kind="stable")[:, :15]
        assert PriorLeft.of(prior, 15).among(np.arange(N), nearest) == pytest.approx(1)


def test_some_samples_tell_of_all():
    Y = np.random.default_rng(0).normal(size=(N, 1))
    measure, rows = PriorLeft.of(priors.features(Y), 5), np.arange(N)
    full = measure.among(rows, map_neighbors(Y, rows, 5)[0])
    some = RNG.permutation(N)[:60]
    assert full > 0.5
    assert measure.among(some, map_neighbors(Y, some, 5)[0]) == pytest.approx(full, abs=0.1)


def test_a_prior_that_no_map_can_show_is_not_left():
    # With as many neighbours as there are others, all are neighbours of all.
    rows = np.arange(4)
    neighbors = np.array([[j for j in rows if j != i] for i in rows])
    assert PriorLeft.of(priors.labels([*"aabb"]), 3).among(rows, neighbors) == 0


def test_many_samples_are_measured_by_landmarks():
    values = np.random.default_rng(0).normal(size=3000)
    measure = PriorLeft.of(priors.features(values), 15)
    order = np.sort(np.random.default_rng(1).permutation(3000)[:500])
    near, _ = map_neighbors(values[:, None], order, 15)
    exact = scores.neighbor_coherence(values[:, None], priors.features(values))
    assert measure.among(order, near) == pytest.approx(exact, abs=0.02)
