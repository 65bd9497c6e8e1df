from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls
from scipy.spatial.distance import cdist, squareform

from unprior import factor_out, priors
from unprior.operators import factor_on_demand
from unprior.operators._learn import uncorrelated_strengths


@pytest.fixture
def two_parts():
    """Data made of two known parts and a hidden one, all as features."""
    rng = np.random.default_rng(0)
    a, b, hidden = (rng.normal(size=(60, 2)) for _ in range(3))
    return np.hstack([2 * a, b, hidden]), a, b


def correlation(F, DZ):
    return np.corrcoef(squareform(F), squareform(DZ))[0, 1]


@pytest.mark.parametrize("scale", ["max", "quantile"])
def test_auto_leaves_no_correlation_with_one_prior(two_parts, scale):
    X, a, _ = two_parts
    DX, DZ = cdist(X, X), cdist(a, a)
    F = factor_out(DX, DZ, "auto", scale=scale)
    assert correlation(DX, DZ) > 0.5
    if scale == "quantile":  # distances beyond the scale count as equal to it
        DZ = np.minimum(DZ, np.quantile(squareform(DZ), 0.99))
    assert abs(correlation(F, DZ)) < 1e-10


def test_auto_leaves_no_correlation_with_either_of_two_priors(two_parts):
    X, a, b = two_parts
    F = factor_out(cdist(X, X), {"a": cdist(a, a), "b": cdist(b, b)}, "auto")
    assert abs(correlation(F, cdist(a, a))) < 1e-10
    assert abs(correlation(F, cdist(b, b))) < 1e-10


def test_auto_is_twice_the_regression_slope(two_parts):
    X, a, _ = two_parts
    data, prior = priors.features(X), priors.features(a)
    factored = factor_on_demand(data, {"a": prior}, "auto")
    x = squareform(data.to_array()) / data.largest()
    z = squareform(prior.to_array()) / prior.largest()
    assert factored.strengths == {"a": pytest.approx(2 * np.cov(x, z)[0, 1] / z.var(ddof=1))}


def test_auto_adds_no_prior_that_runs_against_the_data():
    rng = np.random.default_rng(1)
    x = rng.uniform(size=500)
    assert uncorrelated_strengths(x, [1 - x]) == 0


@given(st.integers(1, 4), st.integers(0, 10**6))
def test_auto_is_non_negative_least_squares_over_all_pairs(count, seed):
    rng = np.random.default_rng(seed)
    data, known = rng.normal(size=50), [rng.normal(size=50) for _ in range(count)]
    centred = np.column_stack([(z - z.mean()) / 2 for z in known])
    expected = nnls(centred, data - data.mean())[0]
    np.testing.assert_allclose(uncorrelated_strengths(data, known), expected, atol=1e-9)


def test_auto_survives_the_same_prior_twice(two_parts):
    X, a, _ = two_parts
    DZ = cdist(a, a)
    F = factor_out(cdist(X, X), [DZ, DZ], "auto")
    np.testing.assert_allclose(
        np.diff(F - factor_out(cdist(X, X), DZ, "auto"))[0, 1:], 0, atol=1e-9
    )
