"""Lifted points: Euclidean distances give squared distances minus products."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from unprior import priors
from unprior.geometry import StoredDistances
from unprior.neighbors._lift import Lift
from unprior.neighbors._per_stratum import nearest_per_stratum
from unprior.storage import HELD


def lift_of(rng, n, n_axes=3, size=1.0, factor=1.0):
    query_rows, indexed_rows = size * rng.normal(size=(2, n, n_axes))
    return Lift(query_rows, indexed_rows, factor)


def lifted_lines(lift, points):
    everyone = np.arange(len(points))
    return cdist(lift.queries(points, everyone), lift.indexed(points, everyone))


@given(
    st.integers(2, 20),
    st.integers(1, 5),
    st.sampled_from([0.0, 1e-3, 1.0, 1e3]),
    st.sampled_from([0.01, 1.0, 50.0]),
    st.integers(0, 10**6),
)
def test_lines_are_squares_less_products_but_for_what_is_the_same_for_all(
    n, n_axes, size, factor, seed
):
    rng = np.random.default_rng(seed)
    points, lift = rng.normal(size=(n, 4)), lift_of(rng, n, n_axes, size, factor)
    rest = (factor * cdist(points, points)) ** 2 - lift.query_rows @ lift.indexed_rows.T
    lines = lifted_lines(lift, points)
    same = lines**2 - rest
    # A single number is added to each row, which does not change the order.
    largest = np.abs(lines**2).max()
    np.testing.assert_allclose(same, np.tile(same[:, :1], n), atol=1e-12 * largest)


@pytest.mark.parametrize("which", ["query_rows", "indexed_rows"])
def test_nothing_to_take_off_leaves_the_points(rng, which):
    points, lift = rng.normal(size=(15, 3)), lift_of(rng, 15)
    getattr(lift, which)[:] = 0
    lines = lifted_lines(lift, points) ** 2 - cdist(points, points) ** 2
    np.testing.assert_allclose(lines, np.tile(lines[:, :1], 15), atol=1e-12)


@pytest.mark.parametrize("held", [25, 60, 600])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_stored_blocks_are_lifted_as_all_are(store, rng, metric, held):
    X = rng.normal(size=(120, 4)).astype(np.float32)
    strata, counts = np.arange(120) % 3, np.array([20, 9, 5])
    lift = lift_of(rng, 120)
    here = nearest_per_stratum(priors.features(X, metric=metric), strata, counts, lift=lift)
    data = priors.features(store(X, entries=held * 4 // HELD), metric=metric)
    assert isinstance(data, StoredDistances)
    there = nearest_per_stratum(data, strata, counts, lift=lift, n_jobs=2)
    np.testing.assert_array_equal(there.indices, here.indices)
    np.testing.assert_allclose(there.distances, here.distances, rtol=1e-6)


@pytest.mark.parametrize("kind", ["points", "distances"])
@pytest.mark.parametrize("factor", [1.0, 0.2])
def test_the_nearest_are_those_by_squares_less_products(rng, kind, factor, in_blocks):
    in_blocks(11 * 90)
    data, strata = priors.features(rng.normal(size=(90, 4))), np.arange(90) % 2
    lift, D = lift_of(rng, 90, factor=factor), data.to_array()
    data = data if kind == "points" else priors.distances(D)
    nearest = nearest_per_stratum(data, strata, np.array([10, 10]), lift=lift)
    rest = (factor * D) ** 2 - lift.query_rows @ lift.indexed_rows.T
    np.fill_diagonal(rest, np.inf)
    for i in range(90):
        own = [some[np.argsort(rest[i, some])[:10]] for some in np.arange(90).reshape(45, 2).T]
        assert nearest.indices[i].tolist() == np.concatenate(own).tolist()
        np.testing.assert_allclose(nearest.distances[i], D[i, nearest.indices[i]], rtol=1e-4)
