"""Every pair of samples is compared once, for both of them."""

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior import priors
from unprior.neighbors import _mirrored, find_neighbors
from unprior.neighbors._mirrored import can_be_mirrored, round_robin, search_mirrored
from unprior.neighbors._tiled import tiled_search
from unprior.operators import factor_on_demand


@pytest.fixture
def small_tiles(in_tiles):
    in_tiles(64, 100)


@given(st.integers(1, 50))
def test_all_parts_meet_once(count):
    met = [*round_robin(count)]
    assert sorted(met) == [(i, j) for i in range(count) for j in range(i, count)]


@given(st.integers(2, 50))
def test_in_a_round_nobody_has_two_meetings(count):
    met = [*round_robin(count)][count:]
    for start in range(0, len(met), count // 2):
        at_once = [part for pair in met[start : start + count // 2] for part in pair]
        assert len({*at_once}) == len(at_once)


@pytest.mark.usefixtures("small_tiles")
@pytest.mark.parametrize("operator", ["linear", "quantile"])
def test_equals_rows_to_the_bit_on_any_number_of_threads(rng, in_tiles, operator):
    X = rng.normal(size=(900, 14)).astype(np.float32)
    known = {"y": priors.labels(rng.integers(3, size=900)), "z": priors.features(X[:, 0])}
    factored = factor_on_demand(priors.features(X), known, operator=operator)
    both = [find_neighbors(factored, 12, n_jobs=n_jobs) for n_jobs in (1, 2, 5)]
    in_tiles(mirrored=False)
    rows = find_neighbors(factored, 12)
    for graph in both:
        np.testing.assert_array_equal(graph.indices, rows.indices)
        np.testing.assert_array_equal(graph.distances, rows.distances)


@pytest.mark.usefixtures("small_tiles")
def test_tiles_are_worked_out_once(rng, monkeypatch):
    search = tiled_search(priors.features(rng.normal(size=(1000, 14))), rng.permutation(1000))
    looked_at, tile = [], type(search.bounded.tiles).tile

    def spy(self, rows, columns):
        looked_at.append((rows.stop - rows.start) * (columns.stop - columns.start))
        return tile(self, rows, columns)

    monkeypatch.setattr(type(search.bounded.tiles), "tile", spy)
    search_mirrored(search, 5)
    # Half of all pairs, and those within a part twice.
    assert sum(looked_at) == 1000**2 / 2 + sum(size**2 for size in [64] * 15 + [40]) / 2


@pytest.mark.usefixtures("small_tiles")
def test_crowded_columns_are_searched_as_anything_else(rng, in_tiles):
    X = priors.features(np.repeat(rng.normal(size=(6, 14)), 60, axis=0))
    both = find_neighbors(X, 5)
    in_tiles(mirrored=False)
    np.testing.assert_array_equal(both.indices, find_neighbors(X, 5).indices)


def test_only_in_shared_memory_and_where_there_is_room(rng, monkeypatch):
    X = rng.normal(size=(300, 14))
    search = tiled_search(priors.features(X), np.arange(300))
    assert can_be_mirrored(search, 5)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        assert can_be_mirrored(search, 5)
    with joblib.parallel_config(backend="loky", n_jobs=2):
        assert not can_be_mirrored(search, 5)
    other = factor_on_demand(
        priors.features(X, metric="l1"), {"z": priors.features(X[:, 0])}, operator="quantile"
    )
    assert not can_be_mirrored(tiled_search(other, np.arange(300)), 5)
    monkeypatch.setattr(_mirrored, "MOST_BYTES", 300 * 100)
    assert not can_be_mirrored(search, 5)
