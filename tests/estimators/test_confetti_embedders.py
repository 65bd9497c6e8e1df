from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy.sparse import issparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, clone
from sklearn.manifold import MDS, TSNE, Isomap
from sklearn.utils import get_tags

from unprior import UnpriorWarning, factor_out, priors
from unprior.embedders import _embedders
from unprior.estimators._confetti import Confetti

#: Settings with which t-SNE stops early.
BRIEF = {"n_iter": 5, "early_exaggeration_iter": 5}


class Recorder(BaseEstimator):
    """Stores its input, and returns the first two columns."""

    def __init__(self, metric="precomputed", random_state=None, result=0.0):
        self.metric = metric
        self.random_state = random_state
        self.result = result

    def fit_transform(self, X):
        self.given_ = X
        return np.full((X.shape[0], 2), self.result)


@pytest.fixture
def fit(two_groups):
    """Fit a Confetti with these options on small data with a known part."""
    X = two_groups[0]
    return lambda **options: Confetti(random_state=0, **options).fit(
        X, prior=priors.features(X[:, :3])
    )


def test_umap_sees_nothing_of_the_data_but_the_neighbors(fit, rng):
    confetti = fit(operator="linear", strength=2.0, embedder_params={"n_epochs": 20})
    other = clone(confetti.embedder_)
    with pytest.warns(UserWarning, match="not an NNDescent object"):
        other.fit(rng.normal(size=(90, 4)))
    np.testing.assert_array_equal(other.embedding_, confetti.embedding_)


