import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.overlap import class_purities
from unprior import priors
from unprior.scores import class_purity, neighbor_purity, report
from unprior.scores._class_purity import ClassPurities, estimate_classes
from unprior.scores._distances import read_map
from unprior.scores._neighbors import search_map


def worst(Y, labels, role):
    rows = report(Y, **{role: {"it": labels}}).rows
    return [(row.detail, row.score) for row in rows if row.measure == "worst_class_purity"]


@pytest.mark.parametrize("levels", [3, 10**6])
@pytest.mark.parametrize("k", [1, 4, 15, 24])
def test_it_equals_its_slow_twin(levels, k):
    rng = np.random.RandomState(k)
    Y = rng.randint(levels, size=(25, 2)).astype(float)
    labels = np.array(["alone", *rng.choice([*"abc"], 24)])
    expected = class_purities(cdist(Y, Y), labels, k)
    assert class_purity(Y, labels, k) == pytest.approx(expected, abs=1e-12)
    assert "alone" not in expected


def test_a_large_class_below_chance_does_not_hide_a_small_one_above():
    few = np.repeat([False, True], [270, 30])
    labels = np.where(few, "few", "most")
    half = np.triu(np.random.RandomState(0).uniform(1, 2, size=(300, 300)), 1)
    D = half + half.T
    # The few are near to each other, and a little nearer than chance to all.
    D[np.ix_(few, few)] -= 0.2
    D[few[:, None] != few] -= 0.02
    np.fill_diagonal(D, 0)
    Y = priors.distances(D)
    found = class_purity(Y, labels)
    assert abs(neighbor_purity(Y, labels)) < 0.03
    assert found["few"] > 0.3
    assert found["most"] < -0.3
    assert worst(Y, labels, "prior") == [("few", pytest.approx(found["few"]))]
    assert worst(Y, labels, "hidden") == [("most", pytest.approx(found["most"]))]


@given(seed=st.integers(0, 10**6), k=st.integers(1, 18), n_classes=st.integers(2, 5))
@settings(max_examples=30)
def test_the_mean_over_reachable_shares_is_the_purity(seed, k, n_classes):
    rng = np.random.RandomState(seed)
    labels = np.arange(20) % n_classes
    Y = rng.normal(size=(20, 2))
    sizes = np.bincount(labels)
    span = np.minimum(k, sizes - 1) / k - (sizes - 1) / 19
    found = class_purity(Y, labels, k)
    assert [*found] == [*range(n_classes)]
    assert max(found.values()) <= 1 + 1e-12
    mean = np.average([*found.values()], weights=sizes * span)
    assert mean == pytest.approx(neighbor_purity(Y, labels, k), abs=1e-9)


def test_a_perfect_map_gives_every_class_one_however_small():
    labels = np.repeat([*"abcd"], [2, 7, 30, 61])
    Y = 1000.0 * np.repeat(np.arange(4), [2, 7, 30, 61]) + np.random.RandomState(0).rand(100)
    assert class_purity(Y, labels) == pytest.approx(dict.fromkeys("abcd", 1.0))
    assert neighbor_purity(Y, labels) == pytest.approx(1)


def test_where_all_are_neighbors_every_class_is_at_chance():
    labels = np.repeat([*"ab"], [4, 8])
    assert class_purity(np.arange(12.0), labels, 11) == pytest.approx({"a": 0, "b": 0}, abs=1e-12)


def test_the_worst_is_the_farthest_from_chance_of_a_prior_and_the_lowest_of_hidden_labels():
    rng = np.random.RandomState(0)
    labels = np.repeat([*"abc"], 40)
    Y = rng.normal(size=(120, 2)) + 8 * (labels == "c")[:, None]
    found = class_purity(Y, labels)
    assert worst(Y, labels, "prior") == [("c", pytest.approx(found["c"]))]
    low = min(found, key=found.get)
    assert low in {"a", "b"}
    assert worst(Y, labels, "hidden") == [(low, pytest.approx(found[low]))]


