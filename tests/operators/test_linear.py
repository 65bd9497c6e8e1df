from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.confetti import linear, nearest
from unprior import factor_out


def euclidean(n, seed, d=3):
    Z = np.random.default_rng(seed).normal(size=(n, d))
    return cdist(Z, Z)


@given(
    st.integers(2, 12),
    st.lists(st.floats(0, 5), min_size=1, max_size=3),
    st.sampled_from(["max", "quantile"]),
    st.integers(0, 10**6),
)
def test_equals_algorithm_1(n, strengths, scale, seed):
    DX, priors = euclidean(n, seed), [euclidean(n, seed + m + 1) for m in range(len(strengths))]
    F = factor_out(DX, priors, strengths, scale=scale)
    np.testing.assert_allclose(F, linear(DX, priors, strengths, scale), rtol=1e-12, atol=1e-14)


@given(
    st.integers(3, 12),
    st.floats(1e-3, 100),
    st.sampled_from(["max", "quantile"]),
    st.sampled_from([1.0, 1e4]),
    st.integers(0, 10**6),
)
def test_is_a_metric_for_every_strength(n, strength, scale, outlier, seed):
    Z = np.random.default_rng(seed).normal(size=(n, 2))
    Z[0] *= outlier
    F = factor_out(euclidean(n, seed + 1), cdist(Z, Z), strength, scale=scale)
    assert (F == F.T).all()
    assert (F.diagonal() == 0).all()
    assert (F[~np.eye(n, dtype=bool)] > 0).all()
    detour = (F[:, :, None] + F[None, :, :]).min(axis=1)  # the best of i -> k -> j over all k
    assert (detour >= F - 1e-12 * F.max()).all()


def test_independent_prior_leaves_neighborhoods_unchanged_on_average():
    DX, DZ = euclidean(6, 0), euclidean(6, 1)
    # All permutations of the prior are equally likely: average over them.
    orders = [np.array(order) for order in permutations(range(6))]
    F = np.mean([factor_out(DX, DZ[order][:, order], 2.0) for order in orders], axis=0)
    shift = (F - DX / DX.max())[~np.eye(6, dtype=bool)]
    np.testing.assert_allclose(shift, shift[0], rtol=1e-12)
    np.testing.assert_array_equal(nearest(F, 5)[0], nearest(DX, 5)[0])


def test_no_strength_leaves_the_scaled_data():
    DX, DZ = euclidean(9, 0), euclidean(9, 1)
    np.testing.assert_array_equal(factor_out(DX, DZ, 0), DX / DX.max())


@pytest.mark.parametrize(("scale", "expected"), [("max", 0.02), ("quantile", 1.0)])
def test_an_outlier_weakens_the_maximum_but_not_the_quantile(scale, expected):
    rng = np.random.default_rng(0)
    DX, Z = euclidean(400, 1), rng.uniform(size=(400, 1))
    Z[0] = 50
    DZ = cdist(Z, Z)
    F = factor_out(DX, DZ, 1.0, scale=scale)
    size = {"max": DX.max(), "quantile": np.quantile(DX[np.triu_indices(400, 1)], 0.99)}[scale]
    removed = (1 - (F - DX / size)) * 2  # the prior's scaled distances
    assert np.quantile(removed[1:, 1:], 0.98) == pytest.approx(expected, rel=0.2)
