import numpy as np
import pytest

from unprior import priors
from unprior.geometry import principal_coordinates
from unprior.residual._regressors import count_columns, learn_regressors, single_priors


def test_labels_become_indicators_also_of_new_samples():
    how, columns = learn_regressors(priors.labels(["b", "a", "c", "a"]))
    np.testing.assert_array_equal(columns, [[0, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 0]])
    new = how.reader.read("me", "batch", priors.labels(["c"]))
    np.testing.assert_array_equal(how.columns(new), [[0, 0, 1]])


def test_features_become_what_their_metric_looks_at(rng):
    Z = rng.normal(size=(20, 3)) + 4
    how, columns = learn_regressors(priors.features(Z))
    np.testing.assert_array_equal(columns, Z)
    np.testing.assert_array_equal(how.columns(Z[:4]), Z[:4])
    _, on_sphere = learn_regressors(priors.features(Z, metric="cosine"))
    np.testing.assert_allclose(np.linalg.norm(on_sphere, axis=1), 1)


def test_what_a_metric_learnt_holds_for_new_samples(rng):
    Z = rng.normal(size=(20, 2)) * [1, 9]
    how, columns = learn_regressors(priors.features(Z, metric="seuclidean"))
    new = how.reader.read("me", "age", priors.features(Z[:5], metric="seuclidean"))
    np.testing.assert_allclose(how.columns(new), columns[:5])


def test_other_priors_become_principal_coordinates(rng):
    hours = priors.cyclic(rng.uniform(0, 24, 50), period=24)
    how, columns = learn_regressors(hours)
    np.testing.assert_array_equal(columns, principal_coordinates(hours, share=0.95, most=10))
    assert 2 <= columns.shape[1] <= 10
    with pytest.raises(ValueError, match=r"'cyclic', which enters .* by principal coordinates"):
        how.reader.read("me", "hour", hours)


@pytest.mark.parametrize(
    "prior",
    [
        priors.labels(["b", "a", "c", "a"]),
        priors.features(np.eye(4)[:, :3]),
        priors.geo(lat=[0, 1, 2, 4], lon=[3, 7, 5, 0]),
    ],
)
def test_columns_are_counted_before_they_are_made(prior):
    assert count_columns(prior) >= learn_regressors(prior)[1].shape[1]


def test_combined_priors_are_their_parts():
    both = priors.combine({"batch": ["a", "b", "b"], "age": [20.0, 40.0, 30.0]})
    parts = dict(single_priors({"prior": both, "sex": priors.labels(["f", "m", "f"])}))
    assert {name: part.kind for name, part in parts.items()} == {
        "prior: batch": "labels",
        "prior: age": "features",
        "sex": "labels",
    }