def test_umap_gets_our_start_unless_given_one(fit, rng):
    assert fit(embedder_params={"n_epochs": 5}).embedder_.init.shape == (90, 2)
    init = rng.normal(size=(90, 2))
    given = fit(embedder_params={"n_epochs": 5, "init": init})
    np.testing.assert_array_equal(given.embedder_.init, init)


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
@pytest.mark.parametrize(
    ("embedder", "params"),
    [
        ("umap", {"init": "spectral", "n_epochs": 5}),
        ("umap", {"init": "tswspectral", "n_epochs": 5}),
        ("umap", {"init": "random", "n_epochs": 5}),
        ("tsne", {"initialization": "spectral", "n_iter": 5, "early_exaggeration_iter": 5}),
        ("tsne", {"initialization": "random", "n_iter": 5, "early_exaggeration_iter": 5}),
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_takes_starts_that_need_no_data(rng, embedder, params, apart):
    X = rng.normal(size=(80, 3))
    X[:, 2] += 500 * apart * (np.arange(80) % 4)
    prior = priors.labels(rng.integers(2, size=80))
    confetti = Confetti(embedder=embedder, embedder_params=params, n_neighbors=6, random_state=0)
    assert (confetti.fit_transform(X, prior=prior).std(axis=0) > 0).all()
    assert (connected_components(confetti.graph_)[0] > 1) == apart


class Noted(BaseEstimator):
    """Stands for UMAP: keeps its settings and those of its layout, and draws nothing."""

    # Needed to place new samples.
    _a, _b, repulsion_strength, negative_sample_rate = 1.0, 1.0, 1.0, 5

    def __init__(self, *sizes, densmap=False, **settings):
        self.settings = settings

    def fit(self, X, **layout):
        self.layout = layout
        self.embedding_ = np.zeros((len(X), 2))
        self._rhos, self._sigmas = np.zeros(len(X)), np.ones(len(X))
        return self


@pytest.mark.parametrize("seed", [None, 0, np.random.RandomState(0)])
def test_umap_is_seeded_and_lays_out_on_all_threads(two_groups, seed, monkeypatch):
    umap = umap_given(two_groups[0], monkeypatch, n_jobs=2, random_state=seed)
    assert umap.settings["n_jobs"] == 1  # for all but the layout
    assert isinstance(umap.settings["random_state"], int)
    assert umap.layout["n_jobs"] == 2


@pytest.mark.parametrize("seed", [None, 0])
def test_densmap_runs_on_several_threads_without_a_seed_alone(two_groups, seed, monkeypatch):
    several = min(2, numba.config.NUMBA_NUM_THREADS) if seed is None else 1
    options = {"n_jobs": 2, "random_state": seed, "embedder_params": {"densmap": True}}
    settings = umap_given(two_groups[0], monkeypatch, **options).settings
    assert settings["n_jobs"] == several
    assert (settings["random_state"] is None) == (several > 1)


@pytest.mark.parametrize("n_components", [5, 88, 95])
def test_umap_draws_any_number_of_dimensions(fit, n_components):
    confetti = fit(n_components=n_components, embedder_params={"n_epochs": 5})
    assert confetti.embedding_.shape == (90, n_components)


def umap_given(X, monkeypatch, **options):
    """The stand-in for UMAP in a fit, with its inputs."""
    monkeypatch.setattr(_embedders.UMAP, "model", staticmethod(lambda: Noted))
    return Confetti(**options).fit(X, prior=priors.features(X[:, :3])).embedder_


def test_tsne_takes_a_given_start(fit, rng):
    init = rng.normal(size=(90, 2))
    params = {"initialization": init, "n_iter": 0, "early_exaggeration_iter": 0}
    np.testing.assert_array_equal(fit(embedder="tsne", embedder_params=params).embedding_, init)


@pytest.mark.parametrize(("perplexity", "n_neighbors"), [(5, 15), (10.5, 31)])
def test_perplexity_sets_the_neighbors(fit, perplexity, n_neighbors):
    confetti = fit(embedder="tsne", embedder_params={"perplexity": perplexity, **BRIEF})
    assert confetti.n_neighbors_ == n_neighbors
    assert confetti.embedder_.affinities.effective_perplexity_ == perplexity


def test_fewer_neighbors_lower_the_perplexity(fit):
    confetti = fit(embedder="tsne", n_neighbors=12, embedder_params=BRIEF)
    assert confetti.embedder_.affinities.effective_perplexity_ == 4


@pytest.mark.parametrize(
    ("options", "message", "used"),
    [
        ({"n_neighbors": 15}, "'n_neighbors' of 15; 5 is used.*or set n_neighbors=60", 5),
        ({"perplexity": 500}, "500 in 'embedder_params' is .* for 90 samples; 29.7 is", 89 / 3),
    ],
)
def test_a_perplexity_that_cannot_be_had_warns(fit, options, message, used):
    params = {"perplexity": options.pop("perplexity", 20), **BRIEF}
    with pytest.warns(UnpriorWarning, match=f"^Confetti: the 'perplexity' of .*{message}") as told:
        confetti = fit(embedder="tsne", embedder_params=params, **options)
    assert told[0].filename == __file__
    assert confetti.embedder_.affinities.effective_perplexity_ == pytest.approx(used)


def test_params_reach_the_embedder(fit):
    assert fit(embedder_params={"min_dist": 0.7, "n_epochs": 5}).embedder_.min_dist == 0.7
    params = {"n_iter": 5, "early_exaggeration_iter": 5, "theta": 0.25}
    tsne = fit(embedder="tsne", embedder_params=params).embedder_
    assert tsne.gradient_descent_params["theta"] == 0.25
    assert fit(embedder=Recorder(), embedder_params={"result": 7.0}).embedding_.max() == 7


def test_estimators_get_the_factored_matrix(fit, two_groups):
    X = two_groups[0]
    given = fit(embedder=Recorder(), operator="linear", strength=2.0).embedder_.given_
    F = factor_out(cdist(X, X), priors.features(X[:, :3]), 2.0)
    np.testing.assert_allclose(given, F, atol=1e-12)


def test_estimators_get_the_graph_of_many_samples(fit, monkeypatch):
    monkeypatch.setattr(_embedders, "MAX_DENSE", 50)
    confetti = fit(embedder=Recorder())
    assert issparse(confetti.embedder_.given_)
    np.testing.assert_array_equal(confetti.embedder_.given_.toarray(), confetti.graph_.toarray())


def test_estimators_are_copied_and_seeded(fit):
    embedder, seeded = Recorder(), Recorder(random_state=7)
    used = fit(embedder=embedder).embedder_
    assert embedder.random_state is None
    assert not hasattr(embedder, "given_")
    assert isinstance(used.random_state, int)
    assert fit(embedder=seeded).embedder_.random_state == 7


class UntoldRecorder(Recorder):
    """Has no tags."""

    __sklearn_tags__ = property()


@pytest.mark.filterwarnings("ignore::FutureWarning")  # names of its options are changing
def test_estimators_that_take_no_graph_are_refused_before_the_search(fit, monkeypatch):
    monkeypatch.setattr(_embedders, "MAX_DENSE", 50)
    assert issparse(fit(embedder=UntoldRecorder()).embedder_.given_)
    monkeypatch.setattr(Confetti, "_find_neighbors", None)
    message = "^Confetti: 'embedder' MDS takes only dense distances, .* 50 samples; got 90; use"
    with pytest.raises(ValueError, match=message):
        fit(embedder=MDS(dissimilarity="precomputed"))


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize(
    "embedder",
    [
        Isomap(n_neighbors=80, metric="precomputed"),
        TSNE(metric="precomputed", init="random", perplexity=8, max_iter=250),
    ],
)
def test_sklearn_draws_dense_and_sparse(fit, embedder, many, monkeypatch):
    monkeypatch.setattr(_embedders, "MAX_DENSE", 50 if many else 90)
    if many and not get_tags(embedder).input_tags.sparse:
        pytest.skip("this version of scikit-learn does not say that it takes sparse distances")
    assert np.isfinite(fit(embedder=embedder).embedding_).all()


def test_isomap_draws_more_dimensions_than_can_be_seen(fit):
    isomap = Isomap(n_components=5, n_neighbors=80, metric="precomputed")
    assert fit(embedder=isomap, n_components=5).embedding_.shape == (90, 5)


@pytest.mark.parametrize("n_components", [1, 2])
def test_tsne_of_sklearn_starts_from_distances_as_ours_does(fit, n_components):
    given = TSNE(n_components, metric="precomputed", perplexity=8, max_iter=250)
    used = fit(embedder=given, n_components=n_components).embedder_
    assert given.init == "pca"  # its own, which takes data
    assert used.init.shape == (90, n_components)
    assert used.init.std() == pytest.approx(1e-4, rel=0.01)
    assert np.isfinite(used.embedding_).all()


@pytest.mark.filterwarnings("ignore::FutureWarning")  # names of its options are changing
def test_mds_draws_dissimilarities(fit):
    embedding = fit(embedder=MDS(dissimilarity="precomputed", n_init=1, max_iter=5)).embedding_
    assert embedding.shape == (90, 2)


def test_a_map_with_holes_is_no_map(fit):
    with pytest.raises(FloatingPointError, match="left 90 of 90 samples without a place"):
        fit(embedder=Recorder(result=np.nan))


def test_a_failing_fit_leaves_the_map_as_it_was(fit, two_groups):
    X, confetti = two_groups[0], fit(embedder=Recorder(result=7.0))
    confetti.set_params(embedder=Recorder(result=np.nan))
    with pytest.raises(FloatingPointError):
        confetti.fit(X, prior=priors.features(X[:, :3]))
    assert (confetti.embedding_ == 7).all()
    assert confetti.embedder_.result == 7


@pytest.mark.parametrize("embedder", ["umap", "tsne", "pacmap"])
def test_a_seed_of_the_embedder_is_one_of_all(two_groups, embedder):
    if embedder == "pacmap":
        pytest.importorskip("pacmap")
    X, known, _ = two_groups
    confetti = Confetti(embedder=embedder, embedder_params={"random_state": 3})
    first, second = (confetti.fit_transform(X, prior=priors.labels(known)) for _ in range(2))
    np.testing.assert_array_equal(first, second)
