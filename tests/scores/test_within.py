import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.overlap import kept_within as slow_kept_within
from unprior import Residual, priors
from unprior.scores import kept_within
from unprior.scores._within import cut_strata, estimate_within


def shifted(n, seed=0):
    """Data that a batch shifts in two columns, with a hidden split in two others."""
    rng = np.random.default_rng(seed)
    batch, hidden = rng.choice([*"abc"], n), rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 5 * (batch == "b")
    X[:, 1] += 5 * (batch == "c")
    X[:, 2:4] += 6 * np.eye(2)[hidden]
    return X, batch


@pytest.mark.parametrize("k", [1, 5, 30])
@pytest.mark.parametrize("levels", [3, 10**6])
def test_it_equals_its_slow_twin(k, levels):
    rng = np.random.RandomState(k)
    Y = rng.randint(levels, size=(50, 2)).astype(float)
    X = np.round(rng.normal(size=(50, 3)) * levels**0.5)  # with ties, if levels are few
    batch = np.array(["alone", "pair", "pair", *rng.choice([*"abc"], 47)])
    D = cdist(Y, Y), cdist(X, X)
    assert kept_within(Y, X, batch, k) == pytest.approx(slow_kept_within(*D, batch, k))
    age = rng.normal(size=50)
    both = slow_kept_within(*D, cut_strata([priors.labels(batch), priors.features(age)]), k)
    assert kept_within(Y, X, {"batch": batch, "age": age}, k) == pytest.approx(both)
    assert kept_within(Y, X, [batch, age], k) == pytest.approx(both)


@given(seed=st.integers(0, 10**6), k=st.integers(1, 20), scale=st.floats(1e-3, 1e3))
@settings(max_examples=20)
def test_the_data_keep_all_and_no_map_more(seed, k, scale):
    X, batch = shifted(60, seed)
    assert kept_within(X, X, batch, k) == pytest.approx(1)
    order = np.random.RandomState(seed).permutation(60)
    score = kept_within(X[:, :2], X, batch, k)
    assert score <= 1
    again = kept_within(scale * X[order, :2], scale * X[order], batch[order], k)
    assert again == pytest.approx(score, abs=1e-9)


def test_unrelated_maps_keep_nothing():
    X, batch = shifted(300)
    maps = [np.random.RandomState(seed).normal(size=(300, 2)) for seed in range(10)]
    scores = [kept_within(Y, X, batch) for Y in maps]
    assert abs(np.mean(scores)) < 0.02
    assert max(map(abs, scores)) < 0.08


def test_nothing_of_it_is_the_priors_doing():
    X, batch = shifted(300)
    score = kept_within(X[:, 2:4], X, batch)
    # A map of the prior alone keeps nothing, and what it adds to a map or to data is nothing.
    jitter = 1e-6 * np.random.RandomState(0).rand(300, 2)
    alone = np.column_stack([batch == "b", batch == "c"]) + jitter
    assert abs(kept_within(alone, X, batch)) < 0.08
    far = 100.0 * (batch == "a")
    assert kept_within(X[:, 2:4] + far[:, None], X, batch) == pytest.approx(score)
    assert kept_within(X[:, 2:4], X + far[:, None], batch) == pytest.approx(score)


def test_a_residual_that_lost_structure_is_seen():
    """The score of the rest compares with a residual, so it misses what the residual has lost."""
    rng = np.random.default_rng(0)
    X, batch = shifted(300)
    rest = Residual().fit_transform(X, prior=batch)
    assert kept_within(rest, X, batch) == pytest.approx(1, abs=1e-3)
    spoilt = rest.copy()
    spoilt[:, 2:4] = rng.permutation(spoilt[:, 2:4])
    assert kept_within(spoilt, X, batch) < 0.6


def test_numbers_and_other_priors_are_cut_into_strata():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 4))
    hour = rng.uniform(0, 24, 600)
    X[:, 0] = 5 * np.sin(hour * np.pi / 12)
    for prior in (hour, priors.cyclic(hour, 24), priors.features(X[:, :2])):
        assert kept_within(X, X, prior) == pytest.approx(1)
        assert abs(kept_within(rng.normal(size=(600, 2)), X, prior)) < 0.1
    # Without the prior's column nearly all is kept; of that column alone, nearly nothing.
    assert kept_within(X[:, 1:], X, hour) > 0.85
    assert kept_within(X[:, :1], X, hour) < 0.25


