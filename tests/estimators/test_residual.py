import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from reference.residual import least_squares, residual_distances, without_class_means
from unprior import JEDI, PriorMissingWarning, priors
from unprior.estimators._residual import Residual
from unprior.geometry import _classical_scaling


@pytest.fixture
def Z(rng):
    return rng.normal(size=(90, 2))


def neighbors(X):
    return NearestNeighbors(n_neighbors=10).fit(X).kneighbors(return_distance=False)


def shared(A, B):
    return np.mean([len({*a} & {*b}) / len(a) for a, b in zip(A, B, strict=True)])


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_features_are_regressed_out_by_least_squares(two_groups, Z, strength):
    X = two_groups[0]
    found = Residual("linear", strength=strength).fit_transform(X, prior=Z)
    np.testing.assert_allclose(found, least_squares(X, Z, strength), atol=1e-10)


def test_labels_lose_their_class_means(two_groups):
    X, known, _ = two_groups
    found = Residual("linear").fit_transform(X, prior=priors.labels(known))
    np.testing.assert_allclose(found, without_class_means(X, known), atol=1e-10)


def test_very_many_classes_need_no_column_each(rng):
    """As columns, they would be 20 000 × 10 000 numbers."""
    X, known = rng.normal(size=(20_000, 3)), rng.permutation(np.arange(20_000) // 2)
    fitted = Residual("linear").fit(X, prior=priors.labels(known))
    assert fitted.rank_ == 9999
    means = X[np.argsort(known)].reshape(-1, 2, 3).mean(axis=1)
    np.testing.assert_allclose(fitted.transform(X), X - means[known] + X.mean(axis=0), atol=1e-10)


def test_several_are_regressed_out_jointly(two_groups, Z):
    X, known, hidden = two_groups
    several = {"known": priors.labels(known), "age": Z, "hidden": priors.labels(hidden)}
    columns = np.column_stack([np.eye(3)[known], Z, np.eye(2)[hidden]])
    fitted = Residual("linear").fit(X, prior=several)
    np.testing.assert_allclose(fitted.transform(X), least_squares(X, columns), atol=1e-10)
    assert fitted.rank_ == 2 + 2 + 1
    combined = Residual("linear").fit_transform(X, prior=priors.combine(several))
    np.testing.assert_allclose(combined, fitted.transform(X), atol=1e-10)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 4))
def test_a_linear_signal_leaves_nothing_but_the_mean(seed, p, d):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(20, p))
    X = Z @ rng.normal(size=(p, d)) + 3
    left = Residual("linear").fit_transform(X, prior=priors.features(Z))
    np.testing.assert_allclose(left, np.broadcast_to(X.mean(axis=0), X.shape), atol=1e-9)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.floats(-6, 6))
def test_what_is_left_is_uncorrelated_and_the_units_of_the_prior_do_not_matter(seed, exponent):
    rng = np.random.default_rng(seed)
    X, Z = rng.normal(size=(25, 4)), rng.normal(size=(25, 3))
    left = Residual("linear").fit_transform(X, prior=Z)
    np.testing.assert_allclose((Z - Z.mean(axis=0)).T @ left, 0, atol=1e-9)
    np.testing.assert_allclose(left.mean(axis=0), X.mean(axis=0), atol=1e-10)
    again = Residual("linear").fit_transform(left, prior=Z * [1, 10.0**exponent, -1] + 7)
    np.testing.assert_allclose(again, left, atol=1e-7)


def test_an_independent_prior_leaves_the_neighborhoods_nearly_as_they_were(rng):
    X = rng.normal(size=(500, 5))
    unrelated = priors.labels(rng.integers(0, 4, 500))
    left = Residual("linear").fit_transform(X, prior=unrelated)
    assert shared(neighbors(X), neighbors(left)) > 0.75
    related = Residual("linear").fit_transform(X, prior=X[:, :3])
    assert shared(neighbors(X), neighbors(related)) < 0.4


