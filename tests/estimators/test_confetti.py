from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import skew
from sklearn.manifold import trustworthiness
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.estimator_checks import check_estimator

from unprior import PriorMissingWarning, factor_out, priors
from unprior.estimators._confetti import Confetti
from unprior.estimators._confetti_neighbors import ConfettiNeighbors
from unprior.operators import factor_on_demand

EMBEDDERS = ["umap", "tsne"]


def purity(Y, labels, k=10):
    """Share of the k nearest on the map that have the same label."""
    nearest = np.argsort(cdist(Y, Y), axis=1)[:, 1 : k + 1]
    return (labels[nearest] == labels[:, None]).mean()


@pytest.fixture
def known_features(two_groups):
    return priors.features(two_groups[0][:, :3])


def brief(embedder, **options):
    """A Confetti that stops early, for tests that do not need a good map."""
    params = {"umap": {"n_epochs": 10}, "tsne": {"n_iter": 10, "early_exaggeration_iter": 10}}
    options.setdefault("random_state", 0)
    return Confetti(embedder=embedder, embedder_params=params[embedder], **options)


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize(
    "options", [{}, {"strength": 2.0, "operator": "linear"}, {"operator": "quantile"}]
)
def test_the_known_split_goes_and_the_hidden_one_stays(
    two_groups, known_features, embedder, options
):
    X, known, hidden = two_groups
    Y = Confetti(embedder=embedder, random_state=0, **options).fit_transform(
        X, prior=known_features
    )
    assert purity(Y, known) < 0.5  # a third by chance, all before
    assert purity(Y, hidden) > 0.9


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_labels_go_too(two_groups, embedder):
    X, known, hidden = two_groups
    Y = Confetti(embedder=embedder, random_state=0).fit_transform(X, prior=priors.labels(known))
    assert purity(Y, known) < 0.5
    assert purity(Y, hidden) > 0.9


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_without_a_prior_it_is_the_plain_embedder(two_groups, embedder):
    X, known, hidden = two_groups
    with pytest.warns(PriorMissingWarning, match="Confetti was fitted without a prior"):
        confetti = Confetti(embedder=embedder, random_state=0).fit(X)
    plain = {"umap": plain_umap, "tsne": plain_tsne}[embedder](X)
    ours, theirs = (trustworthiness(X, Y) for Y in (confetti.embedding_, plain))
    assert ours == pytest.approx(theirs, abs=0.03)
    for labels in (known, hidden):
        ours, theirs = purity(confetti.embedding_, labels), purity(plain, labels)
        assert ours == pytest.approx(theirs, abs=0.05)
    assert confetti.strength_ == 0
    assert confetti.graph_.max() == pytest.approx(cdist(X, X)[confetti.graph_.nonzero()].max())


def plain_umap(X):
    from umap import UMAP

    # Its own search would take seconds to compile; its start and layout are what is compared.
    distances, indices = NearestNeighbors(n_neighbors=15).fit(X).kneighbors(X)
    umap = UMAP(random_state=0, n_jobs=1, precomputed_knn=(indices, distances))
    with pytest.warns(UserWarning, match="not an NNDescent object"):
        return umap.fit_transform(X)


def plain_tsne(X):
    from openTSNE import TSNE

    return np.array(TSNE(random_state=0, neighbors="exact").fit(X))


@pytest.mark.parametrize("embedder", EMBEDDERS)
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(
    two_groups, known_features, embedder
):
    X = two_groups[0]
    maps = [
        brief(embedder, random_state=seed, n_jobs=n_jobs).fit_transform(X, prior=known_features)
        for seed, n_jobs in [(0, 1), (0, 2), (np.random.RandomState(0), None), (1, 1)]
    ]
    np.testing.assert_array_equal(maps[0], maps[1])
    np.testing.assert_array_equal(maps[0], maps[2])
    assert not np.array_equal(maps[0], maps[3])


