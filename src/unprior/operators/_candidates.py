"""Data and strata -> candidate pairs: every sample with its nearest in each stratum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.geometry import SampleDistances
from unprior.neighbors import KNNGraph, Lift, find_neighbors, nearest_per_stratum
from unprior.operators._squares import Squares
from unprior.operators._strata import Strata

#: Number of candidates in a stratum: its share of SHARED + PER_NEIGHBOR * k, plus MORE.
SHARED, PER_NEIGHBOR, MORE = 300, 3, 20

#: Largest total number of candidates for up to FEW neighbours, in proportion for more (choosing 90
#: of few candidates makes hubs), and the number per sample below which it is not enforced.
MOST_CANDIDATES, FEW, LEAST = 8_000_000, 30, 50


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of samples among which neighbours are chosen; each pair is in both samples' rows.

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
        """The pairs, in the order of the arguments of compiled loops."""
        return self.starts, self.columns, self.squares

    def nearest(self, k: int, lengths: Floats, strata: Strata, shares: Floats) -> KNNGraph:
        """Return the k nearest of every sample by given distances; each stratum gets its share."""
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
class CandidateSearch:
    """Searches for candidates in the data.

    Attributes
    ----------
    data : SampleDistances
    strata : sequence of Strata
        One for each prior.
    k : int
        Number of neighbours to be chosen for each sample.
    squares : Squares
        Squares distances in the data.
    exact : bool
        Whether to compare all pairs, whatever their number.
    n_jobs, verbose : int
        Number of threads, which does not change the result, and whether to show progress.
    """

    data: SampleDistances
    strata: Sequence[Strata]
    k: int
    squares: Squares
    exact: bool = False
    n_jobs: int | None = None
    verbose: int = 0

    def per_stratum(self, lift: Lift | None = None) -> CandidateLists:
        """Find the nearest in each stratum of every prior, after subtracting a lift's products."""
        parts, recalls = [], []
        for one in self.strata:
            counts = _counts(one, self.k, len(self.strata))
            nearest = nearest_per_stratum(
                self.data, one.codes, counts, lift=lift, exact=self.exact, **self._threads
            )
            parts.append((nearest.indices, nearest.distances))
            recalls.append(nearest.recall)
        indices, distances = (np.hstack(each) for each in zip(*parts, strict=True))
        return CandidateLists(indices, self._squares(distances), min(recalls))

    def plain(self) -> CandidateLists:
        """Find the nearest among all samples."""
        k = min(self.k, self.data.n_samples - 1)
        graph = find_neighbors(self.data, k, exact=self.exact, **self._threads)
        return CandidateLists(
            graph.indices.astype(np.int32), self._squares(graph.distances), graph.recall
        )

    def _squares(self, distances: Floats) -> NDArray[np.float32]:
        return np.asarray(self.squares(distances), dtype=np.float32)

    @property
    def _threads(self) -> dict[str, Any]:
        return {"n_jobs": self.n_jobs, "verbose": self.verbose}


class CandidateLists(NamedTuple):
    """Candidates of each sample, -1 where there are no more, and squared distances to them."""

    indices: NDArray[np.int32]
    squares: NDArray[np.float32]
    recall: float


def join_lists(lists: Sequence[CandidateLists]) -> Candidates:
    """Return the pairs in which either sample lists the other, without duplicates."""
    from unprior.kernels._balance import count_pairs, pair_both_ways, sort_rows

    indices, lengths = (np.hstack(each) for each in list(zip(*lists, strict=True))[:2])
    starts = np.r_[0, np.cumsum(count_pairs(indices))]
    columns, squares = np.empty(starts[-1], np.int32), np.empty(starts[-1], np.float32)
    pair_both_ways(indices, lengths, starts, columns, squares)
    del indices, lengths
    counts = np.empty(len(starts) - 1, dtype=np.int64)
    sort_rows(starts, columns, squares, counts)
    kept = _kept(starts, counts)
    recall = min(each.recall for each in lists)
    return Candidates(np.r_[0, np.cumsum(counts)], columns[kept], squares[kept], recall)


def _counts(strata: Strata, k: int, n_priors: int) -> Indices:
    """Return the number of candidates that each sample gets in each stratum."""
    # With kept classes, enough for the one in which the stratum has its largest share.
    sizes = strata.sizes_kept()
    shares = (sizes / np.maximum(sizes.sum(axis=1, keepdims=True), 1)).max(axis=0)
    wanted = (SHARED + PER_NEIGHBOR * k) * shares + MORE
    most = MOST_CANDIDATES * max(1.0, k / FEW)
    room = max(LEAST, most / strata.n_samples) / n_priors
    fewer = min(1.0, room / wanted.sum())
    # At least a stratum's share of the neighbours, and one more to choose from.
    return np.ceil(np.maximum(fewer * wanted, k * shares + 1)).astype(int)


def _kept(starts: Indices, counts: Indices) -> NDArray[np.bool_]:
    """Return a mask of the first ``counts[i]`` places of each row."""
    change = np.zeros(starts[-1] + 1, dtype=np.int8)
    np.add.at(change, starts[:-1], 1)
    np.add.at(change, starts[:-1] + counts, -1)
    return np.cumsum(change, dtype=np.int8)[:-1] > 0
