from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
import sklearn
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.exceptions import NotFittedError
from sklearn.manifold import TSNE, Isomap
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from reference import balanced
from reference.confetti import nearest, symmetric_graph
from unprior import PriorMissingWarning, factor_out, priors
from unprior.estimators._base import read_inputs
from unprior.estimators._confetti_neighbors import ConfettiNeighbors
from unprior.operators import factor_on_demand

REASON = "the samples of fit have the graph of fit"


@pytest.fixture
def known_features(two_groups):
    return priors.features(two_groups[0][:, :3])


@pytest.mark.parametrize(
    "options",
    [
        {"operator": "linear"},
        {"strength": 3.0, "operator": "linear", "scale": "quantile"},
        {"operator": "quantile"},
        {"operator": "linear", "strength": "auto"},
    ],
)
def test_graph_holds_the_nearest_in_the_factored_matrix(two_groups, known_features, options):
    X = two_groups[0]
    graph = ConfettiNeighbors(8, **options).fit_transform(X, prior=known_features)
    F = factor_out(cdist(X, X), known_features, options.pop("strength", 1.0), **options)
    expected = symmetric_graph(*nearest(F, 8))
    np.testing.assert_array_equal(graph.toarray() > 0, expected > 0)
    np.testing.assert_allclose(graph.toarray(), np.nan_to_num(expected), atol=1e-12)


@pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
def test_balanced_graph_holds_nearest_candidates(two_groups, known_features, strength):
    X = two_groups[0]
    graph = ConfettiNeighbors(8, strength=strength).fit_transform(X, prior=known_features)
    factored = factor_on_demand(
        priors.features(X), {"z": known_features}, strength, operator="balanced", n_neighbors=8
    )
    F = factored.to_array()
    indices = nearest(F, 8)[0]
    if strength:  # with so few samples all pairs are candidates
        strata, shares = factored.operator.potentials[0].strata, factored.operator.shares
        groups = balanced.group_matrix(strata.codes, strata.classes)
        others = [np.delete(np.arange(len(X)), i).tolist() for i in range(len(X))]
        indices = [
            balanced.nearest_by_shares(i, others[i], groups[i], shares[i], F[i], 8)
            for i in range(len(X))
        ]
    expected = symmetric_graph(np.array(indices), np.take_along_axis(F, np.array(indices), axis=1))
    np.testing.assert_array_equal(graph.toarray() > 0, expected > 0)
    np.testing.assert_allclose(graph.toarray(), np.nan_to_num(expected), rtol=1e-4)


@pytest.mark.parametrize(
    ("options", "operator"),
    [
        ({}, "balanced"),
        ({"strength": 0.5}, "balanced"),
        ({"strength": [1, 1]}, "balanced"),
        ({"strength": "auto"}, "balanced"),
        ({"strength": {"a": 1.0, "b": 0.5}}, "balanced"),
        ({"strength": 2.0, "operator": "linear"}, "linear"),
        ({"operator": "quantile"}, "quantile"),
    ],
)
def test_the_operator_is_balanced_unless_another_is_named(two_groups, options, operator):
    X = two_groups[0]
    known = {"a": priors.features(X[:, 0]), "b": priors.features(X[:, 1])}
    fitted = ConfettiNeighbors(8, **options).fit(X, prior=known)
    assert fitted.operator_ == operator
    again = ConfettiNeighbors(8, **{**options, "operator": operator}).fit(X, prior=known)
    np.testing.assert_array_equal(fitted.graph_.toarray(), again.graph_.toarray())


def test_without_a_prior_it_finds_plain_neighbors(two_groups):
    X = two_groups[0]
    with pytest.warns(PriorMissingWarning, match="ConfettiNeighbors was fitted without a prior"):
        graph = ConfettiNeighbors(6).fit_transform(X)
    plain = KNeighborsTransformer(n_neighbors=6).fit_transform(X)
    np.testing.assert_allclose(graph.toarray(), plain.maximum(plain.T).toarray())


@pytest.mark.parametrize(
    "last",
    [
        TSNE(metric="precomputed", init="random", perplexity=10, max_iter=250, random_state=0),
        Isomap(n_neighbors=31, metric="precomputed"),
    ],
)
def test_in_the_middle_of_a_pipeline(two_groups, last):
    X, known, _ = two_groups
    pipeline = make_pipeline(StandardScaler(), ConfettiNeighbors(31), last)
    graph = ConfettiNeighbors(31).fit_transform(
        StandardScaler().fit_transform(X), prior=priors.labels(known)
    )
    Y = pipeline.fit_transform(X, confettineighbors__prior=priors.labels(known))
    np.testing.assert_array_equal(Y, clone(last).fit_transform(graph))


