"""Curves for bins of pairs -> candidates in tiles of data distances, by table.

For a given bin a factored distance only grows with the data's. So a bound on factored distances is
one on data distances, which is read off the bin's curve, ahead of time for a ladder of bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.neighbors._tiled import TileCandidates
from unprior.neighbors._tiles import EPS, BoundedTiles, Places, Single, Tiles, prior_tiles
from unprior.operators._pair_bins import PairBins
from unprior.priors import Prior

#: Rungs of the ladder, and the share of the lowest curve's first node at which it begins.
N_LEVELS, LOWEST = 512, 1e-3

#: Most keys that prior distances are numbered by.
MOST_KEYS = 8192


class Keys(Protocol):
    """Numbers for pairs, each of which stands for a range of bins."""

    def tile(self, rows: Places, columns: slice) -> Indices:
        """Keys of every row with every column, both places in the order."""


@dataclass(frozen=True, eq=False)
class DistanceKeys:
    """Keys by the leading bits of a prior's distance."""

    prior: Tiles
    lowest: int
    count: int

    def tile(self, rows: Places, columns: slice) -> Indices:
        """Keys of every row with every column, both places in the order."""
        from unprior.kernels._tiles import fill_keys

        distances = self.prior.tile(rows, columns)
        keys = np.empty(distances.shape, dtype=np.uint32)
        fill_keys(distances, self.lowest, self.count, keys)
        return keys


@dataclass(frozen=True, eq=False)
class BinKeys:
    """Bins as their own keys, from distances to the last bit."""

    priors: Sequence[Prior]
    order: Indices
    bins: PairBins

    def tile(self, rows: Places, columns: slice) -> Indices:
        """Keys of every row with every column, both places in the order."""
        own, others = self.order[rows], self.order[columns]
        return self.bins.find([p.block(own, others) for p in self.priors]).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class CurveFinder:
    """Finds candidates under an operator that bends data distances, bin by bin.

    Attributes
    ----------
    bounded : BoundedTiles
    keys : Keys
    curves : tuple of arrays
        As `unprior.kernels._nearest.scan_curves` takes them.
    slack : float
        Rounding of factored distances.
    order : ndarray of shape (n_samples,)
    """

    bounded: BoundedTiles
    keys: Keys
    curves: tuple[Any, ...]
    slack: float
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
        from unprior.kernels._nearest import scan_curves

        keys, errors = self.keys.tile(rows, columns), self.bounded.errors
        ends, pairs = (errors[rows], errors[columns]), (self.order[rows], self.order[columns])
        square, slack = self.bounded.square, self.slack
        scan_curves(tile, ends, square, keys, self.curves, slack, pairs, found, mirrored)


def curve_finder(
    bins: PairBins,
    curves: Sequence[tuple[Floats, Floats]],
    slope: float,
    bounded: BoundedTiles,
    priors: Sequence[Prior],
    order: Indices,
) -> CurveFinder:
    """Prepare the search: factored distances are ``slope`` times the data's plus a bin's curve."""
    keys, first, last = _number(bins, priors, order)
    bent = [(values, mapped + slope * values) for values, mapped in curves]
    nodes = np.concatenate([factored for _, factored in bent])
    levels = np.geomspace(LOWEST * nodes[nodes > 0].min(), nodes.max(), N_LEVELS)
    reach = np.column_stack([_reach(levels, values, factored, slope) for values, factored in bent])
    reach = np.column_stack(
        [reach[:, a : b + 1].max(axis=1) for a, b in zip(first, last, strict=True)]
    )
    if bounded.square:
        reach = reach * np.abs(reach)
    # Above the last level there is no limit.
    reach = np.vstack([reach, np.full(reach.shape[1], np.inf)])
    tables = (
        first,
        last,
        np.r_[0, np.cumsum([len(values) for values, _ in curves])],
        np.concatenate([values for values, _ in curves]),
        np.concatenate([mapped for _, mapped in curves]),
        float(slope),
        levels,
        np.ascontiguousarray(reach * (1 + 4 * EPS), dtype=np.float32),
    )
    return CurveFinder(bounded, keys, tables, float(1e-12 * nodes.max()), order)


def _reach(levels: Floats, values: Floats, factored: Floats, slope: float) -> Floats:
    """Largest data distance whose factored one is at most each level; -1 where there is none."""
    after = np.searchsorted(factored, levels, side="right")
    inside = (after > 0) & (after < len(values))
    reach = np.full(len(levels), -1.0)
    a, b = after[inside] - 1, after[inside]
    share = (levels[inside] - factored[a]) / (factored[b] - factored[a])
    reach[inside] = values[a] + share * (values[b] - values[a])
    beyond = after == len(values)
    over = levels[beyond] - factored[-1]
    reach[beyond] = values[-1] + over / slope if slope > 0 else np.inf
    return reach


def _number(
    bins: PairBins, priors: Sequence[Prior], order: Indices
) -> tuple[Keys, Indices, Indices]:
    """Number pairs by keys; with the first and the last bin that each can lie in."""
    if len(priors) > 1 or not len(bins.edges):
        own = np.arange(bins.count)
        return BinKeys(priors, order, bins), own, own
    from unprior.kernels._tiles import KEY_SHIFT

    tiles, error = prior_tiles(priors[0], order)
    ends = np.array([bins.edges[0] / 2, bins.edges[-1] * 2], dtype=np.float32)
    lowest, highest = (int(bits) >> KEY_SHIFT for bits in ends.view(np.int32))
    lowest = max(lowest, highest - MOST_KEYS)
    bits = (np.arange(lowest, highest + 1) << KEY_SHIFT).astype(np.int32)
    borders = bits.view(np.float32).astype(np.float64)
    # All below the first border have its key too, and all above the last one the last.
    least, most = np.r_[0, borders[1:-1]], np.r_[borders[1:-1], np.inf]
    first = np.searchsorted(bins.edges, least * (1 - EPS) - error)
    last = np.searchsorted(bins.edges, most * (1 + EPS) + error)
    return DistanceKeys(tiles, lowest, len(first)), first, last
