"""What holds for priors of every kind."""

import pickle
from typing import ClassVar

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist, chebyshev
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.model_selection import KFold, cross_validate
from sklearn.utils import _safe_indexing

from reference.priors import RandomTree
from unprior import priors

N = 30


def _priors() -> dict[str, priors.Prior]:
    rng = np.random.default_rng(0)
    Z, places = rng.normal(size=(N, 3)), rng.uniform(-80, 80, size=(2, N))
    letters = rng.choice(list("abc"), N)
    two_islands = nx.disjoint_union(nx.path_graph(N - 8), nx.cycle_graph(8))
    return {
        "labels": priors.labels(letters),
        "features": priors.features(Z),
        "one column": priors.features(Z[:, 0]),
        "single precision": priors.features(Z.astype(np.float32)),
        "cosine": priors.features(Z, metric="cosine"),
        "haversine": priors.features(np.deg2rad(places.T), metric="haversine"),
        "mahalanobis": priors.features(Z, metric="mahalanobis"),
        "callable": priors.features(Z, metric=chebyshev),
        "distances": priors.distances(cdist(Z, Z)),
        "kernel": priors.kernel(Z @ Z.T),
        "geo": priors.geo(*places),
        "cyclic": priors.cyclic(rng.uniform(0, 99, N), 24),
        "tree": priors.tree(RandomTree(N, rng).newick),
        "linkage": priors.tree(linkage(Z, "centroid")),
        "graph": priors.graph(two_islands),
        "table": priors.table(pd.DataFrame({"letter": letters, "z": Z[:, 0]})),
        "embedding": priors.embedding(Z[:, :2]),
        "combined": priors.combine([letters, Z], weights=[1, 3]),
        "several": priors.as_prior({"letter": letters, "z": Z}),
    }


PRIORS = _priors()
every_prior = pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS.keys())


@every_prior
def test_matrix_is_a_distance_matrix(prior):
    D = prior.to_array()
    assert D.shape == prior.shape == (N, N)
    assert D.dtype == np.float64
    assert len(prior) == prior.n_samples == N
    np.testing.assert_array_equal(np.diag(D), 0)
    np.testing.assert_allclose(D, D.T, rtol=1e-12, atol=1e-12)
    assert (D >= 0).all()
    assert D.max() > 0


@every_prior
def test_pairs_are_entries_of_the_block(prior):
    D = prior.to_array()
    i, j = np.divmod(np.arange(N * N), N)
    np.testing.assert_allclose(prior.pairs(i, j), D[i, j], rtol=1e-12, atol=1e-12)
    assert prior.pairs(i, j).dtype == np.float64
    np.testing.assert_allclose(prior.pairs(i[:3], j[:3]), D[i[:3], j[:3]], rtol=1e-12, atol=1e-12)


@every_prior
def test_block_takes_any_whole_numbers(prior):
    D = prior.to_array()
    expected = D[np.ix_([3, 1, 1], [0, 5])]
    for rows, cols in [
        ([3, 1, 1], (0, 5)),
        (np.array([3, 1, 1], dtype=np.uint8), np.array([0, 5], dtype=np.int32)),
        (pd.Series([3, 1, 1]), range(0, 6, 5)),
    ]:
        np.testing.assert_allclose(prior.block(rows, cols), expected, rtol=1e-12, atol=1e-12)
    assert prior.block([], [0, 5]).shape == (0, 2)
    assert prior.pairs([], []).shape == (0,)


@every_prior
def test_block_refuses_a_mask(prior):
    with pytest.raises(TypeError, match="selected by whole numbers; got bool values"):
        prior.block(np.ones(N, dtype=bool), [0])


ROWS = {
    "array": np.array([4, 2, 9, 2]),
    "list": [4, 2, 9],
    "negative": np.array([-1, 0, 3]),
    "mask": np.arange(N) % 3 == 0,
    "list mask": [k % 2 == 0 for k in range(N)],
    "slice": slice(5, 25, 2),
    "backwards": slice(None, None, -1),
    "series": pd.Series([1, 2]),
}


