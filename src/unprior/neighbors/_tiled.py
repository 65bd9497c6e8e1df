"""Samples in tiles -> the nearest neighbours of given rows, among given columns.

Tiles are searched for candidates: all pairs that may be among the nearest, allowing for rounding.
There are hardly more candidates than neighbours. Their exact distances then decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    Tiles,
    bounded_tiles,
)

#: Rows and columns of a tile, which fits into a core's cache.
TILE_ROWS, TILE_COLUMNS = 512, 2048

#: Rows that are compared with stored columns together: the largest number, the largest size of them
#: and their candidates in bytes, and the number of blocks that workers share.
MOST_ROWS, ROW_BYTES, MANY_BLOCKS = 4096, 2**24, 64

#: Room for candidates: for each neighbour, and in addition.
CROWDED, ROOM = 2, 64

#: Number of rows with too many candidates that are compared with all samples at a time.
FEW_ROWS = 16

#: By row: upper bounds of the nearest so far, lower bounds of the candidates, their samples, and
#: the number of candidates.
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
        """Add the candidates in a tile of data distances to ``found``.

        These are the candidates of the rows; those of the columns are added to ``mirrored``, unless
        that is empty.
        """


@runtime_checkable
class Tileable(Protocol):
    """Distances that may be searched in tiles."""

    def in_tiles(self, order: Indices) -> tuple[BoundedTiles, CandidateFinder] | None:
        """Return tiles of data distances and a finder of candidates; None if tiles do not apply."""


@dataclass(frozen=True, eq=False)
class ShiftFinder:
    """Finds candidates by data distances, shifted by prior distances as under the linear ⊖.

    Attributes
    ----------
    bounded : BoundedTiles
    order : ndarray of shape (n_samples,)
    slack : float
        Bound on the error of shifted distances, in addition to the error of the data's.
    priors : sequence of (Tiles, scale, strength)
        Empty for plain data distances.
    """

    bounded: BoundedTiles
    order: Indices
    slack: float
    priors: Sequence[tuple[Tiles, float, float]] = ()

    def scan(
        self,
        tile: Single,
        rows: Places,
        columns: slice,
        found: TileCandidates,
        mirrored: TileCandidates,
    ) -> None:
        """Add the candidates in a tile of data distances to ``found``."""
        from unprior.kernels._nearest import scan_linear
        from unprior.kernels._tiles import add_shift

        shift = np.zeros_like(tile)
        for prior, scale, strength in self.priors:
            add_shift(prior.tile(rows, columns), scale, strength, shift)
        errors, square = self.bounded.errors, self.bounded.square
        ends, pairs = (errors[rows], errors[columns]), (self.order[rows], self.order[columns])
        scan_linear(tile, ends, square, shift, self.slack, pairs, found, mirrored)


@dataclass(frozen=True, eq=False)
class TiledSearch:
    """A search among samples in some order.

    Attributes
    ----------
    source : PairwiseDistances
        Exact distances.
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
        """Find the k nearest of given rows among given columns; both are places in the order."""
        found = no_candidates(len(self.order[rows]), k)
        self._scan(rows, columns, found)
        return self.decide(rows, found)

    def decide(self, rows: Places, found: TileCandidates) -> tuple[Indices, Floats]:
        """Choose the nearest among the candidates of given rows, by their exact distances."""
        samples = self.order[rows]
        heaps, lowers, candidates, counts = found
        k = heaps.shape[1]
        near = (lowers <= heaps[:, :1]) & (np.arange(lowers.shape[1]) < counts[:, None])
        # Ties, or clusters smaller than the rounding error, may give too many candidates.
        unclear = near.sum(axis=1) < k
        indices, distances = np.empty((len(samples), k), dtype=np.intp), np.empty((len(samples), k))
        clear, places = np.flatnonzero(~unclear), np.nonzero(near[~unclear])[0]
        indices[clear], distances[clear] = nearest_of_pairs(
            self.source, k, samples[clear], places, candidates[~unclear][near[~unclear]]
        )
        unclear = np.flatnonzero(unclear)
        for start in range(0, len(unclear), FEW_ROWS):
            few = unclear[start : start + FEW_ROWS]
            indices[few], distances[few] = nearest_in_rows(self.source, k, samples[few])
        return indices, distances

    def columns(self) -> list[slice]:
        """Return all places, divided into the columns of tiles."""
        return column_tiles(len(self.order))

    def _scan(self, rows: Places, columns: Iterable[slice], found: TileCandidates) -> None:
        empty = no_candidates(0, found[0].shape[1])
        for places in columns:
            self.finder.scan(self.bounded.tiles.tile(rows, places), rows, places, found, empty)