def test_many_unrelated_columns_cost_neighbors_that_other_kinds_keep(rng):
    # Six clusters; regression moves each class by its random excess of some clusters.
    X = rng.normal(size=(400, 20)) + 5 * rng.normal(size=(6, 20))[rng.integers(0, 6, 400)]
    unrelated = priors.labels(rng.integers(0, 20, 400))
    left = Residual("linear").fit_transform(X, prior=unrelated)
    assert shared(neighbors(X), neighbors(left)) < 0.6
    for kind in ("smooth", "aligned"):
        left = Residual(kind).fit_transform(X, prior=unrelated)
        assert shared(neighbors(X), neighbors(left)) > 0.95


@pytest.mark.parametrize(
    "make",
    [
        lambda Z: priors.distances(cdist(Z, Z)),
        lambda Z: priors.kernel(Z @ Z.T),
    ],
)
def test_distances_of_points_are_as_good_as_the_points(two_groups, Z, make):
    X = two_groups[0]
    found = Residual("linear").fit_transform(X, prior=make(Z))
    np.testing.assert_allclose(found, least_squares(X, Z), atol=1e-8)


@pytest.mark.parametrize(
    "make",
    [
        lambda n, rng: priors.geo(rng.uniform(-60, 60, n), rng.uniform(-180, 180, n)),
        lambda n, rng: priors.cyclic(rng.uniform(0, 24, n), period=24),
        lambda n, rng: priors.graph(np.triu(np.ones((n, n)), 1) * (np.arange(n) < 2)),
    ],
)
def test_other_priors_enter_through_their_coordinates(two_groups, rng, make):
    X = two_groups[0]
    prior = make(90, rng)
    axes = _classical_scaling.principal_coordinates(prior, share=0.95, most=10)
    fitted = Residual("linear").fit(X, prior=prior)
    assert fitted.rank_ == axes.shape[1] <= 10
    np.testing.assert_allclose(fitted.transform(X), least_squares(X, axes), atol=1e-8)


def test_the_hour_of_the_day_goes_though_it_is_a_circle(rng):
    hour = rng.uniform(0, 24, 300)
    angle = hour / 24 * 2 * np.pi
    X = np.column_stack([np.cos(angle), np.sin(angle), rng.normal(size=300)])
    left = Residual("linear").fit_transform(X, prior=priors.cyclic(hour, period=24))
    assert left[:, :2].std() < 0.1
    assert left[:, 2].std() > 0.9


def test_many_samples_by_landmarks(rng, monkeypatch):
    monkeypatch.setattr(_classical_scaling, "LANDMARKS", 60)
    Z = rng.normal(size=(400, 3))
    X = rng.normal(size=(400, 4))
    found = Residual("linear").fit_transform(X, prior=priors.distances(cdist(Z, Z)))
    np.testing.assert_allclose(found, least_squares(X, Z), atol=1e-8)


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_distances_in_distances_out(two_groups, Z, strength):
    X = two_groups[0]
    D = cdist(X, X)
    residual = Residual("linear", strength=strength, metric="precomputed")
    found = residual.fit_transform(D, prior=Z)
    left = least_squares(X, Z, strength)
    np.testing.assert_allclose(found, cdist(left, left), atol=1e-6)
    np.testing.assert_array_equal(found, found.T)
    assert not np.diagonal(found).any()
    np.testing.assert_array_equal(residual.transform(D), found)
    with pytest.raises(ValueError, match="knows only the samples it was fitted to"):
        residual.transform(2 * D, prior=Z)


def test_distances_that_no_points_have(two_groups):
    X, known, _ = two_groups
    D = cdist(X, X, "cityblock")
    found = Residual("linear", metric="precomputed").fit_transform(D, prior=priors.labels(known))
    expected = residual_distances(D, np.eye(3)[known], 1.0)
    np.testing.assert_allclose(found, np.sqrt(np.maximum(expected, 0)), atol=1e-6)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_single_precision_stays(two_groups, Z, metric):
    X = two_groups[0]
    data = X if metric == "euclidean" else cdist(X, X)
    double = Residual("linear", metric=metric).fit_transform(data, prior=Z)
    single = Residual("linear", metric=metric).fit_transform(data.astype(np.float32), prior=Z)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, atol=1e-3)


