"""Samples in tiles -> the nearest neighbours of some, among all or some of the others.

Tiles are looked through for candidates: all pairs that may be among the nearest, allowing for
rounding. They are hardly more than are wanted. Their true distances then decide.
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
    Lines,
    Places,
    Single,
    StoredTiles,
    data_lines,
    some_points,
)

#: Rows and columns of a tile: what a core keeps at hand.
TILE_ROWS, TILE_COLUMNS = 512, 2048

#: Rows that look at stored columns together: the most, bytes for them and for what they find, and
#: blocks of them there should be, to be shared among workers.
MOST_ROWS, ROW_BYTES, MANY_BLOCKS = 4096, 2**24, 64

#: Room for candidates: for each neighbour that is wanted, and beside.
CROWDED, ROOM = 2, 64

#: Rows that are searched to the last bit at a time, where candidates are too many.
FEW_ROWS = 16

#: Upper bounds of the nearest so far, lower bounds of candidates, who they are, and how many.
Found: TypeAlias = tuple[Floats, Single, NDArray[np.int32], Indices]


class Look(Protocol):
    """Looks for candidates, knowing what becomes of data distances."""

    def scan(
        self, tile: Single, rows: Places, columns: slice, found: Found, mirrored: Found
    ) -> None:
        """Add the candidates of a tile of data distances to what was found.

        Of the rows, and in ``mirrored`` of the columns, unless that is empty.
        """


@runtime_checkable
class Tileable(Protocol):
    """Distances that can be searched in tiles."""

    def in_tiles(self, order: Indices) -> tuple[Lines, Look] | None:
        """Return data distances and a look at them for samples in an order; None if they cannot."""


@dataclass(frozen=True, eq=False)
class PlainLook:
    """Nothing becomes of data distances."""

    lines: Lines
    order: Indices

    def scan(
        self, tile: Single, rows: Places, columns: slice, found: Found, mirrored: Found
    ) -> None:
        """Add the candidates of a tile of data distances to what was found."""
        from unprior.kernels._nearest import scan_linear

        errors, slack = self.lines.errors, 4 * EPS * self.lines.largest
        ends, pairs = (errors[rows], errors[columns]), (self.order[rows], self.order[columns])
        shift = np.zeros_like(tile)
        scan_linear(tile, ends, self.lines.square, shift, slack, pairs, found, mirrored)


@dataclass(frozen=True, eq=False)
class TiledSearch:
    """A search among samples in some order.

    Attributes
    ----------
    source : PairwiseDistances
        Tells true distances.
    order : ndarray of shape (n_samples,)
        The sample at each place.
    lines : Lines
        Data distances in this order.
    look : Look
        Finds candidates among them.
    """

    source: PairwiseDistances
    order: Indices
    lines: Lines
    look: Look

    def nearest(self, rows: Places, columns: Iterable[slice], k: int) -> tuple[Indices, Floats]:
        """Find the k nearest of some rows among some columns; both are places in the order."""
        found = nothing_found(len(self.order[rows]), k)
        self._look_through(rows, columns, found)
        return self.decide(rows, found)

    def decide(self, rows: Places, found: Found) -> tuple[Indices, Floats]:
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

    def _look_through(self, rows: Places, columns: Iterable[slice], found: Found) -> None:
        nobody = nothing_found(0, found[0].shape[1])
        for here in columns:
            self.look.scan(self.lines.tiles.tile(rows, here), rows, here, found, nobody)


@dataclass(frozen=True, eq=False)
class StoredSearch(TiledSearch):
    """A search among samples that are read when they are needed.

    Columns are read, and held while all rows look at them: the more rows look together, the less
    often everything is read.
    """

    tiles: StoredTiles

    def n_rows(self, k: int) -> int:
        """Rows whose k nearest are best looked for together."""
        found = sum(each.nbytes for each in nothing_found(1, k))
        fit = ROW_BYTES // max(found, 4 * self.tiles.data.values.shape[1])
        wanted = min(max(TILE_ROWS, len(self.order) // MANY_BLOCKS), MOST_ROWS)
        return max(1, min(fit, wanted))

    def columns(self) -> list[slice]:
        """All places, cut as they are best looked through."""
        # Shuffled, so that near ones are met early whatever the order of the data means.
        walk = self.tiles.data.values.stretches()
        order = np.random.default_rng(0).permutation(len(walk))
        return [slice(walk[place].start, walk[place].stop) for place in order]

    def _look_through(self, rows: Places, columns: Iterable[slice], found: Found) -> None:
        heaps, lowers, candidates, counts = found
        own, nobody = self.tiles.left(rows), nothing_found(0, heaps.shape[1])
        for wide in columns:
            others = self.tiles.right(wide)
            for here in cut_places(wide, TILE_COLUMNS):
                right = others[here.start - wide.start : here.stop - wide.start]
                for some in cut_places(slice(0, len(own)), TILE_ROWS):
                    part = heaps[some], lowers[some], candidates[some], counts[some]
                    tile = own[some] @ right.T
                    self.look.scan(tile, _some_of(rows, some), here, part, nobody)


def tiled_search(source: PairwiseDistances, order: Indices) -> TiledSearch | None:
    """Prepare a search in tiles; None if the source cannot be searched so, or not any quicker."""
    parts: tuple[Lines, Look] | None = None
    if isinstance(source, Tileable):
        parts = source.in_tiles(order)
    elif isinstance(source, SampleDistances) and some_points(source) is not None:
        lines = data_lines(source, order)
        parts = None if lines is None else (lines, PlainLook(lines, order))
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


def nothing_found(n_rows: int, k: int) -> Found:
    """Return room for the candidates of some rows."""
    room = CROWDED * k + ROOM
    return (
        np.full((n_rows, k), np.inf),
        np.empty((n_rows, room), dtype=np.float32),
        np.empty((n_rows, room), dtype=np.int32),
        np.zeros(n_rows, dtype=np.intp),
    )
