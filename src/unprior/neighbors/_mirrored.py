"""Samples in tiles -> the nearest neighbours of all, each tile looked at from both of its sides.

Distances are symmetric, so a tile of rows and columns tells the columns as much as the rows. Each
pair is worked out once, which halves the work of a search, but what was found of all samples is
held until the end.
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

#: Bytes for candidates of all samples, at most.
MOST_BYTES = 2**30

#: Parts that samples are cut into, at least, and for each thread: two parts meet at a time.
PARTS, OF_THREAD = 32, 4

#: Two parts of the samples that look at each other, or one that looks at itself.
Meeting: TypeAlias = tuple[int, int]


def can_be_mirrored(search: TiledSearch, k: int) -> bool:
    """Whether a search has symmetric tiles, threads that share memory, and room for candidates."""
    if type(search) is not TiledSearch or not isinstance(search.bounded.tiles, ProductTiles):
        return False
    needed = len(search.order) * sum(each.nbytes for each in no_candidates(1, k))
    return needed <= MOST_BYTES and shares_memory()


def search_mirrored(search: TiledSearch, k: int, **threads: Any) -> list[tuple[Indices, Floats]]:
    """Find the k nearest of all samples, some thousand at a time, in the order of the search."""
    n = len(search.order)
    count = max(PARTS, OF_THREAD * joblib.effective_n_jobs(threads.get("n_jobs")))
    parts = cut_places(slice(0, n), max(TILE_ROWS, -(-n // count)))
    meetings = Meetings(search, parts, no_candidates(n, k), [Lock() for _ in parts])
    pairs = [[pair] for pair in pair_off(len(parts))]
    map_blocks(meetings.hold, pairs, title="neighbours", **threads)
    blocks = [np.arange(part.start, part.stop) for part in cut_places(slice(0, n), TILE_ROWS)]
    return map_blocks(meetings.decide, blocks, title="nearest neighbours", **threads)


@dataclass(frozen=True, eq=False)
class Meetings:
    """Parts of the samples that look at each other, and what they have found so far."""

    search: TiledSearch
    parts: Sequence[slice]
    found: TileCandidates
    locks: Sequence[Lock]

    def hold(self, pairs: Sequence[Meeting]) -> None:
        """Let two parts look at each other, while no other thread has to do with them."""
        for one, other in pairs:
            with ExitStack() as stack:
                # Always the first one first, so that no two threads wait for each other.
                for part in sorted({one, other}):
                    stack.enter_context(self.locks[part])
                self._look(self.parts[one], self.parts[other])

    def decide(self, places: Indices) -> tuple[Indices, Floats]:
        """Choose the nearest of the samples at consecutive places among what was found."""
        rows = slice(int(places[0]), int(places[-1]) + 1)
        return self.search.decide(rows, self._at(rows))

    def _look(self, one: slice, other: slice) -> None:
        tiles, finder = self.search.bounded.tiles, self.search.finder
        nobody = self._at(slice(0, 0))
        for columns in cut_places(other, TILE_COLUMNS):
            mirrored = nobody if one == other else self._at(columns)
            for rows in cut_places(one, TILE_ROWS):
                finder.scan(tiles.tile(rows, columns), rows, columns, self._at(rows), mirrored)

    def _at(self, places: slice) -> TileCandidates:
        heaps, lowers, candidates, counts = self.found
        return heaps[places], lowers[places], candidates[places], counts[places]


def pair_off(count: int) -> Iterator[Meeting]:
    """Yield all pairs of parts, first each with itself; hardly any has to do with those before it.

    As in a tournament: one part stays where it is, the others go around it by one place a round.

    Examples
    --------
    >>> [*pair_off(3)]
    [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)]
    """
    yield from ((part, part) for part in range(count))
    # Of an odd number one has a rest in each round: its partner is not there.
    seats = [*range(count + count % 2)]
    for _ in seats[1:]:
        for one, other in zip(seats[: len(seats) // 2], reversed(seats), strict=False):
            if max(one, other) < count:
                yield min(one, other), max(one, other)
        seats = [seats[0], seats[-1], *seats[1:-1]]