@pytest.mark.parametrize(
    "options", [{}, {"strength": 1.5, "operator": "linear"}, {"operator": "quantile"}]
)
def test_distances_equal_features(two_groups, known_features, options):
    X = two_groups[0]
    by_features = brief("umap", **options).fit(X, prior=known_features)
    by_distances = brief("umap", metric="precomputed", **options).fit(
        cdist(X, X), prior=priors.distances(known_features.to_array())
    )
    np.testing.assert_array_equal(by_distances.graph_.indices, by_features.graph_.indices)
    np.testing.assert_allclose(by_distances.graph_.data, by_features.graph_.data, rtol=1e-3)


def test_fitted_attributes(two_groups, known_features):
    X = two_groups[0]
    confetti = brief("umap").fit(X, prior=known_features)
    assert confetti.embedding_.shape == (90, 2)
    assert confetti.n_features_in_ == 6
    assert confetti.n_neighbors_ == 14
    assert confetti.neighbor_recall_ == 1.0
    assert confetti.strength_ == 1.0
    factored = factor_on_demand(
        priors.features(X), {"prior": known_features}, operator="balanced", n_neighbors=14
    )
    nearest = factored.operator.neighbors(14).indices
    in_degrees = np.bincount(nearest.ravel(), minlength=90)
    assert confetti.hubness_ == pytest.approx(skew(in_degrees))
    graph = ConfettiNeighbors(14).fit_transform(X, prior=known_features)
    np.testing.assert_array_equal(confetti.graph_.toarray(), graph.toarray())


def test_many_samples_are_looked_up_in_an_index(rng, in_buckets, landmarks):
    landmarks(200)
    X = np.repeat(10 * rng.normal(size=(30, 3)), 40, axis=0) + rng.normal(size=(1200, 3))
    prior = priors.labels(np.arange(1200) % 2)
    truth = brief("umap", strength=0.5).fit(X, prior=prior)
    plain = ConfettiNeighbors(neighbors="exact").fit_transform(X, prior=prior)
    in_buckets(300)
    automatic = brief("umap", strength=0.5).fit(X, prior=prior)
    exact = brief("umap", strength=0.5, neighbors="exact").fit(X, prior=prior)
    assert truth.neighbor_recall_ == exact.neighbor_recall_ == 1
    assert 0.95 <= automatic.neighbor_recall_ < 1
    np.testing.assert_array_equal(exact.graph_.toarray(), truth.graph_.toarray())
    found = ConfettiNeighbors().fit_transform(X, prior=prior)
    assert (found.multiply(plain) > 0).nnz > 0.95 * (plain > 0).nnz


@pytest.mark.parametrize("neighbors", ["auto", "exact"])
def test_without_a_prior_all_pairs_are_looked_at_if_asked(rng, in_buckets, neighbors):
    in_buckets(500)
    X = np.repeat(10 * rng.normal(size=(30, 3)), 60, axis=0) + rng.normal(size=(1800, 3))
    with pytest.warns(PriorMissingWarning):
        fitted = ConfettiNeighbors(neighbors=neighbors).fit(X)
    assert (fitted.neighbor_recall_ == 1) == (neighbors == "exact")


def test_strengths_of_several_priors_are_kept_by_name(two_groups, known_features):
    X, _, hidden = two_groups
    both = {"place": known_features, "kind": priors.labels(hidden)}
    confetti = brief("umap", strength={"kind": 0.5, "place": 1}).fit(X, prior=both)
    assert confetti.strength_ == {"place": 1.0, "kind": 0.5}
    linear = brief("umap", strength={"kind": 2, "place": 1}, operator="linear").fit(X, prior=both)
    assert linear.strength_ == {"place": 1.0, "kind": 2.0}
    F = factor_out(cdist(X, X), {"a": known_features, "b": both["kind"]}, [1, 2])
    edges = linear.graph_.nonzero()
    np.testing.assert_allclose(np.asarray(linear.graph_[edges]).ravel(), F[edges])


