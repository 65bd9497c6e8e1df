import numpy as np
import pytest

from unprior import priors
from unprior.residual._new_samples import read_new
from unprior.residual._regressors import own_names, single_priors


def test_labels_are_read_as_classes_of_fit():
    reader = priors.labels(["b", "a", "c", "a"]).reader()
    np.testing.assert_array_equal(reader.read("me", "batch", priors.labels(["c", "b"])), [2, 1])
    with pytest.raises(ValueError, match=r"^me: 'batch' has the class 'd', which no sample had"):
        reader.read("me", "batch", priors.labels(["a", "d"]))
    with pytest.raises(ValueError, match=r"'batch' was a prior of labels in fit; got .* features"):
        reader.read("me", "batch", priors.features([1.0]))


def test_features_are_read_as_they_are(rng):
    Z = rng.normal(size=(20, 3))
    reader = priors.features(Z).reader()
    np.testing.assert_array_equal(reader.read("me", "age", priors.features(Z[:4])), Z[:4])
    with pytest.raises(ValueError, match=r"^me: 'age' had 3 columns in fit; got 2"):
        reader.read("me", "age", priors.features(Z[:, :2]))
    with pytest.raises(ValueError, match=r"'age' was a prior of features in fit; got .* labels"):
        reader.read("me", "age", priors.labels(["a"]))


@pytest.mark.parametrize("metric", ["l1", "cosine", "seuclidean", np.dot])
def test_features_have_the_metric_of_fit(rng, metric):
    Z = np.abs(rng.normal(size=(20, 3)))
    reader = priors.features(Z, metric=metric).reader()
    for new in (priors.features(Z[:4], metric=metric), read_new("me", Z[:4], 4, {})["prior"]):
        np.testing.assert_array_equal(reader.read("me", "age", new), Z[:4])
    with pytest.raises(ValueError, match=r"^me: 'age' takes .* of fit, .*; got 'chebyshev'; make"):
        reader.read("me", "age", priors.features(Z[:4], metric="chebyshev"))


def test_functions_cannot_be_told_apart(rng):
    Z = rng.normal(size=(20, 3))
    reader = priors.features(Z, metric=lambda u, v: abs(u - v).sum()).reader()
    new = priors.features(Z[:4], metric=lambda u, v: abs(u - v).sum())
    np.testing.assert_array_equal(reader.read("me", "age", new), Z[:4])


def test_parts_of_a_lone_prior_have_their_own_names():
    b, f = priors.labels([*"abb"]), priors.features([1.0, 2.0, 4.0])
    told = {"prior: batch": b, "prior: age": f}
    assert own_names(told) == {"batch": b, "age": f}
    several = {**told, "meta: batch": b}
    assert own_names(several) == several
    assert own_names({"prior": b}) == {"prior": b}


def test_places_are_read_as_points_of_the_sphere():
    reader = priors.geo(lat=[0, 50, 10], lon=[0, 60, 20]).reader()
    new = priors.geo(lat=[0], lon=[90])
    np.testing.assert_allclose(reader.read("me", "place", new), [[0, 1, 0]], atol=1e-12)
    with pytest.raises(ValueError, match=r"^me: 'place' was a prior of geo in fit; got .* labels"):
        reader.read("me", "place", priors.labels(["a"]))


def test_positions_have_the_period_of_fit():
    reader = priors.cyclic([1.0, 8.0, 20.0], period=24).reader()
    new = priors.cyclic([25.0, 3.0], period=24)
    np.testing.assert_array_equal(reader.read("me", "hour", new), [1, 3])
    with pytest.raises(ValueError, match=r"^me: 'hour' takes .* period of fit, 24; got 7; make"):
        reader.read("me", "hour", priors.cyclic([1.0], period=7))
    with pytest.raises(ValueError, match=r"'hour' was a prior of cyclic in fit; got .* features"):
        reader.read("me", "hour", priors.features([1.0]))


def test_other_priors_are_refused():
    D = priors.distances([[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match=r"^me: 'way' is a prior of the kind 'distances', .*tog"):
        D.reader().read("me", "way", D)


@pytest.mark.parametrize(
    "told",
    [
        lambda df: df,
        lambda df: df[["batch"]],
        lambda df: {"meta": df, "age": df["age"]},
        lambda df: [df, [df["batch"], df["age"]]],
        lambda df: [*df["batch"]],
        lambda df: priors.as_prior(df),
    ],
)
def test_names_are_those_of_fit(told):
    pd = pytest.importorskip("pandas")
    df = pd.DataFrame({"batch": [*"abab"], "age": [1.0, 2.0, 3.0, 4.0]})
    fitted = dict(single_priors(priors.parts_of(told(df), 4, who="me")))
    new = dict(single_priors(read_new("me", told(df), 4, {})))
    assert {n: p.kind for n, p in new.items()} == {n: p.kind for n, p in fitted.items()}


@pytest.mark.parametrize("rows", [[2], [1, 3]])
def test_new_samples_may_be_all_alike(rows):
    pd = pytest.importorskip("pandas")
    df = pd.DataFrame({"batch": [*"abab"], "age": [1.0, 2.0, 3.0, 2.0]}).iloc[rows]
    new = read_new("me", {"meta": df, "both": [df["age"], df["batch"]]}, len(rows), {})
    assert [*new] == ["meta: batch", "meta: age", "both: prior 1", "both: prior 2"]
    assert new["meta: batch"].classes.tolist() == [df["batch"].iloc[0]]
    np.testing.assert_array_equal(new["both: prior 1"].values[:, 0], df["age"])


def test_a_table_must_make_sense():
    pd = pytest.importorskip("pandas")
    twice = pd.DataFrame([["a", 1.0]], columns=["batch", "batch"])
    with pytest.raises(ValueError, match=r"^me: 'prior': two columns are called 'batch'"):
        read_new("me", twice, 1, {})
    with pytest.raises(ValueError, match=r"^me: 'prior: age' holds integers, .*say which"):
        read_new("me", pd.DataFrame({"batch": ["a"], "age": [3]}), 1, {})
    with pytest.raises(ValueError, match=r"^me: 'prior: batch' has 1 samples, the data 2"):
        read_new("me", pd.DataFrame({"batch": ["a"], "age": [3.0]}), 2, {})
