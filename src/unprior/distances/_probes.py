"""Buckets in groups -> some samples of each group, whose true neighbours are looked up.

They tell how far to look from a group, and what share of its neighbours a search has found. Every
group has its own, so that a small one which is hard to search cannot hide behind the large ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unprior._blocks import map_blocks
from unprior._typing import Floats, Indices
from unprior.distances._buckets import Buckets
from unprior.neighbors._tiled import TILE_ROWS, TiledSearch

#: Samples that are looked up, shared among groups by size; and of each group at least.
N_PROBES, OF_GROUP = 600, 30


@dataclass(frozen=True, eq=False)
class Probes:
    """Samples whose true neighbours are known.

    Attributes
    ----------
    places : ndarray of shape (n_probes,)
        Where they are in the order of the buckets.
    groups : ndarray of shape (n_probes,)
        The group of each.
    neighbors : ndarray of shape (n_probes, k)
        Their true neighbours.
    """

    places: Indices
    groups: Indices
    neighbors: Indices

    def shares_in(self, found: Indices) -> Floats:
        """Share of the true neighbours of each group among those that were found of each probe."""
        hits = [np.isin(t, f).mean() for t, f in zip(self.neighbors, found, strict=True)]
        return np.bincount(self.groups, hits) / np.bincount(self.groups)


def look_up_probes(
    search: TiledSearch, buckets: Buckets, k: int, *, seed: int, **threads: Any
) -> Probes:
    """Draw samples of each group, from all over it, and find their k nearest among all."""
    group_of = np.repeat(buckets.groups, buckets.sizes)
    rng = np.random.default_rng(seed)
    drawn = [_draw(np.flatnonzero(group_of == g), len(group_of), rng) for g in _numbers(buckets)]
    places = np.concatenate(drawn)
    blocks = [places[start : start + TILE_ROWS] for start in range(0, len(places), TILE_ROWS)]
    look_up = partial(_true_neighbors, search, k)
    found = map_blocks(look_up, blocks, title="true neighbours of some", **threads)
    return Probes(places, group_of[places], np.vstack(found))


def _numbers(buckets: Buckets) -> range:
    return range(int(buckets.groups.max()) + 1)


def _draw(places: Indices, n_samples: int, rng: np.random.Generator) -> Indices:
    """Draw one of each so many consecutive places: all buckets of a group have their turn."""
    size = len(places)
    count = min(size, max(OF_GROUP, round(N_PROBES * size / n_samples)))
    ends = np.arange(count + 1) * size // count
    return places[rng.integers(ends[:-1], ends[1:])]


def _true_neighbors(search: TiledSearch, k: int, places: Indices) -> Indices:
    return search.nearest(places, search.columns(), k)[0]
