"""What no embedder could draw is refused before the search."""

from __future__ import annotations

import pytest
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap

from unprior import priors
from unprior.estimators._confetti import Confetti


@pytest.fixture
def fit(two_groups, monkeypatch):
    """Fit a Confetti with these options as far as the search."""
    monkeypatch.setattr(Confetti, "_find_neighbors", None)
    X = two_groups[0]
    return lambda **options: Confetti(random_state=0, **options).fit(
        X, prior=priors.features(X[:, :3])
    )


@pytest.mark.parametrize(
    "embedder", [PCA(2), Isomap(), KMeans(2), Isomap, None, 3, lambda X: X, "trimap"]
)
def test_refuses_what_takes_no_distances(fit, embedder):
    message = r"^Confetti: 'embedder' takes 'umap' or 'tsne' or 'pacmap' or an estimator with metr"
    with pytest.raises(ValueError, match=message):
        fit(embedder=embedder)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"embedder_params": {"n_neighbors": 5}}, "takes no 'n_neighbors', which follows from"),
        ({"embedder_params": {"metric": "l1"}}, "takes no 'metric'"),
        (
            {"embedder": "tsne", "n_components": 4},
            "'n_components' takes at most 3 with embedder='tsne' .*; got 4; lower it",
        ),
        ({"embedder": "tsne", "embedder_params": {"metric": "l1"}}, "takes no 'metric'"),
        (
            {"embedder": "tsne", "embedder_params": {"perplexity": 0.5}},
            "'perplexity' takes a number of at least 1; got 0.5",
        ),
        (
            {"embedder_params": {"init": "pca"}},
            "takes 'random' or 'spectral' or 'tswspectral' or an array as 'init' of umap, which "
            "gets distances and no data; got 'pca'",
        ),
        (
            {"embedder": "tsne", "embedder_params": {"initialization": "pca"}},
            "takes 'random' or 'spectral' or an array as 'initialization' of tsne",
        ),
        (
            {"embedder": Isomap(n_components=3, metric="precomputed")},
            "'n_components' is 2, but the embedder's is 3; give both the same number",
        ),
    ],
)
def test_refuses_settings_that_contradict_it(fit, options, message):
    with pytest.raises(ValueError, match=f"^Confetti: .*{message}"):
        fit(**options)


@pytest.mark.parametrize(
    ("embedder", "name", "message"),
    [
        ("umap", "mindist", "'mindist', which is no setting of umap; did you mean 'min_dist'?"),
        (
            "tsne",
            "zzz",
            "'zzz', which is no setting of tsne; it has callbacks, .*, theta, verbose.",
        ),
        ("tsne", "perplexty", "no setting of tsne; did you mean 'perplexity'?"),
        (Isomap(metric="precomputed"), "n_neighbor", "no setting of Isomap; did you mean 'n_neig"),
    ],
)
def test_refuses_unknown_settings_before_the_search(fit, embedder, name, message):
    message = "^Confetti: 'embedder_params' holds .*" + message.replace("?", r"\?")
    with pytest.raises(ValueError, match=message):
        fit(embedder=embedder, embedder_params={name: 0.5})
