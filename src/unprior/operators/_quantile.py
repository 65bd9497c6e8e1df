"""Data distances -> their ranks among pairs equally far apart in the prior, as distances again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.neighbors._tiles import BoundedTiles
from unprior.operators._curves import CurveFinder, curve_finder
from unprior.operators._pair_bins import ROUNDING, PairBins, learn_pair_bins
from unprior.priors import Prior

#: Bins of one size would share their quantiles, so that a sample had many equally near neighbours.
#: Each bin's ranks are shifted by its own part of a rank; multiples of this spread most evenly.
GOLDEN = (5**0.5 - 1) / 2


@dataclass(frozen=True, eq=False)
class Quantile:
    """The conditional ⊖: what a distance says beyond the prior's, with no λ to tune.

    A data distance becomes its quantile among the pairs of its bin, and that quantile a distance
    again through the quantiles of all pairs. So every bin ends up with one and the same
    distribution: the result is independent of the prior. ``strength`` blends from the data's
    distance (0) to this one (1).

    Attributes
    ----------
    data_scale, strength : float
    bins : PairBins
    curves : sequence of (Floats, Floats)
        For each bin, some data distances in ascending order and what becomes of them; linear
        between.
    """

    data_scale: float
    strength: float
    bins: PairBins
    curves: Sequence[tuple[Floats, Floats]]

    def __call__(self, data: Floats, known: Sequence[Floats]) -> Floats:
        """Factor prior distances out of data distances of the same pairs."""
        values = data.ravel()
        found = self.bins.find([distances.ravel() for distances in known])
        # Short integers are sorted in one pass.
        order = np.argsort(found.astype(np.min_scalar_type(len(self.curves))), kind="stable")
        starts = np.searchsorted(found[order], np.arange(len(self.curves) + 1))
        conditional = np.empty(len(values))
        for curve, start, stop in zip(self.curves, starts, starts[1:], strict=False):
            here = order[start:stop]
            conditional[here] = np.interp(values[here], *curve)
        blend = (1 - self.strength) * data + self.strength * conditional.reshape(data.shape)
        return blend / self.data_scale

    def finder(self, bounded: BoundedTiles, priors: Sequence[Prior], order: Indices) -> CurveFinder:
        """Prepare the search for candidates in scaled data distances, for samples in an order."""
        share = self.strength / self.data_scale
        curves = [(values / self.data_scale, share * mapped) for values, mapped in self.curves]
        return curve_finder(self.bins, curves, 1 - self.strength, bounded, priors, order)


def learn_quantile(
    data: Floats, known: Sequence[Floats], *, data_scale: float, strength: float
) -> Quantile:
    """Learn the bins, and the curve of each, from the distances of some pairs."""
    bins = learn_pair_bins(known)
    found = bins.find(known)
    everyone = np.sort(data)
    shares = (np.arange(len(everyone)) + 0.5) / len(everyone)
    curves = []
    for number in range(bins.count):
        values, quantiles = _quantiles(data[found == number], shift=GOLDEN * (number + 1) % 1 - 0.5)
        mapped = np.interp(quantiles, shares, everyone)
        if values[0] > 0:
            # Pairs nearer than any that was learnt from keep their order, down to distance 0.
            values, mapped = np.r_[0, values], np.r_[0, mapped]
        curves.append((values, mapped))
    return Quantile(data_scale, strength, bins, curves)


def _quantiles(distances: Floats, shift: float) -> tuple[Floats, Floats]:
    """Distinct distances in ascending order, and the share of pairs below (of equals, half)."""
    ordered = np.sort(distances)
    # Equal distances that rounding tells apart would get ranks of their own.
    starts = np.r_[0, 1 + np.flatnonzero(np.diff(ordered) > ROUNDING * ordered[1:])]
    counts = np.diff(np.r_[starts, len(ordered)])
    return ordered[starts], (np.cumsum(counts) - counts / 2 + shift) / len(distances)
