"""Samples in tiles -> the nearest neighbours of all, each tile used for its rows and its columns.

Distances are symmetric, so each pair is computed only once, which halves the work of a search. But
the candidates of all samples are in memory until the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeAlias

import joblib
import numpy as np

from unprior._blocks import map_blocks, shares_memory
from unprior._typing import Floats, Indices
from unprior.neighbors._tiled import (
    TILE_COLUMNS,
    TILE_ROWS,
    TileCandidates,
    TiledSearch,
    cut_places,
    no_candidates,
)
from unprior.neighbors._tiles import ProductTiles

#: Largest size of the candidates of all samples, in bytes.
MOST_BYTES = 2**30

#: Smallest number of groups of samples, in all and per thread: two groups are compared at a time.
GROUPS, PER_THREAD = 32, 4

#: Two groups of samples to compare, or one with itself.
GroupPair: TypeAlias = tuple[int, int]


def can_be_mirrored(search: TiledSearch, k: int) -> bool:
    """Whether a search has symmetric tiles, threads that share memory, and room for candidates."""
    if type(search) is not TiledSearch or not isinstance(search.bounded.tiles, ProductTiles):
        return False
    needed = len(search.order) * sum(each.nbytes for each in no_candidates(1, k))
    return needed <= MOST_BYTES and shares_memory()


def search_mirrored(search: TiledSearch, k: int, **threads: Any) -> list[tuple[Indices, Floats]]:
    """Find the k nearest of all samples, in blocks in the order of the search."""
    n = len(search.order)
    count = max(GROUPS, PER_THREAD * joblib.effective_n_jobs(threads.get("n_jobs")))
    groups = cut_places(slice(0, n), max(TILE_ROWS, -(-n // count)))
    mirrored = MirroredSearch(search, groups, no_candidates(n, k), [Lock() for _ in groups])
    pairs = [[pair] for pair in round_robin(len(groups))]
    map_blocks(mirrored.compare, pairs, title="neighbours", **threads)
    blocks = [np.arange(rows.start, rows.stop) for rows in cut_places(slice(0, n), TILE_ROWS)]
    return map_blocks(mirrored.decide, blocks, title="nearest neighbours", **threads)


@dataclass(frozen=True, eq=False)
class MirroredSearch:
    """Groups of samples to compare with each other, and the candidates found so far."""

    search: TiledSearch
    groups: Sequence[slice]
    found: TileCandidates
    locks: Sequence[Lock]

    def compare(self, pairs: Sequence[GroupPair]) -> None:
        """Compare two groups, while no other thread changes their candidates."""
        for one, other in pairs:
            with ExitStack() as stack:
                # Always in the same order, so that no two threads wait for each other.
                for group in sorted({one, other}):
                    stack.enter_context(self.locks[group])
                self._scan(self.groups[one], self.groups[other])

    def decide(self, places: Indices) -> tuple[Indices, Floats]:
        """Choose the nearest of the samples at consecutive places among their candidates."""
        rows = slice(int(places[0]), int(places[-1]) + 1)
        return self.search.decide(rows, self._at(rows))

    def _scan(self, one: slice, other: slice) -> None:
        tiles, finder = self.search.bounded.tiles, self.search.finder
        empty = self._at(slice(0, 0))
        for columns in cut_places(other, TILE_COLUMNS):
            mirrored = empty if one == other else self._at(columns)
            for rows in cut_places(one, TILE_ROWS):
                finder.scan(tiles.tile(rows, columns), rows, columns, self._at(rows), mirrored)

    def _at(self, places: slice) -> TileCandidates:
        heaps, lowers, candidates, counts = self.found
        return heaps[places], lowers[places], candidates[places], counts[places]


def round_robin(count: int) -> Iterator[GroupPair]:
    """Yield all pairs of groups, first each with itself; consecutive pairs share hardly any group.

    As in a tournament: one group stays in its seat, the others move on by one seat a round.

    Examples
    --------
    >>> [*round_robin(3)]
    [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    """
    yield from ((group, group) for group in range(count))
    # With an odd number, one seat is empty, and the group opposite has no partner.
    seats = [*range(count + count % 2)]
    for _ in seats[1:]:
        for one, other in zip(seats[: len(seats) // 2], reversed(seats), strict=False):
            if max(one, other) < count:
                yield min(one, other), max(one, other)
        seats = [seats[0], seats[-1], *seats[1:-1]]
