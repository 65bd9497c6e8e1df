"""Neighbours of samples that are read on demand: the same, to the bit."""

import numpy as np
import pytest

from unprior import priors
from unprior.geometry import StoredDistances
from unprior.geometry._metrics import METRICS
from unprior.neighbors import _tiled, find_neighbors
from unprior.neighbors._tiled import StoredSearch
from unprior.neighbors._tiles import StoredTiles
from unprior.operators import _strata, factor_on_demand
from unprior.operators._strata import strata_of
from unprior.storage._rows import FileRows

COLUMNS = 16


@pytest.fixture
def stored(store, in_tiles, monkeypatch):
    """A function that puts rows on disk, and uses tiles for few samples too."""
    in_tiles(30, 17)
    monkeypatch.setattr(_tiled, "MANY_BLOCKS", 3)
    return lambda array, entries=40 * COLUMNS: store(array, entries=entries)


def assert_same(there, here):
    np.testing.assert_array_equal(there.indices, here.indices)
    np.testing.assert_array_equal(there.distances, here.distances)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "correlation", "l1"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_finds_what_is_found_in_memory(stored, rng, metric, dtype):
    X = rng.normal(size=(300, COLUMNS)).astype(dtype)
    here = find_neighbors(priors.features(X, metric=metric), 7)
    there = find_neighbors(priors.features(stored(X), metric=metric), 7)
    assert_same(there, here)


@pytest.mark.parametrize("scale", ["max", "quantile"])
@pytest.mark.parametrize("operator", ["linear", "quantile"])
@pytest.mark.parametrize("strength", [0.5, "auto"])
def test_finds_what_is_left_in_memory(stored, rng, operator, scale, strength):
    X = rng.normal(size=(300, COLUMNS))
    known = {"age": priors.features(X[:, :2]), "batch": priors.labels(X[:, 3] > 0)}

    def search(X):
        data = priors.features(X)
        factored = factor_on_demand(data, known, strength, operator=operator, scale=scale)
        return find_neighbors(factored, 7)

    assert_same(search(stored(X)), search(X))


@pytest.mark.parametrize("operator", ["linear", "quantile", "balanced"])
@pytest.mark.parametrize("columns", [1, 5, 21, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_stored_prior_is_a_prior(stored, rng, operator, columns, dtype, monkeypatch):
    monkeypatch.setattr(_strata, "READ_ENTRIES", 120 * columns)
    Z = rng.normal(size=(300, columns)).astype(dtype)
    X = np.hstack([3 * Z[:, :3], rng.normal(size=(300, 4))])

    def search(Z):
        data, known = priors.features(X), {"prior": priors.features(Z)}
        return find_neighbors(factor_on_demand(data, known, operator=operator), 7)

    assert_same(search(stored(Z)), search(Z))


@pytest.mark.parametrize("metric", ["cosine", "sqeuclidean", "l1"])
def test_a_stored_prior_has_the_same_strata(stored, rng, metric):
    Z = rng.normal(size=(600, 30))
    here, there = (strata_of(priors.features(z, metric=metric)).codes for z in (Z, stored(Z)))
    np.testing.assert_array_equal(there, here)


def test_the_order_of_the_data_does_not_matter(stored, rng):
    X = np.sort(rng.normal(size=(300, COLUMNS)), axis=0)
    here, there = (
        find_neighbors(priors.features(X), 7),
        find_neighbors(priors.features(stored(X)), 7),
    )
    assert_same(there, here)


def test_ties_are_told_apart_as_in_memory(stored, rng):
    X = rng.integers(0, 2, size=(200, COLUMNS)).astype(np.uint8)
    assert_same(
        find_neighbors(priors.features(stored(X)), 5), find_neighbors(priors.features(X), 5)
    )


@pytest.mark.parametrize(("columns", "k"), [(4, 15), (4, 500), (20_000, 15), (10**8, 15)])
def test_rows_that_look_together_fit_into_memory(columns, k):
    order, none = np.arange(10**6), None
    rows = FileRows("X.npy", 0, (len(order), columns), (4 * columns, 4), np.dtype(np.float32))
    data = StoredDistances(rows, "euclidean", METRICS["euclidean"])
    search = StoredSearch(data, order, none, none, StoredTiles(data, order, 1.0))
    n_rows = search.n_rows(k)
    assert 1 <= n_rows <= _tiled.MOST_ROWS
    assert n_rows == 1 or 4 * n_rows * columns <= _tiled.ROW_BYTES
    assert sum(each.nbytes for each in _tiled.no_candidates(n_rows, k)) <= _tiled.ROW_BYTES
