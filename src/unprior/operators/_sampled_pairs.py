"""Distances on demand -> those of the pairs from which an operator is learnt."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from unprior._typing import Floats, Indices, PairwiseDistances
from unprior.geometry import SampleDistances

#: All pairs are looked at up to this many (2000 samples), and this many drawn beyond.
MANY_PAIRS = 2_000_000

#: Pairs whose distances are asked for at a time; a source may gather two rows for each.
CHUNK = 50_000


class PairSample:
    """The same pairs of samples seen in several sources, looked at when first needed."""

    def __init__(self, sources: Sequence[SampleDistances]) -> None:
        self.sources = sources

    @cached_property
    def distances(self) -> list[Floats]:
        """Distances of the pairs in each source."""
        i, j = learning_pairs(self.sources[0].n_samples)
        return [pair_distances(source, i, j) for source in self.sources]

    def largest(self) -> Floats:
        """Return the largest distance of all pairs, drawn or not, in each source."""
        return np.array([source.largest() for source in self.sources])

    def quantile(self, share: float) -> Floats:
        """Return the distance that this share of the pairs does not exceed, in each source."""
        return np.array([np.quantile(distances, share) for distances in self.distances])


def learning_pairs(n_samples: int) -> tuple[Indices, Indices]:
    """Return all pairs i < j if they are few, else a draw that is the same every time."""
    if n_samples * (n_samples - 1) // 2 <= MANY_PAIRS:
        i, j = np.triu_indices(n_samples, k=1)
        return i, j
    rng = np.random.default_rng(0)
    # In order of i, so that a source which works row by row meets each row once.
    i = np.sort(rng.integers(n_samples, size=MANY_PAIRS))
    j = rng.integers(n_samples - 1, size=MANY_PAIRS)
    return i, j + (j >= i)


def pair_distances(source: PairwiseDistances, i: Indices, j: Indices) -> Floats:
    """Distances of many pairs, asked for some at a time."""
    distances = np.empty(len(i))
    for start in range(0, len(i), CHUNK):
        some = slice(start, start + CHUNK)
        distances[some] = source.pairs(i[some], j[some])
    return distances