def test_without_a_prior_the_data_pass(two_groups):
    X = two_groups[0]
    with pytest.warns(PriorMissingWarning, match="Residual was fitted without a prior"):
        fitted = Residual("linear").fit(X)
    found = fitted.transform(X[:5])
    np.testing.assert_array_equal(found, X[:5])
    assert not np.shares_memory(found, X)
    assert fitted.rank_ == 0


def test_new_samples_by_stored_coefficients(two_groups, Z):
    X, known, _ = two_groups
    several = {"known": priors.labels(known), "age": priors.features(Z)}
    fitted = Residual("linear", strength=0.7).fit(X, prior=several)
    whole = fitted.transform(X)
    rows = np.array([5, 80, 3])
    # The other order of names, and a class that is missing, must not matter.
    new = {"age": several["age"][rows], "known": several["known"][rows]}
    np.testing.assert_allclose(fitted.transform(X[rows], prior=new), whole[rows], atol=1e-10)
    one = {name: part[[7]] for name, part in several.items()}
    np.testing.assert_allclose(fitted.transform(X[[7]], prior=one), whole[[7]], atol=1e-10)


def test_transform_says_what_it_needs(two_groups, Z):
    X, known, _ = two_groups
    prior = priors.labels(known)
    fitted = Residual("linear").fit(X, prior=prior)
    np.testing.assert_array_equal(
        fitted.transform(X), Residual("linear").fit_transform(X, prior=prior)
    )
    with pytest.raises(ValueError, match=r"needs the prior of new samples.*transform\(X, prior="):
        fitted.transform(X[:5])
    with pytest.raises(ValueError, match="'prior' has 9 samples, the data 5"):
        fitted.transform(X[:5], prior=prior[:9])
    with pytest.raises(ValueError, match=r"takes what fit was given, \['prior'\]; got \['other'\]"):
        fitted.transform(X[:5], prior={"other": prior[:5]})
    with pytest.raises(ValueError, match="'X' holds NaN"):
        fitted.transform(np.full((2, 6), np.nan), prior=prior[:2])
    with pytest.raises(NotFittedError):
        Residual("linear").transform(X)
    by_distances = Residual("linear").fit(X, prior=priors.distances(cdist(Z, Z)))
    with pytest.raises(ValueError, match=r"kind 'distances'.*fit to all samples together"):
        by_distances.transform(X[:5], prior=priors.distances(cdist(Z, Z)[:5, :5]))


def test_a_prior_that_explains_anything_is_refused(two_groups, rng):
    X = two_groups[0]
    with pytest.raises(ValueError, match="89 independent columns, which explain any 90 samples"):
        Residual("linear").fit(X, prior=priors.features(rng.normal(size=(90, 100))))


