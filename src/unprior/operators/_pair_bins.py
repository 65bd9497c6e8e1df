"""Prior distances -> bins of pairs that are about equally far apart in every prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices

#: Distances with a smaller relative gap count as equal: they differ only by rounding.
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class PairBins:
    """Bins of pairs: divided by the first prior, and each interval by the priors that follow.

    Attributes
    ----------
    edges : ndarray
        Boundaries between the first prior's intervals.
    inner : tuple of PairBins
        The bins within each interval; empty for a single prior, whose intervals are the bins.
    """

    edges: Floats
    inner: tuple[PairBins, ...] = ()

    @property
    def count(self) -> int:
        """Number of bins."""
        return sum(inner.count for inner in self.inner) or len(self.edges) + 1

    def find(self, priors: Sequence[Floats]) -> Indices:
        """Return the bin of each pair, given its distances in each prior."""
        intervals = np.searchsorted(self.edges, priors[0])
        if not self.inner:
            return intervals
        found, start = np.empty_like(intervals), 0
        for number, inner in enumerate(self.inner):
            inside = intervals == number
            found[inside] = start + inner.find([distances[inside] for distances in priors[1:]])
            start += inner.count
        return found


def learn_pair_bins(priors: Sequence[Floats]) -> PairBins:
    """Divide pairs into bins of about equal size, or one for each distance if these are few.

    There are about as many bins as pairs in each. In wider bins, distances would still depend on
    the prior; narrower ones would hold too few pairs to estimate ranks.
    """
    return _divide(priors, pairs_per_bin=np.sqrt(len(priors[0])))


def _divide(priors: Sequence[Floats], pairs_per_bin: float) -> PairBins:
    n_wanted = len(priors[0]) / pairs_per_bin
    # As many intervals for each of the remaining priors, at least two.
    n_bins = max(int(n_wanted ** (1 / len(priors))), 2) if n_wanted >= 2 else 1
    edges = _bin_edges(priors[0], n_bins)
    if len(priors) == 1:
        return PairBins(edges)
    bins = np.searchsorted(edges, priors[0])
    inner = (
        _divide([distances[bins == number] for distances in priors[1:]], pairs_per_bin)
        for number in range(len(edges) + 1)
    )
    return PairBins(edges, tuple(inner))


def _bin_edges(distances: Floats, n_bins: int) -> Floats:
    """Return edges of bins of equal size, or of one distance each if these are few."""
    values = np.sort(distances)
    # Edges lie halfway between two values, so that rounding cannot change a pair's bin.
    gaps = np.flatnonzero(np.diff(values) > ROUNDING * values[1:])
    if len(gaps) >= n_bins:
        wanted = np.arange(1, n_bins) * len(values) // n_bins - 1
        after = np.minimum(np.searchsorted(gaps, wanted), len(gaps) - 1)
        before = np.maximum(after - 1, 0)
        nearer_before = wanted - gaps[before] <= gaps[after] - wanted
        gaps = np.unique(gaps[np.where(nearer_before, before, after)])
    return (values[gaps] + values[gaps + 1]) / 2
