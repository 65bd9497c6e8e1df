"""Data and strata -> candidates: for every sample its nearest in each stratum, and who names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances
from unprior.neighbors import KNNGraph, find_neighbors
from unprior.neighbors._lift import Lift
from unprior.neighbors._per_stratum import nearest_per_stratum
from unprior.operators._squares import Squares
from unprior.operators._strata import Strata

#: Candidates in a stratum: its share of so many, and of so many for each neighbour, and some more.
SHARED, PER_NEIGHBOR, MORE = 300, 3, 20

#: Of many samples fewer, in proportion: so many candidates in all, but no less for each sample.
MOST_CANDIDATES, LEAST = 8_000_000, 50


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of samples among which neighbours are chosen. Every pair stands in both rows.

    Attributes
    ----------
    starts : ndarray of shape (n_samples + 1,)
        Where the row of each sample begins.
    columns : ndarray of shape (n_pairs,), int32
        The other samples, in ascending order in each row.
    squares : ndarray of shape (n_pairs,), float32
        Squared data distances.
    recall : float
        Share of the nearest in each stratum that were found.
    """

    starts: Indices
    columns: NDArray[np.int32]
    squares: NDArray[np.float32]
    recall: float

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.starts) - 1

    @property
    def arrays(self) -> tuple[Indices, NDArray[np.int32], NDArray[np.float32]]:
        """The pairs as compiled loops take them."""
        return self.starts, self.columns, self.squares

    def nearest(self, k: int, lengths: Floats, strata: Strata, shares: Floats) -> KNNGraph:
        """Return the k nearest of every sample by some lengths, of each stratum its share of k."""
        from unprior.kernels._balance import nearest_by_shares

        fewest = int(np.diff(self.starts).min())
        if k > fewest:
            message = (
                f"Candidates.nearest: 'k' takes at most {fewest}, as many candidates as every "
                f"sample has; got {k}. Search with a larger k."
            )
            raise ValueError(message)
        indices = np.empty((self.n_samples, k), dtype=np.intp)
        distances = np.empty((self.n_samples, k))
        codes = strata.codes, strata.classes
        nearest_by_shares(self.arrays, codes, shares, lengths, indices, distances)
        return KNNGraph(indices, distances, self.recall)


@dataclass(frozen=True)
class Search:
    """Who is to be found, and how.

    Attributes
    ----------
    data : Prior
        The data as distances.
    strata : sequence of Strata
        Those of each prior.
    k : int
        Neighbours that are to be chosen for each sample.
    squares : Squares
        Of the data.
    exact : bool, default=False
        Whether to look at all pairs, however many they are.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows a progress bar at once.
    """

    data: SampleDistances
    strata: Sequence[Strata]
    k: int
    squares: Squares
    exact: bool = False
    n_jobs: int | None = None
    verbose: int = 0

    def per_stratum(self, lift: Lift | None = None) -> Named:
        """Find the nearest in each stratum of every prior, by squares less what a lift says."""
        parts, recalls = [], []
        for one in self.strata:
            counts = _counts(one, self.k, len(self.strata))
            nearest = nearest_per_stratum(
                self.data, one.codes, counts, lift=lift, exact=self.exact, **self._threads
            )
            parts.append((nearest.indices, nearest.distances))
            recalls.append(nearest.recall)
        indices, distances = (np.hstack(each) for each in zip(*parts, strict=True))
        return Named(indices, self._squares(distances), min(recalls))

    def plain(self) -> Named:
        """Find the nearest of all."""
        k = min(self.k, self.data.n_samples - 1)
        graph = find_neighbors(self.data, k, exact=self.exact, **self._threads)
        return Named(graph.indices.astype(np.int32), self._squares(graph.distances), graph.recall)

    def _squares(self, distances: Floats) -> NDArray[np.float32]:
        return np.asarray(self.squares(distances), dtype=np.float32)

    @property
    def _threads(self) -> dict[str, Any]:
        return {"n_jobs": self.n_jobs, "verbose": self.verbose}


class Named(NamedTuple):
    """Samples that every sample names, -1 where there are no more, and the squares to them."""

    indices: NDArray[np.int32]
    squares: NDArray[np.float32]
    recall: float


def pair_up(named: Sequence[Named]) -> Candidates:
    """Return the pairs of which either end names the other, each once."""
    from unprior.kernels._balance import count_pairs, pair_both_ways, sort_rows

    indices, lengths = (np.hstack(each) for each in list(zip(*named, strict=True))[:2])
    starts = np.r_[0, np.cumsum(count_pairs(indices))]
    columns, squares = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    pair_both_ways(indices, lengths, starts, columns, squares)
    del indices, lengths
    counts = np.empty(len(starts) - 1, dtype=np.int64)
    sort_rows(starts, columns, squares, counts)
    kept = _kept(starts, counts)
    recall = min(each.recall for each in named)
    return Candidates(np.r_[0, np.cumsum(counts)], columns[kept], squares[kept], recall)


def _counts(strata: Strata, k: int, n_priors: int) -> Indices:
    """Return how many candidates every sample has in each stratum."""
    # Of kept classes, as many as the one that has the largest share of the stratum needs.
    sizes = strata.sizes_kept()
    shares = (sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1)).max(axis=0)
    wanted = (SHARED + PER_NEIGHBOR * k) * shares + MORE
    room = max(LEAST, MOST_CANDIDATES / strata.n_samples) / n_priors
    fewer = min(1.0, room / wanted.sum())
    # Never less than a stratum's share of the neighbours, and one to choose among.
    return np.ceil(np.maximum(fewer * wanted, k * shares + 1)).astype(int)


def _kept(starts: Indices, counts: Indices) -> NDArray[np.bool_]:
    """Return which places are filled, of rows that are filled from their beginning."""
    change = np.zeros(starts[-1] + 1, dtype=np.int8)
    np.add.at(change, starts[:-1], 1)
    np.add.at(change, starts[:-1] + counts, -1)
    return np.cumsum(change, dtype=np.int8)[:-1] > 0
