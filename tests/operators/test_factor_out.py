from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

from unprior import factor_out, priors


@pytest.fixture
def matrices():
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(2, 12, 2))
    return cdist(X, X), cdist(Z, Z)


def test_takes_priors_matrices_and_nested_lists(matrices):
    D, Z = matrices
    expected = factor_out(D, Z)
    for given in (
        priors.distances(Z),
        Z.tolist(),
        [Z],
        [Z.tolist()],
        {"z": Z},
        [priors.distances(Z)],
    ):
        np.testing.assert_array_equal(factor_out(D, given), expected)


def test_each_of_several_priors_is_subtracted(matrices):
    D, Z = matrices
    y = priors.labels(list("aaaabbbbcccc"))
    both = factor_out(D, {"place": Z, "class": y}, {"class": 1.0, "place": 2.0})
    one_by_one = factor_out(D, Z, 2.0) + factor_out(D, y, 1.0) - D / D.max()
    np.testing.assert_allclose(both, one_by_one, atol=1e-14)


@pytest.mark.parametrize(
    ("data", "prior", "options", "message"),
    [
        (np.zeros((3, 3)), 1 - np.eye(3), {}, "all data distances are zero"),
        (1 - np.eye(3), np.zeros((3, 3)), {}, "a prior says nothing: all its distances are zero"),
        (1 - np.eye(3), np.zeros((3, 3)), {"operator": "balanced"}, "a prior says nothing: all"),
        (np.ones((0, 0)), np.ones((0, 0)), {}, "'data_distances' takes .*; got none, shape"),
        ([[0, 1], [1]], 1 - np.eye(2), {}, "'data_distances' takes .* entries differ in shape"),
        (1 - np.eye(3), [1 - np.eye(3), [*"aab"]], {}, "a Prior, or several .* with priors.labels"),
        (1 - np.eye(3), [priors.labels([*"aab"]), [*"aab"]], {}, "or several .* priors.labels"),
        (np.ones((3, 2)), 1 - np.eye(3), {}, "'data_distances' takes a square distance matrix"),
        (1 - np.eye(3), np.eye(3), {}, "'prior_distances' takes distances, zero from a sample"),
        (1 - np.eye(3), 1 - np.eye(4), {}, "has 4 samples"),
        (1 - np.eye(3), 1 - np.eye(3), {"strength": -1}, "'strength' takes a number of at least 0"),
        (1 - np.eye(3), 1 - np.eye(3), {"operator": "lineal"}, "Did you mean 'linear'"),
        (1 - np.eye(3), 1 - np.eye(3), {"scale": "mean"}, "'scale' takes 'max' or 'quantile'"),
    ],
)
def test_refuses(data, prior, options, message):
    with pytest.raises(ValueError, match=f"factor_out: .*{message}"):
        factor_out(data, prior, **options)


def test_refuses_sparse_distances():
    with pytest.raises(TypeError, match="factor_out: 'prior_distances' takes a dense array"):
        factor_out(1 - np.eye(3), csr_matrix(1 - np.eye(3)))


def test_refuses_no_priors_at_all(matrices):
    with pytest.raises(ValueError, match="factor_out: 'prior'"):
        factor_out(matrices[0], [])
