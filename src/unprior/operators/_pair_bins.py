"""Prior distances -> bins of pairs that are about equally far apart in every prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices

#: Relative gap below which two distances are one, told apart by rounding only.
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class PairBins:
    """Bins of pairs: cut along the first prior, and each part along the priors that follow.

    Attributes
    ----------
    edges : ndarray
        Distances at which the first prior is cut.
    inner : tuple of PairBins
        The bins inside each part; empty if there is one prior only, and the parts are the bins.
    """

    edges: Floats
    inner: tuple[PairBins, ...] = ()

    @property
    def count(self) -> int:
        """Number of bins."""
        return sum(inner.count for inner in self.inner) or len(self.edges) + 1

    def find(self, known: Sequence[Floats]) -> Indices:
        """Return the bin of each pair; ``known`` has its distances in each prior."""
        parts = np.searchsorted(self.edges, known[0])
        if not self.inner:
            return parts
        found, start = np.empty_like(parts), 0
        for number, inner in enumerate(self.inner):
            here = parts == number
            found[here] = start + inner.find([distances[here] for distances in known[1:]])
            start += inner.count
        return found


def learn_pair_bins(known: Sequence[Floats]) -> PairBins:
    """Cut pairs into bins of about equal size, or one for each distance if these are few.

    There are about as many bins as pairs in each. Fewer, wider bins would leave some of the prior
    in every bin; more, emptier ones would leave little to rank by.
    """
    return _cut(known, pairs_per_bin=np.sqrt(len(known[0])))


def _cut(known: Sequence[Floats], pairs_per_bin: float) -> PairBins:
    n_wanted = len(known[0]) / pairs_per_bin
    # An equal share of the cuts for every prior that is still to come, but one at least.
    n_bins = max(int(n_wanted ** (1 / len(known))), 2) if n_wanted >= 2 else 1
    edges = _bin_edges(known[0], n_bins)
    if len(known) == 1:
        return PairBins(edges)
    bins = np.searchsorted(edges, known[0])
    inner = (
        _cut([distances[bins == number] for distances in known[1:]], pairs_per_bin)
        for number in range(len(edges) + 1)
    )
    return PairBins(edges, tuple(inner))


def _bin_edges(distances: Floats, n_bins: int) -> Floats:
    """Return edges of bins that hold equal numbers, or one distance each if these are few."""
    values = np.sort(distances)
    # Edges lie halfway between two values, where rounding cannot carry a pair across.
    gaps = np.flatnonzero(np.diff(values) > ROUNDING * values[1:])
    if len(gaps) >= n_bins:
        wanted = np.arange(1, n_bins) * len(values) // n_bins - 1
        after = np.minimum(np.searchsorted(gaps, wanted), len(gaps) - 1)
        before = np.maximum(after - 1, 0)
        nearer_before = wanted - gaps[before] <= gaps[after] - wanted
        gaps = np.unique(gaps[np.where(nearer_before, before, after)])
    return (values[gaps] + values[gaps + 1]) / 2
