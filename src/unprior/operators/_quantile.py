"""Data distances -> their ranks among pairs equally far apart in the prior, as distances again.

Within a bin of pairs, the factored distance increases with the data distance. So for the search, a
bound on factored distances is a bound on data distances: a table has it for each bin at increasing
levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from unprior._typing import Floats, Indices
from unprior.neighbors import (
    EPS,
    BoundedTiles,
    Places,
    Single,
    TileCandidates,
    Tiles,
    prior_tiles,
)
from unprior.operators._pair_bins import ROUNDING, PairBins, learn_pair_bins
from unprior.priors import Prior

#: Bins of equal size would have equal quantiles, and a sample many equally near neighbours.
#: So the ranks of each bin are shifted by a fraction of a rank: multiples of this are most even.
GOLDEN = (5**0.5 - 1) / 2

#: Number of levels, and the lowest one as a fraction of the smallest positive node of all curves.
N_LEVELS, LOWEST = 512, 1e-3

#: Largest number of keys for prior distances.
MOST_KEYS = 8192


@dataclass(frozen=True, eq=False)
class Quantile:
    """The quantile ⊖: replaces distances by their ranks given the prior, with no λ to tune.

    A data distance is replaced by its quantile among the pairs of its bin, and this by the same
    quantile of all data distances. So distances have the same distribution in every bin: the result
    is independent of the prior. ``strength`` interpolates between the data's distance (0) and this
    one (1).

    Attributes
    ----------
    data_scale, strength : float
    bins : PairBins
    curves : sequence of (Floats, Floats)
        For each bin, the nodes of a piecewise linear function: data distances in ascending order,
        and the distances that replace them.
    """

    data_scale: float
    strength: float
    bins: PairBins
    curves: Sequence[tuple[Floats, Floats]]

    def __call__(self, data: Floats, prior: Sequence[Floats]) -> Floats:
        """Factor prior distances out of data distances of the same pairs."""
        values = data.ravel()
        found = self.bins.find([distances.ravel() for distances in prior])
        # NumPy sorts short integers by radix sort, in linear time.
        order = np.argsort(found.astype(np.min_scalar_type(len(self.curves))), kind="stable")
        starts = np.searchsorted(found[order], np.arange(len(self.curves) + 1))
        conditional = np.empty(len(values))
        for curve, start, stop in zip(self.curves, starts, starts[1:], strict=False):
            pairs = order[start:stop]
            conditional[pairs] = np.interp(values[pairs], *curve)
        blend = (1 - self.strength) * data + self.strength * conditional.reshape(data.shape)
        return blend / self.data_scale

    def finder(self, bounded: BoundedTiles, priors: Sequence[Prior], order: Indices) -> CurveFinder:
        """Prepare the search for candidates in scaled data distances, for samples in this order."""
        share = self.strength / self.data_scale
        curves = [(values / self.data_scale, share * mapped) for values, mapped in self.curves]
        return curve_finder(self.bins, curves, 1 - self.strength, bounded, priors, order)


def learn_quantile(
    data: Floats, prior: Sequence[Floats], *, data_scale: float, strength: float
) -> Quantile:
    """Estimate the bins, and the curve of each, from the distances of sampled pairs."""
    bins = learn_pair_bins(prior)
    found = bins.find(prior)
    ordered = np.sort(data)
    shares = (np.arange(len(ordered)) + 0.5) / len(ordered)
    curves = []
    for number in range(bins.count):
        values, quantiles = _quantiles(data[found == number], shift=GOLDEN * (number + 1) % 1 - 0.5)
        mapped = np.interp(quantiles, shares, ordered)
        if values[0] > 0:
            # Distances below the smallest sampled one keep their order, down to 0.
            values, mapped = np.r_[0, values], np.r_[0, mapped]
        curves.append((values, mapped))
    return Quantile(data_scale, strength, bins, curves)


def _quantiles(distances: Floats, shift: float) -> tuple[Floats, Floats]:
    """Return distinct distances in ascending order, and their midranks as shares."""
    ordered = np.sort(distances)
    # Distances that differ only by rounding share a rank.
    starts = np.r_[0, 1 + np.flatnonzero(np.diff(ordered) > ROUNDING * ordered[1:])]
    counts = np.diff(np.r_[starts, len(ordered)])
    return ordered[starts], (np.cumsum(counts) - counts / 2 + shift) / len(distances)


class Keys(Protocol):
    """Assigns to each pair a key, which stands for a range of bins."""

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
    """Bins as keys, from prior distances in double precision."""

    priors: Sequence[Prior]
    order: Indices
    bins: PairBins

    def tile(self, rows: Places, columns: slice) -> Indices:
        """Keys of every row with every column, both places in the order."""
        i, j = self.order[rows], self.order[columns]
        return self.bins.find([p.block(i, j) for p in self.priors]).astype(np.uint32)


@dataclass(frozen=True, eq=False)
class CurveFinder:
    """Finds candidates under an operator that maps data distances by a curve for each bin.

    Attributes
    ----------
    bounded : BoundedTiles
    keys : Keys
    curves : tuple of arrays
        In the form of `unprior.kernels._nearest.scan_curves`.
    slack : float
        Bound on the rounding error of factored distances.
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
        """Add the candidates in a tile of data distances to ``found``."""
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
    """Prepare the search; factored distances are ``slope`` times the data's plus a bin's curve."""
    keys, first, last = _number(bins, priors, order)
    nodes_of_bins = [(values, mapped + slope * values) for values, mapped in curves]
    nodes = np.concatenate([factored for _, factored in nodes_of_bins])  # of all bins
    levels = np.geomspace(LOWEST * nodes[nodes > 0].min(), nodes.max(), N_LEVELS)
    reach = np.column_stack([_reach(levels, *bin_nodes, slope) for bin_nodes in nodes_of_bins])
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
    """Return the largest data distance whose factored one is up to each level; -1 if none is."""
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
    """Return keys of pairs, and the first and last bin that each key stands for."""
    if len(priors) > 1 or not len(bins.edges):
        numbers = np.arange(bins.count)
        return BinKeys(priors, order, bins), numbers, numbers
    from unprior.kernels._tiles import KEY_SHIFT

    tiles, error = prior_tiles(priors[0], order)
    ends = np.array([bins.edges[0] / 2, bins.edges[-1] * 2], dtype=np.float32)
    lowest, highest = (int(bits) >> KEY_SHIFT for bits in ends.view(np.int32))
    lowest = max(lowest, highest - MOST_KEYS)
    bits = (np.arange(lowest, highest + 1) << KEY_SHIFT).astype(np.int32)
    borders = bits.view(np.float32).astype(np.float64)
    # Distances below the first border get the first key, those above the last border the last.
    least, most = np.r_[0, borders[1:-1]], np.r_[borders[1:-1], np.inf]
    first = np.searchsorted(bins.edges, least * (1 - EPS) - error)
    last = np.searchsorted(bins.edges, most * (1 + EPS) + error)
    return DistanceKeys(tiles, lowest, len(first)), first, last
