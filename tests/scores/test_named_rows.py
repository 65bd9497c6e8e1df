"""Single scores match rows by the index of pandas, or refuse, as reports do."""

import numpy as np
import pytest

from unprior import scores

pd = pytest.importorskip("pandas")

N = 60


@pytest.fixture
def named(rng):
    """A map, data and labels with the same index, and two numbers."""
    names = [f"s{k}" for k in range(N)]
    kind = rng.choice(["a", "b"], N)
    X = rng.normal(size=(N, 4)) + 4 * (kind == "a")[:, None]
    return {
        "Y": pd.DataFrame(X[:, :2] + rng.normal(size=(N, 2)), index=names),
        "X": pd.DataFrame(X, index=names),
        "kind": pd.Series(kind, index=names),
        "age": pd.Series(rng.normal(size=N), index=names),
    }


SCORES = {
    "neighbor_purity": lambda Y, X, kind, age: scores.neighbor_purity(Y, kind),
    "class_purity": lambda Y, X, kind, age: scores.class_purity(Y, kind),
    "neighbor_coherence": lambda Y, X, kind, age: scores.neighbor_coherence(Y, age),
    "left_within": lambda Y, X, kind, age: scores.left_within(Y, age, kind),
    "overlap_area": lambda Y, X, kind, age: scores.overlap_area(Y, kind),
    "trustworthiness": lambda Y, X, kind, age: scores.trustworthiness(X, Y),
    "kept_within": lambda Y, X, kind, age: scores.kept_within(Y, X, {"kind": kind}),
    "rest_kept": lambda Y, X, kind, age: scores.rest_kept(Y, X, kind),
    "confounding": lambda Y, X, kind, age: scores.confounding(kind, {"age": age}).value,
}


@pytest.mark.parametrize("name", SCORES)
def test_rows_in_another_order_are_matched_and_others_refused(named, name):
    # Data in the order of the map, all else shuffled: distances are summed in the same order.
    other = {
        what: value if what in "XY" else value.sample(frac=1, random_state=k)
        for k, (what, value) in enumerate(named.items())
    }
    if name == "confounding":
        other["kind"] = named["kind"]
    if name == "trustworthiness":
        other["Y"] = named["Y"].sample(frac=1, random_state=9)
    assert SCORES[name](**other) == SCORES[name](**named)
    renamed = {**named, "kind": named["kind"].set_axis(range(N)), "age": named["age"]}
    renamed["age"] = named["age"].set_axis(range(5, N + 5))
    if name == "trustworthiness":
        renamed["Y"] = named["Y"].set_axis(range(N))
    with pytest.raises(ValueError, match=rf"^{name}: the index of '\w+' does not match that of "):
        SCORES[name](**renamed)


def test_a_prior_made_of_a_series_is_matched_too(named):
    from unprior import priors

    want = scores.neighbor_coherence(named["Y"], named["age"])
    age = priors.features(named["age"].sample(frac=1, random_state=0))
    assert scores.neighbor_coherence(named["Y"], age) == pytest.approx(want)
    assert scores.neighbor_coherence(np.asarray(named["Y"]), named["age"]) == want