def test_the_worst_is_not_the_smallest_class_by_luck():
    rng = np.random.RandomState(1)
    labels = np.array([f"pair {i // 2}" for i in range(400)] + ["large"] * 400)
    Y = rng.normal(size=(800, 2))
    # Some of 200 pairs are neighbours by chance; they do not count as the worst class.
    assert max(class_purity(Y, labels).values()) == 1
    assert [name for name, _ in worst(Y, labels, "prior")] == ["large"]
    assert worst(Y[:400], labels[:400], "prior") == []
    # Nor are many classes of a dozen each.
    dozens = np.repeat(np.arange(80), 12)[:800].astype(str)
    ((_, score),) = worst(Y, rng.permutation(dozens), "prior")
    assert abs(score) < 0.2


def test_few_rows_score_all_of_small_classes_and_a_hundred_of_large_ones():
    rng = np.random.RandomState(0)
    labels = np.repeat([*"abc"], [1500, 400, 50])
    Y = rng.normal(size=(1950, 2)) + (labels == "b")[:, None]
    exact, known = class_purity(Y, labels), priors.labels(labels)
    at = read_map("me", Y)
    misses = []
    for seed in range(30):
        few = estimate_classes(at, search_map("me", at, 15, 60, seed), known, 15, seed)
        assert few.n_scored.tolist() == [100, 100, 50]
        assert few.purity[2] == pytest.approx(exact["c"])
        assert few.standard_error[2] == 0
        wide = (few.purity[:2] - [exact["a"], exact["b"]]) / few.standard_error[:2]
        misses.append(wide)
    assert np.abs(misses).max() < 4
    assert 0.7 < np.std(misses) < 1.4
    some = class_purity(Y, labels, n_rows=60, random_state=3)
    assert some == class_purity(Y, labels, n_rows=60, random_state=3)
    assert some != class_purity(Y, labels, n_rows=60, random_state=4)


@pytest.mark.parametrize(
    ("labels", "k", "message"),
    [
        ([*"aabb"], 4, r"'k' takes a whole number in \[1, 3\]; got 4\."),
        ([*"aab"], 1, r"'Y' has 4 samples and 'labels' 3"),
        ([*"aaaa"], 1, r"'labels' says nothing: .*one class only, 'a'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(labels, k, message):
    with pytest.raises(ValueError, match=f"^class_purity: .*{message}"):
        class_purity(np.zeros((4, 2)), labels, k)


def test_the_worst_class_has_ten_scored_samples_or_more():
    def worst_of(n_scored, *, lowest=False):
        purity = np.array([0.3, -0.5])
        classes = ClassPurities(np.array([2, 5]), purity, np.array([0.1, 0.2]), np.array(n_scored))
        found = classes.worst(lowest=lowest)
        return None if found is None else (found[0], found[1].value, found[1].standard_error)

    assert worst_of([10, 9]) == (2, 0.3, 0.1)
    assert worst_of([10, 10]) == (5, -0.5, 0.2)
    assert worst_of([9, 9]) is None
    assert worst_of([30, 30], lowest=True) == (5, -0.5, 0.2)


def test_the_standard_error_of_a_class_is_that_of_a_mean():
    rng = np.random.RandomState(0)
    labels = priors.labels(np.repeat([*"ab"], [300, 200]))
    Y = read_map("me", rng.normal(size=(500, 2)))
    some = search_map("me", Y, 5, 450, 0)
    found = estimate_classes(Y, some, labels, 5, 0)
    near = some.at(5)
    shares = near.sum(labels.codes[some.rows][near.row] == labels.codes[near.column], 450) / 5
    for code, size in enumerate([300, 200]):
        own = shares[labels.codes[some.rows] == code]
        chance = (size - 1) / 499
        error = own.std(ddof=1) * np.sqrt((1 - len(own) / size) / len(own)) / (1 - chance)
        assert found.standard_error[code] == pytest.approx(error)
        assert found.purity[code] == pytest.approx((own.mean() - chance) / (1 - chance))
