"""A map with its prior, for tools that pass on data alone, such as topic models."""

import numpy as np
import pytest
from sklearn import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline

import unprior as up

N_FIT, N_NEW = 160, 40

CONFETTI = up.Confetti(5, random_state=0, embedder_params={"n_epochs": 10})


@pytest.fixture(scope="module")
def data():
    data = up.datasets.make_two_factor(N_FIT + N_NEW, random_state=0)
    return data.X, data.known.astype(str)


class TopicModel:
    """What BERTopic does with its ``umap_model``: fit, with y if it is taken, then transform."""

    def __init__(self, umap_model):
        self.umap_model = umap_model

    def fit(self, embeddings, y=None):
        try:
            self.umap_model.fit(embeddings, y=y)
        except TypeError:
            self.umap_model.fit(embeddings)
        self.reduced = self.transform(embeddings)
        return self

    def transform(self, embeddings):
        return np.nan_to_num(self.umap_model.transform(embeddings))


@pytest.mark.parametrize("y", [None, np.zeros(N_FIT)])
def test_topic_models_take_it_as_their_reducer(data, y):
    X, known = data
    reducer = up.WithPrior(CONFETTI, known[:N_FIT])
    topics = TopicModel(reducer).fit(X[:N_FIT], y)
    fitted = clone(CONFETTI).fit(X[:N_FIT], prior=known[:N_FIT])
    np.testing.assert_array_equal(topics.reduced, fitted.embedding_)
    np.testing.assert_array_equal(reducer.embedding_, fitted.embedding_)
    with pytest.raises(ValueError, match=r"^WithPrior: .*'new_prior'.* without_prior=True"):
        topics.transform(X[N_FIT:])
    reducer.new_prior = known[N_FIT:]
    expected = fitted.transform(X[N_FIT:], prior=known[N_FIT:])
    np.testing.assert_array_equal(topics.transform(X[N_FIT:]), expected)
    reducer.set_params(new_prior=None, without_prior=True)
    alone = fitted.transform(X[N_FIT:], without_prior=True)
    np.testing.assert_array_equal(topics.transform(X[N_FIT:]), alone)


def test_new_samples_are_not_taken_for_fitted_ones(data):
    """Even if they are as many."""
    X, known = data
    reducer = up.WithPrior(CONFETTI, known[:40]).fit(X[:40])
    reducer.new_prior = known[40:80]
    assert not np.array_equal(reducer.transform(X[40:80]), reducer.embedding_)


def test_pipelines_take_it_without_routing(data):
    X, known = data
    pipe = make_pipeline(PCA(5, random_state=0), up.WithPrior(CONFETTI, known[:N_FIT]))
    assert pipe.fit_transform(X[:N_FIT]).shape == (N_FIT, 5)
    pipe[-1].new_prior = known[N_FIT:]
    assert pipe.transform(X[N_FIT:]).shape == (N_NEW, 5)


def test_refuses_what_places_no_samples(data):
    X, known = data
    with pytest.raises(ValueError, match=r"^WithPrior: 'estimator' takes an IndependentTSNE, JEDI"):
        up.WithPrior(PCA(2), known).fit(X)
    with pytest.raises(ValueError, match=r"^WithPrior: 'estimator' takes"):
        up.WithPrior(up.ConditionalTSNE(), known).fit(X)