@dataclass(frozen=True, eq=False)
class StoredSearch(TiledSearch):
    """A search among samples that are read on demand.

    Columns stay in memory while they are compared with all rows of a block: the larger the blocks,
    the less often all data are read.
    """

    tiles: StoredTiles

    def n_rows(self, k: int) -> int:
        """Return the number of rows to search together."""
        found = sum(each.nbytes for each in no_candidates(1, k))
        fit = ROW_BYTES // max(found, 4 * self.tiles.data.values.shape[1])
        wanted = min(max(TILE_ROWS, len(self.order) // MANY_BLOCKS), MOST_ROWS)
        return max(1, min(fit, wanted))

    def columns(self) -> list[slice]:
        """Return all places, divided into stretches that are read together."""
        # Shuffled, so that near samples come early whatever the order of the data.
        walk = self.tiles.data.values.stretches()
        order = np.random.default_rng(0).permutation(len(walk))
        return [slice(walk[place].start, walk[place].stop) for place in order]

    def _scan(self, rows: Places, columns: Iterable[slice], found: TileCandidates) -> None:
        heaps, lowers, candidates, counts = found
        left, empty = self.tiles.left(rows), no_candidates(0, heaps.shape[1])
        for stretch in columns:
            whole = self.tiles.right(stretch)
            for places in cut_places(stretch, TILE_COLUMNS):
                right = whole[places.start - stretch.start : places.stop - stretch.start]
                for block in cut_places(slice(0, len(left)), TILE_ROWS):
                    of_block = heaps[block], lowers[block], candidates[block], counts[block]
                    tile = left[block] @ right.T
                    self.finder.scan(tile, _block_of(rows, block), places, of_block, empty)


def tiled_search(source: PairwiseDistances, order: Indices) -> TiledSearch | None:
    """Prepare a search in tiles; None if they do not apply to the source or would not be faster."""
    parts: tuple[BoundedTiles, CandidateFinder] | None = None
    if isinstance(source, Tileable):
        parts = source.in_tiles(order)
    elif isinstance(source, SampleDistances) and source.some_points() is not None:
        bounded = bounded_tiles(source, order)
        if bounded is not None:
            parts = bounded, ShiftFinder(bounded, order, slack=4 * EPS * bounded.largest)
    if parts is None:
        return None
    tiles = parts[0].tiles
    if isinstance(tiles, StoredTiles):
        return StoredSearch(source, order, *parts, tiles)
    return TiledSearch(source, order, *parts)


def column_tiles(n_samples: int) -> list[slice]:
    """Return all places, divided into the columns of tiles."""
    return cut_places(slice(0, n_samples), TILE_COLUMNS)


def cut_places(places: slice, step: int) -> list[slice]:
    """Divide consecutive places into slices of a length."""
    starts = range(places.start, places.stop, step)
    return [slice(start, min(start + step, places.stop)) for start in starts]


def _block_of(rows: Places, block: slice) -> Places:
    if isinstance(rows, slice):
        return slice(rows.start + block.start, rows.start + block.stop)
    return rows[block]


def no_candidates(n_rows: int, k: int) -> TileCandidates:
    """Return empty arrays for the candidates of so many rows."""
    room = CROWDED * k + ROOM
    return (
        np.full((n_rows, k), np.inf),
        np.empty((n_rows, room), dtype=np.float32),
        np.empty((n_rows, room), dtype=np.int32),
        np.zeros(n_rows, dtype=np.intp),
    )
