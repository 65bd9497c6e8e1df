"""Samples in tiles -> the nearest neighbours of some, among all or some of the others.

Tiles are searched for candidates: all pairs that may be among the nearest, allowing for rounding.
There are hardly more of them than neighbours wanted. Their exact distances then decide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry import SampleDistances
from unprior.neighbors._rows import nearest_in_rows, nearest_of_pairs
from unprior.neighbors._tiles import (
    EPS,
    BoundedTiles,
    Places,
    Single,
    StoredTiles,
    bounded_tiles,
)

#: Rows and columns of a tile: what a core keeps at hand.
TILE_ROWS, TILE_COLUMNS = 512, 2048

#: Rows that look at stored columns together: the most, bytes for them and for what they find, and
#: blocks of them there should be, to be shared among workers.
MOST_ROWS, ROW_BYTES, MANY_BLOCKS = 4096, 2**24, 64

#: Room for candidates: for each neighbour that is wanted, and in addition.
CROWDED, ROOM = 2, 64

#: Rows that are searched to the last bit at a time, where candidates are too many.
FEW_ROWS = 16

#: For each row: upper bounds of the nearest so far, lower bounds of candidates, their samples, and
#: how many candidates there are.
TileCandidates: TypeAlias = tuple[Floats, Single, NDArray[np.int32], Indices]


class CandidateFinder(Protocol):
    """Finds candidates: pairs that may be nearest neighbours under an operator."""

    def scan(
        self,
        tile: Single,
        rows: Places,
        columns: slice,
        found: TileCandidates,
        mirrored: TileCandidates,
    ) -> None:
        """Add the candidates of a tile of data distances to what was found.

        Of the rows, and in ``mirrored`` of the columns, unless that is empty.
        """


@runtime_checkable
class Tileable(Protocol):
    """Distances that can be searched in tiles."""

    def in_tiles(self, order: Indices) -> tuple[BoundedTiles, CandidateFinder] | None:
        """Return data distances and what finds candidates in them; None if tiles do not apply."""


@dataclass(frozen=True, eq=False)
class PlainFinder:
    """Finds candidates where data distances stay as they are."""

    bounded: BoundedTiles
    order: Indices

    def scan(
        self,
        tile: Single,
        rows: Places,
        columns: slice,
        found: TileCandidates,
        mirrored: TileCandidates,
    ) -> None:
        """Add the candidates of a tile of data distances to what was found."""
        from unprior.kernels._nearest import scan_linear

        errors, slack = self.bounded.errors, 4 * EPS * self.bounded.largest
        ends, pairs = (errors[rows], errors[columns]), (self.order[rows], self.order[columns])
        shift = np.zeros_like(tile)
        scan_linear(tile, ends, self.bounded.square, shift, slack, pairs, found, mirrored)


@dataclass(frozen=True, eq=False)
class TiledSearch:
    """A search among samples in some order.

    Attributes
    ----------
    source : PairwiseDistances
        Tells true distances.
    order : ndarray of shape (n_samples,)
        The sample at each place.
    bounded : BoundedTiles
        Data distances in this order.
    finder : CandidateFinder
        Finds candidates among them.
    """

    source: PairwiseDistances
    order: Indices
    bounded: BoundedTiles
    finder: CandidateFinder

    def nearest(self, rows: Places, columns: Iterable[slice], k: int) -> tuple[Indices, Floats]:
        """Find the k nearest of some rows among some columns; both are places in the order."""
        found = no_candidates(len(self.order[rows]), k)
        self._look_through(rows, columns, found)
        return self.decide(rows, found)

    def decide(self, rows: Places, found: TileCandidates) -> tuple[Indices, Floats]:
        """Choose the nearest among the candidates of some rows, by their true distances."""
        samples = self.order[rows]
        heaps, lowers, candidates, counts = found
        k = heaps.shape[1]
        near = (lowers <= heaps[:, :1]) & (np.arange(lowers.shape[1]) < counts[:, None])
        # Ties, or clusters smaller than the rounding, leave too many to note.
        unclear = near.sum(axis=1) < k
        indices, distances = np.empty((len(samples), k), dtype=np.intp), np.empty((len(samples), k))
        clear, places = np.flatnonzero(~unclear), np.nonzero(near[~unclear])[0]
        indices[clear], distances[clear] = nearest_of_pairs(
            self.source, k, samples[clear], places, candidates[~unclear][near[~unclear]]
        )
        unclear = np.flatnonzero(unclear)
        for start in range(0, len(unclear), FEW_ROWS):
            some = unclear[start : start + FEW_ROWS]
            indices[some], distances[some] = nearest_in_rows(self.source, k, samples[some])
        return indices, distances

    def columns(self) -> list[slice]:
        """All places, cut as they are best looked through."""
        return column_tiles(len(self.order))

    def _look_through(self, rows: Places, columns: Iterable[slice], found: TileCandidates) -> None:
        nobody = no_candidates(0, found[0].shape[1])
        for here in columns:
            self.finder.scan(self.bounded.tiles.tile(rows, here), rows, here, found, nobody)


@dataclass(frozen=True, eq=False)
class StoredSearch(TiledSearch):
    """A search among samples that are read when they are needed.

    Columns are read, and held while all rows look at them: the more rows look together, the less
    often everything is read.
    """

    tiles: StoredTiles

    def n_rows(self, k: int) -> int:
        """Rows whose k nearest are best looked for together."""
        found = sum(each.nbytes for each in no_candidates(1, k))
        fit = ROW_BYTES // max(found, 4 * self.tiles.data.values.shape[1])
        wanted = min(max(TILE_ROWS, len(self.order) // MANY_BLOCKS), MOST_ROWS)
        return max(1, min(fit, wanted))

    def columns(self) -> list[slice]:
        """All places, cut as they are best looked through."""
        # Shuffled, so that near ones are met early whatever the order of the data means.
        walk = self.tiles.data.values.stretches()
        order = np.random.default_rng(0).permutation(len(walk))
        return [slice(walk[place].start, walk[place].stop) for place in order]

    def _look_through(self, rows: Places, columns: Iterable[slice], found: TileCandidates) -> None:
        heaps, lowers, candidates, counts = found
        own, nobody = self.tiles.left(rows), no_candidates(0, heaps.shape[1])
        for wide in columns:
            others = self.tiles.right(wide)
            for here in cut_places(wide, TILE_COLUMNS):
                right = others[here.start - wide.start : here.stop - wide.start]
                for some in cut_places(slice(0, len(own)), TILE_ROWS):
                    part = heaps[some], lowers[some], candidates[some], counts[some]
                    tile = own[some] @ right.T
                    self.finder.scan(tile, _some_of(rows, some), here, part, nobody)


def tiled_search(source: PairwiseDistances, order: Indices) -> TiledSearch | None:
    """Prepare a search in tiles; None if the source cannot be searched so, or not any quicker."""
    parts: tuple[BoundedTiles, CandidateFinder] | None = None
    if isinstance(source, Tileable):
        parts = source.in_tiles(order)
    elif isinstance(source, SampleDistances) and source.some_points() is not None:
        bounded = bounded_tiles(source, order)
        parts = None if bounded is None else (bounded, PlainFinder(bounded, order))
    if parts is None:
        return None
    tiles = parts[0].tiles
    if isinstance(tiles, StoredTiles):
        return StoredSearch(source, order, *parts, tiles)
    return TiledSearch(source, order, *parts)


def column_tiles(n_samples: int) -> list[slice]:
    """All places, cut into the columns of tiles."""
    return cut_places(slice(0, n_samples), TILE_COLUMNS)


def cut_places(places: slice, step: int) -> list[slice]:
    """Cut consecutive places into parts of a length."""
    starts = range(places.start, places.stop, step)
    return [slice(start, min(start + step, places.stop)) for start in starts]


def _some_of(rows: Places, some: slice) -> Places:
    if isinstance(rows, slice):
        return slice(rows.start + some.start, rows.start + some.stop)
    return rows[some]


def no_candidates(n_rows: int, k: int) -> TileCandidates:
    """Return room for the candidates of some rows."""
    room = CROWDED * k + ROOM
    return (
        np.full((n_rows, k), np.inf),
        np.empty((n_rows, room), dtype=np.float32),
        np.empty((n_rows, room), dtype=np.int32),
        np.zeros(n_rows, dtype=np.intp),
    )
