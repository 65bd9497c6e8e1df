import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from reference.overlap import coherence, purity
from unprior import priors, scores
from unprior.scores import neighbor_coherence, neighbor_purity
from unprior.scores._coherence import reachable


@pytest.mark.parametrize("levels", [3, 10**6])
@pytest.mark.parametrize("k", [1, 4, 24])
def test_both_equal_their_slow_twins(levels, k):
    rng = np.random.RandomState(k)
    Y, age = rng.randint(levels, size=(25, 2)).astype(float), rng.gamma(2.0, size=25)
    labels = rng.choice([*"abc"], 25)
    labels[0] = "alone"
    D = cdist(Y, Y)
    assert neighbor_purity(Y, labels, k) == pytest.approx(purity(D, labels, k))
    expected = coherence(D, np.abs(age[:, None] - age), k)
    assert neighbor_coherence(Y, age, k) == pytest.approx(expected)


def test_purity_counts_neighbors_of_scikit_learn(two_groups):
    X, known, _ = two_groups
    near = NearestNeighbors(n_neighbors=10).fit(X[:, :2]).kneighbors(return_distance=False)
    share = np.mean(known[near] == known[:, None])
    counts = np.bincount(known)
    chance = (counts * (counts - 1)).sum() / (90 * 89)
    assert neighbor_purity(X[:, :2], known, 10) == pytest.approx((share - chance) / (1 - chance))


@given(seed=st.integers(0, 10**6), k=st.integers(1, 19))
@settings(max_examples=30)
def test_purity_is_the_coherence_of_labels(seed, k):
    rng = np.random.RandomState(seed)
    Y, labels = rng.normal(size=(20, 2)), rng.permutation([*"aaaaaaabbbbbbbcccccc"])
    score = neighbor_purity(Y, labels, k)
    assert score == pytest.approx(neighbor_coherence(Y, labels, k))
    assert score == pytest.approx(neighbor_purity(priors.embedding(Y), priors.labels(labels), k))
    assert score <= 1
    order = rng.permutation(20)
    assert score == pytest.approx(neighbor_purity(Y[order], labels[order], k))


def test_chance_is_zero_and_perfection_is_one():
    rng = np.random.RandomState(0)
    labels, values = np.repeat([*"abcd"], 100), rng.normal(size=400)
    maps = [rng.normal(size=(400, 2)) for _ in range(10)]
    assert abs(np.mean([neighbor_purity(Y, labels) for Y in maps])) < 0.01
    assert abs(np.mean([neighbor_coherence(Y, values) for Y in maps])) < 0.01
    apart = maps[0] + 100 * np.repeat(np.arange(4), 100)[:, None]
    assert neighbor_purity(apart, labels) == 1
    assert neighbor_coherence(apart, np.repeat([1.0, 5.0, 7.0, 8.0], 100)) == 1
    # With k = n - 1 all others are neighbours: exactly chance.
    assert neighbor_purity(apart, labels, 399) == pytest.approx(0, abs=1e-12)


def test_classes_smaller_than_k_can_be_perfect():
    rng = np.random.RandomState(0)
    labels = np.repeat([*"abcde"], [1, 4, 10, 16, 40])
    apart = rng.normal(size=(71, 2)) + 100 * np.unique(labels, return_inverse=True)[1][:, None]
    assert neighbor_purity(apart, labels) == pytest.approx(1)
    assert neighbor_coherence(apart, labels) == pytest.approx(1)
    assert neighbor_purity(apart, labels, 40) == pytest.approx(1)
    mixed = [neighbor_purity(rng.normal(size=(71, 2)), labels) for _ in range(100)]
    assert np.mean(mixed) == pytest.approx(0, abs=4 * np.std(mixed) / 10)