@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS.keys())
@every_prior
def test_slicing_is_slicing_both_axes(prior, rows):
    chosen = np.arange(N)[rows]
    part = prior[rows]
    assert type(part) is type(prior)
    expected = prior.to_array()[np.ix_(chosen, chosen)]
    np.testing.assert_allclose(part.to_array(), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(prior[rows, ...].to_array(), expected, rtol=1e-12, atol=1e-12)
    again = part[[1, 0]]
    np.testing.assert_allclose(again.to_array(), expected[:2, :2].T, rtol=1e-12, atol=1e-12)


@every_prior
def test_one_row_is_a_prior_of_one_sample(prior):
    assert prior[3].shape == (1, 1)
    assert prior[3].is_constant()
    with pytest.raises(IndexError, match=f"{N} is out of bounds"):
        prior[N]


@every_prior
def test_largest_is_the_maximum(prior):
    assert prior.largest() == pytest.approx(prior.to_array().max(), rel=1e-12)
    some = prior[[0, 7, 11, 20, 3]]
    assert some.largest() == pytest.approx(some.to_array().max(), rel=1e-12)


@every_prior
def test_blocks_cover_all_rows(prior, in_blocks):
    in_blocks(7 * N)
    rows, distances = zip(*prior.blocks(), strict=True)
    assert [len(some) for some in rows] == [7, 7, 7, 7, 2]
    np.testing.assert_array_equal(np.concatenate(rows), np.arange(N))
    whole = np.concatenate(distances)
    np.testing.assert_allclose(whole, prior.to_array(), rtol=1e-12, atol=1e-12)


@every_prior
def test_pickle_keeps_the_distances(prior):
    back = pickle.loads(pickle.dumps(prior))
    np.testing.assert_array_equal(back.to_array(), prior.to_array())


@every_prior
def test_is_not_constant_and_says_so(prior):
    assert not prior.is_constant()
    off_diagonal = prior.to_array()[~np.eye(N, dtype=bool)]
    assert off_diagonal.max() > off_diagonal.min()


@every_prior
def test_reads_and_acts_like_data_not_like_a_model_or_a_list(prior):
    assert repr(prior) == f"<prior: {prior.kind}, {N} samples>"
    assert not hasattr(prior, "fit")  # scikit-learn would take it for an estimator
    with pytest.raises(TypeError, match="is not iterable"):
        iter(prior)
    with pytest.raises(TypeError, match=r"call to_array\(\)"):
        np.asarray(prior)


@every_prior
@pytest.mark.parametrize("rows", [[2, 0, 5], np.arange(N) < 4], ids=["numbers", "mask"])
def test_scikit_learn_slices_both_axes(prior, rows):
    chosen = np.arange(N)[rows]
    part = _safe_indexing(prior, rows)
    expected = prior.to_array()[np.ix_(chosen, chosen)]
    np.testing.assert_allclose(part.to_array(), expected, rtol=1e-12, atol=1e-12)


class _Remembers(BaseEstimator):
    __metadata_request__fit: ClassVar = {"prior": True}

    def fit(self, X, y=None, *, prior=None):
        self.rows_, self.prior_ = X[:, 0].astype(int), prior
        return self

    def score(self, X, y=None):
        return 0.0


@every_prior
def test_cross_validation_slices_both_axes(prior):
    X = np.arange(N, dtype=float)[:, None]
    with config_context(enable_metadata_routing=True):
        found = cross_validate(
            _Remembers(), X, cv=KFold(3), params={"prior": prior}, return_estimator=True
        )
    D = prior.to_array()
    for model in found["estimator"]:
        assert model.prior_.n_samples == len(model.rows_) == 20
        expected = D[np.ix_(model.rows_, model.rows_)]
        np.testing.assert_allclose(model.prior_.to_array(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("D", "constant"),
    [
        (np.ones((4, 4)) - np.eye(4), True),
        (np.zeros((4, 4)), True),
        (np.zeros((2, 2)), True),
        # The first row alone looks constant.
        (np.array([[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 2], [1, 1, 2, 0.0]]), False),
        (np.array([[0, 1, 1], [1, 0, 1 + 1e-9], [1, 1 + 1e-9, 0]]), False),
    ],
)
def test_is_constant(D, constant):
    prior = priors.distances(D)
    assert prior.is_constant() is constant
    assert prior.describe_constant() == "one distance throughout"
