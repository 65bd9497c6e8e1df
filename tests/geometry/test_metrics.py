"""Every metric against SciPy or scikit-learn, pair by pair."""

import numpy as np
import pytest
from scipy.spatial import distance
from sklearn.metrics.pairwise import haversine_distances, pairwise_distances

from reference.priors import all_pairs
from unprior import priors
from unprior.geometry._metric_choice import WITH_SETTINGS
from unprior.geometry._metric_rows import NO_NEGATIVES
from unprior.geometry._metrics import METRICS, SYNONYMS

BOOLEAN = {"dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule"}


def rows_for(metric):
    rng = np.random.default_rng(1)
    if metric in BOOLEAN:
        rows = rng.integers(0, 2, size=(14, 6)).astype(float)
        rows[:, 0] = 1
        return rows
    if metric in NO_NEGATIVES:
        return rng.random(size=(14, 4)) * rng.integers(0, 2, size=(14, 4)) + np.eye(14, 4) + 0.1
    if metric == "hamming":
        return rng.integers(0, 3, size=(14, 4)).astype(float)
    rows = rng.normal(size=(14, 4))
    rows[3] = rows[5]
    rows[:, 1] *= rows[:, 1] > 0  # some zeros
    return rows


@pytest.mark.parametrize("metric", sorted({*METRICS, "minkowski"} - {"haversine"}))
def test_block_and_pairs_are_those_of_scipy(metric):
    Z = rows_for(metric)
    function = getattr(distance, metric)
    expected = all_pairs(Z.astype(bool) if metric in BOOLEAN else Z, function)
    prior = priors.features(Z, metric=metric)
    i, j = np.divmod(np.arange(Z.shape[0] ** 2), Z.shape[0])
    np.testing.assert_allclose(prior.to_array(), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(prior.pairs(i, j), expected[i, j], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("metric", sorted(METRICS.keys() - {"haversine", "russellrao"}))
def test_equal_rows_are_exactly_zero_apart(metric):
    Z = np.repeat(rows_for(metric), 2, axis=0)
    prior, k = priors.features(Z, metric=metric), np.arange(0, len(Z), 2)
    np.testing.assert_array_equal(prior.pairs(k, k + 1), 0)
    np.testing.assert_array_equal(prior.to_array()[k, k + 1], 0)


@pytest.mark.parametrize(("synonym", "metric"), SYNONYMS.items())
def test_synonyms(synonym, metric, rng):
    Z = rng.normal(size=(6, 3))
    expected = priors.features(Z, metric=metric).to_array()
    np.testing.assert_array_equal(priors.features(Z, metric=synonym).to_array(), expected)


def test_no_name_means_two_things():
    assert METRICS.keys().isdisjoint(WITH_SETTINGS)
    assert {*SYNONYMS}.isdisjoint({*METRICS, *WITH_SETTINGS})
    assert {*SYNONYMS.values()} <= {*METRICS, *WITH_SETTINGS}


def test_haversine_is_that_of_scikit_learn(rng):
    Z = np.column_stack((rng.uniform(-np.pi / 2, np.pi / 2, 20), rng.uniform(-7, 7, 20)))
    prior = priors.features(Z, metric="haversine")
    np.testing.assert_allclose(prior.to_array(), haversine_distances(Z), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("p", [0.5, 1, 1.5, 2, 3, np.inf])
def test_minkowski_with_a_power(p, rng):
    Z = rng.normal(size=(9, 3))
    prior = priors.features(Z, metric="minkowski", metric_params={"p": p})
    expected = distance.cdist(Z, Z, "minkowski", p=p)
    np.testing.assert_allclose(prior.to_array(), expected, rtol=1e-12)
    np.testing.assert_allclose(prior.pairs([0, 1], [5, 6]), expected[[0, 1], [5, 6]], rtol=1e-12)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "cityblock"])
def test_pairs_of_wide_rows_do_not_depend_on_how_many_there_are(metric, rng):
    Z = rng.normal(size=(20, 20_000))
    prior = priors.features(Z, metric=metric)
    i, j = rng.integers(20, size=(2, 300))
    alone = [prior.pairs(i[[place]], j[[place]])[0] for place in range(300)]
    np.testing.assert_array_equal(prior.pairs(i, j), alone)


def test_minkowski_with_weights(rng):
    Z, w = rng.normal(size=(9, 3)), [0.5, 2.0, 1.0]
    prior = priors.features(Z, metric="minkowski", metric_params={"p": 3, "w": w})
    expected = distance.cdist(Z, Z, "minkowski", p=3, w=w)
    np.testing.assert_allclose(prior.to_array(), expected, rtol=1e-12)
    np.testing.assert_allclose(prior.pairs([0, 1], [5, 6]), expected[[0, 1], [5, 6]], rtol=1e-12)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_what_a_metric_learns_it_learns_from_the_whole(metric, rng):
    Z = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 3)) + 5
    prior = priors.features(Z, metric=metric)
    expected = pairwise_distances(Z, metric=metric)
    np.testing.assert_allclose(prior.to_array(), expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(prior[:5].to_array(), expected[:5, :5], rtol=1e-10, atol=1e-10)


def test_given_variances_and_inverse_covariances(rng):
    Z, V, A = rng.normal(size=(9, 3)), np.array([1.0, 4.0, 9.0]), rng.normal(size=(3, 3))
    prior = priors.features(Z, metric="seuclidean", metric_params={"V": V})
    np.testing.assert_allclose(prior.to_array(), distance.cdist(Z, Z, "seuclidean", V=V))
    VI = A @ A.T + np.eye(3)
    prior = priors.features(Z, metric="mahalanobis", metric_params={"VI": VI})
    np.testing.assert_allclose(prior.to_array(), distance.cdist(Z, Z, "mahalanobis", VI=VI))


@pytest.mark.parametrize("constant", [7.0, 0.1])
def test_a_constant_column_adds_nothing_to_standardized_distances(constant, rng):
    z = rng.normal(size=10)
    expected = priors.features(z, metric="seuclidean").to_array()
    both = priors.features(np.column_stack((z, np.full(10, constant))), metric="seuclidean")
    np.testing.assert_allclose(both.to_array(), expected, rtol=1e-12)


def test_a_function_of_two_vectors_and_its_settings(rng):
    Z = rng.normal(size=(6, 2))
    prior = priors.features(
        Z, metric=lambda u, v, by: by * abs(u[0] - v[0]), metric_params={"by": 3}
    )
    np.testing.assert_allclose(prior.to_array(), 3 * np.abs(Z[:, :1] - Z[:, 0]), rtol=1e-12)
    np.testing.assert_allclose(prior.pairs([0], [1]), 3 * abs(Z[0, 0] - Z[1, 0]), rtol=1e-12)


def test_almost_equal_rows_keep_their_small_cosine_distance():
    u, v = np.array([1.0, 0.0]), np.array([1.0, 1e-6])
    prior = priors.features(np.array([u, v]), metric="cosine")
    assert prior.largest() == pytest.approx(5e-13, rel=1e-6)


def test_cosine_of_huge_and_tiny_rows():
    prior = priors.features([[1e200, 0.0], [1e-200, 0.0], [0.0, 1e-200]], metric="cosine")
    np.testing.assert_allclose(prior.to_array(), [[0, 0, 1], [0, 0, 1], [1, 1, 0]], atol=1e-15)


def test_almost_equal_shares_give_no_nan(rng):
    Z = rng.dirichlet(np.ones(7), size=50)
    near = Z * (1 + 1e-9 * rng.normal(size=Z.shape))
    prior = priors.features(np.vstack((Z, near)), metric="jensenshannon")
    np.testing.assert_allclose(prior.to_array()[:50, 50:].diagonal(), 0, atol=1e-7)
    np.testing.assert_allclose(prior.pairs(np.arange(50), np.arange(50, 100)), 0, atol=1e-7)


@pytest.mark.parametrize(
    ("metric", "Z", "match"),
    [
        (
            "cosine",
            [[1.0, 2.0], [0.0, 0.0]],
            "row 1 of 'Z' is all zeros, for which metric='cosine'",
        ),
        ("correlation", [[1.0, 2.0], [0.1, 0.1]], "row 1 of 'Z' is constant, for which"),
        ("braycurtis", [[1.0, 2.0], [0.0, 0.0]], "row 1 of 'Z' is all zeros"),
        ("braycurtis", [[1.0, 2.0], [1.0, -1.0]], "row 1 of 'Z' holds a negative number"),
        ("jensenshannon", [[1.0, 2.0], [1.0, -1.0]], "row 1 of 'Z' holds a negative number"),
        ("dice", [[1.0, 1.0], [0.0, 0.0]], "row 1 of 'Z' is all zeros"),
        ("haversine", [[0.1, 2.0, 3.0]], "takes two columns in 'Z', latitude and longitude; got 3"),
        ("haversine", [[0.1, 2.0], [52.5, 13.4]], "takes radians.*got 52.5 in row 1.*priors.geo"),
        ("mahalanobis", [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], "invertible covariance"),
        ("mahalanobis", [[1.0, 2.0]], "the 2 columns over 1 rows are linearly dependent"),
        (
            "eucldean",
            [[1.0]],
            "takes the name of a metric .* got 'eucldean'. Did you mean 'euclidean'",
        ),
        ("Cosine", [[1.0]], "Did you mean 'cosine'"),
        ("precomputed", [[0.0]], r"is for distances; use priors.distances\(D\) instead"),
        (3, [[1.0]], "or a function of two vectors; got 3"),
    ],
)
def test_metrics_that_do_not_fit_are_refused(metric, Z, match):
    with pytest.raises(ValueError, match=rf"^features: .*{match}"):
        priors.features(Z, metric=metric)


@pytest.mark.parametrize(
    ("metric", "settings", "match"),
    [
        (
            "minkowski",
            {"q": 3},
            "'metric_params' takes 'p' and 'w' with metric='minkowski'; got 'q'",
        ),
        ("euclidean", {"p": 3}, "'metric_params' takes nothing with metric='euclidean'; got 'p'"),
        ("minkowski", {"p": 0}, "'p' takes a number above 0; got 0"),
        ("minkowski", {"p": "2"}, "'p' takes a number above 0; got '2'"),
        ("minkowski", {"p": 3, "w": [1.0]}, "'w' takes 2 positive numbers, one for each column"),
        ("seuclidean", {"V": [1.0, 0.0]}, "'V' takes 2 positive numbers"),
        (
            "mahalanobis",
            {"VI": np.eye(3)},
            r"'VI' takes a positive definite matrix of shape \(2, 2",
        ),
        ("mahalanobis", {"VI": -np.eye(2)}, "'VI' takes a positive definite matrix"),
    ],
)
def test_settings_that_do_not_fit_are_refused(metric, settings, match):
    with pytest.raises(ValueError, match=rf"^features: {match}"):
        priors.features(np.eye(3, 2), metric=metric, metric_params=settings)