def test_strata_are_classes_ranges_or_surroundings():
    rng = np.random.RandomState(0)
    labels = rng.choice([*"xyz"], 600)
    np.testing.assert_array_equal(
        cut_strata([priors.labels(labels)]), np.unique(labels, return_inverse=True)[1]
    )
    age = rng.gamma(2.0, size=600)
    ranges = cut_strata([priors.features(age)])
    assert np.bincount(ranges).tolist() == [50] * 12
    assert (np.diff(ranges[np.argsort(age)]) >= 0).all()
    np.testing.assert_array_equal(cut_strata([priors.features(age[::-1])]), ranges[::-1])
    few = cut_strata([priors.features(np.repeat([1.0, 2.0, 9.0], 200))])
    assert np.bincount(few).tolist() == [200] * 3
    mostly = cut_strata([priors.features(np.r_[np.zeros(500), age[:100]])])
    assert np.bincount(mostly)[0] >= 500
    assert (np.bincount(mostly) > 0).all()
    small = cut_strata([priors.features(age[:90])])
    assert small.max() + 1 == 3
    both = cut_strata([priors.labels(labels), priors.features(age), priors.features(-(age**2))])
    assert both.max() + 1 <= 3 * 3 * 3
    assert len(np.unique(both)) == both.max() + 1
    around = cut_strata([priors.features(rng.normal(size=(600, 2)))])
    assert around.max() + 1 == 12


def test_distances_do_as_features_and_any_metric_is_taken():
    X, batch = shifted(60)
    Y, D = X[:, 2:], cdist(X, X)
    before = D.copy()
    expected = kept_within(Y, X, batch)
    assert kept_within(Y, D, batch, metric="precomputed") == pytest.approx(expected)
    assert kept_within(Y, priors.distances(D), batch) == pytest.approx(expected)
    np.testing.assert_array_equal(D, before)
    city = kept_within(Y, cdist(X, X, "cityblock"), batch, metric="precomputed")
    assert kept_within(Y, X, batch, metric="cityblock") == pytest.approx(city)


def test_some_rows_estimate_all_and_blocks_change_nothing(in_blocks):
    X, batch = shifted(400)
    Y, data = priors.embedding(X[:, 1:3]), priors.features(X)
    strata = cut_strata([priors.labels(batch)])
    exact = kept_within(Y, X, batch)
    some = [estimate_within("me", Y, data, strata, 15, 100, seed) for seed in range(60)]
    spread = np.std([one.value for one in some])
    assert np.mean([one.value for one in some]) == pytest.approx(exact, abs=3 * spread / 7)
    assert np.mean([one.standard_error for one in some]) == pytest.approx(spread, rel=0.3)
    assert kept_within(Y, X, batch, n_rows=100, random_state=3) == some[3].value
    in_blocks(900)
    assert kept_within(Y, X, batch) == pytest.approx(exact, abs=1e-12)


def test_without_anything_to_keep_there_is_no_score():
    Y, batch = np.random.RandomState(0).normal(size=(60, 2)), np.repeat([*"abc"], 20)
    assert np.isnan(kept_within(Y, (batch == "a").astype(float), batch))
    assert np.isnan(kept_within(Y, Y, np.repeat(np.arange(20), 3).astype(str)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "precomputed"}, r"'X' takes a square distance matrix; got shape \(40, 5\)"),
        ({"X": np.ones((39, 2))}, r"'Y' has 40 samples and 'X' 39"),
        ({"prior": [*"ab"]}, r"'prior' has 2 samples, the data 40"),
        ({"prior": {"age": np.ones(40)}}, r"'age' says nothing"),
        ({"k": 40}, r"'k' takes a whole number in \[1, 39\]; got 40"),
        ({"n_rows": 1}, r"'n_rows' takes None"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(options, message):
    X, batch = shifted(40)
    with pytest.raises(ValueError, match=f"^kept_within: .*{message}"):
        kept_within(X[:, :2], **{"X": X, "prior": batch, **options})


@pytest.mark.parametrize("n", [62, 80, 110, 118, 175, 350, 1000])
def test_ranges_of_a_number_have_thirty_samples_or_more(n):
    sizes = np.bincount(cut_strata([priors.features(np.arange(float(n)))]))
    assert len(sizes) == min(n // 30, 12)
    assert sizes.min() >= 30


def test_ranges_of_several_numbers_are_crossed_to_twelve_strata_at_most():
    numbers = np.random.default_rng(0).normal(size=(2, 1000))
    assert cut_strata([priors.features(each) for each in numbers]).max() == 8