def test_integers_are_labels_where_labels_are_asked_for():
    Y = np.arange(8.0)
    labels = [0, 0, 0, 0, 1, 1, 1, 1]
    assert neighbor_purity(Y, labels, 2) == neighbor_purity(Y, [*"aaaabbbb"], 2)
    with pytest.raises(ValueError, match=r"^neighbor_coherence: .*priors\.labels"):
        neighbor_coherence(Y, labels, 2)


@pytest.mark.parametrize("score", [neighbor_purity, neighbor_coherence])
def test_some_rows_estimate_all(score, in_blocks):
    rng = np.random.RandomState(1)
    labels = np.repeat([*"abcd"], [50, 100, 150, 300])
    Y = rng.normal(size=(600, 2)) + 1.5 * (labels == "a")[:, None]
    known = labels if score is neighbor_purity else Y[:, 0] + rng.normal(size=600)
    exact = score(Y, known)
    some = [score(Y, known, n_rows=150, random_state=seed) for seed in range(30)]
    assert np.mean(some) == pytest.approx(exact, abs=0.01)
    assert 0.001 < np.std(some) < 0.05
    assert score(Y, known, n_rows=150, random_state=3) == some[3]
    in_blocks(600 * 7)
    assert score(Y, known) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("Y", "known", "k", "message"),
    [
        (np.zeros((4, 2)), [*"aabb"], 4, r"'k' takes a whole number in \[1, 3\]; got 4\."),
        (np.zeros((4, 2)), [*"aabb"], 2.0, r"'k' takes a whole number in \[1, 3\]; got 2\.0\."),
        (np.zeros((4, 2)), [*"aab"], 1, r"'Y' has 4 samples and '(labels|prior)' 3"),
        (np.zeros((4, 2)), [*"aaaa"], 1, r"says nothing: .*one class only, 'a'"),
        (np.zeros((4, 2)), [*"abcd"], 1, r"says nothing: .*every sample is a class of its own"),
        (
            np.array([[0.0], [np.nan], [1.0], [2.0]]),
            [*"aabb"],
            1,
            r"'Y' holds NaN \(first in row 1",
        ),
        (np.zeros((2, 2)), [*"ab"], 1, r"'Y' takes at least 3 samples; got 2"),
    ],
)
@pytest.mark.parametrize("score", [neighbor_purity, neighbor_coherence])
def test_bad_input_is_refused_in_a_sentence(score, Y, known, k, message):
    with pytest.raises(ValueError, match=f"^{score.__name__}: .*{message}"):
        score(Y, known, k)


def test_the_old_name_of_purity_still_works():
    with pytest.warns(FutureWarning, match=r"^scores.knn_purity is now called .*neighbor_purity"):
        old = scores.knn_purity
    assert old is scores.neighbor_purity
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = scores.nothing


def test_the_largest_coherence_of_small_classes():
    labels = priors.labels(np.repeat([*"ab"], [4, 17]))
    # In a class of four, at most three of fifteen neighbours have the class; in others all.
    chance = np.array([3, 16]) / 20
    most = np.array([3 / 15, 1])
    share = np.array([4, 17]) / 21
    expected = share @ (most - chance) / (share @ (1 - chance))
    assert reachable(labels, 15) == pytest.approx(expected)
    assert reachable(labels, 3) == 1
    assert reachable(labels, 20) == 1  # all are neighbours: there is nothing to reach
    assert reachable(priors.features(np.arange(21.0)), 15) == 1


@pytest.mark.parametrize("score", [neighbor_purity, neighbor_coherence])
@pytest.mark.parametrize("k", [1, 7])
def test_one_neighbour_and_all_others_are_enough(score, k):
    assert np.isfinite(score(np.arange(8.0) ** 2, [*"aaaabbbb"], k))


@pytest.mark.parametrize("score", [neighbor_purity, neighbor_coherence])
def test_without_a_number_there_are_fifteen_neighbours(score):
    Y = np.random.RandomState(0).normal(size=(40, 2))
    assert score(Y, [*"ab"] * 20) == score(Y, [*"ab"] * 20, 15) != score(Y, [*"ab"] * 20, 16)
