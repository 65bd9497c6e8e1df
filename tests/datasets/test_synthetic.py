import numpy as np
import pytest
from sklearn.utils import check_random_state

from unprior.datasets import make_tuning, make_two_factor

RECIPES = [make_two_factor, make_tuning]


def groups(labels):
    return {name: labels == name for name in np.unique(labels)}


@pytest.mark.parametrize("make", RECIPES)
def test_columns_are_known_then_hidden_then_noise(make):
    data = make(50, random_state=0)
    a, b = data.known_features.shape[1], data.hidden_features.shape[1]
    np.testing.assert_array_equal(data.X[:, :a], data.known_features)
    np.testing.assert_array_equal(data.X[:, a : a + b], data.hidden_features)
    assert data.X.shape == (50, {make_two_factor: 14, make_tuning: 10}[make])


@pytest.mark.parametrize("make", RECIPES)
def test_labels_are_words_so_that_as_a_prior_they_are_labels(make):
    data = make(200, random_state=0)
    assert sorted(groups(data.known)) == ["A1", "A2", "A3", "A4"]
    hidden = ["B1", "B2", "B3", "B4"] if make is make_two_factor else ["B1", "B2"]
    assert sorted(groups(data.hidden)) == hidden


def test_two_factor_shares_and_spreads_are_those_of_the_paper():
    data = make_two_factor(40_000, random_state=1)
    for labels, columns in [
        (data.known, data.known_features),
        (data.hidden, data.hidden_features),
    ]:
        for number, members in enumerate(groups(labels).values(), start=1):
            assert members.mean() == pytest.approx(number / 10, abs=0.02)
            assert columns[members].std(axis=0) == pytest.approx(number / 10, rel=0.05)


def test_two_factor_centers_spread_by_two():
    # Many data sets of a single sample each: centre and sample differ by 0.4 at most.
    values = np.concatenate([make_two_factor(1, random_state=s).X[0, :12] for s in range(300)])
    assert values.mean() == pytest.approx(0, abs=0.15)
    assert values.std() == pytest.approx(2.0, abs=0.1)


def test_tuning_centers_shares_and_spreads_are_those_of_the_paper():
    data = make_tuning(20_000, random_state=1)
    for number, members in enumerate(groups(data.known).values()):
        assert members.mean() == pytest.approx(1 / 4, abs=0.02)
        assert data.known_features[members].mean(axis=0) == pytest.approx(
            np.eye(4)[number], abs=0.002
        )
        assert data.known_features[members].std(axis=0) == pytest.approx(0.01, rel=0.05)
    for number, members in enumerate(groups(data.hidden).values()):
        assert members.mean() == pytest.approx(1 / 2, abs=0.02)
        assert data.hidden_features[members].mean(axis=0) == pytest.approx(
            np.eye(2)[number] / 3, abs=0.002
        )
        assert data.hidden_features[members].std(axis=0) == pytest.approx(0.01, rel=0.05)


@pytest.mark.parametrize("make", RECIPES)
def test_the_factors_are_independent_and_the_rest_is_standard_noise(make):
    data = make(40_000, random_state=2)
    for known in groups(data.known).values():
        for hidden in groups(data.hidden).values():
            assert (known & hidden).mean() == pytest.approx(known.mean() * hidden.mean(), abs=0.01)
    first = data.known_features.shape[1] + data.hidden_features.shape[1]
    noise = data.X[:, first:]
    assert noise.mean(axis=0) == pytest.approx(0, abs=0.03)
    assert np.cov(noise.T) == pytest.approx(np.eye(noise.shape[1]), abs=0.03)


@pytest.mark.parametrize("make", RECIPES)
def test_seeds_are_those_of_scikit_learn(make):
    first, again, other = make(20, random_state=3), make(20, random_state=3), make(20, 4)
    np.testing.assert_array_equal(first.X, again.X)
    np.testing.assert_array_equal(first.known, again.known)
    assert not np.array_equal(first.X, other.X)
    np.testing.assert_array_equal(first.X, make(20, check_random_state(3)).X)


@pytest.mark.parametrize("make", RECIPES)
def test_the_global_random_state_stays_where_it_was(make):
    before = np.random.get_state()[1].copy()  # noqa: NPY002 (the state others may rely on)
    make(20, random_state=0)
    np.testing.assert_array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("make", RECIPES)
@pytest.mark.parametrize("n", [0, -3, 2.5, "many"])
def test_a_bad_number_of_samples_is_named(make, n):
    with pytest.raises(ValueError, match=f"{make.__name__}: 'n' takes a whole number of at least"):
        make(n)


def test_the_record_is_frozen():
    data = make_tuning(20, random_state=0)
    with pytest.raises(AttributeError, match="cannot assign to field 'X'"):
        data.X = None
