"""Confetti's graph of neighbours is made on first access."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from unprior import Confetti, ConfettiNeighbors, priors
from unprior.neighbors import KNNGraph

PARAMS = {"umap": {"n_epochs": 10}, "tsne": {"n_iter": 10, "early_exaggeration_iter": 10}}


def brief(embedder, **options):
    return Confetti(embedder=embedder, embedder_params=PARAMS[embedder], random_state=0, **options)


@pytest.fixture
def known_features(two_groups):
    return priors.features(two_groups[0][:, :3])


@pytest.fixture
def made(monkeypatch):
    """Records whose graphs were made."""
    owners, to_sparse = [], KNNGraph.to_sparse

    def noted(neighbors):
        owners.append(neighbors)
        return to_sparse(neighbors)

    monkeypatch.setattr(KNNGraph, "to_sparse", noted)
    return owners


@pytest.mark.parametrize("embedder", PARAMS)
def test_the_graph_is_made_once_when_it_is_asked_for(two_groups, known_features, made, embedder):
    X = two_groups[0]
    confetti = brief(embedder, n_neighbors=10).fit(X, prior=known_features)
    assert not made
    assert hasattr(confetti, "graph_")
    assert confetti.graph_ is confetti.graph_
    assert len(made) == 1
    graph = ConfettiNeighbors(10).fit_transform(X, prior=known_features)
    np.testing.assert_array_equal(confetti.graph_.toarray(), graph.toarray())


@pytest.mark.parametrize("ask_before", [False, True])
def test_a_fitted_copy_has_the_graph_too(two_groups, known_features, made, ask_before):
    confetti = brief("umap").fit(two_groups[0], prior=known_features)
    if ask_before:
        confetti.graph_  # noqa: B018
    copy = pickle.loads(pickle.dumps(confetti))
    assert len(made) == ask_before
    np.testing.assert_array_equal(copy.graph_.toarray(), confetti.graph_.toarray())
    assert not hasattr(clone(confetti), "graph_")


def test_another_fit_has_another_graph(two_groups, known_features):
    X = two_groups[0]
    confetti = brief("umap").fit(X, prior=known_features)
    first = confetti.graph_
    second = confetti.fit(X[:60], prior=known_features[:60]).graph_
    fresh = brief("umap").fit(X[:60], prior=known_features[:60]).graph_
    assert first.shape == (90, 90)
    np.testing.assert_array_equal(second.toarray(), fresh.toarray())


def test_before_a_fit_there_is_no_graph(two_groups):
    confetti = Confetti(n_neighbors=0)
    assert not hasattr(confetti, "graph_")
    with pytest.raises(ValueError, match="'n_neighbors' takes"):
        confetti.fit(two_groups[0])
    with pytest.raises(NotFittedError, match="This Confetti instance is not fitted yet"):
        confetti.graph_  # noqa: B018