def test_in_a_pipeline_without_routing(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    pipe = make_pipeline(Residual("linear"), PCA(2, random_state=0))
    ours = pipe.fit_transform(X, residual__prior=prior)
    alone = PCA(2, random_state=0).fit_transform(Residual("linear").fit_transform(X, prior=prior))
    np.testing.assert_array_equal(ours, alone)
    np.testing.assert_allclose(pipe.transform(X), ours, atol=1e-10)


def test_l2_is_euclidean(two_groups, Z):
    X = two_groups[0]
    found = Residual(metric="l2").fit_transform(X, prior=Z)
    np.testing.assert_array_equal(found, Residual().fit_transform(X, prior=Z))


def test_transform_knows_distances_that_were_mended(two_groups, Z):
    D = cdist(two_groups[0], two_groups[0])
    D[3, 4] *= 1 + 1e-9  # rounding, as fit takes it
    residual = Residual("linear", metric="precomputed")
    fitted = residual.fit_transform(D, prior=Z)
    np.testing.assert_array_equal(residual.transform(D), fitted)


def test_with_routing_fit_and_transform_get_the_prior(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(Residual("linear"), PCA(2, random_state=0))
        fitted = pipe.fit_transform(X, prior=prior)
        new = pipe.transform(X[:7], prior=prior[:7])
        aliased = make_pipeline(
            Residual("linear").set_fit_request(prior="batch").set_transform_request(prior="batch"),
            PCA(2, random_state=0),
        ).fit_transform(X, batch=prior)
    np.testing.assert_allclose(new, fitted[:7], atol=1e-10)
    np.testing.assert_array_equal(aliased, fitted)


def test_with_routing_a_map_that_follows_gets_the_prior_too(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    jedi = JEDI(n_iter=10, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        ours = make_pipeline(Residual("linear"), clone(jedi)).fit_transform(X, prior=prior)
    left = Residual("linear").fit_transform(X, prior=prior)
    np.testing.assert_array_equal(ours, jedi.fit_transform(left, prior=prior))


def test_columns_keep_their_names(two_groups):
    pd = pytest.importorskip("pandas")
    X, known, _ = two_groups
    frame = pd.DataFrame(X, columns=list("abcdef"))
    found = (
        Residual("linear")
        .set_output(transform="pandas")
        .fit_transform(frame, prior=priors.labels(known))
    )
    assert [*found.columns] == list("abcdef")


@pytest.mark.parametrize("kind", ["linear", "smooth", "aligned"])
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_threads_of_the_linear_algebra_make_no_difference(rng, kind, metric):
    Z = rng.normal(size=(300, 3))
    X = rng.normal(size=(300, 60))
    X[:, :30] += 2 * Z @ rng.normal(size=(3, 30))
    data = X if metric == "euclidean" else cdist(X, X)
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads, user_api="blas"):
            fitted = Residual(kind, metric=metric).fit(data, prior=Z)
            found.append([fitted.transform(data)])
            if metric == "euclidean":
                found[-1].append(fitted.transform(X[::-1], prior=Z[::-1]))
    for one, two in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)


def test_a_table_if_output_is_set_to_tables(two_groups):
    pd = pytest.importorskip("pandas")
    X, known, _ = two_groups
    prior = priors.labels(known)
    plain = Residual().fit_transform(X, prior=prior)
    with sklearn.config_context(transform_output="pandas"):
        found = Residual().fit_transform(X, prior=prior)
    assert isinstance(found, pd.DataFrame)
    np.testing.assert_array_equal(found, plain)


def test_another_kind_leaves_nothing_of_the_first(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    residual = Residual("linear").fit(X, prior=prior)
    residual.set_params(kind="smooth").fit(X, prior=prior)
    assert not hasattr(residual, "rank_")
    residual.set_params(kind="linear").fit(X, prior=prior)
    assert not hasattr(residual, "n_neighbors_")
    assert residual.rank_ == 2


def test_a_table_of_new_samples_may_say_the_same_of_all(two_groups, Z):
    pd = pytest.importorskip("pandas")
    X, known, _ = two_groups
    table = pd.DataFrame({"batch": known.astype(str), "age": Z[:, 0]})
    fitted = Residual("linear").fit(X, prior=table)
    whole = fitted.transform(X)
    for rows in ([7], np.flatnonzero(known == 1)):
        new = fitted.transform(X[rows], prior=table.iloc[rows])
        np.testing.assert_allclose(new, whole[rows], atol=1e-10)


def test_a_table_is_its_columns(two_groups, Z):
    pd = pytest.importorskip("pandas")
    X, known, _ = two_groups
    table = pd.DataFrame({"batch": known.astype(str), "age": Z[:, 0]})
    fitted = Residual("linear").fit(X, prior=table)
    expected = least_squares(X, np.column_stack([np.eye(3)[known], Z[:, 0]]))
    np.testing.assert_allclose(fitted.transform(X), expected, atol=1e-10)
    np.testing.assert_allclose(
        fitted.transform(X[:20], prior=table[:20]), expected[:20], atol=1e-10
    )
