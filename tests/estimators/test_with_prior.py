"""A map with its prior, for tools that pass on data alone, such as topic models."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csc_array, csr_array
from scipy.spatial.distance import cdist
from sklearn import clone
from sklearn.decomposition import PCA
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

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
    """Even if there are as many of them."""
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


def test_the_data_of_fit_are_known_in_any_form(data):
    X, known = data
    X, known = X[:40].copy(), known[:40]
    reducer = up.WithPrior(CONFETTI, known).fit(X)
    for same in (X.tolist(), np.asfortranarray(X), pd.DataFrame(X)):
        np.testing.assert_array_equal(reducer.transform(same), reducer.embedding_)
    sparse = up.WithPrior(CONFETTI, known).fit(csr_array(X))
    np.testing.assert_array_equal(sparse.transform(csc_array(X)), sparse.embedding_)


def test_tables_have_the_names_of_the_axes(data):
    X, known = data
    table = pd.DataFrame(X[:40], index=np.arange(40)[::-1], columns=[f"c{i}" for i in range(14)])
    reducer = up.WithPrior(up.Confetti(random_state=0), known[:40]).set_output(transform="pandas")
    Y = reducer.fit_transform(table)
    assert [*Y.columns] == [*reducer.get_feature_names_out()] == ["confetti0", "confetti1"]
    assert [*Y.index] == [*table.index]
    assert reducer.n_features_in_ == X.shape[1]
    assert [*reducer.feature_names_in_] == [*table.columns]
    assert not hasattr(up.WithPrior(CONFETTI, known), "n_features_in_")
    assert not hasattr(reducer.fit(X[:40]), "feature_names_in_")


def test_copies_and_pickles_are_the_same(data):
    X, known = data
    reducer = up.WithPrior(CONFETTI, known[:40], without_prior=True)
    fitted = clone(reducer).set_params(estimator__n_components=2).fit(X[:40])
    assert CONFETTI.n_components == 5
    assert not hasattr(reducer, "estimator_")
    again = pickle.loads(pickle.dumps(fitted))
    for rows in (slice(40), slice(40, 45)):
        np.testing.assert_array_equal(again.transform(X[rows]), fitted.transform(X[rows]))


def test_kept_labels_travel_with_the_prior(data):
    X, known = data
    tsne = up.IndependentTSNE(n_iter=250, random_state=0)
    reducer = up.WithPrior(tsne, known, keep=known)
    with pytest.warns(up.ConfoundingWarning, match="'prior' does not differ within"):
        reducer.fit(X)
    assert reducer.estimator_.level_ == "kept classes"
    with pytest.raises(TypeError, match=r"^WithPrior: 'keep' is not taken by JEDI"):
        up.WithPrior(up.JEDI(), known, keep=known).fit(X)


def test_distances_to_the_fitted_samples_may_be_as_many(data):
    X, known = data
    D = cdist(X, X)
    tsne = up.JEDI(metric="precomputed", n_iter=30, random_state=0)
    reducer = up.WithPrior(tsne, known[:40], without_prior=True).fit(D[:40, :40])
    assert get_tags(reducer).input_tags.pairwise
    assert not get_tags(up.WithPrior(CONFETTI, known)).input_tags.pairwise
    np.testing.assert_array_equal(reducer.transform(D[:40, :40]), reducer.embedding_)
    assert reducer.transform(D[40:80, :40]).shape == (40, 2)
    assert reducer.transform(D[40:43, :40]).shape == (3, 2)
