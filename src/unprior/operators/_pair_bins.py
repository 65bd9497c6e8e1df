"""Prior distances -> cells of pairs that are about equally far apart in every prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices

#: Relative gap below which two distances are one, told apart by rounding only.
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class PairCells:
    """Bins along the first prior, each cut into cells along the priors that follow.

    Attributes
    ----------
    edges : ndarray
        Distances that separate the bins of the first prior.
    inner : tuple of PairCells
        The cells inside each bin; empty if there is one prior only, and the bins are the cells.
    """

    edges: Floats
    inner: tuple[PairCells, ...] = ()

    @property
    def count(self) -> int:
        """Number of cells."""
        return sum(cells.count for cells in self.inner) or len(self.edges) + 1

    def find(self, known: Sequence[Floats]) -> Indices:
        """Return the cell of each pair; ``known`` has its distances in each prior."""
        bins = np.searchsorted(self.edges, known[0])
        if not self.inner:
            return bins
        found, start = np.empty_like(bins), 0
        for number, cells in enumerate(self.inner):
            here = bins == number
            found[here] = start + cells.find([distances[here] for distances in known[1:]])
            start += cells.count
        return found


def learn_pair_cells(known: Sequence[Floats]) -> PairCells:
    """Cut pairs into cells of about equal numbers, or one for each distance if these are few.

    There are about as many cells as pairs in each. Fewer, wider cells would leave some of the
    prior in every cell; more, emptier ones would leave little to rank by.
    """
    return _cut(known, pairs_per_cell=np.sqrt(len(known[0])))


def _cut(known: Sequence[Floats], pairs_per_cell: float) -> PairCells:
    n_cells = len(known[0]) / pairs_per_cell
    # An equal share of the cuts for every prior that is still to come, but one at least.
    n_bins = max(int(n_cells ** (1 / len(known))), 2) if n_cells >= 2 else 1
    edges = _bin_edges(known[0], n_bins)
    if len(known) == 1:
        return PairCells(edges)
    bins = np.searchsorted(edges, known[0])
    inner = (
        _cut([distances[bins == number] for distances in known[1:]], pairs_per_cell)
        for number in range(len(edges) + 1)
    )
    return PairCells(edges, tuple(inner))


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
