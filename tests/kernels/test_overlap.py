import numpy as np
import pytest
from scipy.stats import rankdata

from reference.overlap import enumerated_overlap, membership, row_overlaps
from unprior.kernels._overlap import climb_ranks, expected_overlap


def tied_distances(n, levels, seed):
    """Symmetric distances that take only a few values, hence with many ties."""
    D = np.triu(np.random.RandomState(seed).randint(levels, size=(n, n)), 1).astype(float)
    return D + D.T


def climbs(D):
    distances = D.copy()
    np.fill_diagonal(distances, -np.inf)
    return climb_ranks(distances, np.argsort(distances, axis=1))


def overlap(A, B):
    n = len(A)
    sizes = np.arange(n, dtype=float)
    return expected_overlap(*climbs(A), *climbs(B), np.ones(n), sizes)


@pytest.mark.parametrize("levels", [1, 3, 10**9])
def test_climb_ranks_are_scipys_min_and_max_ranks(levels):
    D = tied_distances(30, levels, 0)
    low, high = climbs(D)
    for i in range(30):
        others = np.arange(30) != i
        np.testing.assert_array_equal(low[i, others], rankdata(D[i, others], "min") - 1)
        np.testing.assert_array_equal(high[i, others], rankdata(D[i, others], "max"))
        assert low[i, i] == 30


@pytest.mark.parametrize(("levels_a", "levels_b"), [(10**9, 10**9), (10**9, 3), (2, 3), (1, 4)])
def test_expected_overlap_equals_the_slow_twin(levels_a, levels_b):
    A, B = tied_distances(20, levels_a, 1), tied_distances(20, levels_b, 2)
    expected = row_overlaps(A, B)
    growth, means = overlap(A, B)
    sizes = np.arange(1, 20)
    np.testing.assert_allclose(
        np.cumsum(growth[1:]) / sizes / 20, expected.mean(axis=0), atol=1e-13
    )
    np.testing.assert_allclose(means, expected.mean(axis=1), atol=1e-13)


def test_the_slow_twin_is_the_mean_over_all_tie_orders():
    for seed in range(3):
        A, B = tied_distances(5, 2, seed), tied_distances(5, 3, seed + 10)
        np.testing.assert_allclose(row_overlaps(A, B).mean(axis=0), enumerated_overlap(A, B))


def test_a_ranking_without_ties_overlaps_with_itself_exactly():
    A = tied_distances(200, 10**9, 4)
    growth, means = overlap(A, A)
    np.testing.assert_array_equal(growth[1:], np.full(199, 200.0))
    np.testing.assert_allclose(means, 1)


def test_a_neighborhood_of_size_k_holds_k_members():
    D = tied_distances(12, 3, 5)
    for k in range(1, 12):
        assert membership(D, 4, k).sum() == pytest.approx(k)


def test_one_tie_of_all_is_chance_for_many_samples():
    n = 3000
    distances = np.zeros((2, n))
    distances[[0, 1], [0, 1]] = -np.inf
    low, high = climb_ranks(distances, np.argsort(distances, axis=1))
    growth, _ = expected_overlap(low, high, low, high, np.ones(2), np.ones(n))
    sizes = np.arange(1, n)
    np.testing.assert_allclose(np.cumsum(growth[1:]) / 2, sizes**2 / (n - 1), rtol=1e-9)


@pytest.mark.compiled
def test_the_largest_neighborhood_holds_everybody():
    A, B = tied_distances(1000, 50, 6), tied_distances(1000, 7, 7)
    growth, _ = overlap(A, B)
    assert growth.sum() == pytest.approx(1000 * 999, rel=1e-12)
