"""Combined priors against the formula, and several that stay apart."""

import numpy as np
import pytest

import unprior.priors._combined as module
from unprior import priors
from unprior._frames import align, names_of_rows


@pytest.fixture
def parts(rng):
    return {"batch": rng.choice(list("abc"), 40), "age": rng.normal(50, 9, size=40)}


def mean_distance(prior):
    D = prior.to_array()
    return D[~np.eye(len(D), dtype=bool)].mean()


def by_hand(parts, weights):
    total = 0
    for part, weight in zip(parts.values(), weights, strict=True):
        prior = priors.as_prior(part)
        total = total + weight / sum(weights) * prior.to_array() / mean_distance(prior)
    return total


@pytest.mark.parametrize("weights", [None, [1, 1], [3, 1], {"age": 1, "batch": 3}])
def test_the_distance_is_the_weighted_sum(parts, weights):
    numbers = [3, 1] if weights in ([3, 1], {"age": 1, "batch": 3}) else [1, 1]
    prior = priors.combine(parts, weights)
    np.testing.assert_allclose(prior.to_array(), by_hand(parts, numbers), rtol=1e-12)
    np.testing.assert_allclose(prior.weights, np.array(numbers) / sum(numbers), rtol=1e-15)
    assert mean_distance(prior) == pytest.approx(1)
    assert [*prior.parts] == ["batch", "age"]
    assert isinstance(prior.parts["batch"], priors.Labels)


def test_parts_of_a_list_are_numbered(parts):
    assert [*priors.combine([*parts.values()]).parts] == ["prior 1", "prior 2"]


def test_a_part_keeps_the_scale_of_the_whole(parts):
    whole = priors.combine(parts)
    some = whole[:10]
    np.testing.assert_array_equal(some.scales, whole.scales)
    np.testing.assert_allclose(some.to_array(), whole.to_array()[:10, :10], rtol=1e-12)


def test_many_samples_are_scaled_by_a_fixed_subset(rng, monkeypatch):
    z = rng.normal(size=600)
    exact = mean_distance(priors.features(z))
    monkeypatch.setattr(module, "MEAN_SAMPLES", 300)
    first, second = (priors.combine([z, rng.normal(size=600)]) for _ in range(2))
    assert first.scales[0] == second.scales[0] != exact
    assert first.scales[0] == pytest.approx(exact, rel=0.1)


def test_combined_priors_combine_again(parts):
    inner = priors.combine(parts)
    outer = priors.combine({"both": inner, "age": parts["age"]})
    assert outer.parts["both"] is inner
    np.testing.assert_allclose(outer.scales[0], 1)


def test_several_are_combined_with_equal_weights_and_stay_apart(parts):
    several = priors.as_prior(parts)
    assert isinstance(several, priors.Several)
    np.testing.assert_allclose(several.to_array(), by_hand(parts, [1, 1]), rtol=1e-12)
    assert priors.as_prior(several) is several
    assert isinstance(several[:5], priors.Several)
    combined = priors.combine(several, [1, 3])
    assert type(combined) is priors.Combined
    np.testing.assert_allclose(combined.to_array(), by_hand(parts, [1, 3]), rtol=1e-12)


@pytest.mark.parametrize(
    ("given", "weights", "match"),
    [
        ({}, None, "'priors' is empty"),
        ([], None, "'priors' is empty"),
        ({"a": list("xyx"), "b": [0.1, 0.2]}, None, "'b' has 2 samples, 'a' 3; it takes one entry"),
        (
            {"a": list("xxx"), "b": [0.1, 0.2, 0.3]},
            None,
            r"'a' says nothing: .*\(one class only, 'x",
        ),
        ({"a": list("xyx"), "b": [7.0, 7.0, 7.0]}, None, r"'b' says nothing: .*\(one distance"),
        ({"a": list("xyx"), "b": [1, 2, 3]}, None, r"'b' holds integers.*priors.labels\(y\) or"),
        ([list("xyx"), [0.1, 0.2, 0.3]], [1], "'weights' takes 2 positive numbers.*got .1.0"),
        ([list("xyx"), [0.1, 0.2, 0.3]], [1, 0], "'weights' takes 2 positive numbers"),
        ([list("xyx"), [0.1, 0.2, 0.3]], [1, np.nan], "'weights' takes 2 positive numbers"),
        (
            [list("xyx"), [0.1, 0.2, 0.3]],
            {"a": 1},
            "'weights' takes one number for each of .'prior 1'",
        ),
    ],
)
def test_bad_combinations_are_refused(given, weights, match):
    with pytest.raises(ValueError, match=rf"^combine: {match}"):
        priors.combine(given, weights)


@pytest.mark.parametrize("single", [["a", "b"], np.ones(3), priors.labels(["a", "b"])])
def test_a_single_prior_is_nothing_to_combine(single):
    with pytest.raises(
        TypeError, match=r"^combine: 'priors' takes several priors in a list or dict"
    ):
        priors.combine(single)


def test_a_rare_flag_that_no_draw_meets_has_its_weight(rng):
    drawn = np.random.default_rng(0).choice(5000, module.MEAN_SAMPLES, replace=False)
    flag = np.zeros(5000, dtype=bool)
    flag[np.setdiff1d(np.arange(5000), drawn)[:2]] = True
    both = priors.combine([priors.labels(flag), priors.labels(rng.integers(2, size=5000))])
    assert both.scales[0] == pytest.approx(2 * 2 * 4998 / (5000 * 4999), rel=1e-3)
    assert np.isfinite(both.block(np.arange(4), np.arange(5000))).all()


class TestNames:
    """Parts with an index are matched by it, and the whole keeps it."""

    @pytest.fixture
    def series(self, parts):
        pd = pytest.importorskip("pandas")
        names = [f"s{k}" for k in range(40)]
        return {name: pd.Series(values, index=names) for name, values in parts.items()}

    @pytest.mark.parametrize("make", [priors.combine, priors.as_prior])
    def test_parts_in_another_order_are_matched(self, parts, series, make):
        shuffled = {"batch": series["batch"], "age": series["age"].sample(frac=1, random_state=0)}
        prior = make(shuffled)
        np.testing.assert_array_equal(prior.to_array(), make(parts).to_array())
        assert [*names_of_rows(prior)] == [*series["batch"].index]

    def test_a_combined_prior_is_matched_with_the_data(self, parts, series):
        order = np.random.default_rng(0).permutation(40)
        prior = priors.combine({name: part.iloc[order] for name, part in series.items()})
        got = align("embed", "prior", prior, series["age"].index)
        np.testing.assert_allclose(got.to_array(), priors.combine(parts).to_array())

    def test_parts_with_other_names_are_refused(self, series):
        other = series["age"].set_axis(range(40))
        with pytest.raises(ValueError, match="index of 'age' does not match"):
            priors.combine({"batch": series["batch"], "age": other})