def test_a_prior_is_routed_to_it(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    with sklearn.config_context(enable_metadata_routing=True):
        pipeline = make_pipeline(StandardScaler(), ConfettiNeighbors(5))
        graph = pipeline.fit_transform(X, prior=prior)
    alone = ConfettiNeighbors(5).fit_transform(StandardScaler().fit_transform(X), prior=prior)
    np.testing.assert_array_equal(graph.toarray(), alone.toarray())


def test_clusters_are_the_hidden_ones(two_groups, known_features):
    X, _, hidden = two_groups
    graph = ConfettiNeighbors(10, operator="quantile").fit_transform(X, prior=known_features)
    radius = np.median(graph.data[graph.data > 0])
    clusters = DBSCAN(eps=radius, min_samples=5, metric="precomputed").fit_predict(graph)
    for cluster in set(clusters) - {-1}:
        share = hidden[clusters == cluster].mean()
        assert max(share, 1 - share) > 0.95
    assert len(set(clusters) - {-1}) >= 2


@pytest.mark.filterwarnings("ignore:Tensorflow not installed")
def test_umap_takes_the_graph(two_groups, known_features):
    from umap import UMAP

    graph = ConfettiNeighbors(15).fit_transform(two_groups[0], prior=known_features)
    umap = UMAP(metric="precomputed", n_epochs=5, random_state=0, n_jobs=1)
    with pytest.warns(UserWarning, match="using precomputed metric"):
        assert np.isfinite(umap.fit_transform(graph)).all()


def test_transform_knows_the_fitted_samples_and_asks_for_the_prior_of_others(two_groups):
    X, known, _ = two_groups
    fitted = ConfettiNeighbors(5).fit(X, prior=priors.labels(known))
    for same in (X, X.copy(), np.asfortranarray(X), X.tolist()):
        np.testing.assert_array_equal(fitted.transform(same).toarray(), fitted.graph_.toarray())
    for other in (X[:50], X[::-1], X + 1e-9):
        with pytest.raises(ValueError, match="needs the prior of new samples"):
            fitted.transform(other)
    with pytest.raises(ValueError, match="X has 5 features, but ConfettiNeighbors is expecting 6"):
        fitted.transform(X[:, :5])
    with pytest.raises(NotFittedError):
        ConfettiNeighbors().transform(X)


def test_transform_knows_distances_that_were_mended(two_groups, known_features):
    D = cdist(two_groups[0], two_groups[0])
    D[3, 4] *= 1 + 1e-9  # rounding, as fit takes it
    neighbors = ConfettiNeighbors(metric="precomputed").fit(D, prior=known_features)
    np.testing.assert_array_equal(neighbors.transform(D).data, neighbors.graph_.data)


def test_a_transformed_graph_is_the_callers_own(two_groups):
    X, known, _ = two_groups
    fitted = ConfettiNeighbors(5).fit(X, prior=priors.labels(known))
    fitted.transform(X).data[:] = 0
    assert fitted.graph_.max() > 0


def test_attributes_and_names(two_groups):
    X, known, hidden = two_groups
    several = {"known": priors.labels(known), "hidden": priors.labels(hidden)}
    fitted = ConfettiNeighbors(200, strength=[1, 0.5]).fit(X, prior=several)
    assert fitted.strength_ == {"known": 1.0, "hidden": 0.5}
    assert fitted.n_neighbors_ == 89
    assert fitted.n_features_in_ == 6
    names = fitted.get_feature_names_out()
    assert (len(names), names[1]) == (90, "confettineighbors1")


def test_distances_equal_features(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    by_features = ConfettiNeighbors(7).fit_transform(X, prior=prior)
    by_distances = ConfettiNeighbors(7, metric="precomputed").fit_transform(
        cdist(X, X), prior=prior
    )
    np.testing.assert_allclose(by_distances.toarray(), by_features.toarray(), rtol=1e-4)


@pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")
def test_keeps_the_contract_of_sklearn():
    refused = dict.fromkeys(
        [
            "check_methods_sample_order_invariance",
            "check_methods_subset_invariance",
        ],
        REASON,
    )
    results = check_estimator(ConfettiNeighbors(), expected_failed_checks=refused, on_skip=None)
    failed = {result["check_name"] for result in results if result["status"] == "xfail"}
    assert failed == refused.keys()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "'n_neighbors' takes a whole number of at least 1"),
        ({"operator": "cubic"}, "'operator' takes 'auto' or 'linear' or 'quantile'"),
        ({"strength": None}, "'strength' takes 'auto' or a number of at least 0"),
        ({"metric": "euclidian"}, "euclidean"),
    ],
)
def test_refuses(two_groups, options, message):
    X, known, _ = two_groups
    with pytest.raises(ValueError, match=f"ConfettiNeighbors: .*{message}"):
        ConfettiNeighbors(**options).fit(X, prior=priors.labels(known))


def test_reads_an_array_on_disk_without_a_copy(tmp_path, rng):
    np.save(tmp_path / "X.npy", rng.normal(size=(20_000, 50)))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    tracemalloc.start()
    with pytest.warns(PriorMissingWarning):
        read, _, _ = read_inputs(ConfettiNeighbors(), X, None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert np.shares_memory(read, X)
    assert peak < X.nbytes / 4