def test_automatic_strength_is_reported(two_groups, known_features):
    X = two_groups[0]
    confetti = brief("umap", strength="auto", operator="linear").fit(X, prior=known_features)
    expected = factor_on_demand(priors.features(X), {"prior": known_features}, "auto").strengths[
        "prior"
    ]
    assert confetti.strength_ == expected > 0


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("n_samples", [4, 5, 15, 16])
@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_few_samples_have_a_map(rng, embedder, n_samples, n_components):
    X = rng.normal(size=(n_samples, 3))
    prior = priors.labels(np.arange(n_samples) % 2)
    confetti = brief(embedder, n_components=n_components).fit(X, prior=prior)
    assert confetti.embedding_.shape == (n_samples, n_components)
    assert np.isfinite(confetti.embedding_).all()
    assert confetti.n_neighbors_ == min(n_samples - 1, {"umap": 14, "tsne": 90}[embedder])


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
def test_identical_samples_have_a_map(rng):
    X = np.repeat(rng.normal(size=(6, 2)), 5, axis=0)
    prior = priors.labels(np.arange(30) % 2)
    for embedder in EMBEDDERS:
        assert np.isfinite(brief(embedder, n_neighbors=3).fit_transform(X, prior=prior)).all()


@pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")
def test_keeps_the_contract_of_sklearn_with_tsne_too():
    placed = "a map and the places of the same samples on it differ a little"
    names = ["check_transformer_general", "check_transformer_data_not_an_array"]
    check_estimator(
        brief("tsne", random_state=None),
        expected_failed_checks=dict.fromkeys(names, placed),
        on_skip=None,
    )


@pytest.mark.parametrize(
    "metric", [lambda u, v: np.nan, lambda u, v: -1.0, lambda u, v: np.inf if u[0] > 3 else 1.0]
)
def test_refuses_functions_that_are_no_metric(two_groups, known_features, metric):
    message = "^Confetti: 'metric' takes a function that returns a finite number .*; it returned"
    with pytest.raises(ValueError, match=message):
        Confetti(metric=metric).fit(two_groups[0], prior=known_features)


def test_refuses_similarities_as_data(two_groups, known_features):
    message = r"^Confetti: 'X' takes distances, .*; got 1 at \(0, 0\)\. For similarities K use"
    with pytest.raises(ValueError, match=message):
        Confetti(metric="precomputed").fit(np.corrcoef(two_groups[0]) ** 2, prior=known_features)


def test_refuses_priors_whose_squares_overflow(two_groups):
    message = "holds numbers as large as .*e[+]20[01], whose squares overflow in float64; divide"
    with pytest.raises(ValueError, match=message):
        Confetti().fit(two_groups[0], prior=1e200 * two_groups[0][:, :3])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"strength": -1},
            r"'strength' takes 'auto' or a number of at least 0 or a list .*; got -1\.",
        ),
        ({"strength": "atuo"}, "Did you mean 'auto'"),
        (
            {"operator": "quantile", "strength": 2},
            r"a number in \[0, 1\] with operator=\"quantile\"",
        ),
        (
            {"strength": 2},
            r"a number in \[0, 1\] with operator=\"balanced\" \(a λ above 1",
        ),
        ({"strength": [1.0, 2.0]}, "got 2 for 1 prior"),
        ({"embedder": "umpa"}, "Did you mean 'umap'"),
        ({"embedder_params": [1]}, "'embedder_params' takes None or a dict"),
        ({"neighbors": "fast"}, "'neighbors' takes 'auto' or 'exact'; got"),
        ({"n_neighbors": 0}, "'n_neighbors' takes 'auto' or a whole number of at least 1"),
        ({"scale": "median"}, "'scale' takes 'max' or 'quantile'"),
        ({"n_components": 0}, "'n_components' takes a whole number of at least 1; got 0"),
        ({"strength": np.array(0.5)}, r"'strength' takes .*; got an array of shape \(\)"),
    ],
)
def test_refuses(two_groups, known_features, options, message):
    with pytest.raises(ValueError, match=f"^Confetti: .*{message}"):
        Confetti(**options).fit(two_groups[0], prior=known_features)
