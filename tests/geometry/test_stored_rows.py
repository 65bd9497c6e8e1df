"""Distances between stored rows are those of the rows in memory, to the bit."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist

from unprior import priors
from unprior.geometry import StoredDistances, _stored_rows
from unprior.geometry._stored_rows import farthest_apart, find_spread
from unprior.storage import HELD
from unprior.storage._rows import FileRows

METRICS = ["euclidean", "sqeuclidean", "l1", "cosine", "correlation", "seuclidean", "braycurtis"]


@pytest.fixture
def stored(store):
    """A function that puts rows on disk, of which few are read at a time."""
    return partial(store, entries=40)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_features_in_memory(stored, rng, metric, dtype):
    Z = rng.uniform(size=(60, 7)).astype(dtype)
    there, here = priors.features(stored(Z), metric=metric), priors.features(Z, metric=metric)
    assert isinstance(there, StoredDistances)
    assert repr(there) == "<prior: stored features, 60 samples>"
    rows, cols = rng.integers(60, size=20), np.arange(60)
    np.testing.assert_array_equal(there.block(rows, cols), here.block(rows, cols))
    i, j = rng.integers(60, size=(2, 100))
    np.testing.assert_array_equal(there.pairs(i, j), here.pairs(i, j))
    assert there.largest() == here.largest()
    assert there.is_constant() is False


def test_no_reading_holds_many_rows_however_wide_they_are(stored, rng, monkeypatch):
    there = priors.features(stored(rng.uniform(size=(100, 20))), metric="l1")
    read, lengths = FileRows._read, []

    def count(self, rows):
        values = read(self, rows)
        lengths.append(len(values))
        return values

    monkeypatch.setattr(FileRows, "_read", count)
    there.largest()
    there.block(np.arange(100), np.arange(100))
    assert max(lengths) <= HELD * 40 // 20


def test_a_part_is_in_memory(stored, rng):
    Z = rng.normal(size=(20, 3))
    part = priors.features(stored(Z))[[4, 2, 9]]
    assert isinstance(part, priors.Features)
    np.testing.assert_array_equal(part.values, Z[[4, 2, 9]])


def test_is_small_when_sent(stored, rng):
    prior = priors.features(stored(rng.normal(size=(2000, 20))))
    prior.largest()
    assert len(pickle.dumps(prior)) < 2000 * 8 + 2000


def test_rows_without_a_distance_are_named(stored):
    Z = np.ones((30, 4))
    Z[23] = 0
    with pytest.raises(ValueError, match=r"^features: row 23 of 'Z' is all zeros"):
        priors.features(stored(Z), metric="cosine")
    Z[23, 1] = np.nan
    with pytest.raises(ValueError, match=r"^features: 'Z' holds NaN \(first in row 23, column 1"):
        priors.features(stored(Z))


@given(st.integers(2, 60), st.integers(1, 4), st.integers(0, 10**6), st.booleans())
def test_farthest_apart_of_any_points(n, d, seed, ties):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 3, (n, d)).astype(float) if ties else rng.normal(size=(n, d))
    walk = [range(start, min(start + 7, n)) for start in range(0, n, 7)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_stored_rows, "LANDMARKS", 2)
        patch.setattr(_stored_rows, "LANDMARK_ENTRIES", 20)
        patch.setattr(_stored_rows, "COLUMNS", 2)
        spread = find_spread(points.__getitem__, walk)
        i, j = farthest_apart(points.__getitem__, walk, spread)
    np.testing.assert_allclose(spread.middle, points.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        spread.radii, np.linalg.norm(points - points.mean(axis=0), axis=1), atol=1e-12
    )
    assert np.linalg.norm(points[i] - points[j]) == pytest.approx(pdist(points).max(), rel=1e-12)
