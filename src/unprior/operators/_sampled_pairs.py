"""Distances on demand -> distances of the pairs from which an operator is estimated."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry import SampleDistances

#: All pairs are used up to this number (2000 samples), and this number of random pairs beyond.
MANY_PAIRS = 2_000_000

#: Number of pairs computed at a time; a source may gather two rows for each.
CHUNK = 50_000


class PairSample:
    """Distances of the same pairs in several sources, computed on first access."""

    def __init__(self, sources: Sequence[SampleDistances]) -> None:
        self.sources = sources

    @cached_property
    def distances(self) -> list[Floats]:
        """Distances of the pairs in each source."""
        i, j = learning_pairs(self.sources[0].n_samples)
        return [pair_distances(source, i, j) for source in self.sources]

    def largest(self) -> Floats:
        """Return the largest distance of all pairs, sampled or not, in each source."""
        return np.array([source.largest() for source in self.sources])

    def quantile(self, share: float) -> Floats:
        """Return a quantile of the sampled distances in each source."""
        return np.array([np.quantile(distances, share) for distances in self.distances])


def learning_pairs(n_samples: int) -> tuple[Indices, Indices]:
    """Return all pairs i < j if they are few, else random pairs, the same ones every time."""
    if n_samples * (n_samples - 1) // 2 <= MANY_PAIRS:
        i, j = np.triu_indices(n_samples, k=1)
        return i, j
    rng = np.random.default_rng(0)
    # Sorted by i, so that a source which works row by row visits each row once.
    i = np.sort(rng.integers(n_samples, size=MANY_PAIRS))
    j = rng.integers(n_samples - 1, size=MANY_PAIRS)
    return i, j + (j >= i)


def pair_distances(source: PairwiseDistances, i: Indices, j: Indices) -> Floats:
    """Return the distances of many pairs, computed in chunks."""
    distances = np.empty(len(i))
    for start in range(0, len(i), CHUNK):
        chunk = slice(start, start + CHUNK)
        distances[chunk] = source.pairs(i[chunk], j[chunk])
    return distances
