"""Affinities as a record, and the mean of several."""

import numpy as np
import pytest

from unprior import priors
from unprior.affinities import dense_affinities, mean_affinities, sparse_affinities
from unprior.neighbors import find_neighbors


@pytest.mark.parametrize("sparse", [False, True])
def test_the_mean_of_several_is_taken_pair_by_pair(rng, sparse):
    def affinities(source):
        if sparse:
            return sparse_affinities(find_neighbors(source, 9), 3.0)
        return dense_affinities(source, 3.0)

    one, other = (affinities(priors.features(rng.normal(size=(30, 2)))) for _ in range(2))
    mean = mean_affinities([one, other], [0.5, 0.5])
    assert mean.is_sparse == sparse
    dense = [a.matrix.toarray() if sparse else a.matrix for a in (mean, one, other)]
    np.testing.assert_allclose(dense[0], (dense[1] + dense[2]) / 2)
    assert dense[0].sum() == pytest.approx(1)


def test_the_mean_of_one_is_itself(rng):
    one = dense_affinities(priors.features(rng.normal(size=(30, 2))), 3.0)
    assert mean_affinities([one], [1.0]) is one


def test_the_mean_logarithm_counts_every_pair(rng):
    sparse = sparse_affinities(find_neighbors(priors.features(rng.normal(size=(30, 2))), 9), 3.0)
    values = sparse.matrix.data
    assert sparse.log_mean == pytest.approx((values * np.log(values)).sum())
